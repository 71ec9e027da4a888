package guard

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

// Limits of one connection attempt and of a chain of redirects (spec platform 6.3).
const (
	dialTimeout  = 10 * time.Second
	maxRedirects = 5
)

// Guarded connects only to addresses that the policy allows. It resolves the name once, refuses it if any of its addresses
// is out of bounds, and connects to an address it has checked, so that a second DNS answer cannot change the target.
type Guarded struct {
	policy  Policy
	lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// Dialer makes the dialer of a policy.
func Dialer(p Policy) *Guarded {
	d := &Guarded{policy: p}
	d.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	plain := net.Dialer{Timeout: dialTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		// The last look, at the address the kernel is given. Names were judged before; here only what no policy allows.
		to, err := netip.ParseAddrPort(address)
		if err != nil || !p.allowed(to.Addr().Unmap(), true) {
			return ErrAddress
		}
		return nil
	}}
	d.connect = plain.DialContext
	return d
}

// DialContext connects, for protocols that are encrypted on top or that the policy allows in plain.
func (d *Guarded) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, network, address, false)
}

func (d *Guarded) dialPlain(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, network, address, true)
}

func (d *Guarded) dial(ctx context.Context, network, address string, plain bool) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, ErrAddress
	}
	if err := d.policy.checkHost(host, port); err != nil {
		return nil, err
	}
	named := d.policy.named(host, port)
	addrs, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if !d.policy.allowed(a, named) {
			return nil, ErrAddress
		}
		if plain && !d.policy.AllowHTTP && !named && !private(a) {
			return nil, ErrAddress
		}
	}
	var last error
	for _, a := range addrs {
		conn, err := d.connect(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

func (d *Guarded) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addrs, err := d.lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("look up %s: no address", host)
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap() // resolvers hand out mapped addresses for plain IPv4 ones
	}
	return addrs, nil
}

// Transport makes a transport whose every connection obeys the policy, that of a redirect too. Proxy settings of the
// environment are ignored: a proxy would connect where we must not.
func Transport(p Policy) *http.Transport { return transport(Dialer(p)) }

func transport(d *Guarded) *http.Transport {
	t := &http.Transport{
		Proxy: nil, DialContext: d.dialPlain, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTimeout,
		MaxIdleConns: 100, MaxIdleConnsPerHost: 32, // as many calls as a program has in flight at once
		IdleConnTimeout: 90 * time.Second, ExpectContinueTimeout: time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		cfg := &tls.Config{MinVersion: tls.VersionTLS12}
		if t.TLSClientConfig != nil {
			cfg = t.TLSClientConfig.Clone()
		}
		if cfg.ServerName == "" {
			cfg.ServerName, _, _ = net.SplitHostPort(address)
		}
		cfg.NextProtos = []string{"h2", "http/1.1"}
		secured := tls.Client(conn, cfg)
		if err := secured.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("TLS with %s: %w", address, err)
		}
		return secured, nil
	}
	return t
}

// Client makes an HTTP client that obeys the policy on every hop: at most five redirects, each URL checked, and headers that
// may carry credentials left behind when a redirect leaves the first origin.
func Client(p Policy) *http.Client { return client(p, Transport(p)) }

func client(p Policy, t *http.Transport) *http.Client {
	return &http.Client{
		Transport: checked{p, t},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("stopped after %d redirects", maxRedirects)
			}
			if err := p.CheckURL(req.URL.String()); err != nil {
				return err
			}
			for _, hop := range append(via[1:len(via):len(via)], req) {
				if origin(hop.URL) != origin(via[0].URL) {
					dropCredentials(req.Header)
					break
				}
			}
			return nil
		},
	}
}

// checked looks at the URL before the transport does, so that unknown schemes get the one answer too.
type checked struct {
	policy Policy
	next   *http.Transport
}

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := c.policy.CheckURL(r.URL.String()); err != nil {
		return nil, err
	}
	return c.next.RoundTrip(r)
}

// CloseIdleConnections lets http.Client close them.
func (c checked) CloseIdleConnections() { c.next.CloseIdleConnections() }

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = strconv.Itoa(map[string]int{"http": 80, "https": 443}[u.Scheme])
	}
	return u.Scheme + "://" + u.Hostname() + ":" + port
}

// dropCredentials keeps only headers that say how to answer. A list of what to drop would miss the next x-api-key.
func dropCredentials(h http.Header) {
	for name := range h {
		switch name {
		case "Accept", "Accept-Language", "Accept-Encoding", "User-Agent", "Content-Type", "Content-Length", "Range":
		default:
			h.Del(name)
		}
	}
}

// Network is how a guarded client reaches the world where that is not this machine's own way: a test puts a small internet in
// its place. What is judged, and when, stays the same.
type Network struct {
	Lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	Connect func(ctx context.Context, network, address string) (net.Conn, error)
	Public  []netip.Prefix // addresses of that network which count as public
}

// Client is like the function of that name, within the network.
func (n Network) Client(p Policy) *http.Client {
	p.public = n.Public
	d := Dialer(p)
	d.lookup, d.connect = n.Lookup, n.Connect
	return client(p, transport(d))
}
