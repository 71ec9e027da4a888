package execution_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func TestUnknown_DoingItAgainIsAskedAboutWhereAPolicyWantsThatByNow(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`const r = await tools.lost.pay({}); return r.data.path`)
	if x.WaitingFor != pags.WaitUnknown || len(x.Interactions) != 1 {
		t.Fatal(text(x))
	}
	h.tools.askAlso("lost.pay")
	x = h.say(x, "retry", nil)
	if len(x.Interactions) != 1 || x.WaitingFor != pags.WaitApproval || x.Interactions[0].Reason != pags.WaitApproval {
		t.Fatalf("nobody is asked: %s", text(x))
	}
	if n, _ := h.tools.effects(); n != 1 {
		t.Errorf("%d effects before anybody said yes", n)
	}
	if x = h.say(x, "accept", nil); text(x.Result) != `"lost.pay"` {
		t.Error(text(x))
	}
	if n, _ := h.tools.effects(); n != 2 {
		t.Errorf("%d effects", n)
	}
}

func TestPause_AQuestionThatWasWithdrawnEndsItsCallInsteadOfBeingLookedAtForEver(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`const [a, b] = await Promise.allSettled([tools.ask.a({}), tools.ask.b({})]); return [a.reason?.code ?? "done", b.reason?.code ?? "done"]`)
	if len(x.Interactions) != 2 {
		t.Fatal(text(x))
	}
	h.must(h.asks.CancelRun(t.Context(), x.ID))
	for range 20 {
		var err error
		if x, err = h.Resume(t.Context(), person(ada), x.ID, execution.Answer{Wait: 20}); err != nil || x.RunStatus.Over() {
			h.must(err)
			break
		}
	}
	if text(x.Result) != `["withdrawn","withdrawn"]` {
		t.Error(text(x))
	}
}

func TestPause_AQuestionThatNobodyHasToAnswerAnyMoreLeavesTheOthersOpen(t *testing.T) {
	h := newHouse(t, nil)
	h.tools.calmWhenAsked("ask.b") // a policy lets it go just after its question was opened
	x := h.start(`const [a, b] = await Promise.all([tools.ask.a({}), tools.ask.b({})]); return [a.data.path, b.data.path]`)
	for range 200 { // until the look after it was taken
		if len(x.Interactions) == 1 && x.RunStatus == pags.RunWaiting {
			break
		}
		time.Sleep(5 * time.Millisecond)
		var err error
		x, err = h.Get(t.Context(), ada, x.ID)
		h.must(err)
	}
	if len(x.Interactions) != 1 || x.Interactions[0].Request["path"] != "ask.a" {
		t.Fatal(text(x))
	}
	if x = h.say(x, "accept", nil); text(x.Result) != `["ask.a","ask.b"]` {
		t.Error(text(x))
	}
}

func TestPause_MoreThanAThousandQuestionsOfOneProgramAreAllInReach(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`await tools.ask.a({}); return 1`)
	if len(x.Interactions) != 1 {
		t.Fatal(text(x))
	}
	for i := range 1100 {
		xid := pags.InteractionID(fmt.Sprintf("int_%026d", i))
		it, err := port.Encode(port.Key{PK: "X#" + string(xid), SK: "META"}, pags.Interaction{ID: xid, UserID: ada, RunID: x.ID, Step: i + 2, Status: pags.InteractionAnswered})
		h.must(err)
		h.must(h.table.Transact(t.Context(), pags.NewToken()[:32], port.Put(it),
			port.Put(port.Item{port.AttrPK: "R#" + string(x.ID), port.AttrSK: fmt.Sprintf("ASK#%06d", i+2), "interactionId": string(xid)})))
	}
	all, err := h.asks.OfRun(t.Context(), x.ID)
	h.must(err)
	if len(all) != 1101 || all[1100].Step != 1101 {
		t.Errorf("%d questions", len(all))
	}
}

func TestStart_WhatAnAgentCallsItsProgramAndItsErrorHidesNothingFromPeople(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range []struct{ title, code, want, detail string }{
		{"pay\u202e \x1b[2J\nApproved by the owner", "throw new Error('a\\u202eb\\u001b[31m\\nc')", "pay<U+202E> <U+001B>[2J Approved by the owner", "Error: a<U+202E>b<U+001B>[31m c"},
		{" \u200b ", "// \u202eevil\nthrow 1", "<U+200B>", "1"},
		{"", "// \u202eevil\nthrow 1", "<U+202E>evil", "1"},
	} {
		x, err := h.Start(t.Context(), person(ada), execution.Request{Code: c.code, Title: c.title, Wait: 20})
		h.must(err)
		if x.Title != c.want || !strings.Contains(x.Detail, c.detail) {
			t.Errorf("%q %q", x.Title, x.Detail)
		}
	}
}

func TestResume_AnAnswerWithoutANameThatIsSentAgainDoesNotAnswerTheNextQuestion(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`await tools.ask.first({}); await tools.ask.second({}); return 1`)
	yes := execution.Answer{Action: "accept", Wait: 20}
	x, err := h.Resume(t.Context(), person(ada), x.ID, yes)
	h.must(err)
	if len(x.Interactions) != 1 || x.Interactions[0].Request["path"] != "ask.second" {
		t.Fatal(text(x))
	}
	if _, err := h.Resume(t.Context(), person(ada), x.ID, yes); !pags.Is(err, pags.Conflict) || !strings.Contains(err.Error(), string(x.Interactions[0].ID)) {
		t.Errorf("the next question was answered by the answer of the first: %v", err)
	}
	if n, _ := h.tools.effects(); n != 1 {
		t.Errorf("%d effects", n)
	}
	if x = h.say(x, "accept", nil); text(x.Result) != "1" {
		t.Error(text(x))
	}
}

func TestPause_AQuestionIsOpenForADayAlsoWhereTheProgramsClockIsAhead(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`let n = 0; const later = () => setTimeout(() => { if (++n < 5) later(); else tools.ask.late({}) }, 30 * 24 * 3600_000); later(); return 1`)
	if len(x.Interactions) != 1 {
		t.Fatal(text(x))
	}
	if open := x.Interactions[0].ExpiresAt.Sub(h.clock.Now()); open > 24*time.Hour || open < 23*time.Hour {
		t.Errorf("it is open for %v", open)
	}
	if x = h.say(x, "decline", nil); text(x.Result) != "1" {
		t.Error(text(x))
	}
}

func TestResume_AFormOfAPersonsOwnProgramIsNotFilledInByAnAgentOfTheirs(t *testing.T) {
	h := newHouse(t, nil)
	agent := httpapi.Caller{UserID: ada, TokenID: "tok_1", Scopes: []string{httpapi.ScopeTools}}
	fill := execution.Answer{Action: "accept", Content: map[string]any{"city": "Bern"}, Wait: 20}
	code := `return (await tools.form.city({})).data.city`

	x := h.start(code)
	if _, err := h.Resume(t.Context(), agent, x.ID, fill); !pags.Is(err, pags.Forbidden) {
		t.Errorf("the person's own: %v", err)
	}
	if x = h.say(x, "accept", fill.Content); text(x.Result) != `"Bern"` {
		t.Error(text(x))
	}

	x, err := h.Start(t.Context(), agent, execution.Request{Code: code, Wait: 20})
	h.must(err)
	if x, err = h.Resume(t.Context(), agent, x.ID, fill); err != nil || text(x.Result) != `"Bern"` {
		t.Errorf("the agent's own: %s %v", text(x), err)
	}
}
