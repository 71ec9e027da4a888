package policy_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/policy"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/rule"
)

const owner, stranger, robot = httpapitest.OwnerToken, httpapitest.StrangerToken, httpapitest.RobotToken

const document = `
openapi: 3.0.3
info: {title: GitHub}
servers: [{url: https://api.github.test}]
paths:
  /issues: {get: {tags: [issues], operationId: list}, post: {tags: [issues], operationId: create}}
  /repos: {get: {tags: [repos], operationId: listRepos}}
`

// shelf is a catalog: GitHub under two connections, and what S would say when it cannot be read.
type shelf struct {
	dir  *catalog.Directory
	fail error
}

func (s *shelf) Directory(context.Context, pags.UserID) (*catalog.Directory, error) {
	return s.dir, s.fail
}

func newShelf(t testing.TB, connections ...string) *shelf {
	t.Helper()
	src, err := catalog.Import(t.Context(), []byte(document), catalog.Options{Namespace: "github"})
	if err != nil {
		t.Fatal(err)
	}
	var entries []catalog.Entry
	var places []catalog.Place
	for _, c := range connections {
		entries = append(entries, src.Entries("github."+c)...)
		places = append(places, catalog.Place{Namespace: "github." + c, Source: "github", Connection: c, Name: "GitHub", Tools: len(src.Tools)})
	}
	return &shelf{dir: &catalog.Directory{Index: catalog.NewIndex(entries), Places: places}}
}

// gate is a table that fails when it is told to, and counts.
type gate struct {
	port.Table
	mu      sync.Mutex
	fail    error
	queries int
}

func (g *gate) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fail
}

func (g *gate) Get(ctx context.Context, k port.Key) (port.Item, error) {
	if err := g.failure(); err != nil {
		return nil, err
	}
	return g.Table.Get(ctx, k)
}

func (g *gate) Query(ctx context.Context, q port.Query) (port.Page, error) {
	g.mu.Lock()
	g.queries++
	g.mu.Unlock()
	if err := g.failure(); err != nil {
		return port.Page{}, err
	}
	return g.Table.Query(ctx, q)
}

type stage struct {
	*policy.Service
	api   *httpapi.API
	table *httpapitest.Recorder
	gate  *gate
	shelf *shelf
	clock *porttest.Clock
}

func newStage(t *testing.T, connections ...string) *stage {
	t.Helper()
	clock := porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	bolted, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bolted.Close() })
	s := &stage{gate: &gate{Table: bolted}, shelf: newShelf(t, connections...), clock: clock}
	s.table = httpapitest.Record(s.gate)
	s.Service = policy.New(policy.Deps{Table: s.table, Clock: clock, Catalog: s.shelf})
	s.api = httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: clock, Log: slog.New(slog.DiscardHandler)})
	policy.Routes(s.api, s.Service)
	return s
}

func (s *stage) make(t *testing.T, pattern string, action rule.Action, header ...string) policy.Policy {
	t.Helper()
	w := httpapitest.Do(t, s.api, "POST", "/v1/policies", owner, map[string]any{"pattern": pattern, "action": action}, header...)
	return httpapitest.Read[policy.Policy](t, w, 201)
}

func (s *stage) list(t *testing.T, token string) []policy.Policy {
	t.Helper()
	return httpapitest.Read[httpapi.Page[policy.Policy]](t, httpapitest.Do(t, s.api, "GET", "/v1/policies", token, nil), 200).Items
}

func (s *stage) decide(t *testing.T, address string, readOnly bool) rule.Action {
	t.Helper()
	rules, err := s.Rules(t.Context(), httpapitest.OwnerID)
	if err != nil {
		t.Fatal(err)
	}
	return rules.Decide(address, readOnly).Action
}

func TestRoutes_OwnershipOfEveryRoute(t *testing.T) {
	httpapitest.Ownership(t, func(t *testing.T) httpapitest.World {
		s := newStage(t, "main")
		p := s.make(t, "github.main.*", rule.Block)
		body := map[string]any{"pattern": "github.main.*", "action": "block"}
		return httpapitest.World{API: s.api, Table: s.table, Owner: owner, Stranger: stranger, Suspended: httpapitest.SuspendedToken,
			Params: map[string]string{"id": string(p.ID)},
			Inputs: map[string]httpapitest.Input{"createPolicy": {Body: body}, "checkPolicy": {Body: map[string]any{"pattern": "*"}},
				"changePolicy": {Body: map[string]any{"enabled": false}}}}
	})
}

func TestPolicies_HoldFromTheNextCallOnAndUntilTheyAreRemoved(t *testing.T) {
	s := newStage(t, "main")
	const create = "github.main.issues.create"
	if got := s.decide(t, create, false); got != rule.RequireApproval {
		t.Fatalf("without policies: %s", got)
	}
	p := s.make(t, "github.main.issues.*", rule.Approve)
	if p.Matches != 2 || p.Warning != "" || !p.Enabled || p.CreatedAt.IsZero() {
		t.Errorf("made %+v", p)
	}
	if got := s.decide(t, create, false); got != rule.Approve {
		t.Errorf("after it was made: %s", got)
	}
	change := func(body map[string]any) policy.Policy {
		t.Helper()
		s.clock.Advance(time.Minute)
		return httpapitest.Read[policy.Policy](t, httpapitest.Do(t, s.api, "PATCH", "/v1/policies/"+string(p.ID), owner, body), 200)
	}
	if got := change(map[string]any{"action": "block", "note": "not now"}); got.Note != "not now" || !got.UpdatedAt.After(got.CreatedAt) {
		t.Errorf("changed to %+v", got)
	}
	if got := s.decide(t, create, true); got != rule.Block {
		t.Errorf("after it was changed: %s", got)
	}
	change(map[string]any{"enabled": false})
	if got := s.decide(t, create, false); got != rule.RequireApproval {
		t.Errorf("after it was switched off: %s", got)
	}
	change(map[string]any{"enabled": true, "pattern": "github.main.repos.*"})
	if got := s.decide(t, create, false); got != rule.RequireApproval {
		t.Errorf("after it was moved: %s", got)
	}
	if got := s.decide(t, "github.main.repos.listRepos", true); got != rule.Block {
		t.Errorf("where it was moved to: %s", got)
	}
	s.clock.Advance(time.Minute)
	if w := httpapitest.Do(t, s.api, "DELETE", "/v1/policies/"+string(p.ID), owner, nil); w.Code != 204 {
		t.Errorf("removed with %d", w.Code)
	}
	if got := s.decide(t, "github.main.repos.listRepos", true); got != rule.Approve {
		t.Errorf("after it was removed: %s", got)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "DELETE", "/v1/policies/"+string(p.ID), owner, nil), 404, "no policy")
	if got := s.list(t, owner); len(got) != 0 {
		t.Errorf("left: %+v", got)
	}
	page, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(httpapitest.OwnerID), Prefix: "AUDIT#"})
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, it := range page.Items {
		actions = append(actions, it["action"].(string))
	}
	if got := strings.Join(actions, " "); got != "policy.create policy.change policy.change policy.change policy.remove" {
		t.Errorf("audit rows: %s", got)
	}
}

func TestPolicies_OfOneAccountHoldForThatAccountOnly(t *testing.T) {
	s := newStage(t, "main")
	s.make(t, "*", rule.Block)
	if got := s.list(t, stranger); len(got) != 0 {
		t.Errorf("a stranger sees %+v", got)
	}
	rules, err := s.Rules(t.Context(), httpapitest.StrangerID)
	if err != nil || rules.Decide("github.main.issues.list", true).Action != rule.Approve {
		t.Errorf("a stranger is bound: %+v, %v", rules, err)
	}
}

func TestPolicies_OnlyAPersonChangesThem(t *testing.T) {
	s := newStage(t, "main")
	p := s.make(t, "github.main.*", rule.Block)
	s.table.Reset()
	body := map[string]any{"pattern": "*", "action": "approve"}
	for _, c := range [][2]string{{"POST", "/v1/policies"}, {"PATCH", "/v1/policies/" + string(p.ID)}, {"DELETE", "/v1/policies/" + string(p.ID)}, {"POST", "/v1/policies/check"}} {
		httpapitest.Refused(t, httpapitest.Do(t, s.api, c[0], c[1], robot, body), 403, "person")
	}
	if w := s.table.Written(); len(w) != 0 {
		t.Errorf("a robot wrote %v", w)
	}
}

func TestPolicies_WhatIsRefusedSaysWhy(t *testing.T) {
	s := newStage(t, "main")
	for says, body := range map[string]map[string]any{
		"mixes * with letters": {"pattern": "github.main.iss*", "action": "block"},
		"cannot begin with *":  {"pattern": "*.issues.create", "action": "block"},
		"body.action":          {"pattern": "github.*", "action": "allow"},
		"body.priority":        {"pattern": "github.*", "action": "block", "priority": 1},
		"invisible":            {"pattern": "github.*", "action": "block", "note": "a\u202eb"},
	} {
		httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/policies", owner, body), 422, says)
	}
	p := s.make(t, "github.*", rule.Block)
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "PATCH", "/v1/policies/"+string(p.ID), owner, map[string]any{}), 422, "nothing to change")
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "PATCH", "/v1/policies/"+string(p.ID), owner, map[string]any{"pattern": "a..b"}), 422, "empty")
	if got := s.list(t, owner); len(got) != 1 || got[0].Pattern != "github.*" {
		t.Errorf("left: %+v", got)
	}
}

func TestPolicies_ARepeatWithTheSameKeyMakesNothing(t *testing.T) {
	s := newStage(t, "main")
	a := s.make(t, "github.main.*", rule.Block, "Idempotency-Key", "k1")
	if b := s.make(t, "github.main.*", rule.Block, "Idempotency-Key", "k1"); a.ID != b.ID {
		t.Errorf("made %s and %s", a.ID, b.ID)
	}
	if got := s.list(t, owner); len(got) != 1 {
		t.Errorf("there are %d", len(got))
	}
	w := httpapitest.Do(t, s.api, "POST", "/v1/policies", owner, map[string]any{"pattern": "*", "action": "block"}, "Idempotency-Key", "k1")
	httpapitest.Refused(t, w, 409, "another request")
}

func TestPolicies_AreAtMostFiveHundredEachListedInParts(t *testing.T) {
	s := newStage(t, "main")
	ctx := httpapi.WithCaller(t.Context(), httpapi.Caller{UserID: httpapitest.OwnerID, Person: true})
	var last pags.PolicyID
	for i := range policy.MaxPolicies {
		p, err := s.Create(ctx, httpapitest.OwnerID, fmt.Sprintf("github.main.group%d.*", i), rule.Block, "", "")
		if err != nil {
			t.Fatal(err)
		}
		last = p.ID
	}
	w := httpapitest.Do(t, s.api, "POST", "/v1/policies", owner, map[string]any{"pattern": "*", "action": "block"})
	httpapitest.Refused(t, w, 409, "500 policies")
	if got := s.decide(t, "github.main.group499.x", true); got != rule.Block {
		t.Errorf("the last one does not hold: %s", got)
	}
	seen, cursor := 0, ""
	for {
		page, err := s.List(ctx, httpapitest.OwnerID, 200, cursor)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(page.Items)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if seen != policy.MaxPolicies {
		t.Errorf("listed %d", seen)
	}
	if err := s.Remove(ctx, httpapitest.OwnerID, last); err != nil {
		t.Fatal(err)
	}
	s.make(t, "*", rule.RequireApproval)
}

func TestRules_AreReadForEachCallButPoliciesOnlyWhenTheyChanged(t *testing.T) {
	s := newStage(t, "main")
	s.make(t, "github.main.issues.create", rule.Block)
	s.decide(t, "github.main.issues.create", false)
	before := s.gate.queries
	for range 5 {
		s.decide(t, "github.main.issues.create", false)
	}
	if s.gate.queries != before {
		t.Errorf("%d queries for five calls", s.gate.queries-before)
	}
	// another process changes a policy: this one knows at the next call
	other := policy.New(policy.Deps{Table: s.table, Clock: s.clock, Catalog: s.shelf})
	ctx := httpapi.WithCaller(t.Context(), httpapi.Caller{UserID: httpapitest.OwnerID, Person: true})
	if _, err := other.Create(ctx, httpapitest.OwnerID, "github.main.repos.*", rule.Block, "", ""); err != nil {
		t.Fatal(err)
	}
	if got := s.decide(t, "github.main.repos.listRepos", true); got != rule.Block {
		t.Errorf("what another process laid down does not hold: %s", got)
	}
}

func TestRules_ThatCannotBeReadAreAnErrorAndNeverNone(t *testing.T) {
	s := newStage(t, "main")
	p := s.make(t, "github.main.*", rule.Block)
	s.decide(t, "github.main.issues.list", true) // known to this process
	s.gate.mu.Lock()
	s.gate.fail = errors.New("the table is away")
	s.gate.mu.Unlock()
	if _, err := s.Rules(t.Context(), httpapitest.OwnerID); err == nil {
		t.Error("rules without a table")
	}
	s.gate.mu.Lock()
	s.gate.fail = nil
	s.gate.mu.Unlock()
	// a row that was damaged by hand
	key := port.Key{PK: "U#" + string(httpapitest.OwnerID), SK: "POLICY#" + string(p.ID)}
	if err := s.table.Write(t.Context(), port.Update(key).Setting("pattern", "git*")); err != nil {
		t.Fatal(err)
	}
	fresh := policy.New(policy.Deps{Table: s.table, Clock: s.clock, Catalog: s.shelf})
	if _, err := fresh.Rules(t.Context(), httpapitest.OwnerID); err == nil || !strings.Contains(err.Error(), string(p.ID)) {
		t.Errorf("a damaged policy: %v", err)
	}
}

func TestCheck_SaysWhatAPatternMatchesAndWhatItMayMean(t *testing.T) {
	s := newStage(t, "main", "work")
	for name, c := range map[string]struct {
		pattern string
		matches int
		says    string
		meant   string
	}{
		"one tool":                              {"github.main.issues.create", 1, "", ""},
		"a subtree":                             {"github.main.*", 3, "", ""},
		"everything":                            {"*", 6, "", ""},
		"any connection":                        {"github.*.issues.create", 2, "", ""},
		"the short address":                     {"github.issues.create", 0, "you may mean", "github.main.issues.create github.work.issues.create"},
		"the short form of a group":             {"github.issues.*", 0, "you may mean", "github.main.issues.* github.work.issues.*"},
		"other capitals":                        {"github.main.Issues.Create", 0, "you may mean", "github.main.issues.create"},
		"other capitals below a place":          {"GitHub.main.*", 0, "you may mean", "github.main.*"},
		"a typing error":                        {"github.main.issues.craete", 0, "you may mean", "github.main.issues.create"},
		"a typing error in a subtree":           {"github.main.isues.*", 0, "you may mean", "github.main.issues.*"},
		"a source that is not there":            {"zeppelin.*", 0, "matches no tool", ""},
		"a star where the connection has to be": {"github.*.create", 0, "matches no tool", "*"},
	} {
		t.Run(name, func(t *testing.T) {
			got := httpapitest.Read[policy.Reach](t, httpapitest.Do(t, s.api, "POST", "/v1/policies/check", owner, map[string]any{"pattern": c.pattern}), 200)
			if got.Matches != c.matches || !strings.Contains(got.Warning, c.says) || (c.says == "") != (got.Warning == "") {
				t.Errorf("%+v", got)
			}
			if meant := strings.Join(got.Meant, " "); c.meant != "*" && !strings.HasPrefix(meant, c.meant) || c.meant == "" && meant != "" {
				t.Errorf("meant %q, want %q", meant, c.meant)
			}
			for _, e := range append(got.Examples, got.Meant...) {
				if c.matches > 0 && !rule.Match(c.pattern, e) {
					t.Errorf("%s is no example of %s", e, c.pattern)
				}
			}
		})
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/policies/check", owner, map[string]any{"pattern": "git*"}), 422, "mixes")
	if p := s.make(t, "github.issues.create", rule.Block); p.Matches != 0 || !strings.Contains(p.Warning, "github.main.issues.create") {
		t.Errorf("a policy that can match nothing is made without a warning: %+v", p)
	}
}

func TestPolicies_ABlockIsPossibleWhenTheCatalogCannotBeRead(t *testing.T) {
	s := newStage(t, "main")
	s.shelf.fail = errors.New("the catalog is away")
	if p := s.make(t, "github.main.*", rule.Block); !strings.Contains(p.Warning, "could not be read") {
		t.Errorf("made %+v", p)
	}
	if got := s.decide(t, "github.main.issues.list", true); got != rule.Block {
		t.Errorf("it does not hold: %s", got)
	}
	if got := s.list(t, owner); len(got) != 1 {
		t.Errorf("listed %+v", got)
	}
	none := newStage(t)
	if p := none.make(t, "github.*", rule.Block); !strings.Contains(p.Warning, "none yet") {
		t.Errorf("made before there is any tool: %+v", p)
	}
}
