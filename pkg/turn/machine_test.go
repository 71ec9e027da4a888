package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/pkg/run"
	"github.com/proagentstore/pags/pkg/turn"
)

// onMachines runs the house's executions by the definition that deploys, on the interpreter.
type onMachines struct {
	*house
	engine *machines.Machines
	answer func(pags.Interaction) *interaction.Said
}

func (h *house) onMachines(maxEvents int64, answer func(pags.Interaction) *interaction.Said) *onMachines {
	h.t.Helper()
	raw, err := os.ReadFile("../../statemachines/browse.asl.json")
	if err != nil {
		h.t.Fatal(err)
	}
	text := strings.NewReplacer("${BrowseFunctionArn}", asl.FunctionARN("BrowseFunction"), "${RelayCallFunctionArn}", asl.FunctionARN("RelayCallFunction"),
		"${AskFunctionArn}", asl.FunctionARN("AskFunction"), "${BrowseMachineArn}", asl.MachineARN(run.Machines[pags.KindBrowse])).Replace(string(raw))
	if strings.Contains(text, "${") {
		h.t.Fatal("a substitution that template.yaml does not know")
	}
	m := &onMachines{house: h, answer: answer}
	m.engine, err = machines.New(machines.Options{Path: filepath.Join(h.t.TempDir(), "m.db"), Clock: h.clock, Functions: m,
		Definitions: map[string]json.RawMessage{run.Machines[pags.KindBrowse]: json.RawMessage(text)}, MaxEvents: maxEvents, OnStatusChange: m.changed})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := m.engine.Resume(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = m.engine.Close(context.Background()) })
	h.brains = m.engine
	return m
}

func (m *onMachines) changed(ctx context.Context, event json.RawMessage) error {
	var e events.CloudWatchEvent
	if err := json.Unmarshal(event, &e); err != nil {
		return err
	}
	return m.runs.ExecutionChanged(ctx, e)
}

// Invoke is the functions as Lambda would call them.
func (m *onMachines) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	out, err := m.function(ctx, function, payload)
	if err != nil {
		return nil, &port.FunctionError{Type: reflect.TypeOf(err).Elem().Name(), Message: err.Error()}
	}
	return json.Marshal(out)
}

func (m *onMachines) function(ctx context.Context, function string, payload []byte) (any, error) {
	switch function {
	case "BrowseFunction":
		var e turn.Event
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, err
		}
		return m.turns.Handle(ctx, e)
	case "RelayCallFunction":
		var in struct {
			RunID     pags.RunID `json:"runId"`
			Step      int        `json:"step"`
			TaskToken string     `json:"taskToken"`
		}
		if err := json.Unmarshal(payload, &in); err != nil {
			return nil, err
		}
		if err := m.runner.call(ctx, in.RunID, in.Step); err != nil {
			return nil, err
		}
		if out, _, _ := m.runner.Outcome(ctx, in.RunID, in.Step); out != nil {
			go func() { _ = m.engine.SendSuccess(context.WithoutCancel(ctx), in.TaskToken, []byte(`{"step":1}`)) }()
		}
		return struct{}{}, nil
	case "AskFunction":
		var in interaction.AskInput
		if err := json.Unmarshal(payload, &in); err != nil {
			return nil, err
		}
		if _, err := m.asks.Ask(ctx, in); err != nil {
			return nil, err
		}
		x, err := m.asks.Of(ctx, in.RunID, in.Step)
		if err != nil {
			return nil, err
		}
		if said := m.answer(x); said != nil {
			go func() {
				_, _ = m.asks.Answer(context.WithoutCancel(ctx), httpapi.Caller{UserID: ada, Person: true}, x.ID, *said)
			}()
		}
		return struct{}{}, nil
	}
	return nil, fmt.Errorf("the definition calls %s", function)
}

// finish waits until the run is over and its execution too, moving the clock by tick whenever nothing else happens.
func (m *onMachines) finish(id pags.RunID, tick time.Duration) (pags.Run, port.Execution) {
	m.t.Helper()
	ctx := m.t.Context()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		r := m.load(id)
		if r.Status.Over() {
			if ex, err := m.engine.Describe(ctx, r.Execution); err == nil && ex.Status != "RUNNING" {
				return r, ex
			}
		}
		time.Sleep(3 * time.Millisecond)
		m.clock.Advance(tick)
	}
	m.t.Fatalf("does not end: %+v", m.load(id))
	return pags.Run{}, port.Execution{}
}

func TestMachine_ATaskFromStartToEnd(t *testing.T) {
	h := newHouse(t, nil, say("request_user_info", map[string]any{"question": "Notice period?", "secret": false}), errServer, errServer, click("e5"), port.Reply{})
	commit := relay.Commit{Ref: "e5", Role: "button", Name: "Pay now", FormMethod: "post", Origin: "https://jobs.test", Digest: "d1"}
	h.runner.act = func(c relay.Call) *relay.Result {
		if c.Command.Ref == "e5" && c.Command.Approved == nil {
			return &relay.Result{Status: relay.StatusCommit, Commit: &commit, Seen: h.runner.seen("https://jobs.test/")}
		}
		return nil
	}
	m := h.onMachines(0, func(x pags.Interaction) *interaction.Said {
		if x.Reason == pags.WaitApproval {
			return &interaction.Said{Kind: "accept"}
		}
		return &interaction.Said{Kind: "value", Value: "4 weeks"}
	})
	r := h.begin(nil)
	done, ex := m.finish(r.ID, 500*time.Millisecond)
	if done.Outcome != pags.OutcomeDone || ex.Status != "SUCCEEDED" || h.runner.count("click e5") != 1 {
		t.Errorf("%+v %+v, did %v", done, ex, h.runner.did)
	}
	history, err := m.engine.History(t.Context(), done.Execution)
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := json.Marshal(history); strings.Contains(string(raw), "4 weeks") || strings.Contains(string(raw), "Pay now") {
		t.Error("the execution's history holds what belongs to the run")
	}
}

func TestMachine_SF02_ALongRunIsOneRunOverManyExecutions(t *testing.T) {
	var script []any
	for i := range 55 {
		script = append(script, say("navigate", map[string]any{"url": fmt.Sprintf("https://jobs.test/%d", i)}))
	}
	h := newHouse(t, func(d *turn.Deps) { d.HandoverAfter = 20 }, script...)
	m := h.onMachines(500, nil)
	r := h.begin(func(r *run.Request) { r.MaxSteps = 60 })
	done, ex := m.finish(r.ID, 0)
	if done.Outcome != pags.OutcomeDone || ex.Status != "SUCCEEDED" || done.Generation != 3 || done.Execution == r.Execution {
		t.Fatalf("%+v %+v", done, ex)
	}
	if len(h.model.prompts) != 56 || done.Step != 58 {
		t.Errorf("%d model calls, %d steps", len(h.model.prompts), done.Step)
	}
	for i := range 55 {
		want := fmt.Sprintf("https://jobs.test/%d", i)
		if n := slices.IndexFunc(h.runner.opened, func(u string) bool { return u == want }); n != i+1 {
			t.Fatalf("%s was opened as number %d: %v", want, n, h.runner.opened)
		}
	}
}

func TestMachine_SF04_WithoutARunnerItEnds(t *testing.T) {
	h := newHouse(t, nil)
	h.runner.away = true
	m := h.onMachines(0, nil)
	r := h.begin(nil)
	done, ex := m.finish(r.ID, 5*time.Second)
	if done.Outcome != pags.OutcomeFailed || !strings.Contains(done.Detail, "runner did not answer") || ex.Status != "FAILED" {
		t.Errorf("%+v %+v", done, ex)
	}
	if took := done.EndedAt.Sub(t0); took < 10*time.Minute || took > 15*time.Minute {
		t.Errorf("it took %s", took)
	}
}

func TestMachine_ModelDownForGoodGivesUp(t *testing.T) {
	script := make([]any, 20)
	for i := range script {
		script[i] = pags.Errorf(pags.RateLimited, "429")
	}
	h := newHouse(t, nil, script...)
	m := h.onMachines(0, nil)
	r := h.begin(nil)
	done, ex := m.finish(r.ID, 10*time.Second)
	if done.Outcome != pags.OutcomeFailed || !strings.Contains(done.Detail, "kept limiting") || ex.Status != "FAILED" || len(h.model.prompts) != 8 {
		t.Errorf("%+v %+v, asked %d times", done, ex, len(h.model.prompts))
	}
}

func TestMachine_CancelReachesAWaitingPersonAtOnce(t *testing.T) {
	h := newHouse(t, nil, say("request_user_info", map[string]any{"question": "Name?", "secret": false}))
	asked := make(chan struct{})
	m := h.onMachines(0, func(pags.Interaction) *interaction.Said { close(asked); return nil })
	r := h.begin(nil)
	select {
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was asked")
	}
	if _, err := h.runs.Cancel(t.Context(), ada, r.ID); err != nil {
		t.Fatal(err)
	}
	done, ex := m.finish(r.ID, 0)
	if done.Status != pags.RunCancelled || ex.Status != "SUCCEEDED" || !h.clock.Now().Equal(t0) {
		t.Errorf("%+v %+v", done, ex)
	}
}
