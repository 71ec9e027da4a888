package link

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// echo is a WebSocket server that sends back what it gets.
func echo(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("ticket") != "good" {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	for {
		kind, data, err := c.Read(r.Context())
		if err != nil || c.Write(r.Context(), kind, data) != nil {
			return
		}
	}
}

// tunnel is a proxy that knows CONNECT and sends every tunnel to one address.
func tunnel(t *testing.T, to string, used *atomic.Int32) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
			return
		}
		used.Add(1)
		out, err := net.Dial("tcp", to)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		in, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
		_, _ = io.Copy(in, out)
		_ = in.Close()
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestDial_GoesThroughTheProxyOfTheEnvironment(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(echo))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	var used atomic.Int32
	t.Setenv("HTTPS_PROXY", tunnel(t, server.Listener.Addr().String(), &used))
	t.Setenv("NO_PROXY", "")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	d := Dialer{TLS: &tls.Config{RootCAs: roots}}
	c, err := d.Dial(ctx, "wss://example.com/live?ticket=good") // the test certificate's name; only the proxy can reach it
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Write(ctx, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Read(ctx); err != nil || string(got) != "hello" {
		t.Fatalf("came back %q, %v", got, err)
	}
	if used.Load() != 1 {
		t.Fatalf("the proxy was used %d times", used.Load())
	}
	t.Setenv("NO_PROXY", "example.com")
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	if c, err := d.Dial(short, "wss://example.com:1/live?ticket=good"); err == nil {
		c.Close()
	}
	if used.Load() != 1 {
		t.Fatal("NO_PROXY was not honoured")
	}
}

func TestDial_AnErrorNeverShowsTheTicket(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echo))
	refusing := "ws" + strings.TrimPrefix(server.URL, "http") + "/live?ticket=SECRETTICKET"
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := Dialer{}.Dial(ctx, refusing)
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "SECRETTICKET") {
		t.Fatalf("refused: %v", err)
	}
	server.Close()
	_, err = Dialer{}.Dial(ctx, refusing)
	if err == nil || strings.Contains(err.Error(), "SECRETTICKET") {
		t.Fatalf("closed: %v", err)
	}
}
