package interaction

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// names is a verifier that takes the bearer for the user; "-tool" behind it makes a session that no person holds.
type names struct{}

func (names) Verify(_ context.Context, bearer string) (httpapi.Caller, error) {
	name, tool := strings.CutSuffix(bearer, "-tool")
	return httpapi.Caller{UserID: pags.UserID("usr_" + name), SessionID: "ses_1", Person: !tool}, nil
}

func TestRoutes_InboxAndAnswer(t *testing.T) {
	h := newHouse(t)
	x := h.ask(t, 1, "tok")
	api := httpapi.New(httpapi.Config{Verifier: names{}, Clock: h.clock})
	Routes(api, h.Service)
	handler := api.Handler()
	one, answer := "/v1/interactions/"+string(x.ID), "/v1/interactions/"+string(x.ID)+"/answer"
	for _, c := range []struct {
		name, who, method, path, body string
		want                          int
		holds                         string
	}{
		{"inbox", "ada", "GET", "/v1/interactions", "", 200, string(x.ID)},
		{"a stranger's inbox", "eve", "GET", "/v1/interactions", "", 200, `"items":[]`},
		{"one", "ada", "GET", one, "", 200, `"origin":"https://jobs.test"`},
		{"the token is ours alone", "ada", "GET", one, "", 200, `"status":"open"`},
		{"a stranger", "eve", "GET", one, "", 404, ""},
		{"a stranger answers", "eve", "POST", answer, `{"kind":"decline"}`, 404, ""},
		{"a tool answers", "ada-tool", "POST", answer, `{"kind":"decline"}`, 403, ""},
		{"an unknown field", "ada", "POST", answer, `{"kind":"decline","force":true}`, 422, ""},
		{"an unknown kind", "ada", "POST", answer, `{"kind":"perhaps"}`, 422, ""},
		{"a kind that is not allowed", "ada", "POST", answer, `{"kind":"accept"}`, 422, "value, secret, decline"},
		{"malformed", "ada", "POST", answer, `{`, 400, ""},
		{"an answer", "ada", "POST", answer, `{"kind":"secret","secret":"canary-passw0rd"}`, 200, `"status":"answered"`},
		{"a second one", "ada", "POST", answer, `{"kind":"decline"}`, 409, `"kind":"secret"`},
		{"nothing waits any more", "ada", "GET", "/v1/interactions", "", 200, `"items":[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			req.Header.Set("Authorization", "Bearer "+c.who)
			if c.body != "" {
				req.Header.Set("Content-Type", "application/json")
			}
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			body := rec.Body.String()
			if rec.Code != c.want || !strings.Contains(body, c.holds) {
				t.Errorf("%d %s, want %d with %q", rec.Code, body, c.want, c.holds)
			}
			if strings.Contains(body, "canary") || strings.Contains(body, `"tok"`) {
				t.Errorf("the answer tells too much: %s", body)
			}
		})
	}
	h.tokens.want(t, "ok tok")
}
