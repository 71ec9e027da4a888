package upstream

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// routes are the operations by pattern of net/http.
func (s *Server) routes() map[string]http.HandlerFunc {
	in := func(h func(w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if s.letIn(w, r) {
				h(w, r)
			}
		}
	}
	return map[string]http.HandlerFunc{
		"GET /openapi.json":   func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, Document(s.URL)) },
		"GET /items":          in(s.listItems),
		"GET /items/{id}":     in(s.getItem),
		"DELETE /items/{id}":  in(s.removeItem),
		"POST /orders":        in(s.placeOrder),
		"POST /payments":      in(s.pay),
		"POST /drops":         in(s.drop),
		"POST /held":          in(s.hold),
		"GET /slow":           in(s.slow),
		"GET /echo":           in(s.echo),
		"POST /echo":          in(s.echo),
		"GET /fail/{status}":  in(s.fail),
		"GET /binary":         in(s.binary),
		"GET /away":           in(s.away),
		"GET /plain/{status}": func(w http.ResponseWriter, r *http.Request) { s.fail(w, r) }, // before it is asked who calls
	}
}

func (s *Server) listItems(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 0 || limit > 1000 {
		limit = 3
	}
	items := make([]map[string]any, limit)
	for i := range items {
		items[i] = map[string]any{"id": i + 1, "name": fmt.Sprintf("item %d", i+1)}
	}
	answer(w, http.StatusOK, map[string]any{"items": items})
}

func (s *Server) getItem(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{"id": r.PathValue("id"), "name": "item " + r.PathValue("id")})
}

func (s *Server) removeItem(w http.ResponseWriter, r *http.Request) {
	s.happen(r, "")
	w.WriteHeader(http.StatusNoContent)
}

// placeOrder takes no key: sent twice it happens twice.
func (s *Server) placeOrder(w http.ResponseWriter, r *http.Request) {
	what := body(r)
	n := s.happen(r, what)
	answer(w, http.StatusCreated, map[string]any{"ordered": what, "times": n})
}

// pay happens once for each key.
func (s *Server) pay(w http.ResponseWriter, r *http.Request) {
	what := body(r)
	paid := s.once(r.Header.Get("Idempotency-Key"), what, func() string { s.happen(r, what); return what })
	answer(w, http.StatusCreated, map[string]any{"paid": paid})
}

// drop does it and says nothing.
func (s *Server) drop(w http.ResponseWriter, r *http.Request) {
	s.happen(r, body(r))
	hangUp(w)
}

// hold does it and answers when it is told to.
func (s *Server) hold(w http.ResponseWriter, r *http.Request) {
	what := body(r)
	n := s.happen(r, what)
	s.awaitRelease(r.Context())
	answer(w, http.StatusCreated, map[string]any{"held": what, "times": n})
}

func (s *Server) slow(w http.ResponseWriter, r *http.Request) {
	ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
	select {
	case <-time.After(time.Duration(min(max(ms, 0), 60_000)) * time.Millisecond):
	case <-r.Context().Done():
	}
	answer(w, http.StatusOK, map[string]any{"waited": ms})
}

// said is everything that a request said, as text that a careless API would repeat.
func said(r *http.Request) map[string]any {
	headers := map[string]string{}
	for name := range r.Header {
		headers[name] = r.Header.Get(name)
	}
	return map[string]any{"method": r.Method, "url": r.URL.String(), "headers": headers, "body": body(r)}
}

func (s *Server) echo(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.seen = append(s.seen, fmt.Sprint(r.URL, r.Header))
	s.mu.Unlock()
	for name := range r.Header {
		if name == "Authorization" || name == "X-Api-Key" || name == "Cookie" {
			w.Header().Set("X-Echo-"+name, r.Header.Get(name))
		}
	}
	if r.Method == http.MethodPost {
		s.happen(r, "")
	}
	answer(w, http.StatusOK, said(r))
}

// fail answers with a status, and repeats what it was sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request) {
	status, err := strconv.Atoi(r.PathValue("status"))
	if err != nil || status < 200 || status > 599 {
		status = http.StatusTeapot
	}
	answer(w, status, map[string]any{"message": fmt.Sprintf("refused: %v", said(r)), "request": said(r)})
}

func (s *Server) binary(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(r.URL.Query().Get("size"))
	data := make([]byte, min(max(size, 16), 1<<20))
	for i := range data {
		data[i] = byte(i * 7)
	}
	copy(data[8:], fmt.Sprint(credentials(r))) // a file that holds what it was asked with
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="data.bin"`)
	_, _ = w.Write(data)
}

// away redirects to somebody else, with everything that was in the query.
func (s *Server) away(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	to := s.other
	s.mu.Unlock()
	http.Redirect(w, r, to+"/echo?"+r.URL.RawQuery, http.StatusFound)
}
