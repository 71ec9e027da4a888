// Package machinetest is the surroundings of pkg/machine for tests: an in-memory WebSocket edge whose frames can be lost,
// doubled, held back and cut, a state machine that remembers what it was told, and the neighbouring areas as plain data.
package machinetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Handlers are the three WebSocket functions.
type Handlers interface {
	Connect(context.Context, events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error)
	Message(context.Context, events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error)
	Disconnect(context.Context, events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error)
}

// Fate is what happens to a frame.
type Fate int

const (
	Deliver  Fate = iota
	Lose          // it never arrives, the sender does not notice
	Double        // it arrives twice
	CutAfter      // it arrives, then the connection drops
	CutFirst      // the connection drops before it arrives
)

// Direction of a frame.
type Direction string

const (
	Up   Direction = "up"   // client to cloud
	Down Direction = "down" // cloud to client
)

// Edge is an API Gateway WebSocket API in memory. Each frame of a client goes to its own call, at the same time as others.
type Edge struct {
	Handlers Handlers

	mu     sync.Mutex
	conns  map[string]*Conn
	dialed int
	judge  func(Direction, string, []byte) Fate
	errs   []error
	posted map[string][]error // scripted answers of Post by connection
	busy   int                // handlers running
	idle   sync.Cond          // busy came to 0
}

var _ port.Sockets = (*Edge)(nil)

// NewEdge makes an edge without handlers; set them before the first Dial.
func NewEdge() *Edge {
	e := &Edge{conns: map[string]*Conn{}, posted: map[string][]error{}}
	e.idle.L = &e.mu
	return e
}

// Judge lets f decide on every frame from now on; nil delivers all.
func (e *Edge) Judge(f func(d Direction, connection string, frame []byte) Fate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.judge = f
}

// Script makes the next posts to a connection answer with these errors; nil entries deliver.
func (e *Edge) Script(connection string, answers ...error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posted[connection] = answers
}

// Conn is the client's end.
type Conn struct {
	ID   string
	edge *Edge
	in   chan []byte
	done chan struct{}
	once sync.Once
}

// Dial opens a connection to a ticket's URL.
func (e *Edge) Dial(ctx context.Context, address string) (*Conn, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.dialed++
	c := &Conn{ID: fmt.Sprintf("conn-%d", e.dialed), edge: e, in: make(chan []byte, 4096), done: make(chan struct{})}
	e.mu.Unlock()
	ev := event(c.ID, "")
	ev.QueryStringParameters = map[string]string{"ticket": u.Query().Get("ticket")}
	got, err := e.Handlers.Connect(ctx, ev)
	if err != nil {
		return nil, err
	}
	if got.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("handshake answered %d", got.StatusCode)
	}
	e.mu.Lock()
	e.conns[c.ID] = c
	e.mu.Unlock()
	return c, nil
}

// Dialed counts connection attempts.
func (e *Edge) Dialed() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dialed
}

// Open lists the open connections.
func (e *Edge) Open() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ids []string
	for id := range e.conns {
		ids = append(ids, id)
	}
	return ids
}

// Errors waits until no handler runs and tells what handlers failed with, outside of refusals.
func (e *Edge) Errors() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.busy > 0 {
		e.idle.Wait()
	}
	return append([]error(nil), e.errs...)
}

// Idle reports whether no handler runs and no client has a frame to read.
func (e *Edge) Idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.conns {
		if len(c.in) > 0 {
			return false
		}
	}
	return e.busy == 0
}

// handle runs a handler beside the others.
func (e *Edge) handle(f func() error) {
	e.mu.Lock()
	e.busy++
	e.mu.Unlock()
	go func() {
		err := f()
		e.mu.Lock()
		defer e.mu.Unlock()
		if err != nil {
			e.errs = append(e.errs, err)
		}
		if e.busy--; e.busy == 0 {
			e.idle.Broadcast()
		}
	}()
}

// Cut drops a connection without telling anyone; $disconnect comes with Disconnected, as late as the test likes.
func (e *Edge) Cut(connection string) {
	e.mu.Lock()
	c := e.conns[connection]
	delete(e.conns, connection)
	e.mu.Unlock()
	if c != nil {
		c.once.Do(func() { close(c.done) })
	}
}

// Disconnected delivers $disconnect.
func (e *Edge) Disconnected(ctx context.Context, connection string) error {
	_, err := e.Handlers.Disconnect(ctx, event(connection, ""))
	return err
}

// Post is the management API's PostToConnection.
func (e *Edge) Post(_ context.Context, connection string, data []byte) error {
	if len(data) > 32*1024 {
		return pags.Errorf(pags.TooLarge, "a frame of %d bytes", len(data))
	}
	e.mu.Lock()
	if answers := e.posted[connection]; len(answers) > 0 {
		e.posted[connection] = answers[1:]
		if answers[0] != nil {
			e.mu.Unlock()
			return answers[0]
		}
	}
	c, judge := e.conns[connection], e.judge
	e.mu.Unlock()
	if c == nil {
		return pags.Errorf(pags.Gone, "connection %s is over", connection)
	}
	e.carry(judge, Down, c.ID, data, func() { c.in <- append([]byte(nil), data...) })
	return nil
}

// Close is the management API's DeleteConnection: the client sees the end, $disconnect follows.
func (e *Edge) Close(_ context.Context, connection string) error {
	e.mu.Lock()
	c := e.conns[connection]
	e.mu.Unlock()
	if c != nil {
		c.end()
	}
	return nil
}

// Write sends one frame.
func (c *Conn) Write(_ context.Context, data []byte) error {
	select {
	case <-c.done:
		return errClosed
	default:
	}
	e := c.edge
	e.mu.Lock()
	judge := e.judge
	e.mu.Unlock()
	frame := append([]byte(nil), data...)
	e.carry(judge, Up, c.ID, frame, func() {
		e.handle(func() error {
			_, err := e.Handlers.Message(context.Background(), event(c.ID, string(frame)))
			return err
		})
	})
	return nil
}

// Read waits for one frame. What arrived before the end is read first.
func (c *Conn) Read(ctx context.Context) ([]byte, error) {
	select {
	case data := <-c.in:
		return data, nil
	default:
	}
	select {
	case data := <-c.in:
		return data, nil
	case <-c.done:
		select {
		case data := <-c.in:
			return data, nil
		default:
			return nil, errClosed
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the connection from the client's side.
func (c *Conn) Close() { c.end() }

var errClosed = errors.New("connection closed")

func (c *Conn) end() {
	c.once.Do(func() {
		c.edge.mu.Lock()
		delete(c.edge.conns, c.ID)
		c.edge.mu.Unlock()
		close(c.done)
		c.edge.handle(func() error { return c.edge.Disconnected(context.Background(), c.ID) })
	})
}

func (e *Edge) carry(judge func(Direction, string, []byte) Fate, d Direction, connection string, data []byte, deliver func()) {
	fate := Deliver
	if judge != nil {
		fate = judge(d, connection, data)
	}
	switch fate {
	case Deliver:
		deliver()
	case Double:
		deliver()
		deliver()
	case CutAfter:
		deliver()
		e.drop(connection)
	case CutFirst:
		e.drop(connection)
	case Lose:
	}
}

// drop ends a connection as a network failure does: both sides notice, $disconnect follows.
func (e *Edge) drop(connection string) {
	e.mu.Lock()
	c := e.conns[connection]
	e.mu.Unlock()
	if c != nil {
		c.end()
	}
}

func event(connection, body string) events.APIGatewayWebsocketProxyRequest {
	return events.APIGatewayWebsocketProxyRequest{Body: body,
		RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: connection}}
}
