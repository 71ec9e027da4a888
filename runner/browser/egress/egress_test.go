package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func lookup(names map[string]string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		text, ok := names[host]
		if !ok {
			return nil, errors.New("no such host")
		}
		var list []netip.Addr
		for _, one := range strings.Fields(text) {
			list = append(list, netip.MustParseAddr(one))
		}
		return list, nil
	}
}

func TestGate_Addresses(t *testing.T) {
	g := NewGate(Rules{OwnOrigins: []string{"http://127.0.0.1:7878", "https://console.example"}, AllowHosts: []string{"printer.lan", "127.0.0.1:7878"},
		Lookup: lookup(map[string]string{"public.example": "93.184.216.34", "sneaky.example": "93.184.216.34 10.0.0.1", "printer.lan": "192.168.1.9",
			"console.example": "93.184.216.35", "neighbour.example": "93.184.216.35", "alias.example": "127.0.0.1"})})
	g.Grant("mine", []string{"10.1.2.3:8080", "[fd00::1]:80"})
	g.Grant("other", []string{"10.9.9.9"})
	for _, c := range []struct{ name, url, refused string }{
		{"a public name", "https://public.example/x", ""},
		{"one private address among public ones", "http://sneaky.example/", "private address 10.0.0.1"},
		{"loopback by number", "http://127.0.0.1/", "private"},
		{"loopback by name", "http://localhost:3000/", "private"},
		{"a name below localhost", "http://a.localhost/", "private"},
		{"loopback of IPv6", "http://[::1]/", "private"},
		{"IPv4 inside IPv6", "http://[::ffff:10.0.0.1]/", "private"},
		{"translated IPv4", "http://[64:ff9b::a00:1]/", "private"},
		{"the cloud's metadata address", "http://169.254.169.254/latest", "credentials"},
		{"link-local", "http://169.254.1.1/", "private"},
		{"carrier-grade NAT", "http://100.64.0.1/", "private"},
		{"nothing at all", "http://0.0.0.0/", "private"},
		{"unique local IPv6", "http://[fd00::2]/", "private"},
		{"allowed for the machine", "http://printer.lan:9100/", ""},
		{"allowed for this run with its port", "http://10.1.2.3:8080/", ""},
		{"allowed for this run with another port", "http://10.1.2.3:8081/", "private"},
		{"allowed IPv6", "http://[fd00::1]/", ""},
		{"allowed for another agent", "http://10.9.9.9/", "another agent"},
		{"own origin although the machine allows it", "http://127.0.0.1:7878/inbox", "own address"},
		{"own origin by another name", "http://alias.example:7878/", "own address"},
		{"own origin by localhost", "http://localhost:7878/", "own address"},
		{"own origin in public", "https://console.example/", "own address"},
		{"own origin in public, upper case and dot", "https://CONSOLE.example./", "own address"},
		{"a neighbour at the same public address", "https://neighbour.example/", ""},
		{"a file", "file:///etc/passwd", "only http"},
		{"script", "javascript:alert(1)", "only http"},
		{"the browser's own pages", "chrome://settings", "only http"},
		{"source view", "view-source:http://public.example", "only http"},
		{"data", "data:text/html,x", "only http"},
		{"no host", "http:///x", "not a web address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := g.CheckURL(context.Background(), "mine", c.url)
			if c.refused == "" && err != nil || c.refused != "" && (!isRefusal(err) || !strings.Contains(err.Error(), c.refused)) {
				t.Fatalf("got %v, want refusal %q", err, c.refused)
			}
		})
	}
}

func TestGate_AnOwnOriginOnThisMachineIsRefusedUnderAllItsAddresses(t *testing.T) {
	g := NewGate(Rules{OwnOrigins: []string{"http://192.168.1.5:7878"}, AllowHosts: []string{"127.0.0.1", "localhost", "192.168.1.5", "192.168.1.6", "0.0.0.0", "172.17.0.1", "[::1]"}, Lookup: lookup(nil)})
	g.ofThisMachine = func(a netip.Addr) bool { return a.String() == "192.168.1.5" || a.String() == "172.17.0.1" }
	for _, host := range []string{"192.168.1.5", "127.0.0.1", "127.1.2.3", "localhost", "a.localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "172.17.0.1"} {
		if err := g.CheckURL(context.Background(), "x", "http://"+host+":7878/"); !isRefusal(err) || !strings.Contains(err.Error(), "own address") {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, other := range []string{"http://192.168.1.6:7878/", "http://127.0.0.1:7879/"} {
		if err := g.CheckURL(context.Background(), "x", other); err != nil {
			t.Errorf("%s: %v", other, err)
		}
	}
}

func TestGate_UnknownNameIsAFailureNotARefusal(t *testing.T) {
	g := NewGate(Rules{Lookup: lookup(nil)})
	if err := g.CheckURL(context.Background(), "x", "http://gone.example/"); err == nil || isRefusal(err) {
		t.Fatalf("got %v", err)
	}
}

func start(t *testing.T, g *Gate) (*Proxy, *http.Client) {
	t.Helper()
	p, err := Listen(g)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	via, _ := url.Parse("http://" + p.Address())
	tr := &http.Transport{Proxy: http.ProxyURL(via)}
	t.Cleanup(tr.CloseIdleConnections)
	return p, &http.Client{Transport: tr}
}

func TestProxy_ForwardsWhatIsGrantedAndNotesWhatIsNot(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Proxy-Connection") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, "hello")
	}))
	defer site.Close()
	host := strings.TrimPrefix(site.URL, "http://")
	g := NewGate(Rules{})
	_, client := start(t, g)
	fetch := func() (int, string) {
		resp, err := client.Get(site.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	g.Grant("i", []string{host})
	if code, body := fetch(); code != 200 || body != "hello" {
		t.Fatalf("granted: got %d %q", code, body)
	}
	mark := g.Mark()
	g.Grant("i", nil) // the kept connection must not help
	code, body := fetch()
	notes := g.Since(mark)
	if code != http.StatusForbidden || strings.Contains(body, "hello") || len(notes) != 1 || notes[0].Target != host || !notes[0].Refused {
		t.Fatalf("taken away: got %d %q %+v", code, body, notes)
	}
}

func TestProxy_TunnelIsCheckedToo(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "tls") }))
	defer site.Close()
	g := NewGate(Rules{})
	_, client := start(t, g)
	client.Transport.(*http.Transport).TLSClientConfig = site.Client().Transport.(*http.Transport).TLSClientConfig
	if _, err := client.Get(site.URL); err == nil {
		t.Fatal("a tunnel to loopback was opened")
	}
	g.Grant("i", []string{strings.TrimPrefix(site.URL, "https://")})
	resp, err := client.Get(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// The name changes from a public to a private address between the check and the connection: what was checked is dialled.
func TestProxy_DNSRebindingGainsNothing(t *testing.T) {
	var asked int
	g := NewGate(Rules{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		if asked == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	_, client := start(t, g)
	resp, err := client.Get("http://rebind.example/")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Fatalf("got %d", resp.StatusCode)
	}
}

func TestProxy_GoesThroughTheCompanysProxy(t *testing.T) {
	var asked, login string
	company := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, login = r.Method+" "+r.Host, r.Header.Get("Proxy-Authorization")
		c, _, _ := w.(http.Hijacker).Hijack()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		buf := make([]byte, 4096)
		_, _ = c.Read(buf)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
		_ = c.Close()
	}))
	defer company.Close()
	t.Setenv("HTTP_PROXY", "http://user:p%40ss@"+strings.TrimPrefix(company.URL, "http://"))
	_, client := start(t, NewGate(Rules{Lookup: lookup(nil)})) // the name is known inside the company's proxy only
	resp, err := client.Get("http://intra.example/")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(body) != "ok" || asked != "CONNECT "+net.JoinHostPort("intra.example", "80") || login != "Basic dXNlcjpwQHNz" {
		t.Fatalf("got %q, %q, %q", body, asked, login)
	}
}
