package relaytest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/link"
)

// live is the relay without rows: messages of the wire from a console to a runner and back, over the hub of the local host
// and a function that reads each message and posts it to the other side.
type live struct {
	ctx     context.Context
	hub     *hub.Hub
	server  *httptest.Server
	mu      sync.Mutex
	ends    []string // connections, in the order in which they came
	console link.Conn
}

func newLive(ctx context.Context) (*live, error) {
	l := &live{ctx: ctx}
	l.hub = hub.New(hub.Options{Clock: clock.Real{}, OnEvent: l.event})
	l.server = httptest.NewServer(l.hub)
	url := strings.Replace(l.server.URL, "http", "ws", 1)
	var err error
	if l.console, err = (link.Dialer{}).Dial(ctx, url); err != nil {
		return nil, err
	}
	runner, err := link.Dialer{}.Dial(ctx, url)
	if err != nil {
		return nil, err
	}
	go l.answer(runner)
	return l, nil
}

func (l *live) event(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	ok := events.APIGatewayProxyResponse{StatusCode: 200}
	id := e.RequestContext.ConnectionID
	l.mu.Lock()
	if e.RequestContext.RouteKey == "$connect" {
		l.ends = append(l.ends, id)
	}
	ends := append([]string(nil), l.ends...)
	l.mu.Unlock()
	if e.RequestContext.RouteKey != "$default" || len(ends) < 2 {
		return ok, nil
	}
	if _, _, err := relay.Parse([]byte(e.Body)); err != nil {
		return ok, err
	}
	to := ends[0]
	if id == ends[0] {
		to = ends[1]
	}
	return ok, l.hub.Post(ctx, to, []byte(e.Body))
}

// answer is the runner: it reads each message whole and answers with another.
func (l *live) answer(c link.Conn) {
	whole := relay.NewAssembler(time.Now)
	page := strings.Repeat("x", back)
	for {
		m, err := receive(l.ctx, c, whole)
		if err != nil || send(l.ctx, c, "re"+m.ID, relay.KindOutcome, relay.Outcome{RunID: run, Result: relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{Snapshot: page}}}) != nil {
			return
		}
	}
}

func (l *live) roundTrip(i int) error {
	ctx, stop := context.WithTimeout(l.ctx, 10*time.Second)
	defer stop()
	id := fmt.Sprintf("m%d", i)
	if err := send(ctx, l.console, id, relay.KindCall, relay.Call{RunID: run, Command: relay.Command{Action: relay.ActSnapshot, Text: strings.Repeat("x", there)}}); err != nil {
		return err
	}
	m, err := receive(ctx, l.console, relay.NewAssembler(time.Now))
	if err == nil && m.ID != "re"+id {
		err = fmt.Errorf("%s came back for %s", m.ID, id)
	}
	return err
}

func send(ctx context.Context, c link.Conn, id, kind string, body any) error {
	m, err := relay.New(id, kind, body)
	if err != nil {
		return err
	}
	frames, err := relay.Split(m)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := c.Write(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func receive(ctx context.Context, c link.Conn, whole *relay.Assembler) (relay.Message, error) {
	for {
		data, err := c.Read(ctx)
		if err != nil {
			return relay.Message{}, err
		}
		m, done, err := whole.Add(data)
		if err != nil || done {
			return m, err
		}
	}
}

func (l *live) close() {
	_ = l.hub.Shutdown(l.ctx)
	l.server.CloseClientConnections()
	l.server.Close()
}
