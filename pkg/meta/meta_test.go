package meta_test

import (
	"context"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/meta"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// noLimits fails the test when it is asked: these answers touch no state.
type noLimits struct{ t *testing.T }

func (n noLimits) Allow(_ context.Context, b httpapi.Bucket, _ string) (httpapi.Verdict, error) {
	n.t.Errorf("counted in bucket %s", b)
	return httpapi.Verdict{OK: true}, nil
}

func newAPI(t *testing.T, limiter httpapi.Limiter, d meta.Deps) *httpapi.API {
	api := httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)), Limiter: limiter})
	meta.Routes(api, meta.New(d))
	return api
}

func TestMeta_PublicAnswersTouchNoState(t *testing.T) {
	api := newAPI(t, noLimits{t}, meta.Deps{Version: "1.2.3", Host: "local", Document: []byte(`{"openapi":"3.1.0"}`),
		Keys: func(context.Context) (any, error) { return map[string]any{"keys": []any{}}, nil }})
	for path, want := range map[string]string{"/health": `{"ok":true}` + "\n", "/v1/openapi.json": `{"openapi":"3.1.0"}`, "/.well-known/jwks.json": `{"keys":[]}` + "\n"} {
		w := httpapitest.Do(t, api, "GET", path, "", nil)
		if w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %q %v", path, w.Code, w.Body, w.Header())
		}
	}
	if got := httpapitest.Do(t, api, "GET", "/.well-known/jwks.json", "", nil).Header().Get("Cache-Control"); got != "public, max-age=300" {
		t.Errorf("keys may be cached %q", got)
	}
	broken := newAPI(t, nil, meta.Deps{Keys: func(context.Context) (any, error) { return nil, pags.Errorf(pags.Unavailable, "later") }})
	httpapitest.Refused(t, httpapitest.Do(t, broken, "GET", "/.well-known/jwks.json", "", nil), 503, "later")
}

func TestMeta_StatusIsForTheSignedIn(t *testing.T) {
	api := newAPI(t, nil, meta.Deps{Version: "1.2.3", Host: "local", Counts: func(_ context.Context, uid pags.UserID) (map[string]int, error) {
		return map[string]int{"instances": len(uid)}, nil
	}})
	httpapitest.Refused(t, httpapitest.Do(t, api, "GET", "/v1/status", "", nil), 401, "sign in")
	got := httpapitest.Read[struct {
		Version, Host string
		Counts        map[string]int
	}](t, httpapitest.Do(t, api, "GET", "/v1/status", httpapitest.OwnerToken, nil), 200)
	if got.Version != "1.2.3" || got.Host != "local" || got.Counts["instances"] != len(httpapitest.OwnerID) {
		t.Errorf("%+v", got)
	}
	bare := newAPI(t, nil, meta.Deps{})
	if w := httpapitest.Do(t, bare, "GET", "/v1/status", httpapitest.OwnerToken, nil); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
