// Package upstream is an API on the loopback that stories and benchmarks call through the product: it describes itself, counts
// every effect, answers late, wrongly or not at all where it is told to, and says back what it was sent.
//
//	upstream.go   the server and what it counts
//	routes.go     its operations
//	document.go   its description, and large ones of any size
package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// Server is the API. Its address is URL.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	secrets  map[string]bool           // who is let in; nobody is kept out while there are none
	received map[string]int            // requests that were let in, by method and path
	effects  map[string]int            // by method, path and body
	keys     map[string]map[string]int // by body, then by Idempotency-Key: how often it came
	answers  map[string]string         // by Idempotency-Key
	seen     []string                  // whole requests to /echo, as text
	other    string                    // where /away sends its caller
	held     chan struct{}             // /held answers when it is closed
}

// New starts one that lets everybody in.
func New() *Server {
	s := &Server{secrets: map[string]bool{}, received: map[string]int{}, effects: map[string]int{}, keys: map[string]map[string]int{}, answers: map[string]string{},
		held: make(chan struct{})}
	mux := http.NewServeMux()
	for pattern, h := range s.routes() {
		mux.HandleFunc(pattern, h)
	}
	s.Server = httptest.NewServer(mux)
	return s
}

// Accept lets only those in who give one of these secrets: as a bearer token, a key, or user:password.
func (s *Server) Accept(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range secrets {
		s.secrets[v] = true
	}
}

// SendAway names where /away redirects to.
func (s *Server) SendAway(url string) { s.mu.Lock(); defer s.mu.Unlock(); s.other = url }

// Release lets everybody go who waits at /held, now and later.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.held:
	default:
		close(s.held)
	}
}

// Effects is how often each effect happened, by method, path and body: `POST /orders {"item":"a"}`.
func (s *Server) Effects() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.effects)
}

// Keys is how often a payment with this body came, by its Idempotency-Key; also where it was not done again.
func (s *Server) Keys(body string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.keys[body])
}

// Seen are whole requests to /echo, with all headers.
func (s *Server) Seen() []string { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.seen) }

// Received is how often an operation was called, by method and path.
func (s *Server) Received(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received[operation]
}

// letIn checks the credential and counts the request.
func (s *Server) letIn(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received[r.Method+" "+r.URL.Path]++
	if len(s.secrets) == 0 {
		return true
	}
	for _, given := range credentials(r) {
		if s.secrets[given] {
			return true
		}
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, `{"message":"who are you?"}`, http.StatusUnauthorized)
	return false
}

// credentials are all that a request gives, wherever.
func credentials(r *http.Request) []string {
	var out []string
	if user, password, ok := r.BasicAuth(); ok {
		out = append(out, user+":"+password)
	}
	if len(r.Header.Get("Authorization")) > 7 {
		out = append(out, r.Header.Get("Authorization")[7:])
	}
	if c, err := r.Cookie("sid"); err == nil {
		out = append(out, c.Value)
	}
	return append(out, r.Header.Get("X-Api-Key"), r.URL.Query().Get("api_key"))
}

// happen notes an effect and says how often it has happened.
func (s *Server) happen(r *http.Request, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.Method + " " + r.URL.Path
	if body != "" {
		name += " " + body
	}
	s.effects[name]++
	return s.effects[name]
}

// once does an effect unless its key was seen; the answer of the first time is the answer of every time.
func (s *Server) once(key, what string, do func() string) string {
	s.mu.Lock()
	if s.keys[what] == nil {
		s.keys[what] = map[string]int{}
	}
	s.keys[what][key]++
	first, seen := s.answers[key]
	s.mu.Unlock()
	if seen && key != "" {
		return first
	}
	answer := do()
	s.mu.Lock()
	s.answers[key] = answer
	s.mu.Unlock()
	return answer
}

func (s *Server) awaitRelease(ctx context.Context) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	select {
	case <-held:
	case <-ctx.Done():
	}
}

// body reads what came, written anew so that spaces and the order of names do not matter.
func body(r *http.Request) string {
	raw, _ := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	raw, _ = json.Marshal(v) // of what was JSON
	return string(raw)
}

func answer(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		status, raw = http.StatusInternalServerError, fmt.Appendf(nil, `{"message":%q}`, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// hangUp ends the connection without a word.
func hangUp(w http.ResponseWriter) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	if c, _, err := h.Hijack(); err == nil {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // at once: the other side sees a reset
		}
		_ = c.Close()
	}
}
