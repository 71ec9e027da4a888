package openai_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/model/openai"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// Servers that call themselves compatible differ in small ways; each row is one such way.
func TestClient_ReadsCompatibleServers(t *testing.T) {
	const json, stream = "application/json", "text/event-stream"
	for name, c := range map[string]struct {
		kind, body string
		text, call string
		stop       string
		err        pags.Code
	}{
		"answers whole although a stream was asked for": {kind: json,
			body: `{"model":"m","choices":[{"message":{"content":"hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			text: "hi", call: `a f {"x":1}; b g {}; `, stop: "tool"},
		"leaves out [DONE]": {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", text: "hi", stop: "end"},
		"stops with tool calls": {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			call: "a f {}; ", stop: "tool"},
		"gives two calls the same index": {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
			call: "a f {}; b g {}; ", stop: "tool"},
		"gives arguments as an object and no id": {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"x\":1}}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
			call: `call_1 f {"x":1}; `, stop: "tool"},
		"refuses":                      {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"no\"},\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n", text: "no", stop: "refusal"},
		"is cut at the token limit":    {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\"}}]},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n", err: pags.Upstream},
		"ends before a finish reason":  {kind: stream, body: "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n", err: pags.Upstream},
		"tells an error with a number": {kind: stream, body: "data: {\"error\":{\"message\":\"slow\",\"code\":429}}\n\n", err: pags.RateLimited},
		"tells an error with a word":   {kind: stream, body: "data: {\"error\":{\"message\":\"who\",\"code\":\"invalid_api_key\"}}\n\n", err: pags.Forbidden},
		"tells an error as text":       {kind: json, body: `{"error":"out of memory"}`, err: pags.Unavailable},
		"answers something else":       {kind: json, body: `{"hello":1}`, err: pags.Upstream},
		"answers a page":               {kind: "text/html", body: "<html>\n\n</html>", err: pags.Upstream},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/openai/chat/completions" || r.Header.Get("Authorization") != "" {
					t.Errorf("asked %s with authorization %q", r.URL.Path, r.Header.Get("Authorization"))
				}
				raw, _ := io.ReadAll(r.Body)
				if !strings.Contains(string(raw), `"max_tokens":4096`) {
					t.Errorf("a compatible server is told max_tokens, not %s", raw)
				}
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			m := &openai.Client{Exchange: exchange.Client{HTTP: s.Client(), Clock: porttest.NewClock(time.Unix(0, 0))}}
			reply, err := m.Ask(context.Background(), port.Credential{Provider: "openai", BaseURL: s.URL + "/api/openai/"},
				port.Prompt{Messages: []port.Message{{Role: "user", Parts: []port.Part{{Text: "x"}}}}})
			if c.err != "" {
				if !pags.Is(err, c.err) {
					t.Errorf("got %v, want code %s", err, c.err)
				}
				return
			}
			calls := ""
			for _, k := range reply.Calls {
				calls += k.ID + " " + k.Name + " " + string(k.Input) + "; "
			}
			if err != nil || reply.Text != c.text || calls != c.call || reply.Stop != c.stop {
				t.Errorf("got %+v (calls %s), %v", reply, calls, err)
			}
		})
	}
}
