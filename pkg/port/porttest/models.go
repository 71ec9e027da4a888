package porttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// canary is a key that must not be repeated anywhere but in the request's header.
const canary = "sk-canary-3f9c1e7ab2d84c60-wxyz9876"

// Models holds an adapter to port.Models, against a scripted server that speaks the provider's wire. What that server
// cannot prove, that the real provider accepts our requests, shows only with a real key (make demo MODEL=real).
func Models(t *testing.T, provider string, open func(clock port.Clock) port.Models) {
	t0 := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	m := modelsSuite{provider, open, t0}
	t.Run("a text is put together", m.text)
	t.Run("tool calls keep their order and their exact input", m.calls)
	t.Run("a conversation arrives as it was", m.conversation)
	t.Run("refusals carry a code and how long to wait", m.refusals)
	t.Run("an error inside the stream counts like one before it", m.midStream)
	t.Run("unreadable answers are upstream errors", m.unreadable)
	t.Run("deadlines run on the clock", m.deadlines)
	t.Run("a stalled answer is given up", m.stalled)
	t.Run("the caller's own deadline is a timeout", m.callerDeadline)
	t.Run("the key appears in no error", m.redaction)
	t.Run("a redirect is not followed with a key", m.redirect)
	t.Run("bad credentials and prompts are refused before anything is sent", m.early)
}

type modelsSuite struct {
	provider string
	open     func(clock port.Clock) port.Models
	t0       time.Time
}

// serve starts a script and returns what asks it.
func (m modelsSuite) serve(t *testing.T, script modeltest.Script) (*modeltest.Server, func(port.Prompt) (port.Reply, error)) {
	t.Helper()
	s := modeltest.New(script)
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	models := m.open(NewClock(m.t0))
	return s, func(p port.Prompt) (port.Reply, error) {
		return models.Ask(context.Background(), m.credential(url), p)
	}
}

func (m modelsSuite) credential(url string) port.Credential {
	return port.Credential{Provider: m.provider, BaseURL: url, Key: canary, Model: "scripted-1"}
}

func hello() port.Prompt {
	return port.Prompt{System: "be brief", Messages: []port.Message{{Role: "user", Parts: []port.Part{{Text: "hello"}}}},
		Tools: []port.ToolSpec{{Name: "click", Description: "click an element", Schema: json.RawMessage(`{"type":"object","properties":{"ref":{"type":"string"}}}`)}}}
}

func (m modelsSuite) text(t *testing.T) {
	server, ask := m.serve(t, modeltest.Steps(modeltest.Answer{Text: "grüße, 日本 and a \"quote\"\nline", InputTokens: 12, OutputTokens: 34}))
	reply, err := ask(hello())
	if err != nil {
		t.Fatal(err)
	}
	want := port.Reply{Text: "grüße, 日本 and a \"quote\"\nline", Stop: "end", Model: "scripted-1", InputTokens: 12, OutputTokens: 34}
	if fmt.Sprint(reply) != fmt.Sprint(want) {
		t.Errorf("got %+v\nwant %+v", reply, want)
	}
	turn := server.Turns()[0]
	if turn.Key != canary || turn.Provider != m.provider || turn.MaxTokens != 4096 || !turn.Stream || turn.ForceTool {
		t.Errorf("the request was %+v", turn)
	}
}

func (m modelsSuite) calls(t *testing.T) {
	exact := json.RawMessage(`{"ref":"e1","n":9007199254740993,"nested":{"a":[1,2,{"b":"}\""}]}}`)
	server, ask := m.serve(t, modeltest.Steps(modeltest.Answer{Text: "clicking",
		Calls: []port.ToolCall{modeltest.ToolCall("click", exact), modeltest.ToolCall("type", json.RawMessage(`{}`))}}))
	p := hello()
	p.ForceTool = true
	reply, err := ask(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Calls) != 2 || reply.Stop != "tool" || reply.Text != "clicking" {
		t.Fatalf("got %+v", reply)
	}
	if first := reply.Calls[0]; first.Name != "click" || string(first.Input) != string(exact) || first.ID == "" || first.ID == reply.Calls[1].ID {
		t.Errorf("the first call is %s %s (id %q)", first.Name, first.Input, first.ID)
	}
	if second := reply.Calls[1]; second.Name != "type" || string(second.Input) != "{}" {
		t.Errorf("the second call is %s %s", second.Name, second.Input)
	}
	if !server.Turns()[0].ForceTool {
		t.Error("the provider was not told that a tool call is required")
	}
}

func (m modelsSuite) conversation(t *testing.T) {
	server, ask := m.serve(t, modeltest.Steps(modeltest.Say("ok")))
	p := hello()
	p.Messages = []port.Message{
		{Role: "user", Parts: []port.Part{{Text: "look"}, {Image: &port.Image{MediaType: "image/png", Data: []byte{1, 2, 255}}}}},
		{Role: "assistant", Parts: []port.Part{{Text: "I click"}, {Call: &port.ToolCall{ID: "c1", Name: "click", Input: json.RawMessage(`{"ref":"e1"}`)}},
			{Call: &port.ToolCall{ID: "c2", Name: "click", Input: json.RawMessage(`{"ref":"e2"}`)}}}},
		{Role: "user", Parts: []port.Part{{Result: &port.ToolResult{CallID: "c1", Text: "done"}},
			{Result: &port.ToolResult{CallID: "c2", Text: "no such element", IsError: true}}, {Text: "now?"}}},
	}
	if _, err := ask(p); err != nil {
		t.Fatal(err)
	}
	turn := server.Turns()[0]
	got, _ := json.Marshal(turn.Messages)
	want, _ := json.Marshal(p.Messages)
	if string(got) != string(want) {
		t.Errorf("messages arrived as %s\nwant %s", got, want)
	}
	gotTools, _ := json.Marshal(turn.Tools)
	wantTools, _ := json.Marshal(p.Tools)
	if string(gotTools) != string(wantTools) || turn.System != p.System {
		t.Errorf("tools arrived as %s, system as %q", gotTools, turn.System)
	}
}

func (m modelsSuite) refusals(t *testing.T) {
	for _, c := range []struct {
		status int
		wait   time.Duration
		want   pags.Code
	}{
		{400, 0, pags.Invalid}, {404, 0, pags.Invalid}, {413, 0, pags.Invalid},
		{401, 0, pags.Forbidden}, {403, 0, pags.Forbidden},
		{429, 7 * time.Second, pags.RateLimited}, {429, 0, pags.RateLimited},
		{500, 0, pags.Unavailable}, {502, 0, pags.Unavailable}, {503, 3 * time.Second, pags.Unavailable}, {504, 0, pags.Unavailable}, {529, 0, pags.Unavailable},
	} {
		t.Run(fmt.Sprintf("%d after %s", c.status, c.wait), func(t *testing.T) {
			server, ask := m.serve(t, modeltest.Steps(modeltest.Fail(c.status, c.wait, "the reason")))
			_, err := ask(hello())
			if !pags.Is(err, c.want) {
				t.Fatalf("got %v, want code %s", err, c.want)
			}
			var told *port.ModelError
			if !errors.As(err, &told) || told.Status != c.status || told.RetryAfter != c.wait || told.Message != "the reason" {
				t.Errorf("the provider's side is %+v", told)
			}
			if n := len(server.Turns()); n != 1 {
				t.Errorf("%d requests were made; retries belong to the state machine", n)
			}
		})
	}
}

func (m modelsSuite) midStream(t *testing.T) {
	for status, want := range map[int]pags.Code{429: pags.RateLimited, 500: pags.Unavailable, 400: pags.Invalid} {
		_, ask := m.serve(t, modeltest.Steps(modeltest.Answer{Text: "half of an", Status: status, Problem: "no more", MidStream: true}))
		if _, err := ask(hello()); !pags.Is(err, want) {
			t.Errorf("%d inside a stream: got %v, want code %s", status, err, want)
		}
	}
}

func (m modelsSuite) unreadable(t *testing.T) {
	for name, a := range map[string]modeltest.Answer{
		"a body that is not JSON":     {Garbage: "<html>busy</html>"},
		"a stream that is cut":        {Text: "this will never be whole", Cut: true},
		"a tool input that is a list": modeltest.Call("click", json.RawMessage(`["e1"]`)),
		"a tool input that is broken": modeltest.Call("click", json.RawMessage(`{"ref":"e1"`)),
		"a call without a name":       {Calls: []port.ToolCall{modeltest.ToolCall("", json.RawMessage(`{}`))}},
		"an answer beyond all bounds": {Text: strings.Repeat("x", 9<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			_, ask := m.serve(t, modeltest.Steps(a))
			if reply, err := ask(hello()); !pags.Is(err, pags.Upstream) {
				t.Errorf("got %v and %d bytes of text, want code %s", err, len(reply.Text), pags.Upstream)
			}
		})
	}
}

func (m modelsSuite) early(t *testing.T) {
	models := m.open(NewClock(m.t0))
	nothing := "http://127.0.0.1:1" // refused at once; none of these may get there
	forced := hello()
	forced.Tools, forced.ForceTool = nil, true
	for name, c := range map[string]struct {
		cred   port.Credential
		prompt port.Prompt
		want   pags.Code
	}{
		"no key for the provider's own address": {port.Credential{Provider: m.provider}, hello(), pags.Forbidden},
		"a base URL that is not http":           {m.credential("file:///etc/passwd"), hello(), pags.Invalid},
		"a base URL with a password":            {m.credential("http://u:p@127.0.0.1:1"), hello(), pags.Invalid},
		"a forced tool call without tools":      {m.credential(nothing), forced, pags.Invalid},
		"no message":                            {m.credential(nothing), port.Prompt{System: "x"}, pags.Invalid},
		"nobody at the address":                 {m.credential(nothing), hello(), pags.Unavailable},
	} {
		if _, err := models.Ask(context.Background(), c.cred, c.prompt); !pags.Is(err, c.want) {
			t.Errorf("%s: got %v, want code %s", name, err, c.want)
		}
	}
}

func (m modelsSuite) redirect(t *testing.T) {
	asked := make(chan string, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer elsewhere.Close()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/v1/messages", http.StatusTemporaryRedirect)
	}))
	defer front.Close()
	_, err := m.open(NewClock(m.t0)).Ask(context.Background(), m.credential(front.URL), hello())
	if !pags.Is(err, pags.Upstream) {
		t.Errorf("got %v, want code %s", err, pags.Upstream)
	}
	select {
	case path := <-asked:
		t.Errorf("the redirect was followed to %s", path)
	default:
	}
}

func (m modelsSuite) redaction(t *testing.T) {
	for name, text := range map[string]string{
		"whole":    "Incorrect API key provided: " + canary,
		"the tail": "Incorrect API key provided: sk-ca***" + canary[len(canary)-8:],
		"long":     strings.Repeat("y", 480) + canary + strings.Repeat("z", 4000),
	} {
		for _, a := range []modeltest.Answer{modeltest.Fail(401, 0, text), modeltest.Fail(400, 0, text),
			{Text: "half", Status: 500, Problem: text, MidStream: true}, {Garbage: text}, modeltest.Call(canary, json.RawMessage(`[]`))} {
			_, ask := m.serve(t, modeltest.Steps(a))
			_, err := ask(hello())
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
			var told *port.ModelError
			if errors.As(err, &told) && len([]rune(told.Message)) > 500 {
				t.Errorf("%s: the provider's text is %d characters long", name, len([]rune(told.Message)))
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(fmt.Sprintf("%v %+v", e, e), canary[len(canary)-8:]) {
					t.Errorf("%s: the key is in %v", name, e)
				}
			}
		}
	}
}
