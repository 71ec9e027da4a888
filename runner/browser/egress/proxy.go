package egress

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Proxy is a forward proxy on loopback that asks a gate about every connection. It goes on through the proxy that the
// environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), as companies need.
type Proxy struct {
	gate     *Gate
	listener net.Listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	upstream func(*url.URL) (*url.URL, error)

	mu      sync.Mutex
	tunnels map[net.Conn]bool
}

const dialLimit = 15 * time.Second

// Listen starts a proxy on a free port of 127.0.0.1.
func Listen(g *Gate) (*Proxy, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{gate: g, listener: l, upstream: httpproxy.FromEnvironment().ProxyFunc(), tunnels: map[net.Conn]bool{}}
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		FlushInterval: -1,
		ErrorLog:      quiet,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			return p.dial(ctx, "http", addr)
		}, DisableCompression: true, MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second},
		ErrorHandler: p.fail,
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// Address is host:port of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the proxy and what goes through it.
func (p *Proxy) Close() error {
	p.mu.Lock()
	for c := range p.tunnels {
		_ = c.Close()
	}
	p.mu.Unlock()
	return p.server.Close()
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		http.Error(w, "this is a proxy", http.StatusBadRequest)
		return
	}
	// Asked for each request, not only for each connection: a kept connection must not outlive a grant.
	if _, err := p.gate.resolve(r.Context(), r.URL.Hostname(), portOf(r.URL)); isRefusal(err) {
		p.fail(w, r, err)
		return
	}
	p.forward.ServeHTTP(w, r)
}

// dial connects to addr if the gate agrees; scheme only chooses the environment's proxy.
func (p *Proxy) dial(ctx context.Context, scheme, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	addrs, err := p.gate.resolve(ctx, host, port)
	if isRefusal(err) {
		return nil, err
	}
	// Behind a company's proxy names may be known to that proxy only, so a failed lookup is its business.
	if next, _ := p.upstream(&url.URL{Scheme: scheme, Host: addr}); next != nil {
		return through(ctx, next, addr)
	}
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	for _, a := range addrs {
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", net.JoinHostPort(a.String(), port)); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s does not answer: %w", addr, err)
}

// through asks another proxy for a tunnel.
func through(ctx context.Context, next *url.URL, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(next.Hostname(), portOf(next)))
	if err != nil {
		return nil, fmt.Errorf("the proxy %s does not answer", next.Host)
	}
	ask := "CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr + "\r\n"
	if next.User != nil {
		password, _ := next.User.Password()
		ask += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(next.User.Username()+":"+password)) + "\r\n"
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(deadline)
	}
	_, err = io.WriteString(c, ask+"\r\n")
	var resp *http.Response
	if err == nil {
		resp, err = http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodConnect})
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	if err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("the proxy %s refused: %w", next.Host, err)
	}
	return c, c.SetDeadline(time.Time{})
}

func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	out, err := p.dial(r.Context(), "https", r.Host)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	in, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = out.Close()
		return
	}
	p.track(out, true)
	p.track(in, true)
	defer p.track(out, false)
	defer p.track(in, false)
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{})
	go func() { defer close(done); pipe(out, buffered) }()
	pipe(in, out)
	<-done
}

func pipe(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close()
}

func (p *Proxy) track(c net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open {
		p.tunnels[c] = true
		return
	}
	delete(p.tunnels, c)
	_ = c.Close()
}

// NotOpened is the title of the page that stands where nothing could be opened.
const NotOpened = "Not opened"

// fail notes what went wrong and answers a page without any rights, as it stands under the other host's name. Scripts are
// allowed, and there are none: without, the hand could not look at the page.
func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) { // the page went away, nothing failed
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	target := r.Host
	if _, _, bad := net.SplitHostPort(target); bad != nil {
		target = net.JoinHostPort(strings.Trim(target, "[]"), "80")
	}
	p.gate.note(target, err.Error(), isRefusal(err))
	w.Header().Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	status := http.StatusBadGateway
	if isRefusal(err) {
		status = http.StatusForbidden
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>"+NotOpened+"</title><h1>"+NotOpened+"</h1><p>"+html.EscapeString(err.Error())+"</p>")
}

func isRefusal(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}
