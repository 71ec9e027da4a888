package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Two people, an instance of a browser agent each, and one of an agent that only chats.
const (
	ada, eve            = pags.UserID("usr_ada"), pags.UserID("usr_eve")
	adas, eves, chat    = pags.InstanceID("ins_ada"), pags.InstanceID("ins_eve"), pags.InstanceID("ins_chat")
	readOnly, cancelled = pags.InstanceID("ins_read"), pags.InstanceID("ins_over")
)

type house struct {
	*Service
	clock  *porttest.Clock
	table  port.Table
	brains *brains
	asks   *asks
	calls  *calls
	pushed *consoles
	keys   error
}

func newHouse(t *testing.T) *house {
	t.Helper()
	clock := porttest.NewClock(t0)
	table, err := bolt.Open(filepath.Join(t.TempDir(), "t.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	blobs, err := files.Open(files.Options{Dir: t.TempDir(), BaseURL: "http://127.0.0.1:1", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{clock: clock, table: table, brains: &brains{runs: map[string]*port.Execution{}}, asks: &asks{}, calls: &calls{}, pushed: &consoles{}}
	h.Service = New(Deps{Table: table, Blobs: blobs, Brains: h.brains, Clock: clock, Instances: instances{}, Agents: agents{}, Keys: h, Consoles: h.pushed, PublicURL: "https://pags.test"})
	h.Join(h.asks, h.calls, journal{})
	return h
}

func (h *house) Credential(context.Context, pags.UserID) (port.Credential, error) {
	return port.Credential{Provider: "anthropic", Key: "k"}, h.keys
}

func person(u pags.UserID) httpapi.Caller { return httpapi.Caller{UserID: u, Person: true} }

func (h *house) start(t *testing.T, change func(*Request)) pags.Run {
	t.Helper()
	req := Request{URL: "https://jobs.test/", Objective: "Apply for the job"}
	if change != nil {
		change(&req)
	}
	run, err := h.Start(t.Context(), person(ada), adas, req)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (h *house) load(t *testing.T, id pags.RunID) pags.Run {
	t.Helper()
	run, err := h.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// timeline reads all events and holds them to their numbers.
func (h *house) timeline(t *testing.T, id pags.RunID) []string {
	t.Helper()
	events, err := h.Events(t.Context(), id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]string, len(events))
	for i, e := range events {
		kinds[i] = e.Kind
		if e.Seq != int64(i+1) || e.RunID != id || e.At.IsZero() {
			t.Errorf("event %d = %+v", i+1, e)
		}
	}
	if last := h.load(t, id).LastEvent; last != int64(len(events)) {
		t.Errorf("the head knows %d events, there are %d", last, len(events))
	}
	return kinds
}

func wantCode(t *testing.T, err error, code pags.Code) {
	t.Helper()
	if !pags.Is(err, code) {
		t.Errorf("error = %v, want %s", err, code)
	}
}

type instances struct{}

func (instances) Owned(_ context.Context, uid pags.UserID, id pags.InstanceID) (pags.Instance, error) {
	all := map[pags.InstanceID]pags.Instance{
		adas: {UserID: ada, AgentID: "browser"}, eves: {UserID: eve, AgentID: "browser"}, chat: {UserID: ada, AgentID: "chat"},
		readOnly:  {UserID: ada, AgentID: "watch", Config: map[string]any{"settings": map[string]any{"url": "https://portal.test/"}, "maxSteps": json.Number("12")}},
		cancelled: {UserID: ada, AgentID: "browser", Status: "canceled"},
	}
	inst, ok := all[id]
	if !ok || inst.UserID != uid {
		return pags.Instance{}, pags.Errorf(pags.NotFound, "there is no instance %s", id)
	}
	inst.ID = id
	if inst.Status == "" {
		inst.Status = "active"
	}
	return inst, nil
}

func (instances) Touch(context.Context, pags.InstanceID) error {
	return errors.New("a touch that fails is no reason to fail")
}

type agents struct{}

func (agents) Get(_ context.Context, id pags.AgentID) (pags.Agent, error) {
	a := pags.Agent{ID: id, Slug: string(id), Name: string(id)}
	switch id {
	case "browser":
		a.Capabilities.Workflow = "BROWSER_TASK"
	case "watch":
		a.Capabilities.Workflow, a.ReadOnly, a.Goal = "BROWSER_TASK", true, "Say what is new"
	}
	return a, nil
}

// brains is a state machine service that runs nothing.
type brains struct {
	mu      sync.Mutex
	runs    map[string]*port.Execution
	down    error
	stopped []string
}

func (b *brains) Start(_ context.Context, machine, name string, input []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down != nil {
		return "", b.down
	}
	id := "arn:aws:states:eu-west-1:1:execution:" + machine + ":" + name
	if ex := b.runs[id]; ex != nil {
		if ex.Status != "RUNNING" || string(ex.Input) != string(input) {
			return "", pags.Errorf(pags.Conflict, "that execution exists")
		}
		return id, nil
	}
	b.runs[id] = &port.Execution{ID: id, Name: name, Status: "RUNNING", Input: input}
	return id, nil
}

func (b *brains) Stop(_ context.Context, id, _, _ string) error {
	b.stopped = append(b.stopped, id)
	b.runs[id].Status = "ABORTED"
	return nil
}

func (b *brains) Describe(_ context.Context, id string) (port.Execution, error) {
	if ex := b.runs[id]; ex != nil {
		return *ex, nil
	}
	return port.Execution{}, pags.Errorf(pags.NotFound, "no such execution")
}

func (b *brains) SendSuccess(context.Context, string, []byte) error         { return nil }
func (b *brains) SendFailure(context.Context, string, string, string) error { return nil }
func (b *brains) SendHeartbeat(context.Context, string) error               { return nil }

type asks struct {
	cancelled []pags.RunID
	delivered int
	fail      error
	panics    bool
}

func (a *asks) CancelRun(_ context.Context, id pags.RunID) error {
	a.cancelled = append(a.cancelled, id)
	return a.fail
}

func (a *asks) Deliver(context.Context) error {
	if a.panics {
		panic("boom")
	}
	a.delivered++
	return a.fail
}

func (a *asks) OfRun(_ context.Context, id pags.RunID) ([]pags.Interaction, error) {
	return []pags.Interaction{{RunID: id, Title: "Password?", Answer: &pags.Answer{Kind: "secret", Secret: "sec_1"}}}, nil
}

type calls struct{ cancelled []pags.RunID }

func (c *calls) CancelCall(_ context.Context, id pags.RunID) error {
	c.cancelled = append(c.cancelled, id)
	return nil
}

type journal struct{}

func (journal) Steps(context.Context, pags.RunID) ([]map[string]any, error) {
	return []map[string]any{{"step": 1}}, nil
}

// consoles keeps what was pushed.
type consoles struct {
	mu   sync.Mutex
	sent []relay.Events
}

func (c *consoles) Push(_ context.Context, _ pags.UserID, m relay.Message) {
	var e relay.Events
	if err := json.Unmarshal(m.Body, &e); err != nil {
		panic(fmt.Sprint("a push that cannot be read: ", err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, e)
}

func (c *consoles) all() []relay.Events {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]relay.Events(nil), c.sent...)
}
