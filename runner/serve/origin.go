package serve

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// front refuses requests that a page of another site made a browser send here: the Host header must name this host (against
// DNS rebinding), and an Origin header must be our own.
type front struct {
	next  http.Handler
	hosts []string // host:port, lower case
}

// newFront lists the names under which this listener is rightly reached.
func newFront(next http.Handler, listener net.Addr, public *url.URL) *front {
	_, port, _ := net.SplitHostPort(listener.String())
	hosts := []string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
	if public.Host != "" {
		hosts = append(hosts, strings.ToLower(public.Host))
	}
	if host, _, err := net.SplitHostPort(listener.String()); err == nil {
		hosts = append(hosts, strings.ToLower(net.JoinHostPort(host, port)))
	}
	return &front{next: next, hosts: hosts}
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(f.hosts, strings.ToLower(r.Host)) {
		refuse(w, http.StatusMisdirectedRequest, "This host does not answer for the name in the Host header. Use its own address, such as http://"+f.hosts[0])
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !f.ours(origin) {
		refuse(w, http.StatusForbidden, "Requests from pages of another site are refused.")
		return
	}
	f.next.ServeHTTP(w, r)
}

func (f *front) ours(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && slices.Contains(f.hosts, strings.ToLower(u.Host))
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": text, "error": text})
}
