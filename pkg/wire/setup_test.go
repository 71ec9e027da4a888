package wire_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/local/gateway"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/model"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/pkg/wire"
	"github.com/proagentstore/pags/runner/link"
	"github.com/proagentstore/pags/runner/machineid"
	"github.com/proagentstore/pags/runner/outcome"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// house is a whole host in memory: every area, the definitions that deploy on the interpreter, an edge in memory, a clock
// that the test moves.
type house struct {
	*wire.House
	t      *testing.T
	clock  *porttest.Clock
	table  *httpapitest.Recorder
	edge   *machinetest.Edge
	brains port.Brains
	asking atomic.Int64 // requests to the model under way
	owner  person
}

// person is a user with a session of their own.
type person struct {
	id    pags.UserID
	token string
}

// idle starts executions on paper only; tokens told to it are noted.
type idle struct {
	port.Brains
	failed atomic.Int64
}

func (*idle) Start(_ context.Context, _, name string, _ []byte) (string, error) { return name, nil }
func (*idle) Stop(context.Context, string, string, string) error                { return nil }
func (*idle) SendSuccess(context.Context, string, []byte) error                 { return nil }
func (b *idle) SendFailure(context.Context, string, string, string) error {
	b.failed.Add(1)
	return nil
}

// newHouse makes one. brains nil runs real executions.
func newHouse(t *testing.T, brains port.Brains) *house {
	t.Helper()
	h := &house{t: t, clock: porttest.NewClock(t0), edge: machinetest.NewEdge(), brains: brains}
	dir := t.TempDir()
	table, err := bolt.Open(filepath.Join(dir, "t.db"), bolt.Options{Clock: h.clock, NoSync: true})
	h.must(err)
	t.Cleanup(func() { _ = table.Close() })
	h.table = httpapitest.Record(table)
	blobs, err := files.Open(files.Options{Dir: dir, BaseURL: "http://127.0.0.1:1", Clock: h.clock})
	h.must(err)
	var wired *gateway.Stack
	functions := &late{}
	if brains == nil {
		wired, err = gateway.Read(stack.Files, gateway.Facts{})
		h.must(err)
		definitions := map[string]json.RawMessage{}
		for name, m := range wired.Machines {
			definitions[name] = m.Definition
		}
		engine, err := machines.New(machines.Options{Path: filepath.Join(dir, "m.db"), Clock: h.clock, Functions: functions, Definitions: definitions})
		h.must(err)
		h.must(engine.Resume(t.Context()))
		t.Cleanup(func() { _ = engine.Close(context.Background()) })
		h.brains = engine
	}
	h.House = wire.New(wire.Deps{
		Table: h.table, Blobs: blobs, Brains: h.brains, Sockets: h.edge, Vault: httpapitest.NewVault(), Clock: h.clock,
		Models:   asked{h, model.New(model.Options{HTTP: http.DefaultClient, Clock: h.clock})},
		Outbound: http.DefaultClient,
		Config: wire.Config{Version: "test", Host: "local", PublicURL: "http://pags.test", WSURL: "ws://pags.test/ws", PlainCookies: true,
			CheckModelURL: func(string) error { return nil }, CheckToolURL: func(string) error { return nil }},
	})
	h.edge.Handlers = h.Machines
	if wired != nil {
		functions.Gateway, err = gateway.New(gateway.Options{Stack: wired, Functions: h.functions(wired), Clock: h.clock})
		h.must(err)
	}
	user, _, err := h.Accounts.EnsureLocalAccount(t.Context())
	h.must(err)
	h.owner = h.session(user.ID)
	return h
}

type late struct{ *gateway.Gateway }

// asked counts requests to the model under way.
type asked struct {
	h *house
	port.Models
}

func (a asked) Ask(ctx context.Context, c port.Credential, p port.Prompt) (port.Reply, error) {
	a.h.asking.Add(1)
	defer a.h.asking.Add(-1)
	return a.Models.Ask(ctx, c, p)
}

// functions are those that executions call; the HTTP families are reached through API.
func (h *house) functions(wired *gateway.Stack) map[string]gateway.Function {
	all := map[string]gateway.Function{}
	for name := range wired.Functions {
		all[name] = gateway.Function{HTTP: http.NotFoundHandler()}
	}
	for name, handler := range map[string]any{"BrowseFunction": h.BrowseStep, "AskFunction": h.Ask, "RelayCallFunction": h.RelayCall,
		"ReconcileFunction": h.Reconcile, "ExecutionFunction": h.ExecutionChanged, "WsConnectFunction": h.WsConnect,
		"WsMessageFunction": h.WsMessage, "WsDisconnectFunction": h.WsDisconnect} {
		all[name] = gateway.Function{Event: gateway.Event(handler)}
	}
	return all
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// another is one more user with a session.
func (h *house) another(name string) person {
	h.t.Helper()
	u := pags.User{ID: pags.NewUserID(h.clock.Now()), Login: name, Name: name, Roles: []string{"user"}, CreatedAt: h.clock.Now()}
	it, err := port.Encode(port.Key{PK: "U#" + string(u.ID), SK: "PROFILE"}, u)
	h.must(err)
	h.must(h.table.Write(h.t.Context(), port.Put(it)))
	return h.session(u.ID)
}

func (h *house) session(id pags.UserID) person {
	h.t.Helper()
	_, access, _, err := h.Accounts.NewSession(h.t.Context(), id, "test", true)
	h.must(err)
	return person{id, access}
}

// call makes a request of the owner that has to succeed.
func call[T any](h *house, method, path string, body any) T {
	h.t.Helper()
	w := httpapitest.Do(h.t, h.api(), method, path, h.owner.token, body)
	if w.Code >= 300 {
		h.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return httpapitest.Read[T](h.t, w, w.Code)
}

func (h *house) api() *httpapi.API { return h.API() }

// instance subscribes, with a model key that leads to base.
func (h *house) instance(base string) pags.InstanceID {
	h.t.Helper()
	call[any](h, "PUT", "/v1/keys/anthropic", map[string]any{"key": "key-of-a-test", "baseUrl": base, "model": "scripted-1"})
	return call[struct{ InstanceID pags.InstanceID }](h, "POST", "/v1/instances/browser/subscribe", map[string]any{}).InstanceID
}

// model starts a scripted model.
func (h *house) model(script modeltest.Script) string {
	h.t.Helper()
	m := modeltest.New(script)
	base, err := m.Start()
	h.must(err)
	h.t.Cleanup(m.Close)
	return base
}

// begin starts a browser task.
func (h *house) begin(id pags.InstanceID) pags.Run {
	h.t.Helper()
	return call[pags.Run](h, "POST", "/v1/instances/"+string(id)+"/browse", map[string]any{"url": "https://example.com/", "objective": "Look"})
}

// hand does everything at once, and shows the same page always.
type hand struct{}

func (hand) Do(context.Context, relay.Call, link.Uploader) relay.Result {
	return relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{URL: "https://example.com/", Title: "Example", Snapshot: `- button "Go" [ref=e1]`, GuardSupported: true}}
}

// runner is the real link with that hand; served gets what it is told to serve.
func (h *house) runner(served func([]relay.Member)) {
	h.t.Helper()
	dir := h.t.TempDir()
	id, err := machineid.Load(dir)
	h.must(err)
	m, err := h.Machines.Register(h.t.Context(), h.owner.id, machine.Registration{PublicKey: id.PublicKey(), Node: id.Node, Version: "1", Capabilities: []string{"browser"}})
	h.must(err)
	store, err := outcome.Open(filepath.Join(dir, "outcomes.db"), h.clock)
	h.must(err)
	live := make(chan struct{}, 100)
	l := link.New(link.Config{Tickets: tickets{h, m, id.Node}, MachineID: m.ID, Node: id.Node, Sign: id.Sign, Version: "1", Capabilities: []string{"browser"},
		Hand: hand{}, Store: store, Clock: h.clock, OnMembers: served,
		Dial: func(ctx context.Context, url string) (link.Conn, error) { return h.edge.Dial(ctx, url) },
		OnState: func(s link.State) {
			if s.Kind == link.Live {
				live <- struct{}{}
			}
		}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = l.Run(ctx) }()
	h.t.Cleanup(func() { cancel(); <-done; _ = store.Close() })
	select {
	case <-live:
	case <-time.After(10 * time.Second):
		h.t.Fatal("the runner is not live")
	}
}

type tickets struct {
	h    *house
	m    pags.Machine
	node string
}

func (t tickets) Ticket(ctx context.Context) (link.Ticket, error) {
	caller, err := t.h.Accounts.Verify(ctx, t.h.session(t.h.owner.id).token) // the clock moves far: a session of each time
	if err != nil {
		return link.Ticket{}, err
	}
	got, err := t.h.Machines.Mint(ctx, caller.UserID, caller.SessionID, machine.TicketAsk{Role: "runner", MachineID: t.m.ID, Node: t.node})
	return link.Ticket{URL: got.URL, Nonce: got.Nonce}, err
}

// ends moves the clock whenever nothing else happens, until the run is over.
func (h *house) ends(id pags.RunID, stalls bool) pags.Run {
	h.t.Helper()
	still := 0
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		r, err := h.Runs.Load(h.t.Context(), id)
		h.must(err)
		if r.Status.Over() {
			return r
		}
		still++
		if !h.edge.Idle() || !stalls && h.asking.Load() > 0 {
			still = 0
		}
		if still >= 3 {
			h.clock.Advance(3 * time.Second)
			still = 0
		}
	}
	r, _ := h.Runs.Load(h.t.Context(), id)
	h.t.Fatalf("does not end: %+v", r)
	return r
}

func lines(events []pags.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Kind + ": " + e.Text + "\n")
	}
	return b.String()
}
