package serve

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestServer_WhoSaysNothingIsNotWaitedForForEver(t *testing.T) {
	read := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	at := listenWith(t, http.HandlerFunc(read))
	for name, said := range map[string]string{
		"nothing at all":            "",
		"half a header":             "GET / HTTP/1.1\r\nHost: h",
		"half a body":               "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf",
		"nothing after its request": "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			_ = c.SetDeadline(time.Now().Add(10 * time.Second)) // of the test, not of the server
			if _, err := io.WriteString(c, said); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Errorf("the connection is still there: %v", err)
			}
		})
	}
}

// A socket lives for hours; the server's patience with requests ends at the upgrade.
func TestServer_SocketsOutliveItsPatience(t *testing.T) {
	at := listenWith(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		kind, text, err := c.Read(r.Context())
		if err == nil {
			err = c.Write(r.Context(), kind, text)
		}
		_ = c.Close(websocket.StatusNormalClosure, "")
		_ = err // the client finds out
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+at, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.CloseNow() }()
	time.Sleep(2 * brief.whole) // the server's clock is the real one
	if err := c.Write(ctx, websocket.MessageText, []byte("still here")); err != nil {
		t.Fatal(err)
	}
	if _, text, err := c.Read(ctx); err != nil || string(text) != "still here" {
		t.Fatalf("%q, %v", text, err)
	}
}

var brief = patience{header: 150 * time.Millisecond, whole: 200 * time.Millisecond, idle: 150 * time.Millisecond}

func listenWith(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(h, slog.New(slog.DiscardHandler), brief)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}
