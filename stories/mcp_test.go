package stories

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shop is an API with one thing to read and one to remove; it counts what was removed.
type shop struct {
	*httptest.Server
	mu      sync.Mutex
	removed []string
}

const shopSpec = `{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"servers":[{"url":"BASE"}],"paths":{
  "/orders":{"get":{"tags":["orders"],"operationId":"list","responses":{"200":{"description":"ok"}}}},
  "/orders/{id}":{"delete":{"tags":["orders"],"operationId":"remove","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],"responses":{"200":{"description":"ok"}}}}}}`

func newShop(t *testing.T) *shop {
	s := &shop{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodDelete {
			s.mu.Lock()
			s.removed = append(s.removed, r.URL.Path)
			s.mu.Unlock()
		}
		_, _ = io.WriteString(w, `{"ok":"yes"}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) gone() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.removed) }

// withShop starts a host that has the shop as its source.
func (s *scene) withShop(shop *shop) (stop func()) {
	s.t.Helper()
	host := strings.TrimPrefix(shop.URL, "http://")
	p := s.serve(nil, "--allow-host", host)
	spec := filepath.Join(s.t.TempDir(), "shop.json")
	s.must(os.WriteFile(spec, []byte(strings.Replace(shopSpec, "BASE", shop.URL, 1)), 0o600))
	s.run("", "sources", "add", spec)
	return func() { s.end(p) }
}

type toolAnswer struct {
	text string
	bad  bool
	data map[string]any
}

// agent calls a tool of the MCP endpoint, as a client that keeps nothing between two requests.
func (s *scene) agent(token, tool string, args map[string]any) toolAnswer {
	s.t.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	s.must(err)
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.URL()+"/mcp", bytes.NewReader(raw))
	s.must(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	s.must(err)
	var out struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent map[string]any
			IsError           bool
		}
	}
	if err := json.Unmarshal(body, &out); err != nil || res.StatusCode != 200 || len(out.Result.Content) == 0 {
		s.t.Fatalf("%s: %d %s", tool, res.StatusCode, body)
	}
	return toolAnswer{out.Result.Content[0].Text, out.Result.IsError, out.Result.StructuredContent}
}

func TestMCP_MC08_AnApprovalSurvivesAKilledHostAndIsDoneOnce(t *testing.T) {
	s := newScene(t, nil, nil)
	shop := newShop(t)
	kill := s.withShop(shop)
	plain := s.run("", "tokens", "create", "--name", "agent")
	trusted := s.run("", "tokens", "create", "--name", "trusted", "--scope", "interactions:answer")

	paused := s.agent(plain, "execute", map[string]any{"code": "return (await tools.shop.orders.remove({id: 7})).data", "title": "Remove an order"})
	if paused.data["status"] != "waiting_for_interaction" || paused.data["resumePayload"].(map[string]any)["action"] != "wait" {
		t.Fatalf("%+v", paused)
	}
	run := paused.data["executionId"]
	question := paused.data["interactions"].([]any)[0].(map[string]any)["interactionId"]
	accept := map[string]any{"executionId": run, "interactionId": question, "action": "accept"}

	kill()
	s.serve(nil, "--allow-host", strings.TrimPrefix(shop.URL, "http://"))
	if a := s.agent(plain, "resume", accept); !a.bad || !strings.Contains(a.text, "a person has to approve") || shop.gone() != 0 {
		t.Errorf("a token that may not approve: %+v, removed %d", a, shop.gone())
	}
	first := s.agent(trusted, "resume", accept)
	again := s.agent(plain, "resume", accept)
	if first.data["status"] != "completed" || again.data["status"] != "completed" || !strings.Contains(again.text, "that answer stands") {
		t.Errorf("%+v then %+v", first, again)
	}
	if n := shop.gone(); n != 1 {
		t.Errorf("%d orders were removed", n)
	}
	if res := s.call("", "runs", "show", run.(string)); res.Code != 0 || !strings.Contains(res.Out, "mcp") {
		t.Errorf("the person sees:\n%s%s", res.Out, res.Err)
	}
	id := strings.Fields(s.run("", "tokens"))[5] // the first row's id, below the heads
	if !strings.HasPrefix(id, "tok_") {
		t.Fatalf("no token id: %q", id)
	}
	s.run("", "tokens", "revoke", id)
}

func TestCall_AnApprovalIsAnsweredByThePastedCommand(t *testing.T) {
	s := newScene(t, nil, nil)
	shop := newShop(t)
	s.withShop(shop)
	for _, c := range []string{"sources", "sources show shop", "connections", "tools", "tools search orders", "call shop --help", "call shop orders --help", "call shop orders remove --help", "policies", "tokens"} {
		s.seen(c)
	}
	res := s.call("", "call", "shop", "orders", "remove", "id=7")
	var pause struct {
		Resume   string            `json:"resume"`
		Commands map[string]string `json:"commands"`
	}
	if err := json.Unmarshal([]byte(res.Out), &pause); err != nil || res.Code != 20 || res.Err != "" {
		t.Fatalf("exit %d %v %q %s", res.Code, err, res.Out, res.Err)
	}
	s.seen("inbox")
	declined := s.call("", "call", "shop", "orders", "remove", "id=8")
	s.must(json.Unmarshal([]byte(declined.Out), &pause))
	if res := s.call("", strings.Fields(pause.Commands["decline"])[1:]...); res.Code != 1 || shop.gone() != 0 {
		t.Errorf("declined: exit %d %s%s, removed %d", res.Code, res.Out, res.Err, shop.gone())
	}
	s.must(json.Unmarshal([]byte(res.Out), &pause))
	for range 2 { // pasted twice, it is done once
		if res := s.call("", strings.Fields(pause.Resume)[1:]...); res.Code != 0 || !strings.Contains(res.Out, `"ok": true`) {
			t.Errorf("exit %d %s%s", res.Code, res.Out, res.Err)
		}
	}
	if n := shop.gone(); n != 1 {
		t.Errorf("%d orders were removed", n)
	}
}
