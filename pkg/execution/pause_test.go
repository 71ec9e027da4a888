package execution_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/pags"
)

func TestPause_SB07_ApprovalsInALoopPauseOneAfterTheOther(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`const out: string[] = [];
for (const n of ["a", "b", "c"]) {
  try { out.push(n + (await tools.ask.dns.add({ n })).ok) } catch (e) { out.push(n + e.code) }
}
return out`)
	for i, action := range []string{"accept", "accept", "decline"} {
		if x.Status != "waiting_for_interaction" || len(x.Interactions) != 1 || x.Interactions[0].Step != i+1 || x.Resume == "" {
			t.Fatalf("pause %d: %s", i+1, text(x))
		}
		x = h.say(x, action, nil)
	}
	if text(x.Result) != `["atrue","btrue","cdeclined"]` {
		t.Errorf("%s %s", text(x.Result), text(x.Error))
	}
	if n, most := h.tools.effects(); n != 2 || most != 1 {
		t.Errorf("%d effects, one of them %d times", n, most)
	}
	if got := h.audited(); got["declined"] != 1 || got["ok"] != 2 || got["intent"] != 2 {
		t.Errorf("audit rows %v", got)
	}
}

func TestPause_ParallelCallsEachAskAndAnyAnswerGoesOn(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`const done: string[] = [];
await Promise.all(["a", "b", "c"].map(async n => { await tools.ask.add({ n }); done.push(n); console.log("did", n) }));
return done`)
	if len(x.Interactions) != 3 {
		t.Fatalf("%d questions: %s", len(x.Interactions), text(x))
	}
	if _, err := h.Resume(t.Context(), person(ada), x.ID, execution.Answer{Action: "accept"}); !pags.Is(err, pags.Conflict) {
		t.Errorf("which of three: %v", err)
	}
	for _, i := range []int{1, 2, 0} {
		next, err := h.Resume(t.Context(), person(ada), x.ID, execution.Answer{Action: "accept", Interaction: x.Interactions[i].ID, Wait: 20})
		h.must(err)
		if i != 0 && next.Status != "waiting_for_interaction" {
			t.Fatalf("after %d: %s", i, text(next))
		}
		if i == 0 && (text(next.Result) != `["b","c","a"]` || len(next.Logs) != 3) {
			t.Errorf("%s, console %v", text(next.Result), next.Logs)
		}
	}
	if n, most := h.tools.effects(); n != 3 || most != 1 {
		t.Errorf("%d effects, one of them %d times", n, most)
	}
}

func TestPause_AFormIsAskedAndItsAnswerIsTheResult(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`const a = await tools.form.city({}); return a.data.city`)
	if x.WaitingFor != pags.WaitValue || len(x.Interactions) != 1 {
		t.Fatal(text(x))
	}
	if _, err := h.Resume(t.Context(), person(ada), x.ID, execution.Answer{Content: map[string]any{"city": 7}}); !pags.Is(err, pags.Unprocessable) || !strings.Contains(err.Error(), "/city") {
		t.Errorf("a wrong form: %v", err)
	}
	if x = h.say(x, "accept", map[string]any{"city": "Bern"}); text(x.Result) != `"Bern"` {
		t.Errorf("%s", text(x))
	}
}

func TestPause_MC08_TwiceTheSameAnswerOtherPeopleAndTooLate(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`try { return await tools.ask.mail.send({}) } catch (e) { return e.message }`)
	if _, err := h.Resume(t.Context(), person(eve), x.ID, execution.Answer{Action: "accept", Interaction: x.Interactions[0].ID}); !pags.Is(err, pags.NotFound) {
		t.Errorf("another person: %v", err)
	}
	first := h.say(x, "accept", nil)
	again := h.say(x, "decline", nil) // the first answer stands
	if text(first.Result) != text(again.Result) || first.Status != "completed" {
		t.Errorf("first %s, then %s", text(first), text(again))
	}
	if n, _ := h.tools.effects(); n != 1 {
		t.Errorf("%d effects", n)
	}

	late := h.start(`try { return await tools.ask.mail.send({}) } catch (e) { return e.message }`)
	h.clock.Advance(25 * time.Hour)
	_, err := h.Resume(t.Context(), person(ada), late.ID, execution.Answer{Action: "accept", Interaction: late.Interactions[0].ID})
	if !pags.Is(err, pags.Gone) || !strings.Contains(err.Error(), "it expired and was not done") {
		t.Errorf("too late: %v", err)
	}
	end := h.ends(late.ID)
	if !strings.Contains(text(end.Result), "nobody answered in time, so ask.mail.send was not done") {
		t.Errorf("%s", text(end))
	}
	if n, _ := h.tools.effects(); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// ends waits for the end of an execution.
func (h *house) ends(id pags.RunID) execution.Execution {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(3 * time.Millisecond) {
		x, err := h.Get(h.t.Context(), ada, id)
		h.must(err)
		if x.RunStatus.Over() {
			return x
		}
	}
	h.t.Fatalf("%s does not end", id)
	return execution.Execution{}
}

func TestPause_WhatChangedAfterItWasApprovedIsNotDone(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`return (await tools.ask.mail.send({})).error`)
	h.tools.mu.Lock()
	h.tools.changed = "another definition"
	h.tools.mu.Unlock()
	if x = h.say(x, "accept", nil); !strings.Contains(text(x.Result), "approval_outdated") {
		t.Errorf("%s", text(x))
	}
	if n, _ := h.tools.effects(); n != 0 {
		t.Errorf("%d effects", n)
	}
}

func TestPause_ABlockThatCameMeanwhileHoldsAlsoForWhatWasApproved(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`return (await tools.ask.mail.send({})).error.code`)
	h.tools.mu.Lock()
	h.tools.judge = func(execution.Call) *catalog.Failure {
		return &catalog.Failure{Code: catalog.CodeBlocked, Message: "blocked since"}
	}
	h.tools.mu.Unlock()
	if x = h.say(x, "accept", nil); text(x.Result) != `"tool_blocked"` {
		t.Errorf("%s", text(x))
	}
	if n, _ := h.tools.effects(); n != 0 {
		t.Errorf("%d effects", n)
	}
}

func TestUnknown_APersonSaysWhetherItHappened(t *testing.T) {
	for action, want := range map[string]struct {
		result  string
		effects int
	}{
		"accept":  {`"it happened"`, 1},
		"retry":   {`"lost.pay"`, 2},
		"decline": {`"unknown"`, 1},
	} {
		t.Run(action, func(t *testing.T) {
			h := newHouse(t, nil)
			x := h.start(`try { const r = await tools.lost.pay({}); return r.data.path ?? (r.data.note.includes("happened") ? "it happened" : r) } catch (e) { return e.code }`)
			if x.WaitingFor != pags.WaitUnknown || len(x.Interactions) != 1 || !strings.Contains(x.Interactions[0].Detail, "the connection broke") {
				t.Fatal(text(x))
			}
			if x = h.say(x, action, nil); text(x.Result) != want.result {
				t.Errorf("%s", text(x))
			}
			if n, _ := h.tools.effects(); n != want.effects {
				t.Errorf("%d effects", n)
			}
		})
	}
}
