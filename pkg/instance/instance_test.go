package instance_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/agent"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/instance"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

const owner, stranger, robot = httpapitest.OwnerToken, httpapitest.StrangerToken, httpapitest.RobotToken

// told counts how often machines of a user were told that their instances changed.
type told struct {
	sync.Mutex
	users []pags.UserID
}

func (m *told) Changed(_ context.Context, uid pags.UserID) {
	m.Lock()
	defer m.Unlock()
	m.users = append(m.users, uid)
}

func (m *told) take() int {
	m.Lock()
	defer m.Unlock()
	n := len(m.users)
	m.users = nil
	return n
}

type stage struct {
	*instance.Service
	api   *httpapi.API
	clock *porttest.Clock
	table *httpapitest.Recorder
	told  *told
}

func newStage(t *testing.T) *stage {
	t.Helper()
	clock := porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	bolted, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bolted.Close() })
	s := &stage{clock: clock, table: httpapitest.Record(bolted), told: &told{}}
	s.Service = instance.New(instance.Deps{Table: s.table, Clock: clock, Agents: agent.New(agent.Deps{}), Members: s.told})
	s.api = httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: clock})
	instance.Routes(s.api, s.Service)
	return s
}

func (s *stage) subscribe(t *testing.T, agentID string, body any, header ...string) instance.InstanceView {
	t.Helper()
	return httpapitest.Read[instance.InstanceView](t, httpapitest.Do(t, s.api, "POST", "/v1/instances/"+agentID+"/subscribe", owner, body, header...), 201)
}

func TestRoutes_OwnershipOfEveryRoute(t *testing.T) {
	httpapitest.Ownership(t, func(t *testing.T) httpapitest.World {
		s := newStage(t)
		in := s.subscribe(t, "browser", nil)
		return httpapitest.World{API: s.api, Table: s.table, Owner: owner, Stranger: stranger, Suspended: httpapitest.SuspendedToken,
			Params: map[string]string{"id": string(in.ID), "agentId": "browser"},
			Inputs: map[string]httpapitest.Input{
				"renameInstance": {Body: map[string]any{"name": "Mine"}},
				"setConfig":      {Body: map[string]any{"key": "maxSteps", "value": 5}},
				"setRunnerNode":  {Body: map[string]any{"runnerNode": "laptop"}},
			}}
	})
}

func TestSubscribe_NamesCountsAndRepeats(t *testing.T) {
	s := newStage(t)
	one, two := s.subscribe(t, "browser", nil), s.subscribe(t, "browser", map[string]string{"displayName": "  Taxes "})
	three, other := s.subscribe(t, "browser", nil), s.subscribe(t, "portal-watch", nil)
	if one.DisplayName != "Browser 1" || two.DisplayName != "Taxes" || three.DisplayName != "Browser 3" || other.DisplayName != "Portal watch 1" {
		t.Errorf("%q %q %q %q", one.DisplayName, two.DisplayName, three.DisplayName, other.DisplayName)
	}
	if one.InstanceID != one.ID || one.AgentID != "browser" || one.Status != "active" || one.UserID != httpapitest.OwnerID || one.Runtime != "browser" || !other.ReadOnly {
		t.Errorf("%+v", one)
	}
	if s.told.take() != 4 {
		t.Error("machines were not told of each")
	}
	keyed := s.subscribe(t, "browser", nil, "Idempotency-Key", "k1")
	again := s.subscribe(t, "browser", nil, "Idempotency-Key", "k1")
	if keyed.ID != again.ID || s.told.take() != 1 {
		t.Error("a repeat made another instance, or told machines again")
	}
	w := httpapitest.Do(t, s.api, "POST", "/v1/instances/portal-watch/subscribe", owner, nil, "Idempotency-Key", "k1")
	httpapitest.Refused(t, w, 409, "use a new key")
	for body, says := range map[string]string{`{"displayName":"` + strings.Repeat("x", 61) + `"}`: "length <= 60", `{"displayName":"   "}`: "visible character",
		`{"displayName":"a\u202eb"}`: "invisible", `{"name":"x"}`: "body.name: unexpected"} {
		httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/instances/browser/subscribe", owner, body), 422, says)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/instances/nobody/subscribe", owner, nil), 404, "no such agent")
}

func TestSubscribe_HasALimit(t *testing.T) {
	s := newStage(t)
	var first pags.Instance
	for i := range instance.MaxActive {
		in, err := s.Subscribe(t.Context(), httpapitest.OwnerID, "browser", "x", "")
		if err != nil {
			t.Fatal(i, err)
		}
		if i == 0 {
			first = in
		}
	}
	if _, err := s.Subscribe(t.Context(), httpapitest.OwnerID, "browser", "x", ""); !pags.Is(err, pags.Conflict) {
		t.Errorf("one more: %v", err)
	}
	if _, err := s.Cancel(t.Context(), httpapitest.OwnerID, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Subscribe(t.Context(), httpapitest.OwnerID, "browser", "x", ""); err != nil {
		t.Errorf("after canceling one: %v", err)
	}
}

func TestInstances_ListHidesCanceledAndConfig(t *testing.T) {
	s := newStage(t)
	var ids []pags.InstanceID
	for range 5 {
		ids = append(ids, s.subscribe(t, "browser", nil).ID)
		s.clock.Advance(time.Second)
	}
	httpapitest.Do(t, s.api, "PATCH", "/v1/instances/"+string(ids[4])+"/config", owner, map[string]any{"key": "specialInstructions", "value": "secret habits"})
	httpapitest.Do(t, s.api, "PUT", "/v1/instances/"+string(ids[4])+"/runner-node", owner, map[string]any{"runnerNode": "laptop"})
	s.told.take()
	for range 2 {
		got := httpapitest.Read[instance.InstanceView](t, httpapitest.Do(t, s.api, "POST", "/v1/instances/"+string(ids[2])+"/cancel", owner, nil), 200)
		if got.Status != "canceled" {
			t.Errorf("%+v", got)
		}
	}
	if s.told.take() != 1 {
		t.Error("machines were not told once")
	}
	page := func(query string) (got []pags.InstanceID, views []instance.InstanceView) {
		cursor := ""
		for {
			p := httpapitest.Read[httpapi.Page[instance.InstanceView]](t, httpapitest.Do(t, s.api, "GET", "/v1/instances/my/instances?limit=2&cursor="+cursor+query, owner, nil), 200)
			for _, v := range p.Items {
				got, views = append(got, v.ID), append(views, v)
			}
			if cursor = p.NextCursor; cursor == "" {
				return got, views
			}
		}
	}
	live, views := page("")
	if len(live) != 4 || live[0] != ids[4] || live[3] != ids[0] || views[0].RunnerNode != "laptop" || len(views[0].Config) != 0 || views[0].AgentSlug != "browser" {
		t.Errorf("%v %+v", live, views)
	}
	if all, _ := page("&includeCanceled=true"); len(all) != 5 {
		t.Errorf("%v", all)
	}
	theirs := httpapitest.Read[httpapi.Page[instance.InstanceView]](t, httpapitest.Do(t, s.api, "GET", "/v1/instances/my/instances", stranger, nil), 200)
	if theirs.Items == nil || len(theirs.Items) != 0 {
		t.Errorf("a stranger sees %v", theirs.Items)
	}
}

func TestConfig_EachKeyHasItsRule(t *testing.T) {
	s := newStage(t)
	path := "/v1/instances/" + string(s.subscribe(t, "browser", nil).ID) + "/config"
	patch := func(token, body string) *configBody {
		w := httpapitest.Do(t, s.api, "PATCH", path, token, body)
		if w.Code != 200 {
			p := httpapitest.Refused(t, w, w.Code, "")
			return &configBody{Status: w.Code, Says: p.Detail}
		}
		out := httpapitest.Read[configBody](t, w, 200)
		out.Status = 200
		return &out
	}
	for body, says := range map[string]string{
		`{"key":"maxSteps","value":0}`:       "whole number from 1 to 60",
		`{"key":"maxSteps","value":61}`:      "whole number from 1 to 60",
		`{"key":"maxSteps","value":1.5}`:     "whole number from 1 to 60",
		`{"key":"maxSteps","value":"9"}`:     "whole number from 1 to 60",
		`{"key":"goal","value":"x"}`:         "body.key",
		`{"key":"disabledTools","value":[]}`: "body.key",
		`{"value":1}`:                        "key",
		`{"key":"specialInstructions","value":"` + strings.Repeat("x", 4001) + `"}`: "at most 4000",
		`{"key":"specialInstructions","value":["x"]}`:                               "must be a text",
		`{"key":"allowHosts","value":"intranet"}`:                                   "list of at most 20",
		`{"key":"allowHosts","value":["http://intranet"]}`:                          "host or host:port",
		`{"key":"allowHosts","value":["*"]}`:                                        "host or host:port",
		`{"key":"runnerNode","value":" "}`:                                          "name or the id of a machine",
		`{"key":"settings","value":{"a":{"b":1}}}`:                                  "not a text, a number",
		`{"key":"settings","value":[1]}`:                                            "must be an object",
	} {
		if got := patch(owner, body); got.Status != 422 || !strings.Contains(got.Says, says) {
			t.Errorf("%.60s: %d %q", body, got.Status, got.Says)
		}
	}
	if got := patch(robot, `{"key":"allowHosts","value":["10.0.0.5"]}`); got.Status != 403 || !strings.Contains(got.Says, "person") {
		t.Errorf("a robot opened a private address: %+v", got)
	}
	patch(owner, `{"key":"allowHosts","value":["Intranet.example","192.168.1.20:8080","[::1]:9000"]}`)
	patch(robot, `{"key":"maxSteps","value":12}`)
	patch(owner, `{"key":"settings","value":{"tone":"short","fast":true,"n":3.25}}`)
	got := patch(owner, `{"key":"specialInstructions","value":"`+strings.Repeat("é", 4000)+`"}`)
	if got.Config["maxSteps"] != float64(12) || len(got.Config["allowHosts"].([]any)) != 3 || got.Config["allowHosts"].([]any)[0] != "intranet.example" || got.Config["settings"].(map[string]any)["n"] != 3.25 {
		t.Errorf("%v", got.Config)
	}
	got = patch(owner, `{"key":"settings","value":null}`)
	if _, there := got.Config["settings"]; there || got.Config["maxSteps"] != float64(12) {
		t.Errorf("after removing one: %v", got.Config)
	}
	if read := httpapitest.Read[configBody](t, httpapitest.Do(t, s.api, "GET", path, owner, nil), 200); len(read.Config) != 3 || len(read.Keys) != 5 {
		t.Errorf("%+v", read)
	}
}

type configBody struct {
	Config map[string]any
	Keys   []string
	Status int
	Says   string
}

func TestConfig_ChangesOfTwoKeysAtOnceBothStay(t *testing.T) {
	s := newStage(t)
	in := s.subscribe(t, "browser", nil)
	var wg sync.WaitGroup
	for name, value := range map[string]any{"specialInstructions": "x", "maxSteps": 7.0, "runnerNode": "laptop", "settings": map[string]any{"a": true}} {
		wg.Go(func() {
			if _, err := s.SetConfig(context.Background(), httpapitest.OwnerID, in.ID, name, value, true); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := s.Load(t.Context(), in.ID); err != nil || len(got.Config) != 4 {
		t.Errorf("%v %v", got.Config, err)
	}
}

func TestRunnerNode_PinAndUnpin(t *testing.T) {
	s := newStage(t)
	path := "/v1/instances/" + string(s.subscribe(t, "browser", nil).ID) + "/runner-node"
	s.told.take()
	type pin struct{ RunnerNode *string }
	if got := httpapitest.Read[pin](t, httpapitest.Do(t, s.api, "GET", path, owner, nil), 200); got.RunnerNode != nil {
		t.Errorf("%v", *got.RunnerNode)
	}
	if got := httpapitest.Read[pin](t, httpapitest.Do(t, s.api, "PUT", path, owner, map[string]any{"runnerNode": "laptop"}), 200); *got.RunnerNode != "laptop" {
		t.Errorf("%v", *got.RunnerNode)
	}
	if got := httpapitest.Read[pin](t, httpapitest.Do(t, s.api, "PUT", path, owner, `{"runnerNode":null}`), 200); got.RunnerNode != nil {
		t.Errorf("%v", *got.RunnerNode)
	}
	if n := s.told.take(); n != 2 {
		t.Errorf("machines were told %d times", n)
	}
}

func TestListForMachine_OnlyWhatItMayServe(t *testing.T) {
	s := newStage(t)
	free, byNode, byID, elsewhere, gone := s.subscribe(t, "browser", nil), s.subscribe(t, "browser", nil), s.subscribe(t, "portal-watch", nil), s.subscribe(t, "browser", nil), s.subscribe(t, "browser", nil)
	for id, pin := range map[pags.InstanceID]string{byNode.ID: "laptop", byID.ID: "mac_1", elsewhere.ID: "desktop"} {
		if _, err := s.SetConfig(t.Context(), httpapitest.OwnerID, id, "runnerNode", pin, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Cancel(t.Context(), httpapitest.OwnerID, gone.ID); err != nil {
		t.Fatal(err)
	}
	names := func(uid pags.UserID, m pags.Machine) map[pags.InstanceID]bool {
		list, err := s.ListForMachine(t.Context(), uid, m)
		if err != nil {
			t.Fatal(err)
		}
		out := map[pags.InstanceID]bool{}
		for _, x := range list {
			out[x.InstanceID] = x.Runtime == "browser" && x.DisplayName != ""
		}
		return out
	}
	got := names(httpapitest.OwnerID, pags.Machine{ID: "mac_1", Node: "laptop", Capabilities: []string{"browser"}})
	if len(got) != 3 || !got[free.ID] || !got[byNode.ID] || !got[byID.ID] {
		t.Errorf("%v", got)
	}
	if got := names(httpapitest.OwnerID, pags.Machine{ID: "mac_2", Node: "server"}); len(got) != 0 {
		t.Errorf("a machine without a browser serves %v", got)
	}
	if got := names(httpapitest.StrangerID, pags.Machine{ID: "mac_1", Node: "laptop", Capabilities: []string{"browser"}}); len(got) != 0 {
		t.Errorf("a stranger's machine serves %v", got)
	}
}

func TestTouch_NotesActivityAndNeverMakesAnInstance(t *testing.T) {
	s := newStage(t)
	in := s.subscribe(t, "browser", nil)
	s.clock.Advance(time.Hour)
	if err := s.Touch(t.Context(), in.ID); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Load(t.Context(), in.ID); !got.LastActivityAt.Equal(s.clock.Now()) || !got.CreatedAt.Equal(in.CreatedAt) {
		t.Errorf("%v", got.LastActivityAt)
	}
	if err := s.Touch(t.Context(), "ins_never"); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := s.Load(t.Context(), "ins_never"); !pags.Is(err, pags.NotFound) {
		t.Errorf("touching made it: %v", err)
	}
}
