package source_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/source"
)

// stubNet is a small internet: names with their answers in order (the last one repeats), and one web server that plays every
// public address. Connections to any other address are counted: not one may happen.
type stubNet struct {
	mu      sync.Mutex
	names   map[string][][]string
	web     *httptest.Server
	private atomic.Int64
	seen    []*http.Request
}

func newStubNet(t *testing.T) *stubNet {
	n := &stubNet{names: map[string][][]string{
		"rebind.example.test": {{"203.0.113.10"}, {"127.0.0.1"}}, "hop.example.test": {{"203.0.113.11"}}, "other.example.test": {{"203.0.113.12"}},
		"ok.example.test": {{"203.0.113.13"}}, "two.example.test": {{"203.0.113.10", "127.0.0.1"}}, "localhost": {{"127.0.0.1"}},
	}}
	n.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		n.seen = append(n.seen, r.Clone(context.Background()))
		n.mu.Unlock()
		w.Header().Set("Connection", "close") // the next request resolves again
		hops := map[string]string{"/to-meta": "http://169.254.169.254/", "/hop5": "/hop4", "/hop4": "/hop3", "/hop3": "/hop2", "/hop2": "/hop1", "/hop1": "http://[::1]/",
			"/ok": "http://other.example.test/fine", "/leave": "http://other.example.test/fine"}
		if to := hops[r.URL.Path]; to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprint(w, describe("http://"+r.Host, bearer, op("GET /me getMe")))
	}))
	t.Cleanup(n.web.Close)
	return n
}

func (n *stubNet) client(p guard.Policy) *http.Client {
	public := netip.MustParsePrefix("203.0.113.0/24")
	return guard.Network{
		Public: []netip.Prefix{public},
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			host = strings.TrimSuffix(host, ".")
			answers, ok := n.names[host]
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
		},
		Connect: func(ctx context.Context, _, address string) (net.Conn, error) {
			if to := netip.MustParseAddrPort(address); !public.Contains(to.Addr()) {
				n.private.Add(1)
			}
			return new(net.Dialer).DialContext(ctx, "tcp", n.web.Listener.Addr().String())
		},
	}.Client(p)
}

// addresses reads the case: all are refused but the last two.
func addresses(t *testing.T) (refused, allowed []string) {
	raw, err := os.ReadFile("testdata/SE-01.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, line := range strings.Split(string(raw), "\n") {
		if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(line, "#") {
			all = append(all, f[0])
		}
	}
	if len(all) != 27 {
		t.Fatalf("%d addresses", len(all))
	}
	return all[:len(all)-2], all[len(all)-2:]
}

var open = guard.Policy{AllowHTTP: true}

func TestSend_SE01_NothingIsSentToAnAddressThatIsNotAllowed(t *testing.T) {
	refused, _ := addresses(t)
	for _, address := range refused {
		t.Run(address, func(t *testing.T) {
			rebind := strings.Contains(address, "rebind")
			stage := func() (*stubNet, *stage) {
				n := newStubNet(t)
				if rebind {
					n.names["rebind.example.test"] = [][]string{{"127.0.0.1"}} // the second answer; the first is an honest one
				}
				return n, newStageWith(t, open, n.client(open))
			}
			quiet := func(what string, n *stubNet) {
				t.Helper()
				if n.private.Load() != 0 {
					t.Errorf("%s connected to it", what)
				}
			}
			n, s := stage()
			if got, err := s.Service.Add(t.Context(), uid, source.Given{URL: address}, "", "bad", ""); err == nil {
				t.Errorf("added: %+v", got)
			} else if !errors.Is(err, guard.ErrAddress) && !strings.Contains(err.Error(), "absolute") && !strings.Contains(err.Error(), "address not allowed") {
				t.Errorf("add says %v", err)
			}
			quiet("add", n)
			if got, err := s.Discover(t.Context(), address, map[string]string{"X-Api-Key": "key-123456"}); err == nil && got[0].Kind != "unknown" {
				t.Errorf("discovered: %+v", got)
			}
			quiet("discover", n)

			n, s = stage()
			s.add(t, m{"document": describe("http://ok.example.test", bearer, op("GET /me getMe"), op("POST /me makeMe")), "slug": "shop"})
			base, path := address, ""
			if u, err := url.Parse(address); err == nil && u.Host == "hop.example.test" {
				base, path = "http://hop.example.test", u.Path // the address itself is fine, where it leads is not
			}
			_, err := s.Service.Connect(t.Context(), uid, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": "token-123456"}, BaseURL: base}, "")
			if err == nil {
				s.send(t, "shop.main.shop.getMe", nil, "")
			}
			quiet("a call through a connection's base URL", n)

			// A description that says the address itself: nothing checks it before the call.
			n, s = stage()
			s.add(t, m{"document": describe(strings.TrimSuffix(base, "/")+"/", bearer, op("GET "+orRoot(path)+" getMe"), op("POST "+orRoot(path)+" makeMe")), "slug": "shop", "name": "x"})
			s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": "token-123456"}})
			for _, tool := range []string{"shop.main.shop.getMe", "shop.main.shop.makeMe"} {
				r, err := s.Send(t.Context(), uid, s.bound(t, tool), nil, "")
				if err != nil || r.OK || len(fmt.Sprint(r.Data)) > 100 {
					t.Errorf("%s: %+v %v", tool, r, err)
				} else if path == "" && r.Error.Code != catalog.CodeBinding {
					t.Errorf("%s: %+v", tool, r.Error)
				}
			}
			quiet("a call", n)
		})
	}
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

func TestSend_SE01_AllowedAddressesWork(t *testing.T) {
	_, allowed := addresses(t)
	for _, address := range allowed {
		n := newStubNet(t)
		s := newStageWith(t, open, n.client(open))
		if got, err := s.Service.Add(t.Context(), uid, source.Given{URL: address}, "", "good", ""); err != nil || got.Tools != 1 {
			t.Errorf("%s: %+v %v", address, got, err)
		}
		if got, err := s.Discover(t.Context(), address, nil); err != nil || got[0].Kind != "openapi" {
			t.Errorf("%s: %+v %v", address, got, err)
		}
	}
}

func TestSend_SE01_CredentialsStayWithTheirHost(t *testing.T) {
	const secret = "canary-0123456789"
	for name, auth := range map[string]m{"Authorization": bearer, "X-Api-Key": apiKey("header", "X-Api-Key"), "a query parameter": apiKey("query", "api_key"), "a cookie": apiKey("cookie", "sid"), "Basic": basic} {
		t.Run(name, func(t *testing.T) {
			n := newStubNet(t)
			s := newStageWith(t, open, n.client(open))
			made := s.add(t, m{"document": describe("http://ok.example.test", auth, op("GET /leave leave"), op("POST /leave leaveAfter")), "slug": "shop"})
			values := map[string]string{}
			for _, in := range made.Auth[0].Inputs() {
				values[in] = secret
			}
			s.connect(t, source.NewConnection{Source: "shop", Method: made.Auth[0].ID, Values: values})
			if r := s.send(t, "shop.main.shop.leave", nil, ""); !r.OK {
				t.Fatalf("%+v", r.Error)
			}
			if r := s.send(t, "shop.main.shop.leaveAfter", nil, ""); r.OK || r.HTTP.Status != 302 {
				t.Errorf("an effect was sent on: %+v", r)
			}
			first := 0
			for _, r := range n.seen {
				all := fmt.Sprint(r.URL, r.Header)
				switch {
				case r.Host == "ok.example.test":
					first++
				case strings.Contains(all, secret) || r.Header.Get("Authorization")+r.Header.Get("Cookie")+r.Header.Get("Referer") != "":
					t.Errorf("%s got %s", r.Host, all)
				}
			}
			if first != 2 || len(n.seen) != 3 {
				t.Errorf("%d of %d requests went to ok.example.test", first, len(n.seen))
			}
		})
	}
}
