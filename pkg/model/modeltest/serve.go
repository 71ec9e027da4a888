package modeltest

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/proagentstore/pags/pkg/port"
)

// maxRequest bounds a request body; pictures of a browser task stay far below.
const maxRequest = 32 << 20

// wire is one provider's way to read a request and write an answer.
type wire interface {
	read(body []byte) (Turn, error)
	whole(t Turn, a Answer) any
	events(t Turn, a Answer) []event
	problem(status int, text string) any
	midStream(status int, text string) event
	kind(status int) string
}

// event is one server-sent event; name is empty where the provider names none.
type event struct {
	name string
	data any // a string is sent as it is, anything else as JSON
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var speak wire
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		speak = anthropic{}
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		speak = openai{}
	default:
		http.Error(w, "the scripted model serves …/messages and …/chat/completions", http.StatusNotFound)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "use POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		writeJSON(w, 413, speak.problem(413, "request too large"))
		return
	}
	turn, err := speak.read(body)
	if err != nil {
		writeJSON(w, 400, speak.problem(400, err.Error()))
		return
	}
	turn.Raw = body
	turn.Key = r.Header.Get("x-api-key")
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && turn.Key == "" {
		turn.Key = token
	}
	s.answer(w, r, speak, turn, s.next(&turn))
}

// next numbers the turn, records it and asks the script.
func (s *Server) next(t *Turn) Answer {
	s.ask.Lock()
	defer s.ask.Unlock()
	s.mu.Lock()
	t.N = len(s.turns) + 1
	s.turns = append(s.turns, *t)
	s.mu.Unlock()
	a := s.script(*t)
	a.Calls = append([]port.ToolCall(nil), a.Calls...) // the script's own stays as it is
	for i := range a.Calls {
		if a.Calls[i].ID == "" {
			a.Calls[i].ID = fmt.Sprintf("call_%d_%d", t.N, i+1)
		}
	}
	if a.Stop == "" {
		a.Stop = "end"
		if len(a.Calls) > 0 {
			a.Stop = "tool"
		}
	}
	if a.InputTokens == 0 {
		a.InputTokens = int64(len(t.Raw)/4 + 1)
	}
	if a.OutputTokens == 0 {
		a.OutputTokens = int64(len(a.Text)/4 + 1)
	}
	return a
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, speak wire, t Turn, a Answer) {
	if !s.wait(r, a.Hold) {
		return
	}
	switch {
	case a.Status != 0 && a.Status != http.StatusOK && !a.MidStream:
		if a.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(a.RetryAfter.Seconds()))))
		}
		writeJSON(w, a.Status, speak.problem(a.Status, a.Problem))
	case !t.Stream:
		w.Header().Set("Content-Type", "application/json")
		if a.Garbage != "" {
			_, _ = io.WriteString(w, a.Garbage)
			return
		}
		text := encode(speak.whole(t, a))
		if a.Cut {
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			text = text[:len(text)/2]
		}
		_, _ = io.WriteString(w, text)
	default:
		s.stream(w, r, speak, t, a)
	}
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, speak wire, t Turn, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	if a.Garbage != "" {
		_, _ = io.WriteString(w, "data: "+a.Garbage+"\n\n")
		return
	}
	events := speak.events(t, a)
	for i, e := range events {
		if i == len(events)/2 {
			if a.MidStream {
				writeEvent(w, speak.midStream(a.Status, a.Problem))
				return
			}
			if a.Cut {
				_ = out.Flush()
				panic(http.ErrAbortHandler) // the connection ends without the end of the body
			}
			if a.Pause != nil && !s.wait(r, a.Pause) {
				return
			}
		}
		writeEvent(w, e)
		_ = out.Flush()
	}
}

// wait returns false when the client left or the server closed first.
func (s *Server) wait(r *http.Request, until <-chan struct{}) bool {
	if until == nil {
		return true
	}
	select {
	case <-until:
		return true
	case <-r.Context().Done():
	case <-s.over:
	}
	return false
}

func writeEvent(w io.Writer, e event) {
	if e.name != "" {
		_, _ = io.WriteString(w, "event: "+e.name+"\n")
	}
	_, _ = io.WriteString(w, "data: "+encode(e.data)+"\n\n")
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, encode(body))
}
