package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// stubNet is a small internet: names with their answers in order (the last one repeats), and one web server that plays
// every public address. Connections to any other address are counted: not one may happen.
type stubNet struct {
	mu      sync.Mutex
	names   map[string][][]string
	web     *httptest.Server
	private atomic.Int64
	seen    sync.Map // host -> Authorization header it got
}

func newStubNet(t *testing.T) *stubNet {
	n := &stubNet{names: map[string][][]string{
		"rebind.example.test": {{"203.0.113.10"}, {"127.0.0.1"}},
		"hop.example.test":    {{"203.0.113.11"}},
		"other.example.test":  {{"203.0.113.12"}},
		"ok.example.test":     {{"203.0.113.13"}},
		"two.example.test":    {{"203.0.113.10", "127.0.0.1"}},
		"mapped.example.test": {{"::ffff:127.0.0.1"}},
		"inside.example.test": {{"10.1.2.3"}},
		"localhost":           {{"127.0.0.1"}},
	}}
	n.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.seen.Store(r.Host, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		hops := map[string]string{
			"/to-meta": "http://169.254.169.254/", "/hop5": "/hop4", "/hop4": "/hop3", "/hop3": "/hop2", "/hop2": "/hop1", "/hop1": "http://[::1]/",
			"/ok": "http://other.example.test/fine", "/to-ok": "http://ok.example.test/", "/there-and-back": "http://other.example.test/back",
			"/back": "http://ok.example.test/end", "/round": "/round", "/to-file": "file:///etc/passwd",
		}
		if to := hops[r.URL.Path]; to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprint(w, "hello from ", r.Host)
	}))
	t.Cleanup(n.web.Close)
	return n
}

func (n *stubNet) client(p Policy) *http.Client {
	p.public = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}
	d := Dialer(p)
	d.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		answers, ok := n.names[strings.TrimSuffix(host, ".")]
		if !ok {
			return nil, errors.New("no such host")
		}
		if len(answers) > 1 {
			n.names[host] = answers[1:]
		}
		var out []netip.Addr
		for _, a := range answers[0] {
			out = append(out, netip.MustParseAddr(a))
		}
		return out, nil
	}
	d.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		to := netip.MustParseAddrPort(address)
		if !p.public[0].Contains(to.Addr()) {
			n.private.Add(1)
		}
		return new(net.Dialer).DialContext(ctx, "tcp", n.web.Listener.Addr().String())
	}
	return client(p, transport(d))
}

func TestClient_SE01_AddressesInEverySpellingAreRefusedOnEveryHop(t *testing.T) {
	refused := []string{
		"http://169.254.169.254/latest/meta-data/", // link-local metadata
		"http://[::ffff:169.254.169.254]/",         // the same, mapped into IPv6
		"http://[::ffff:a9fe:a9fe]/",
		"http://[::169.254.169.254]/",
		"http://[64:ff9b::a9fe:a9fe]/",    // through NAT64
		"http://[fd00:ec2::254]/latest/",  // metadata over IPv6
		"http://2852039166/",              // one decimal number
		"http://0xa9fea9fe/",              // one hexadecimal number
		"http://0251.0376.0251.0376/",     // octal parts
		"http://169.254.43518/",           // three parts
		"http://127.1:8080/",              // two parts
		"http://0/",                       // this host
		"http://[::1]:2019/",              // loopback
		"http://[::]/",                    // unspecified
		"http://localhost./",              // with the root dot
		"http://100.64.0.9/",              // carrier-grade NAT
		"http://10.0.0.1@127.0.0.1/",      // credentials that look like the host
		"http://hop.example.test/to-meta", // a redirect
		"http://hop.example.test/hop5",    // the fifth redirect
		"http://two.example.test/",        // one good answer, one bad
		"http://169.254.170.2/v2/credentials",
		"file:///proc/self/environ",
		"gopher://127.0.0.1:6379/_INFO",
		"http://127.0.0.1:9001/2018-06-01/runtime/invocation/next",
		// beyond the case
		"http://mapped.example.test/", "http://inside.example.test/", "http://printer.local/", "http://db.internal/",
		"http://hop.example.test/to-file", "http://[fe80::1%25eth0]/", "http://0x7f.1/", "http://127.0.0.1.:80/", "http:///nohost",
	}
	for _, target := range refused {
		t.Run(target, func(t *testing.T) {
			n := newStubNet(t)
			res, err := n.client(Policy{AllowHTTP: true}).Get(target)
			if err == nil {
				res.Body.Close()
				t.Fatalf("answered %s", res.Status)
			}
			if !errors.Is(err, ErrAddress) {
				t.Errorf("another answer than for the rest: %v", err)
			}
			if n.private.Load() != 0 {
				t.Error("a connection was made")
			}
		})
	}
	t.Run("a name whose second answer is another one", func(t *testing.T) {
		n := newStubNet(t)
		c := n.client(Policy{AllowHTTP: true})
		if res, err := c.Get("http://rebind.example.test/"); err == nil { // the address that was checked is the one that is dialled
			res.Body.Close()
		}
		c.CloseIdleConnections()
		if _, err := c.Get("http://rebind.example.test/"); !errors.Is(err, ErrAddress) {
			t.Errorf("after the answer changed: %v", err)
		}
		if n.private.Load() != 0 {
			t.Error("a connection to the private address was made")
		}
	})
	t.Run("an allowed redirect works", func(t *testing.T) {
		n := newStubNet(t)
		res, err := n.client(Policy{AllowHTTP: true}).Get("http://hop.example.test/ok")
		if err != nil || res.StatusCode != 200 || res.Request.URL.Host != "other.example.test" {
			t.Fatalf("%v %v", res, err)
		}
		res.Body.Close()
	})
	for _, header := range []string{"Authorization", "X-Api-Key"} {
		t.Run("an allowed address gets its "+header+" and no other host does", func(t *testing.T) {
			n := newStubNet(t)
			for _, path := range []string{"/", "/there-and-back"} {
				req, _ := http.NewRequest("GET", "http://ok.example.test"+path, nil)
				req.Header.Set(header, "key-for-ok")
				res, err := n.client(Policy{AllowHTTP: true}).Do(req)
				if err != nil || res.StatusCode != 200 {
					t.Fatalf("%v %v", res, err)
				}
				res.Body.Close()
				if path == "/" {
					if got, _ := n.seen.Load("ok.example.test"); got != "key-for-ok" {
						t.Errorf("ok.example.test got %q", got)
					}
				}
			}
			if got, _ := n.seen.Load("other.example.test"); got != "" {
				t.Errorf("other.example.test got %q", got)
			}
			if got, _ := n.seen.Load("ok.example.test"); got != "" {
				t.Errorf("a request that another host redirected to us carried %q", got)
			}
		})
	}
	t.Run("a circle of redirects ends", func(t *testing.T) {
		if _, err := newStubNet(t).client(Policy{AllowHTTP: true}).Get("http://hop.example.test/round"); err == nil || !strings.Contains(err.Error(), "5 redirects") {
			t.Errorf("%v", err)
		}
	})
}

func TestClient_PolicyWidensOnlyWhatItNames(t *testing.T) {
	for name, c := range map[string]struct {
		policy Policy
		url    string
		ok     bool
	}{
		"plain http to a public host is refused":               {Policy{}, "http://ok.example.test/", false},
		"plain http to a public host, private ones being fine": {Policy{AllowPrivate: true}, "http://ok.example.test/", false},
		"loopback where the host allows private addresses":     {Policy{AllowPrivate: true}, "http://127.0.0.1:11434/v1", true},
		"localhost where the host allows private addresses":    {Policy{AllowPrivate: true}, "http://localhost:11434/v1", true},
		"metadata even then":                                   {Policy{AllowPrivate: true}, "http://169.254.169.254/", false},
		"metadata over IPv6 even then":                         {Policy{AllowPrivate: true}, "http://[fd00:ec2::254]/", false},
		"the unspecified address even then":                    {Policy{AllowPrivate: true}, "http://0.0.0.0/", false},
		"a listed host":                                        {Policy{AllowHosts: []string{"inside.example.test"}}, "http://inside.example.test/", true},
		"a listed host on another port than listed":            {Policy{AllowHosts: []string{"inside.example.test:8080"}}, "http://inside.example.test/", false},
		"a listed host and port":                               {Policy{AllowHosts: []string{"inside.example.test:8080"}}, "http://inside.example.test:8080/", true},
		"a host that only ends like a listed one":              {Policy{AllowHosts: []string{"example.test"}}, "http://inside.example.test/", false},
		"a listed host cannot stand for metadata":              {Policy{AllowHosts: []string{"169.254.169.254"}}, "http://169.254.169.254/", false},
		"another private host than the one listed":             {Policy{AllowHosts: []string{"inside.example.test"}}, "http://10.1.2.3/", false},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := newStubNet(t).client(c.policy).Get(c.url)
			if err == nil {
				res.Body.Close()
			}
			if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrAddress) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTransport_SpeaksTLSAndIgnoresProxies(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	web.EnableHTTP2 = true
	web.StartTLS()
	defer web.Close()
	tr := Transport(Policy{AllowPrivate: true})
	tr.TLSClientConfig = web.Client().Transport.(*http.Transport).TLSClientConfig
	res, err := (&http.Client{Transport: tr}).Get(web.URL)
	if err != nil || res.ProtoMajor != 2 || res.TLS == nil {
		t.Fatalf("%v %v", res, err)
	}
	res.Body.Close()
	if _, err := (&http.Client{Transport: Transport(Policy{AllowPrivate: true})}).Get(web.URL); err == nil || errors.Is(err, ErrAddress) {
		t.Errorf("a certificate of nobody passed: %v", err)
	}
	if _, err := (&http.Client{Transport: Transport(Policy{})}).Get(web.URL); !errors.Is(err, ErrAddress) {
		t.Errorf("loopback without being allowed: %v", err)
	}
}
