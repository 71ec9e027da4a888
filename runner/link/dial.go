package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/net/http/httpproxy"
)

// readLimit is above relay.MaxFrame and what a gateway may say on its own.
const readLimit = 64 * 1024

// Dialer opens real WebSockets. HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment count, as for any request.
type Dialer struct {
	TLS *tls.Config // nil: the system's roots
}

// Dial opens the socket. The ticket in the URL never appears in an error.
func (d Dialer) Dial(ctx context.Context, address string) (Conn, error) {
	c, got, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport(d.TLS)}})
	if err != nil {
		host := "the cloud"
		if u, perr := url.Parse(address); perr == nil {
			host = u.Scheme + "://" + u.Host
		}
		if got != nil && got.StatusCode != http.StatusSwitchingProtocols {
			return nil, fmt.Errorf("open a socket to %s: it answered %s", host, got.Status)
		}
		return nil, fmt.Errorf("open a socket to %s: %w", host, innermost(err))
	}
	c.SetReadLimit(readLimit)
	return socket{c}, nil
}

// transport speaks HTTP/1.1, which a WebSocket needs, and reads the proxies of the environment at each dial.
func transport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:               func(r *http.Request) (*url.URL, error) { return httpproxy.FromEnvironment().ProxyFunc()(r.URL) },
		TLSClientConfig:     config,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		TLSHandshakeTimeout: 15 * time.Second,
		IdleConnTimeout:     90 * time.Second,
	}
}

// innermost drops the layers of an error that quote the URL.
func innermost(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

type socket struct{ c *websocket.Conn }

func (s socket) Read(ctx context.Context) ([]byte, error) {
	_, data, err := s.c.Read(ctx)
	return data, err
}

func (s socket) Write(ctx context.Context, frame []byte) error {
	return s.c.Write(ctx, websocket.MessageText, frame)
}

func (s socket) Close() { _ = s.c.CloseNow() }
