package hub_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"

	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

var t0 = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

type event = events.APIGatewayWebsocketProxyRequest

// rig is a hub behind a real server whose functions note what they are told.
type rig struct {
	*hub.Hub
	clock *porttest.Clock
	url   string

	mu     sync.Mutex
	events []event
	told   chan event // every event as it ends; large enough for a test
	reply  func(event) (events.APIGatewayProxyResponse, error)
}

func newRig(t *testing.T, change ...func(*hub.Options)) *rig {
	t.Helper()
	r := &rig{clock: porttest.NewClock(t0), told: make(chan event, 1000)}
	r.reply = func(event) (events.APIGatewayProxyResponse, error) {
		return events.APIGatewayProxyResponse{StatusCode: 200}, nil
	}
	o := hub.Options{Clock: r.clock, OnEvent: func(_ context.Context, e event) (events.APIGatewayProxyResponse, error) {
		res, err := r.reply(e)
		r.mu.Lock()
		r.events = append(r.events, e)
		r.mu.Unlock()
		r.told <- e
		return res, err
	}}
	for _, c := range change {
		c(&o)
	}
	r.Hub = hub.New(o)
	server := httptest.NewServer(r.Hub)
	r.url = "ws" + strings.TrimPrefix(server.URL, "http") + "/ws"
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_ = r.Shutdown(ctx)
		server.Close()
	})
	return r
}

// next returns the next event and checks which it is.
func (r *rig) next(t *testing.T, route string) event {
	t.Helper()
	select {
	case e := <-r.told:
		if e.RequestContext.RouteKey != route {
			t.Fatalf("got %s (%q), want %s", e.RequestContext.RouteKey, e.Body, route)
		}
		return e
	case <-time.After(10 * time.Second):
		t.Fatalf("no %s", route)
		return event{}
	}
}

func (r *rig) quiet(t *testing.T) {
	t.Helper()
	select {
	case e := <-r.told:
		t.Errorf("unexpected %s", e.RequestContext.RouteKey)
	default:
	}
}

func dial(t *testing.T, url string, h http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, res, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: h})
	if err == nil {
		c.SetReadLimit(-1)
		t.Cleanup(func() { _ = c.CloseNow() })
	}
	return c, res, err
}

// connect opens a connection and returns it with its id.
func (r *rig) connect(t *testing.T) (*websocket.Conn, string) {
	t.Helper()
	c, _, err := dial(t, r.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := r.next(t, "$connect").RequestContext.ConnectionID
	r.await(t, id)
	return c, id
}

// await returns when a connection can be posted to: the client may be told before the hub has noted it.
func (r *rig) await(t *testing.T, id string) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); !r.Has(id); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the connection never became reachable")
		}
	}
}

func read(t *testing.T, c *websocket.Conn) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, data, err := c.Read(ctx)
	return string(data), err
}

func say(t *testing.T, c *websocket.Conn, text string) {
	t.Helper()
	if err := c.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// closedWith reads until the end and checks its code.
func closedWith(t *testing.T, c *websocket.Conn, want websocket.StatusCode) {
	t.Helper()
	for {
		if _, err := read(t, c); err != nil {
			var closed websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != want {
				t.Errorf("closed with %v, want %d", err, want)
			}
			return
		}
	}
}
