package modeltest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/model/modeltest"
)

// Mistakes in a conversation that the real services refuse must fail here too, or a test proves nothing.
func TestServer_RefusesWhatTheProvidersRefuse(t *testing.T) {
	for name, c := range map[string]struct{ path, body string }{
		"anthropic: no max_tokens":         {"/v1/messages", `{"model":"m","messages":[{"role":"user","content":"x"}]}`},
		"anthropic: empty text":            {"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`},
		"anthropic: a call without answer": {"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"y"}]}`},
		"anthropic: an answer to no call":  {"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`},
		"openai: a call without answer":    {"/v1/chat/completions", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"y"}]}`},
		"openai: an answer to no call":     {"/v1/chat/completions", `{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":"x"}]}`},
		"openai: not JSON":                 {"/v1/chat/completions", `{`},
	} {
		server := modeltest.New(func(modeltest.Turn) modeltest.Answer {
			t.Errorf("%s: reached the script", name)
			return modeltest.Answer{}
		})
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body)))
		if w.Code != 400 {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
}

func TestServer_AnswersWithoutAStreamAndTakesEitherKeyHeader(t *testing.T) {
	server := modeltest.New(func(t modeltest.Turn) modeltest.Answer {
		a := modeltest.Call("f", map[string]any{"x": 1})
		a.Text = t.Key + " said " + t.Text()
		return a
	})
	for _, header := range [][2]string{{"x-api-key", "k1"}, {"Authorization", "Bearer k1"}} {
		for path, want := range map[string]string{
			"/v1/messages":         `{"id":"c1","input":{"x":1},"name":"f","type":"tool_use"}`,
			"/v1/chat/completions": `"arguments":"{\"x\":1}"`,
		} {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`))
			r.Header.Set(header[0], header[1])
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			body, _ := io.ReadAll(w.Result().Body)
			got := string(body)
			want = strings.Replace(want, `"id":"c1",`, `"id":"`+between(got, `"id":"call_`, `"`)+`",`, 1)
			if w.Code != 200 || !strings.Contains(got, want) || !strings.Contains(got, "k1 said hi") {
				t.Errorf("%s with %s: %d %s", path, header[0], w.Code, got)
			}
		}
	}
	if n := len(server.Bodies()); n != 4 {
		t.Errorf("%d bodies were kept", n)
	}
}

// between returns "call_…" up to the end mark.
func between(s, start, end string) string {
	_, rest, _ := strings.Cut(s, start)
	id, _, _ := strings.Cut(rest, end)
	return "call_" + id
}
