// Package hub is an embedded WebSocket edge: it turns connections into the events that API Gateway sends to functions, and
// is port.Sockets for what goes the other way.
//
//	hub.go      options, who is connected, Post and Close, shutdown
//	upgrade.go  a request becomes a connection, after $connect allowed it
//	conn.go     one connection: reading, writing, its limits
//	meter.go    counts the size of incoming frames
//	event.go    the events
//
// Stricter than API Gateway in one way: messages of one connection reach the function one after the other, in order.
package hub

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Limits of a connection; zero fields take API Gateway's values (spec limits C.3).
type Limits struct {
	Frame   int           // bytes of one frame, both ways: 32 KB; a larger one closes with 1009
	Message int           // bytes of one message of several frames: 128 KB; a larger one closes with 1009
	Idle    time.Duration // without a message either way: 10 min; closes with 1001. Protocol pings do not count
	Total   time.Duration // life of a connection: 2 h; closes with 1001
	Handler time.Duration // one call of OnEvent: 29 s
	Queue   int           // frames waiting to be written before a slow reader is cut off: 64
}

func (l Limits) filled() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	span := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.Frame, 32<<10)
	def(&l.Message, 128<<10)
	def(&l.Queue, 64)
	span(&l.Idle, 10*time.Minute)
	span(&l.Total, 2*time.Hour)
	span(&l.Handler, 29*time.Second)
	return l
}

// Options of New. Clock and OnEvent are required.
type Options struct {
	Clock port.Clock
	// OnEvent is the functions behind the routes $connect, $default and $disconnect (RequestContext.RouteKey).
	OnEvent func(context.Context, events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error)
	// Origin decides about a request that a browser page made; nil allows pages of the same host only.
	Origin func(*http.Request) bool
	Limits Limits
	Log    *slog.Logger
}

// Hub serves the upgrade path and reaches open connections.
type Hub struct {
	o    Options
	base context.Context
	stop context.CancelFunc
	all  sync.WaitGroup // one for each request and connection

	mu      sync.Mutex
	open    map[string]*conn
	closing bool
}

var (
	_ port.Sockets = (*Hub)(nil)
	_ http.Handler = (*Hub)(nil)
)

// New makes a hub without connections.
func New(o Options) *Hub {
	o.Limits = o.Limits.filled()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Hub{o: o, open: map[string]*conn{}}
	h.base, h.stop = context.WithCancel(context.Background())
	return h
}

// Post hands a frame to the connection's queue. A connection whose queue is full is closed: its reader is gone or too
// slow, and the sender has better things to do than to wait.
func (h *Hub) Post(ctx context.Context, id string, data []byte) error {
	if len(data) > h.o.Limits.Frame {
		return pags.Errorf(pags.TooLarge, "a frame is at most %d KB; send more, smaller ones", h.o.Limits.Frame>>10)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c := h.find(id)
	if c == nil || !c.send(data) {
		return pags.Errorf(pags.Gone, "the connection is over")
	}
	return nil
}

// Close ends a connection after what was posted before.
func (h *Hub) Close(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c := h.find(id); c != nil {
		c.end(websocket.StatusNormalClosure, "closed by the server", true)
	}
	return nil
}

// Connections counts open connections.
func (h *Hub) Connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open)
}

// Shutdown closes every connection with 1001 and waits until each had its $disconnect. When the context ends first, the
// rest is cut off.
func (h *Hub) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closing = true
	var left []*conn
	for _, c := range h.open {
		left = append(left, c)
	}
	h.mu.Unlock()
	for _, c := range left {
		c.end(websocket.StatusGoingAway, "the server stops", true)
	}
	done := make(chan struct{})
	go func() { h.all.Wait(); close(done) }()
	select {
	case <-done:
		h.stop()
		return nil
	case <-ctx.Done():
	}
	h.stop() // ends the functions' contexts
	for _, c := range left {
		c.cut()
	}
	select {
	case <-done:
	case <-time.After(time.Second): // a function that ignores its context is left behind
	}
	return ctx.Err()
}

func (h *Hub) find(id string) *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[id]
}

// enter admits a request unless the hub is stopping.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closing {
		h.all.Add(1)
	}
	return !h.closing
}

// add makes a connection reachable; false if the hub began to stop meanwhile.
func (h *Hub) add(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closing {
		h.open[c.id] = c
	}
	return !h.closing
}

func (h *Hub) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, c.id)
}
