package account_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

type madeToken struct {
	account.ProgramToken
	Token string
}

func (s *stage) program(t *testing.T, access string, body any) madeToken {
	t.Helper()
	return httpapitest.Read[madeToken](t, httpapitest.Do(t, s.api, "POST", "/v1/auth/tokens", access, body), 201)
}

func TestProgramToken_LivesIsListedAndIsRevoked(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	_, access, _ := s.session(t, u.ID, true)
	made := s.program(t, access, map[string]any{"name": "Claude"})
	if !strings.HasPrefix(made.Token, "pags_") || len(made.Scopes) != 1 || made.Scopes[0] != "tools" || made.ExpiresAt.Sub(noon) != 90*24*time.Hour || !made.LastUsed.IsZero() {
		t.Errorf("made %+v", made)
	}
	caller, err := s.Verify(t.Context(), made.Token)
	if err != nil || caller.UserID != u.ID || caller.Person || caller.SessionID != "" || caller.TokenID != made.ID || !caller.Has("tools") || caller.Has("interactions:answer") {
		t.Fatalf("caller %+v, %v", caller, err)
	}
	listed := func() []account.ProgramToken {
		t.Helper()
		w := httpapitest.Do(t, s.api, "GET", "/v1/auth/tokens", access, nil)
		if strings.Contains(w.Body.String(), made.Token) || strings.Contains(w.Body.String(), sha(made.Token)) {
			t.Errorf("the list shows the token or its hash: %s", w.Body)
		}
		return httpapitest.Read[httpapi.Page[account.ProgramToken]](t, w, 200).Items
	}
	if all := listed(); len(all) != 1 || all[0].Name != "Claude" || !all[0].LastUsed.Equal(noon) {
		t.Errorf("listed %+v", all)
	}
	httpapitest.Read[struct{}](t, httpapitest.Do(t, s.api, "DELETE", "/v1/auth/tokens/"+string(made.ID), access, nil), 204)
	if _, err := s.Verify(t.Context(), made.Token); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("a revoked token: %v", err)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "DELETE", "/v1/auth/tokens/"+string(made.ID), access, nil), 404, "no such token")
	if all := listed(); len(all) != 0 {
		t.Errorf("listed %+v", all)
	}
	audit, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(u.ID), Prefix: "AUDIT#", Filter: port.Begins("action", "programToken.")})
	if err != nil || len(audit.Items) != 2 {
		t.Errorf("%d audit rows, %v", len(audit.Items), err)
	}
}

func TestProgramToken_EndsOnItsDayAndWithItsUser(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	made, text, err := s.NewProgramToken(t.Context(), u.ID, "short", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(24*time.Hour - time.Second)
	if _, err := s.Verify(t.Context(), text); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	s.clock.Advance(time.Second)
	if _, err := s.Verify(t.Context(), text); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("at its end (%s): %v", made.ExpiresAt, err)
	}
	_, text, err = s.NewProgramToken(t.Context(), u.ID, "other", nil, 365)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetSuspended(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), text); !pags.Is(err, pags.Forbidden) {
		t.Errorf("of a suspended user: %v", err)
	}
}

func TestProgramToken_ForgeriesAreAllAlike(t *testing.T) {
	s := newStage(t)
	u, other := s.user(t), s.other(t)
	_, text, err := s.NewProgramToken(t.Context(), u.ID, "one", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, twin, err := s.NewProgramToken(t.Context(), u.ID, "two", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	part, second := strings.Split(text, "_"), strings.Split(twin, "_")
	join := func(p ...string) string { return strings.Join(p, "_") }
	want := ""
	for name, forged := range map[string]string{
		"another secret":             join(part[0], part[1], part[2], pags.NewToken()),
		"the secret of another":      join(part[0], part[1], part[2], second[3]),
		"of another user":            join(part[0], strings.TrimPrefix(string(other.ID), "usr_"), part[2], part[3]),
		"of nobody":                  join(part[0], strings.Repeat("0", 26), part[2], part[3]),
		"without a secret":           join(part[0], part[1], part[2], ""),
		"without a user":             join(part[0], "", part[2], part[3]),
		"only the prefix":            "pags_",
		"one part more":              text + "_x",
		"in lower case":              "pags_" + strings.ToLower(text[5:]),
		"a key into other rows":      join("pags", part[1], "#", part[3]),
		"longer than any of ours":    text + strings.Repeat("A", 4000),
		"its hash instead of it":     join(part[0], part[1], part[2], sha(text)),
		"a session where a token is": join("pags", part[1], "ses", part[3]),
	} {
		c, err := s.Verify(t.Context(), forged)
		if !pags.Is(err, pags.Unauthenticated) || c.UserID != "" {
			t.Errorf("%s: %+v %v", name, c, err)
			continue
		}
		if want == "" {
			want = err.Error()
		}
		if err.Error() != want {
			t.Errorf("%s is told apart: %v", name, err)
		}
	}
	if _, err := s.Verify(t.Context(), text); err != nil {
		t.Errorf("the true one: %v", err)
	}
}

func TestProgramToken_OneReadAndOneWriteAnHour(t *testing.T) {
	s := newStage(t)
	_, text, err := s.NewProgramToken(t.Context(), s.user(t).ID, "busy", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := &brokenTable{Table: s.table}
	svc := account.New(account.Deps{Table: table, Vault: s.vault, Clock: s.clock, PublicURL: publicURL})
	s.table.Reset()
	for range 20 {
		if _, err := svc.Verify(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		s.clock.Advance(5 * time.Minute)
	}
	if reads, writes := table.reads.Load(), len(s.table.Written()); reads != 20 || writes != 2 {
		t.Errorf("20 requests in 100 minutes: %d reads, %d writes", reads, writes)
	}
	table.broken.Store(true)
	if c, err := svc.Verify(t.Context(), text); !pags.Is(err, pags.Unavailable) || c.UserID != "" {
		t.Errorf("nobody passes when nothing can be read: %+v %v", c, err)
	}
}

// unwritable refuses writes of single rows.
type unwritable struct{ port.Table }

func (unwritable) Write(context.Context, port.Write) error {
	return pags.Errorf(pags.Unavailable, "no writes now")
}

func TestProgramToken_WorksWhenItsUseCannotBeNoted(t *testing.T) {
	s := newStage(t)
	_, text, err := s.NewProgramToken(t.Context(), s.user(t).ID, "x", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	svc := account.New(account.Deps{Table: unwritable{s.table}, Vault: s.vault, Clock: s.clock, PublicURL: publicURL})
	if _, err := svc.Verify(t.Context(), text); err != nil {
		t.Error(err)
	}
}

func TestProgramToken_ReachesOnlyRoutesOfItsScopes(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	ok := func(context.Context, *struct{}) (*struct{}, error) { return nil, nil }
	for _, r := range []httpapi.Route{
		{Method: "GET", Path: "/t/plain", ID: "plain"},
		{Method: "GET", Path: "/t/person", ID: "person", Person: true},
		{Method: "GET", Path: "/t/tools", ID: "tools", Scope: httpapi.ScopeTools},
		{Method: "GET", Path: "/t/answer", ID: "answer", Person: true, Scope: httpapi.ScopeAnswer},
	} {
		httpapi.Handle(s.api, r, ok)
	}
	texts := map[string]string{}
	for name, scopes := range map[string][]string{"tools": {"tools"}, "both": {"tools", "interactions:answer", "tools"}} {
		_, text, err := s.NewProgramToken(t.Context(), u.ID, name, scopes, 0)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = text
	}
	_, texts["person"], _ = s.session(t, u.ID, true)
	_, texts["robot"], _ = s.session(t, u.ID, false)
	for _, c := range []struct {
		who, path string
		status    int
		challenge string
	}{
		{"tools", "/t/plain", 403, `error="insufficient_scope"`},
		{"tools", "/t/person", 403, `error="insufficient_scope"`},
		{"tools", "/t/tools", 204, ""},
		{"tools", "/t/answer", 403, `scope="interactions:answer"`},
		{"both", "/t/plain", 403, `error="insufficient_scope"`},
		{"both", "/t/tools", 204, ""},
		{"both", "/t/answer", 204, ""},
		{"person", "/t/plain", 204, ""},
		{"person", "/t/tools", 204, ""},
		{"person", "/t/answer", 204, ""},
		{"robot", "/t/tools", 204, ""},
		{"robot", "/t/answer", 403, ""},
	} {
		w := httpapitest.Do(t, s.api, "GET", c.path, texts[c.who], nil)
		if w.Code != c.status || !strings.Contains(w.Header().Get("WWW-Authenticate"), c.challenge) {
			t.Errorf("%s at %s: %d %v %s", c.who, c.path, w.Code, w.Header(), w.Body)
		}
	}
	for _, r := range s.api.Routes() { // and nothing of this area at all
		if r.Public || strings.HasPrefix(r.Path, "/t/") {
			continue
		}
		path := strings.NewReplacer("{id}", "x").Replace(r.Path)
		if w := httpapitest.Do(t, s.api, r.Method, path, texts["both"], nil); w.Code != 403 {
			t.Errorf("a program reached %s %s: %d %s", r.Method, r.Path, w.Code, w.Body)
		}
	}
}

func TestProgramToken_WrongWishesAreRefused(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	_, person, _ := s.session(t, u.ID, true)
	_, robot, _ := s.session(t, u.ID, false)
	for name, c := range map[string]struct {
		access string
		body   map[string]any
		status int
	}{
		"a session that no person holds": {robot, map[string]any{"name": "x"}, 403},
		"no name":                        {person, map[string]any{}, 422},
		"a scope that is none":           {person, map[string]any{"name": "x", "scopes": []string{"all"}}, 422},
		"more than a year":               {person, map[string]any{"name": "x", "days": 366}, 422},
		"less than a day":                {person, map[string]any{"name": "x", "days": -1}, 422},
		"a field that is none":           {person, map[string]any{"name": "x", "person": true}, 422},
	} {
		if w := httpapitest.Do(t, s.api, "POST", "/v1/auth/tokens", c.access, c.body); w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestProgramToken_ItsTextIsNowhereButInTheAnswer(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	_, access, _ := s.session(t, u.ID, true)
	made := s.program(t, access, map[string]any{"name": "x", "scopes": []string{"tools"}, "days": 3})
	var w *httptest.ResponseRecorder
	for _, path := range []string{"/v1/auth/me", "/v1/auth/tokens"} {
		w = httpapitest.Do(t, s.api, "GET", path, made.Token, nil)
	}
	rows, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(u.ID), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(rows.Items)
	secret := made.Token[strings.LastIndex(made.Token, "_")+1:]
	for what, text := range map[string][]byte{"a row": raw, "the log": s.log.Bytes(), "a refusal": w.Body.Bytes()} {
		if bytes.Contains(text, []byte(secret)) || len(text) == 0 {
			t.Errorf("%s holds the token: %s", what, text)
		}
	}
	if !bytes.Contains(raw, []byte(sha(made.Token))) {
		t.Error("no row holds its hash, so nothing was looked at")
	}
}
