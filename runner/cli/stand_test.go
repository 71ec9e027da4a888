package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/home"
)

// request is what a host was asked.
type request struct {
	Method, Path, Query, Key string
	Body                     map[string]any
}

// stand answers like a host: each route with a value, or with what a function makes of the request.
type stand struct {
	t      *testing.T
	home   string
	routes map[string]any // "GET /v1/…" -> value, problem, or func(request) any
	mu     sync.Mutex
	asked  []request
}

// problem is an error answer.
type problem struct {
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func newStand(t *testing.T, routes map[string]any) *stand {
	t.Helper()
	s := &stand{t: t, home: t.TempDir(), routes: routes}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	err := client.SaveSession(home.Dir(s.home).Session(), client.Stored{Server: server.URL, RefreshToken: "r", AccessToken: "a", ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Key: r.Header.Get("Idempotency-Key")}
	raw, _ := io.ReadAll(r.Body)
	if len(raw) > 0 {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&q.Body); err != nil {
			s.t.Errorf("%s %s: body %q: %v", r.Method, r.URL.Path, raw, err)
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, q)
	v, ok := s.routes[q.Method+" "+q.Path]
	if f, is := v.(func(request) any); is {
		v = f(q)
	}
	s.mu.Unlock()
	if !ok {
		v = problem{404, "there is nothing at " + q.Method + " " + q.Path}
	}
	w.Header().Set("Content-Type", "application/json")
	if p, is := v.(problem); is {
		w.WriteHeader(p.Status)
	}
	if text, is := v.(string); is {
		_, _ = io.WriteString(w, text)
		return
	}
	_ = json.NewEncoder(w).Encode(v)
}

// last is the newest request of a route.
func (s *stand) last(method, path string) request {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.asked) - 1; i >= 0; i-- {
		if s.asked[i].Method == method && s.asked[i].Path == path {
			return s.asked[i]
		}
	}
	s.t.Fatalf("nobody asked %s %s: %+v", method, path, s.asked)
	return request{}
}

func (s *stand) count(method, path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, q := range s.asked {
		if q.Method == method && q.Path == path {
			n++
		}
	}
	return n
}

// said is how a command ended.
type said struct {
	code     int
	out, err string
}

// run runs a command whose input is a pipe.
func (s *stand) run(stdin string, args ...string) said { return s.with(false, stdin, args...) }

// typed runs a command before which a person sits and types.
func (s *stand) typed(stdin string, args ...string) said { return s.with(true, stdin, args...) }

func (s *stand) with(person bool, stdin string, args ...string) said {
	s.t.Helper()
	var out, errs bytes.Buffer
	a := &app{build: Build{Version: "test"}, out: &out, err: &errs, in: strings.NewReader(stdin), now: time.Now, typing: &person}
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	code := a.run(ctx, append([]string{"--home", s.home}, args...))
	res := said{code, out.String(), errs.String()}
	s.fits(strings.Join(args, " "), person, res)
	return res
}

// fits holds every output to 80 columns, but what cannot be broken, and to characters that move nothing.
func (s *stand) fits(what string, person bool, res said) {
	s.t.Helper()
	if person { // nobody's Enter ends the lines of prompts here
		res.err = strings.ReplaceAll(res.err, ": ", ":\n")
	}
	isJSON := json.Valid([]byte(res.out)) && strings.TrimSpace(res.out) != ""
	for _, text := range []string{res.out, res.err} {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			longest := 0
			for _, w := range strings.Fields(line) {
				longest = max(longest, len([]rune(w)))
			}
			if n := cells(line); n > 80 && longest < 50 && !(isJSON && text == res.out) && !strings.Contains(line, "pags ") {
				s.t.Errorf("pags %s: %d columns: %q", what, n, line)
			}
		}
		for _, r := range text {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				s.t.Errorf("pags %s printed %q: %q", what, r, text)
				break
			}
		}
	}
}

func (r said) ended(t *testing.T, code int, out, errs string) {
	t.Helper()
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if r.code != code || !strings.Contains(flat(r.out), out) || !strings.Contains(flat(r.err), errs) {
		t.Errorf("exit %d, not %d with %q and %q:\n%s\n---\n%s", r.code, code, out, errs, r.out, r.err)
	}
}

// asJSON reads the one value of standard output.
func asJSON[T any](t *testing.T, r said) (v T) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(r.out))
	if err := dec.Decode(&v); err != nil || dec.More() {
		t.Fatalf("standard output is not one JSON value: %v %q", err, r.out)
	}
	return v
}

type object = map[string]any
