// Package httpapitest drives every route of an API as nobody, as a stranger and as a suspended user, and holds the fixtures
// that tests of areas share (spec platform 6.10). It is used by tests only.
package httpapitest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// World is an API with things in it that belong to an owner, and the access tokens of three people. The owner and the
// stranger hold a person's session.
type World struct {
	API                        *httpapi.API
	Table                      *Recorder
	Owner, Stranger, Suspended string
	// Inputs say how to call a route, by its id: with the owner's things, and valid. Params hold for all routes and name path
	// parameters; an input's own Params come first.
	Params map[string]string
	Inputs map[string]Input
}

// Input is one valid call.
type Input struct {
	Params map[string]string
	Query  string
	Body   any
	// Owner is the status the owner gets where it is not a success, such as 409 for what needs another state first.
	Owner int
}

var param = regexp.MustCompile(`\{([^}]+)\}`)

// Ownership drives every route. setup makes a fresh world for each call, so that what one route changes does not matter to
// the next. Exceptions are read from Route.Exempt; one without effect is a failure, so the list stays true.
func Ownership(t *testing.T, setup func(t *testing.T) World) {
	t.Helper()
	routes := setup(t).API.Routes()
	if len(routes) == 0 {
		t.Fatal("the API has no routes")
	}
	for _, r := range routes {
		if r.Public {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			nobody(t, setup(t), r)
			suspended(t, setup(t), r)
			stranger(t, setup(t), r)
		})
	}
}

func nobody(t *testing.T, w World, r httpapi.Route) {
	for _, token := range []string{"", "eyJhbGciOiJub25lIn0.e30."} {
		w.Table.Reset()
		got := w.Call(t, r, token, nil)
		if got.Code != http.StatusUnauthorized {
			t.Errorf("nobody (token %q) got %d, not 401: %s", token, got.Code, got.Body)
		}
		noWrites(t, w, "nobody")
	}
}

func suspended(t *testing.T, w World, r httpapi.Route) {
	w.Table.Reset()
	got := w.Call(t, r, w.Suspended, nil)
	reason, exempt := r.Exempt["suspended"]
	switch {
	case exempt && (reason == "" || got.Code == http.StatusForbidden):
		t.Errorf("the exception for suspended users (%q) has no reason or no effect", reason)
	case !exempt && got.Code != http.StatusForbidden:
		t.Errorf("a suspended user got %d, not 403: %s", got.Code, got.Body)
	}
	if !exempt {
		noWrites(t, w, "a suspended user")
	}
}

// stranger must get the same not-found for the owner's things as for things that never were, and the owner must not: else
// the test would prove nothing.
func stranger(t *testing.T, w World, r httpapi.Route) {
	if reason, exempt := r.Exempt["stranger"]; exempt {
		if reason == "" {
			t.Error("the exception for strangers has no reason")
		}
		return
	}
	if !param.MatchString(r.Path) {
		t.Errorf("%s %s names nobody's thing; say in Exempt[\"stranger\"] why a stranger may call it", r.Method, r.Path)
		return
	}
	w.Table.Reset()
	theirs := w.Call(t, r, w.Stranger, nil)
	if theirs.Code != http.StatusNotFound {
		t.Errorf("a stranger got %d, not 404: %s", theirs.Code, theirs.Body)
	}
	noWrites(t, w, "a stranger")
	never := w.Call(t, r, w.Stranger, neverWas)
	if a, b := said(theirs), said(never); theirs.Code != never.Code || a != b {
		t.Errorf("a stranger can tell another's thing (%d %s) from one that never was (%d %s)", theirs.Code, a, never.Code, b)
	}
	want := w.Inputs[r.ID].Owner
	owner := w.Call(t, r, w.Owner, nil)
	if want == 0 && owner.Code >= 400 || want != 0 && owner.Code != want {
		t.Errorf("the owner got %d (input says %d), so the stranger's 404 proves nothing: %s", owner.Code, want, owner.Body)
	}
}

func noWrites(t *testing.T, w World, who string) {
	if keys := w.Table.Written(); len(keys) > 0 {
		t.Errorf("%s caused writes: %v", who, keys)
	}
}

// Call makes the request of the route's input; swap may change path parameters.
func (w World) Call(t *testing.T, r httpapi.Route, token string, swap func(string) string) *httptest.ResponseRecorder {
	t.Helper()
	in := w.Inputs[r.ID]
	path := param.ReplaceAllStringFunc(r.Path, func(m string) string {
		name := strings.Trim(m, "{}.")
		value, ok := in.Params[name]
		if !ok {
			value, ok = w.Params[name]
		}
		if !ok {
			t.Fatalf("no value for {%s} of %s; add it to Params or to Inputs[%q]", name, r.Path, r.ID)
		}
		if swap != nil {
			value = swap(value)
		}
		return value
	})
	if in.Query != "" {
		path += "?" + in.Query
	}
	return Do(t, w.API, r.Method, path, token, in.Body)
}

// neverWas makes an id of the same kind that nobody has.
func neverWas(id string) string {
	if i := strings.IndexByte(id, '_'); i > 0 && len(id) > 26 {
		return id[:i+1] + "00000000000000000000000000"
	}
	return id
}

// said is what the answer tells apart from ids and trace.
func said(w *httptest.ResponseRecorder) string {
	var p httpapi.Problem
	if json.Unmarshal(w.Body.Bytes(), &p) != nil {
		return w.Body.String()
	}
	return string(p.Code) + " " + regexp.MustCompile(`[a-z]{3}_[0-9A-Z]{26}`).ReplaceAllString(p.Detail, "<id>")
}

// Do makes one request. A body that is not nil is sent as JSON; header are names and values in turn.
func Do(t *testing.T, api *httpapi.API, method, path, token string, body any, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	default:
		var err error
		if raw, err = json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(raw))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if raw != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	api.Handler().ServeHTTP(w, r)
	return w
}

// Read decodes a successful answer.
func Read[T any](t *testing.T, w *httptest.ResponseRecorder, status int) (out T) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, not %d: %s", w.Code, status, w.Body)
	}
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatalf("%v in %s", err, w.Body)
		}
	}
	return out
}

// Refused decodes a problem and checks its code.
func Refused(t *testing.T, w *httptest.ResponseRecorder, status int, says string) httpapi.Problem {
	t.Helper()
	var p httpapi.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != status || !strings.Contains(p.Detail, says) {
		t.Fatalf("status %d, not %d with %q: %s", w.Code, status, says, w.Body)
	}
	return p
}
