package relaytest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/coder/websocket"
)

// forwarder is a server with two clients: what one sends the other gets.
type forwarder struct {
	ctx    context.Context
	server *httptest.Server
	a      *websocket.Conn
}

func newForwarder(ctx context.Context) (*forwarder, error) {
	ends := make(chan *websocket.Conn, 2)
	f := &forwarder{ctx: ctx}
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(w, r, nil); err == nil {
			ends <- c
			<-r.Context().Done()
		}
	}))
	dial := func() (client, served *websocket.Conn, err error) {
		client, _, err = websocket.Dial(ctx, strings.Replace(f.server.URL, "http", "ws", 1), nil)
		if err != nil {
			return nil, nil, err
		}
		return client, <-ends, nil
	}
	a, atA, err := dial()
	if err != nil {
		return nil, err
	}
	b, atB, err := dial()
	if err != nil {
		return nil, err
	}
	f.a = a
	go carry(ctx, atA, atB)
	go carry(ctx, atB, atA)
	go func() { // the runner's side
		answer := make([]byte, back)
		for {
			if _, _, err := b.Read(ctx); err != nil || b.Write(ctx, websocket.MessageText, answer) != nil {
				return
			}
		}
	}()
	return f, nil
}

func carry(ctx context.Context, from, to *websocket.Conn) {
	for {
		kind, data, err := from.Read(ctx)
		if err != nil || to.Write(ctx, kind, data) != nil {
			return
		}
	}
}

func (f *forwarder) roundTrip(int) error {
	if err := f.a.Write(f.ctx, websocket.MessageText, make([]byte, there)); err != nil {
		return err
	}
	_, got, err := f.a.Read(f.ctx)
	if err == nil && len(got) != back {
		err = fmt.Errorf("%d bytes came back", len(got))
	}
	return err
}

func (f *forwarder) close() {
	_ = f.a.CloseNow()
	f.server.CloseClientConnections()
	f.server.Close()
}
