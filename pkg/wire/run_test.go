package wire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/pkg/turn"
)

// The rows of the bad-input table (stories) that would take minutes: failures that last.
func TestBadInput_FailuresThatLastEndTheRunAndSayWhatToDo(t *testing.T) {
	hold := make(chan struct{})
	for _, c := range []struct {
		input   string
		answer  modeltest.Answer
		absent  bool // no runner, ever
		outcome pags.Outcome
		detail  string
		event   string
	}{
		{input: "model that answers 500", answer: modeltest.Fail(500, 0, "oops"), outcome: pags.OutcomeFailed, detail: "The model provider was not available for several tries. Try again later", event: "note: The model provider has a problem; trying again."},
		{input: "model that is overloaded", answer: modeltest.Fail(529, 0, "busy"), outcome: pags.OutcomeFailed, detail: "The model provider was not available for several tries. Try again later"},
		{input: "model that answers 429", answer: modeltest.Fail(429, time.Second, "slow down"), outcome: pags.OutcomeFailed, detail: "kept limiting our requests. Try again later, or set another key with `pags keys set`", event: "note: The model provider limits our requests; trying again."},
		{input: "model that stalls", answer: modeltest.Answer{Hold: hold}, outcome: pags.OutcomeFailed, detail: "did not answer in time, several times. Try again later, or choose another model", event: "note: The model did not answer in time; trying again."},
		{input: "model that answers garbage", answer: modeltest.Answer{Garbage: "<html>"}, outcome: pags.OutcomeFailed, detail: "The model provider was not available for several tries"},
		{input: "runner absent", absent: true, outcome: pags.OutcomeFailed, detail: "runner did not answer", event: "pags up"},
	} {
		t.Run(c.input, func(t *testing.T) {
			h := newHouse(t, nil)
			id := h.instance(h.model(modeltest.Steps(c.answer)))
			if !c.absent {
				h.runner(nil)
			}
			r := h.ends(h.begin(id).ID, c.answer.Hold != nil)
			events, err := h.Runs.Events(t.Context(), r.ID, 0, 100)
			h.must(err)
			if r.Outcome != c.outcome || !strings.Contains(r.Detail, c.detail) || !strings.Contains(lines(events), c.event) {
				t.Errorf("it ended %s: %s\n%s", r.Outcome, r.Detail, lines(events))
			}
			if strings.Count(lines(events), "note: ") > 1 || strings.Count(lines(events), "ended: ") != 1 {
				t.Errorf("said more than once:\n%s", lines(events))
			}
			h.begin(id) // the instance is free
		})
	}
}

func TestCancel_BetweenDecisionAndCallIsNotLost(t *testing.T) {
	brains := &idle{}
	h := newHouse(t, brains)
	r := h.begin(h.instance("http://127.0.0.1:1"))
	next, err := h.BrowseStep(t.Context(), turn.Event{Op: "decide", Cursor: turn.Cursor{V: 1, RunID: r.ID, Generation: 1}})
	if err != nil || next.Next != turn.NextCall {
		t.Fatalf("%+v %v", next, err)
	}
	call[any](h, "POST", "/v1/runs/"+string(r.ID)+"/cancel", nil)
	if _, err := h.RelayCall(t.Context(), machine.CallInput{RunID: r.ID, Step: next.Step, Generation: 1, TaskToken: "tok"}); err != nil {
		t.Fatal(err)
	}
	if n := brains.failed.Load(); n != 1 {
		t.Errorf("the waiting task was told %d times", n)
	}
	next.Last = turn.Last{Error: "Cancelled"}
	if next, err = h.BrowseStep(t.Context(), turn.Event{Op: "decide", Cursor: next}); err != nil || next.Next != turn.NextDone {
		t.Errorf("%+v %v", next, err)
	}
	if got, _ := h.Runs.Load(t.Context(), r.ID); got.Status != pags.RunCancelled {
		t.Errorf("%+v", got)
	}
}

func TestCancel_BetweenDecisionAndQuestionIsNotLost(t *testing.T) {
	brains := &idle{}
	h := newHouse(t, brains)
	ask := modeltest.Call("request_user_info", map[string]any{"question": "Which?", "secret": false})
	r := h.begin(h.instance(h.model(modeltest.Steps(ask))))
	h.runner(nil)
	cursor := turn.Cursor{V: 1, RunID: r.ID, Generation: 1}
	for cursor.Next != turn.NextAsk {
		next, err := h.BrowseStep(t.Context(), turn.Event{Op: "decide", Cursor: cursor})
		h.must(err)
		if cursor = next; cursor.Next == turn.NextCall {
			_, err := h.RelayCall(t.Context(), machine.CallInput{RunID: r.ID, Step: cursor.Step, Generation: 1, TaskToken: "tok"})
			h.must(err)
			h.eventually("an outcome", func() bool {
				o, _, err := h.Machines.Outcome(t.Context(), r.ID, cursor.Step)
				return err == nil && o != nil
			})
		}
	}
	call[any](h, "POST", "/v1/runs/"+string(r.ID)+"/cancel", nil)
	told := brains.failed.Load()
	if _, err := h.Ask(t.Context(), interaction.AskInput{RunID: r.ID, Step: cursor.Step, TaskToken: "tok"}); err != nil {
		t.Fatal(err)
	}
	if n := brains.failed.Load() - told; n != 1 {
		t.Errorf("the waiting task was told %d times", n)
	}
	if open, err := h.Interactions.List(t.Context(), h.owner.id, "open", "", 10); err != nil || len(open.Items) != 0 {
		t.Errorf("%d questions are open, %v", len(open.Items), err)
	}
}

func (h *house) eventually(what string, holds func() bool) {
	h.t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatal("waited in vain for " + what)
		}
	}
}

func TestMembers_AConnectedMachineHearsOfANewInstance(t *testing.T) {
	h := newHouse(t, &idle{})
	heard := make(chan []relay.Member, 10)
	h.runner(func(m []relay.Member) { heard <- m })
	next := func() []relay.Member {
		select {
		case m := <-heard:
			return m
		case <-time.After(10 * time.Second):
			t.Fatal("the machine heard nothing")
			return nil
		}
	}
	if m := next(); len(m) != 0 {
		t.Fatalf("at first %+v", m)
	}
	id := h.instance("http://127.0.0.1:1")
	if m := next(); len(m) != 1 || m[0].InstanceID != id {
		t.Errorf("after a subscription %+v", m)
	}
	call[any](h, "PUT", "/v1/instances/"+string(id)+"/name", map[string]any{"name": "Renamed"})
	if m := next(); len(m) != 1 || m[0].DisplayName != "Renamed" {
		t.Errorf("after a new name %+v", m)
	}
	call[any](h, "POST", "/v1/instances/"+string(id)+"/cancel", nil)
	if m := next(); len(m) != 0 {
		t.Errorf("after the end %+v", m)
	}
}
