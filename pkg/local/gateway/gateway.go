// Package gateway is API Gateway, Lambda's front and EventBridge's clock in one process, wired from template.yaml alone.
//
//	stack.go node.go eval.go function.go socket.go machine.go rule.go   the template, read strictly
//	http.go request.go response.go                                       HTTP API: events of payload format 2.0, and its limits
//	invoke.go                                                            calling a function the way Lambda does
//	schedule.go rule.go                                                  schedules and events
package gateway

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/proagentstore/pags/pkg/edge"
	"github.com/proagentstore/pags/pkg/port"
)

// Function is what runs behind a logical name: exactly one of the two.
type Function struct {
	HTTP  http.Handler                                                      // reached through events and responses, as on Lambda
	Event func(ctx context.Context, payload []byte) (out []byte, err error) // JSON in, JSON out; see Event
}

// Options say what the gateway stands on.
type Options struct {
	Stack     *Stack              // from Read
	Functions map[string]Function // one for each function of the stack, no other
	Otherwise http.Handler        // paths of no route; nil answers 404 as HTTP APIs do
	Clock     port.Clock
	Log       *slog.Logger
}

// Gateway serves the routes of a stack and calls its functions. It is an http.Handler and a port.Functions.
type Gateway struct {
	stack     *Stack
	functions map[string]*bound
	exact     map[string]*Route
	below     map[string]*Route
	otherwise http.Handler
	clock     port.Clock
	log       *slog.Logger
	boot      string
	count     atomic.Uint64
}

var (
	_ http.Handler   = (*Gateway)(nil)
	_ port.Functions = (*Gateway)(nil)
)

// bound is a function with what the template says about it.
type bound struct {
	Declared
	front edge.Front // nil where the function takes events only
	event func(ctx context.Context, payload []byte) ([]byte, error)
}

// New binds code to a stack. A function without code, or code without a function, is refused: on AWS it would fail on the
// first call.
func New(o Options) (*Gateway, error) {
	g := &Gateway{
		stack: o.Stack, functions: map[string]*bound{}, exact: map[string]*Route{}, below: map[string]*Route{},
		otherwise: o.Otherwise, clock: o.Clock, log: o.Log, boot: rand.Text()[:10],
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	for _, name := range sortedKeys(o.Functions) {
		if _, ok := o.Stack.Functions[name]; !ok {
			return nil, fmt.Errorf("there is code for %s, which is not in the template", name)
		}
	}
	for _, name := range sortedKeys(o.Stack.Functions) {
		f, b := o.Functions[name], &bound{Declared: o.Stack.Functions[name]}
		switch {
		case f.HTTP != nil && f.Event == nil:
			b.front = edge.HTTP(f.HTTP)
			b.event = Event(b.front)
		case f.Event != nil && f.HTTP == nil:
			b.event = f.Event
		default:
			return nil, fmt.Errorf("%s of the template needs code: a handler or an event function", name)
		}
		g.functions[name] = b
	}
	for i := range o.Stack.Routes {
		r := &o.Stack.Routes[i]
		if family, ok := cutProxy(r.Path); ok {
			g.below[family] = r
		} else {
			g.exact[r.Path] = r
		}
	}
	return g, nil
}

// Stack is what the gateway was made from.
func (g *Gateway) Stack() *Stack { return g.stack }

// requestID is unique per call and process.
func (g *Gateway) requestID() string {
	return g.boot + "-" + strconv.FormatUint(g.count.Add(1), 36)
}
