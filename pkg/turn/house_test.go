package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/local/keyfile"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/pkg/run"
	"github.com/proagentstore/pags/pkg/turn"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	ada  = pags.UserID("usr_ada")
	inst = pags.InstanceID("ins_ada")
)

// house is everything around a turn: real runs, interactions, table, blobs and vault; a scripted model and runner.
type house struct {
	t      *testing.T
	clock  *porttest.Clock
	table  *bolt.Table
	blobs  *files.Blobs
	runs   *run.Service
	asks   *interaction.Service
	turns  *turn.Service
	runner *runner
	model  *model
	brains port.Brains
	config map[string]any
	key    error
}

func newHouse(t *testing.T, change func(*turn.Deps), script ...any) *house {
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
	vault, err := keyfile.Open(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, clock: clock, table: table, blobs: blobs, model: &model{script: script}}
	h.runner = &runner{h: h, outcomes: map[string]*relay.Outcome{}, created: map[string]time.Time{}}
	h.brains = &tokens{}
	h.runs = run.New(run.Deps{Table: table, Blobs: blobs, Brains: h, Clock: clock, Instances: h, Agents: h, Keys: h, PublicURL: "https://pags.test"})
	deps := turn.Deps{Table: table, Blobs: blobs, Models: h.model, Clock: clock, Runs: h.runs, Instances: h, Agents: h, Keys: h}
	if change != nil {
		change(&deps)
	}
	h.turns = turn.New(deps)
	h.asks = interaction.New(interaction.Deps{Table: table, Vault: vault, Brains: h, Clock: clock, Runs: h.runs, Questions: questions{h.turns}})
	h.runs.Join(h.asks, h.runner, h.turns)
	h.turns.Join(h.runner, h.asks)
	return h
}

// What the areas ask of others, the same for every test.
func (h *house) Owned(ctx context.Context, _ pags.UserID, id pags.InstanceID) (pags.Instance, error) {
	return h.Load(ctx, id)
}

func (h *house) Load(_ context.Context, id pags.InstanceID) (pags.Instance, error) {
	return pags.Instance{ID: id, UserID: ada, AgentID: "browser", Status: "active", Config: h.config}, nil
}

func (h *house) Touch(context.Context, pags.InstanceID) error { return nil }

func (h *house) Get(context.Context, pags.AgentID) (pags.Agent, error) {
	return pags.Agent{Name: "Browser", Instructions: "Be careful.", Capabilities: pags.Capabilities{Workflow: "BROWSER_TASK"}}, nil
}

func (h *house) Credential(context.Context, pags.UserID) (port.Credential, error) {
	return port.Credential{Provider: "anthropic", Key: "k"}, h.key
}

// house is also port.Brains, handing on to whatever the test uses.
func (h *house) Start(ctx context.Context, machine, name string, input []byte) (string, error) {
	return h.brains.Start(ctx, machine, name, input)
}
func (h *house) Stop(ctx context.Context, id, name, cause string) error {
	return h.brains.Stop(ctx, id, name, cause)
}
func (h *house) Describe(ctx context.Context, id string) (port.Execution, error) {
	return h.brains.Describe(ctx, id)
}
func (h *house) SendSuccess(ctx context.Context, token string, out []byte) error {
	return h.brains.SendSuccess(ctx, token, out)
}
func (h *house) SendFailure(ctx context.Context, token, name, cause string) error {
	return h.brains.SendFailure(ctx, token, name, cause)
}
func (h *house) SendHeartbeat(ctx context.Context, token string) error {
	return h.brains.SendHeartbeat(ctx, token)
}

// tokens is a state machine service in which nothing runs: the test walks the states itself.
type tokens struct{ port.Brains }

func (tokens) Start(_ context.Context, _, name string, _ []byte) (string, error) { return name, nil }
func (tokens) SendSuccess(context.Context, string, []byte) error                 { return nil }
func (tokens) SendFailure(context.Context, string, string, string) error         { return nil }

// model replies by script: a port.Reply, an error, a func(port.Prompt) port.Reply; after the script it finishes as done.
type model struct {
	mu      sync.Mutex
	script  []any
	prompts []port.Prompt
}

func (m *model) Ask(_ context.Context, _ port.Credential, p port.Prompt) (port.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts = append(m.prompts, p)
	if len(m.script) == 0 {
		return say("finish", map[string]any{"outcome": "done", "summary": "All done."}), nil
	}
	next := m.script[0]
	m.script = m.script[1:]
	switch x := next.(type) {
	case port.Reply:
		return x, nil
	case error:
		return port.Reply{}, x
	case func(port.Prompt) port.Reply:
		return x(p), nil
	}
	panic(fmt.Sprintf("script holds a %T", next))
}

func say(tool string, input any) port.Reply {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return port.Reply{Stop: "tool", Calls: []port.ToolCall{{ID: "c", Name: tool, Input: raw}}, Model: "scripted", InputTokens: 100, OutputTokens: 10}
}

func click(ref string) port.Reply { return say("click", map[string]any{"ref": ref, "element": "it"}) }

// runner does what it is told at once, unless a test says otherwise. Repeated keys get the first outcome.
type runner struct {
	h        *house
	mu       sync.Mutex
	did      []string // every action really done
	opened   []string // addresses, in order
	outcomes map[string]*relay.Outcome
	created  map[string]time.Time
	accepted bool
	away     bool
	act      func(relay.Call) *relay.Result // nil result: the ordinary one
}

const jobs = "- textbox \"Name\" [ref=e2]\n- button \"Next\" [ref=e4]\n- button \"Pay now\" [ref=e5]"

func (r *runner) seen(u string) *relay.Observation {
	return &relay.Observation{URL: u, Title: "Jobs", Snapshot: jobs, GuardSupported: true}
}

// call performs the command of a step, as RelayCallFunction and a machine would together.
func (r *runner) call(ctx context.Context, id pags.RunID, step int) error {
	call, _, _, err := r.h.turns.Command(ctx, id, step)
	if pags.Is(err, pags.Conflict) { // not wanted any more: the wait ends at once
		return nil
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := relay.CallKey(id, step)
	if _, ok := r.created[key]; !ok {
		r.created[key] = r.h.clock.Now()
	}
	if r.away || r.outcomes[key] != nil {
		return nil
	}
	var res *relay.Result
	if r.act != nil {
		res = r.act(call)
	}
	if res == nil {
		res = &relay.Result{Status: relay.StatusOK, Seen: r.seen("https://jobs.test/")}
	}
	if res.Status == relay.StatusOK {
		r.did = append(r.did, call.Command.Action+" "+call.Command.Ref)
		if call.Command.Action == relay.ActNavigate {
			r.opened = append(r.opened, call.Command.URL)
		}
	}
	r.outcomes[key] = &relay.Outcome{RunID: id, Step: step, Fence: call.Fence, Result: *res}
	return nil
}

func (r *runner) Outcome(_ context.Context, id pags.RunID, step int) (*relay.Outcome, turn.CallInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := relay.CallKey(id, step)
	return r.outcomes[key], turn.CallInfo{Accepted: r.accepted, CreatedAt: r.created[key], MachineID: "mac_1"}, nil
}

func (r *runner) CancelCall(context.Context, pags.RunID) error { return nil }

func (r *runner) count(what string) (n int) {
	for _, d := range r.did {
		if d == what {
			n++
		}
	}
	return n
}

func (h *house) begin(change func(*run.Request)) pags.Run {
	h.t.Helper()
	req := run.Request{URL: "https://jobs.test/", Objective: "Apply"}
	if change != nil {
		change(&req)
	}
	r, err := h.runs.Start(h.t.Context(), httpapi.Caller{UserID: ada, Person: true}, inst, req)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) load(id pags.RunID) pags.Run {
	h.t.Helper()
	r, err := h.runs.Load(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) kinds(id pags.RunID) []string {
	h.t.Helper()
	events, err := h.runs.Events(h.t.Context(), id, 0, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	out := make([]string, len(events))
	for i, e := range events {
		if out[i] = e.Kind; e.Seq != int64(i+1) {
			h.t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
	return out
}

// walk goes through the states as the definition would, without it. answer is what a person says to a question; with nil
// nobody answers. It returns the last cursor and how many executions were used.
func (h *house) walk(id pags.RunID, answer func(pags.Interaction) *interaction.Said) (turn.Cursor, int) {
	h.t.Helper()
	ctx := h.t.Context()
	c := turn.Cursor{V: 1, RunID: id, Generation: 1}
	executions := 1
	for n := 0; n < 20_000; n++ {
		raw, err := json.Marshal(c)
		if err != nil || len(raw) > 1024 {
			h.t.Fatalf("%d bytes travel between states: %.200s", len(raw), raw)
		}
		var sent turn.Cursor // through JSON, as between states
		if err := json.Unmarshal(raw, &sent); err != nil {
			h.t.Fatal(err)
		}
		next, err := h.turns.Handle(ctx, turn.Event{Op: "decide", Cursor: sent, Execution: run.ExecutionName(id, c.Generation)})
		for tries := 0; err != nil; tries++ {
			if name := reflect.TypeOf(err).Elem().Name(); tries == 7 || (name != "ModelRateLimited" && name != "ModelUnavailable" && name != "ModelTimeout") {
				sent.Last = turn.Last{Error: name, Cause: err.Error()}
				if next, err = h.turns.Handle(ctx, turn.Event{Op: "giveUp", Cursor: sent}); err != nil {
					h.t.Fatal(err)
				}
				return next, executions
			}
			next, err = h.turns.Handle(ctx, turn.Event{Op: "decide", Cursor: sent})
		}
		c = next
		switch c.Next {
		case turn.NextCall:
			if err := h.runner.call(ctx, id, c.Step); err != nil {
				h.t.Fatal(err)
			}
			if h.runner.outcomes[relay.CallKey(id, c.Step)] == nil {
				h.clock.Advance(time.Minute)
				c.Last = turn.Last{Error: "States.HeartbeatTimeout"}
			}
		case turn.NextAsk:
			h.ask(id, c, answer)
		case turn.NextHandover:
			executions++
			c = turn.Cursor{V: 1, RunID: id, Generation: c.NextGeneration, Step: c.Step}
		case turn.NextDone, turn.NextFailed:
			return c, executions
		case turn.NextAgain:
		default:
			h.t.Fatalf("cursor %+v", c)
		}
	}
	h.t.Fatal("does not end")
	return c, executions
}

func (h *house) ask(id pags.RunID, c turn.Cursor, answer func(pags.Interaction) *interaction.Said) {
	h.t.Helper()
	ctx := h.t.Context()
	if _, err := h.asks.Ask(ctx, interaction.AskInput{RunID: id, Step: c.Step, TaskToken: "tok"}); err != nil {
		h.t.Fatal(err)
	}
	x, err := h.asks.Of(ctx, id, c.Step)
	if err != nil {
		h.t.Fatal(err)
	}
	var said *interaction.Said
	if answer != nil {
		said = answer(x)
	}
	if said == nil {
		h.clock.Advance(time.Duration(c.WaitSeconds) * time.Second)
		return
	}
	if _, err := h.asks.Answer(ctx, httpapi.Caller{UserID: ada, Person: true}, x.ID, *said); err != nil {
		h.t.Fatal(err)
	}
}

var errServer = pags.Errorf(pags.Unavailable, "status 500")

func asModelError(code pags.Code, text string) error {
	return pags.Wrap(&port.ModelError{Status: 400, Message: text}, code, "the provider refuses")
}

// questions asks turns in interactions' words, as pkg/wire does.
type questions struct{ turns *turn.Service }

func (q questions) Question(ctx context.Context, id pags.RunID, ref interaction.Ref) (pags.Interaction, error) {
	return q.turns.Question(ctx, id, ref.Step)
}
