package run

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// names is a verifier that takes the bearer for the user; "-tool" behind it makes a session that no person holds.
type names struct{}

func (names) Verify(_ context.Context, bearer string) (httpapi.Caller, error) {
	name, tool := strings.CutSuffix(bearer, "-tool")
	return httpapi.Caller{UserID: pags.UserID("usr_" + name), Person: !tool}, nil
}

type client struct {
	t *testing.T
	h http.Handler
}

func (h *house) client(t *testing.T) client {
	api := httpapi.New(httpapi.Config{Verifier: names{}, Clock: h.clock})
	Routes(api, h.Service)
	InstanceRoutes(api, h.Service)
	return client{t, api.Handler()}
}

// do sends a request and gives status and decoded body.
func (c client) do(who, method, path, body string, headers ...string) (int, map[string]any) {
	c.t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+who)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	c.h.ServeHTTP(rec, req)
	raw, _ := io.ReadAll(rec.Body)
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		c.t.Fatalf("%s %s: %d %s", method, path, rec.Code, raw)
	}
	return rec.Code, out
}

func TestRoutes_BadRequests(t *testing.T) {
	c := newHouse(t).client(t)
	for _, x := range []struct {
		name, who, method, path, body string
		want                          int
	}{
		{"malformed body", "ada", "POST", "/v1/instances/ins_ada/browse", `{"url":`, 400},
		{"unknown field", "ada", "POST", "/v1/instances/ins_ada/browse", `{"url":"https://x.test","objective":"x","turbo":true}`, 422},
		{"wrong type", "ada", "POST", "/v1/instances/ins_ada/browse", `{"url":7}`, 422},
		{"odd approve", "ada", "POST", "/v1/instances/ins_ada/browse", `{"url":"https://x.test","objective":"x","approve":"always"}`, 422},
		{"waiver by a tool", "ada-tool", "POST", "/v1/instances/ins_ada/browse", `{"url":"https://x.test","objective":"x","approve":"never"}`, 403},
		{"a stranger's instance", "eve", "POST", "/v1/instances/ins_ada/browse", `{"url":"https://x.test","objective":"x"}`, 404},
		{"a run that is not there", "ada", "GET", "/v1/runs/run_none", "", 404},
		{"an odd status", "ada", "GET", "/v1/runs?status=busy", "", 422},
		{"a cursor that is not ours", "ada", "GET", "/v1/runs?cursor=xxx", "", 400},
		{"tasks of a stranger's instance", "eve", "GET", "/v1/instances/ins_ada/tasks", "", 404},
	} {
		t.Run(x.name, func(t *testing.T) {
			if code, body := c.do(x.who, x.method, x.path, x.body); code != x.want {
				t.Errorf("%d %v, want %d", code, body, x.want)
			}
		})
	}
}

func TestRoutes_ARunAsPeopleSeeIt(t *testing.T) {
	h := newHouse(t)
	c := h.client(t)
	start := `{"url":"https://x.test/","objective":"Look","files":[{"name":"a.txt","data":"aGk="}]}`
	code, run := c.do("ada", "POST", "/v1/instances/ins_ada/browse", start, "Idempotency-Key", "order/7 of 9")
	if code != 202 || run["status"] != "queued" || run["waitingFor"] != nil {
		t.Fatalf("%d %v", code, run)
	}
	id, _ := run["id"].(string)
	if code, again := c.do("ada", "POST", "/v1/instances/ins_ada/browse", start, "Idempotency-Key", "order/7 of 9"); code != 202 || again["id"] != id {
		t.Errorf("the same message: %d %v", code, again)
	}
	if code, _ := c.do("ada", "POST", "/v1/instances/ins_ada/browse", `{"url":"https://y.test/","objective":"Look"}`, "Idempotency-Key", "order/7 of 9"); code != 409 {
		t.Errorf("other text: %d", code)
	}
	if code, busy := c.do("ada", "POST", "/v1/instances/ins_ada/browse", `{"url":"https://y.test/","objective":"Look"}`); code != 409 || !strings.Contains(toText(busy), id) {
		t.Errorf("busy: %d %v", code, busy)
	}
	if _, err := h.Advance(t.Context(), pags.RunID(id), "w", func(r *pags.Run) error { r.Status, r.WaitingFor = pags.RunWaiting, pags.WaitApproval; return nil }, pags.Event{Kind: "asked"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Blobs.Put(t.Context(), "runs/"+id+"/3/shot.jpg", []byte("jpg"), port.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, path string
		holds      []string
	}{
		{"list", "/v1/runs", []string{id}},
		{"list by status", "/v1/runs?status=waiting", []string{id}},
		{"list by another status", "/v1/runs?status=failed", []string{`"items":[]`}},
		{"list by instance", "/v1/runs?instanceId=ins_ada", []string{id}},
		{"list of another instance", "/v1/runs?instanceId=ins_eve", []string{`"items":[]`}},
		{"get", "/v1/runs/" + id, []string{id, "approval"}},
		{"events", "/v1/runs/" + id + "/events?after=1", []string{`"asked"`, `"lastEvent":2`}},
		{"no more events", "/v1/runs/" + id + "/events?after=2", []string{`"items":[]`}},
		{"picture", "/v1/runs/" + id + "/pictures/3.jpg", []string{"http://127.0.0.1", "expiresAt"}},
		{"export", "/v1/runs/" + id + "/export", []string{`"events"`, `"steps"`, `"interactions"`}},
		{"tasks", "/v1/instances/ins_ada/tasks", []string{`"tasks":[{`, "needs_approval", "browser.task"}},
		{"task", "/v1/instances/ins_ada/tasks/" + id, []string{"needs_approval", `"requiresApproval":true`}},
	} {
		t.Run(x.name, func(t *testing.T) {
			code, body := c.do("ada", "GET", x.path, "")
			for _, want := range x.holds {
				if code != 200 || !strings.Contains(toText(body), want) {
					t.Errorf("%d %s lacks %s", code, toText(body), want)
				}
			}
			if code, body := c.do("eve", "GET", x.path, ""); strings.Contains(toText(body), id+`"`) && code == 200 {
				t.Errorf("a stranger sees %s", toText(body))
			}
		})
	}
	for _, path := range []string{"/v1/runs/" + id + "/pictures/4.jpg", "/v1/runs/" + id + "/pictures/state.json", "/v1/instances/ins_eve/tasks/" + id, "/v1/instances/ins_chat/tasks/" + id} {
		if code, _ := c.do("ada", "GET", path, ""); code != 404 {
			t.Errorf("%s: %d", path, code)
		}
	}
	if code, _ := c.do("eve", "POST", "/v1/runs/"+id+"/cancel", ""); code != 404 {
		t.Errorf("a stranger cancels: %d", code)
	}
	if code, body := c.do("ada", "POST", "/v1/instances/ins_ada/tasks/"+id+"/cancel", ""); code != 200 || !h.load(t, pags.RunID(id)).CancelAsked {
		t.Errorf("%d %v", code, body)
	}
	if code, body := c.do("ada", "POST", "/v1/runs/"+id+"/cancel", ""); code != 202 || body["cancelAsked"] != true {
		t.Errorf("%d %v", code, body)
	}
}

func toText(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}
