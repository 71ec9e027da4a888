package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// serve is the outermost step.
func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	start := a.cfg.Clock.Now()
	c := &call{trace: correlation(r.Header)}
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	out := &answer{ResponseWriter: w}
	a.harden(out.Header())
	out.Header().Set("X-Request-Id", c.trace)

	defer func() {
		if v := recover(); v != nil {
			a.cfg.Log.ErrorContext(r.Context(), "panic in a handler", "traceId", c.trace, "operation", c.route,
				"panic", v, "stack", string(debug.Stack()))
			if out.status == 0 {
				a.refuse(out, r, newProblem(r.Context(), pags.Internal, internalText))
			}
		}
		a.cfg.Log.InfoContext(r.Context(), "request", "traceId", c.trace, "method", r.Method, "operation", c.route,
			"status", out.status, "code", c.code, "user", string(c.caller.UserID),
			"millis", a.cfg.Clock.Now().Sub(start).Milliseconds())
	}()
	a.dispatch(out, r)
}

// dispatch finds the route. ServeMux would answer unknown paths and methods in plain text and redirect paths that are not
// clean; here all of them get a problem.
func (a *API) dispatch(w *answer, r *http.Request) {
	if r.URL.Path != path.Clean(r.URL.Path) {
		a.refuse(w, r, newProblem(r.Context(), pags.NotFound, "there is nothing at this path"))
		return
	}
	h, pattern := a.mux.Handler(r)
	if pattern != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	probe := probe{header: http.Header{}}
	h.ServeHTTP(&probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		allow := probe.header.Get("Allow")
		p := newProblem(r.Context(), pags.Invalid, "this path does not take "+r.Method+"; it takes "+allow)
		p.Status, p.Title = http.StatusMethodNotAllowed, "Wrong method"
		p.headers.Set("Allow", allow)
		a.refuse(w, r, p)
		return
	}
	a.refuse(w, r, newProblem(r.Context(), pags.NotFound, "there is nothing at this path"))
}

// harden sets the headers that every answer carries (spec platform 6.5).
func (a *API) harden(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "strict-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	if strings.HasPrefix(a.cfg.PublicURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// refuse writes a problem outside of huma.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, p *Problem) {
	for k, v := range p.headers {
		w.Header()[k] = v
	}
	body, err := json.Marshal(p)
	if err != nil { // only the record in About can fail; the rest stands without it
		p.About = nil
		body, _ = json.Marshal(p)
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(body, '\n'))
	}
}

var (
	requestIDShape   = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)
	traceparentShape = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}`) // W3C Trace Context
)

// correlation takes the caller's trace id (traceparent) or request id if it has the right shape, or makes one.
func correlation(h http.Header) string {
	if m := traceparentShape.FindStringSubmatch(h.Get("Traceparent")); m != nil && strings.Trim(m[1], "0") != "" {
		return m[1]
	}
	if id := h.Get("X-Request-Id"); requestIDShape.MatchString(id) {
		return id
	}
	var raw [16]byte
	_, _ = rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

// answer remembers the status that was sent.
type answer struct {
	http.ResponseWriter
	status int
}

func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *answer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// probe hears what ServeMux would say.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(status int)      { p.status = status }
