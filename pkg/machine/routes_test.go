package machine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/pags"
)

// names takes the bearer token for the user id.
type names struct{}

func (names) Verify(_ context.Context, bearer string) (httpapi.Caller, error) {
	return httpapi.Caller{UserID: pags.UserID(bearer), SessionID: "ses_1", Person: true}, nil
}

func TestRoutes_AMachinesLifeOverHTTP(t *testing.T) {
	c := newCloud(t)
	api := httpapi.New(httpapi.Config{Verifier: names{}, Clock: c.clock})
	machine.Routes(api, c.Service)
	do := func(as, method, path, body string, want int, out any) {
		t.Helper()
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		if as != "" {
			req.Header.Set("Authorization", "Bearer "+as)
		}
		got := httptest.NewRecorder()
		api.Handler().ServeHTTP(got, req)
		if got.Code != want {
			t.Fatalf("%s %s as %q: %d %s, want %d", method, path, as, got.Code, got.Body, want)
		}
		if out != nil {
			c.must(json.Unmarshal(got.Body.Bytes(), out))
		}
	}
	registration := `{"publicKey":"` + base64.StdEncoding.EncodeToString(make([]byte, 32)) + `","node":"laptop","version":"1","capabilities":["browser"]}`
	do("", http.MethodPost, "/v1/machines", registration, http.StatusUnauthorized, nil)
	do("usr_1", http.MethodPost, "/v1/machines", `{"node":"laptop","colour":"red"}`, http.StatusUnprocessableEntity, nil)
	var m pags.Machine
	do("usr_1", http.MethodPost, "/v1/machines", registration, http.StatusOK, &m)
	var page httpapi.Page[pags.Machine]
	do("usr_1", http.MethodGet, "/v1/machines", "", http.StatusOK, &page)
	if len(page.Items) != 1 || page.Items[0].ID != m.ID {
		t.Fatalf("list %+v", page)
	}
	path := "/v1/machines/" + string(m.ID)
	do("usr_1", http.MethodGet, path, "", http.StatusOK, nil)
	ask := `{"role":"runner","machineId":"` + string(m.ID) + `","node":"laptop"}`
	var ticket machine.Ticket
	do("usr_1", http.MethodPost, "/v1/relay/ticket", ask, http.StatusCreated, &ticket)
	if ticket.Nonce == "" || !strings.HasSuffix(ticket.URL, "?ticket="+ticket.Ticket) {
		t.Fatalf("ticket %+v", ticket)
	}
	do("usr_1", http.MethodPost, "/v1/relay/ticket", `{"role":"boss"}`, http.StatusUnprocessableEntity, nil)
	for _, view := range []string{"/v1/relay/ins_1/status", "/v1/instances/ins_1/runtime/status"} {
		var a machine.Attachment
		do("usr_1", http.MethodGet, view, "", http.StatusOK, &a)
		if a.Reason != machine.RunnerOffline || a.Connected {
			t.Fatalf("%s: %+v", view, a)
		}
		do("usr_2", http.MethodGet, view, "", http.StatusNotFound, nil)
	}
	do("usr_2", http.MethodGet, path, "", http.StatusNotFound, nil)
	do("usr_2", http.MethodPost, "/v1/relay/ticket", ask, http.StatusNotFound, nil)
	do("usr_2", http.MethodDelete, path, "", http.StatusNotFound, nil)
	do("usr_1", http.MethodDelete, path, "", http.StatusNoContent, nil)
	do("usr_1", http.MethodGet, path, "", http.StatusNotFound, nil)
}
