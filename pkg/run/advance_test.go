package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

func encodeLock(id pags.InstanceID, l lock) (port.Write, error) {
	it, err := port.Encode(lockKey(id), l)
	return port.Put(it), err
}

func TestAdvance_KeyedChangesHappenOnce(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	for range 3 {
		got, err := h.Advance(t.Context(), run.ID, "tokens", func(r *pags.Run) error { r.InputTokens += 5; return nil }, pags.Event{Kind: "note", Text: "x"})
		if err != nil || got.InputTokens != 5 {
			t.Fatalf("%+v %v", got, err)
		}
	}
	if kinds := h.timeline(t, run.ID); !slices.Equal(kinds, []string{"queued", "note"}) {
		t.Error(kinds)
	}
}

func TestAdvance_WorkersAtOnceLoseNothing(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if _, err := h.Advance(t.Context(), run.ID, fmt.Sprint("w", i), func(r *pags.Run) error { r.OutputTokens++; return nil }, pags.Event{Kind: "note"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(h.timeline(t, run.ID)); n != 51 || h.load(t, run.ID).OutputTokens != 50 {
		t.Errorf("%d events, counter %d", n, h.load(t, run.ID).OutputTokens)
	}
}

func TestAdvance_ExtraWritesGoAlongOrNothingDoes(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	row := port.Item{port.AttrPK: "R#" + string(run.ID), port.AttrSK: "STEP#000001", "who": "first"}
	put := port.Put(row).When(port.NotExists())
	if _, err := h.AdvanceWith(t.Context(), run.ID, "a", nil, nil, put); err != nil {
		t.Fatal(err)
	}
	_, err := h.AdvanceWith(t.Context(), run.ID, "b", func(r *pags.Run) error { r.Step = 9; return nil }, []pags.Event{{Kind: "note"}}, put)
	var failed *port.ConditionFailed
	if !errors.As(err, &failed) || failed.Item["who"] != "first" {
		t.Fatalf("%v", err)
	}
	if h.load(t, run.ID).Step != 0 || len(h.timeline(t, run.ID)) != 1 {
		t.Error("half of it was done")
	}
	if _, err := h.Advance(t.Context(), "run_none", "a", nil); !pags.Is(err, pags.NotFound) {
		t.Error(err)
	}
}

func TestAdvance_TheEndFreesTheInstance(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	h.clock.Advance(time.Minute)
	done, err := h.end(t.Context(), run.ID, "end", pags.OutcomeDone, "Done.")
	if err != nil || done.Status != pags.RunCompleted || !done.EndedAt.Equal(t0.Add(time.Minute)) || done.WaitingFor != "" {
		t.Fatalf("%+v %v", done, err)
	}
	if it, err := h.table.Get(t.Context(), lockKey(adas)); err != nil || it["runId"] != "" {
		t.Errorf("lock = %v %v", it, err)
	}
	if _, err := h.table.Get(t.Context(), openKey(run.ID)); !pags.Is(err, pags.NotFound) {
		t.Error("still listed as open")
	}
	_, err = h.Advance(t.Context(), run.ID, "late", nil, pags.Event{Kind: "note"})
	wantCode(t, err, pags.Conflict)
	if again, err := h.end(t.Context(), run.ID, "end", pags.OutcomeFailed, "x"); err != nil || again.Outcome != pags.OutcomeDone {
		t.Errorf("the same end again: %+v %v", again, err)
	}
}

func TestAdvance_AnotherRunsLockIsLeftAlone(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	w, err := encodeLock(adas, lock{RunID: "run_other", Fence: 9})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.table.Write(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if _, err := h.end(t.Context(), run.ID, "end", pags.OutcomeDone, "Done."); err != nil {
		t.Fatal(err)
	}
	if it, _ := h.table.Get(t.Context(), lockKey(adas)); it["runId"] != "run_other" {
		t.Errorf("lock = %v", it)
	}
}

func TestEvents_WS05_ConsolesShowAPrefixInOrder(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	shown := relay.NewOrdered(0)
	var timeline []pags.Event
	take := func(events ...pags.Event) { timeline = append(timeline, shown.Add(events...)...) }

	// Pushes as they arrive at a console that missed the first ones: late, twice, and one lost.
	var pieces []pags.Event
	for i := range 6 {
		if _, err := h.Advance(t.Context(), run.ID, fmt.Sprint("p", i), nil, pags.Event{Kind: "note", Text: fmt.Sprint("piece ", i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := h.Events(t.Context(), run.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	pieces = all[1:]
	for _, i := range []int{3, 4, 3, 2, 0, 5, 0} { // piece 2 (index 1) is lost
		take(pieces[i])
		shown.Know(h.load(t, run.ID).LastEvent)
		for i, e := range timeline {
			if e.Seq != int64(i+1) {
				t.Fatalf("shown = %+v", timeline)
			}
		}
	}
	after, missing := shown.Gap()
	if !missing {
		t.Fatal("the gap was not noticed")
	}
	refill, err := h.Events(t.Context(), run.ID, after, 100)
	if err != nil {
		t.Fatal(err)
	}
	take(refill...)
	want, _ := json.Marshal(all)
	if got, _ := json.Marshal(timeline); string(got) != string(want) {
		t.Errorf("shown\n%s\nstored\n%s", got, want)
	}
}

func TestPush_AtMostFourASecondAndNothingIsLost(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, nil)
	before := len(h.pushed.all())
	for i := range 20 {
		if _, err := h.Advance(t.Context(), run.ID, fmt.Sprint("n", i), nil, pags.Event{Kind: "note"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.pushed.all()) - before; n > 1 {
		t.Errorf("%d pushes in one moment", n)
	}
	h.clock.AwaitWaiters(1)
	h.clock.Advance(pushEvery)
	deadline := time.After(5 * time.Second)
	for {
		var seqs []int64
		for _, p := range h.pushed.all() {
			for _, e := range p.Events {
				seqs = append(seqs, e.Seq)
			}
		}
		if len(seqs) == 21 {
			if !slices.IsSorted(seqs) {
				t.Errorf("out of order: %v", seqs)
			}
			return
		}
		select {
		case <-deadline:
			t.Fatalf("pushed only %v", seqs)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestTaskStatus_IsTotal(t *testing.T) {
	known := map[string]bool{"queued": true, "running": true, "needs_approval": true, "needs_human": true, "blocked": true, "completed": true, "failed": true, "cancelled": true}
	for _, status := range pags.RunStatuses {
		for _, reason := range append([]pags.WaitReason{""}, pags.WaitReasons...) {
			for _, outcome := range append([]pags.Outcome{"", "of the future"}, pags.Outcomes...) {
				if got := TaskStatus(pags.Run{Status: status, WaitingFor: reason, Outcome: outcome}); !known[got] {
					t.Errorf("%s/%s/%s -> %q", status, reason, outcome, got)
				}
			}
		}
	}
	for outcome, want := range map[pags.Outcome][2]string{
		pags.OutcomeDone: {"completed", "completed"}, pags.OutcomeReady: {"completed", "completed"}, pags.OutcomeBlocked: {"failed", "blocked"},
		pags.OutcomeExpired: {"failed", "failed"}, pags.OutcomeCaptcha: {"failed", "failed"}, pags.OutcomeStuck: {"failed", "failed"},
		pags.OutcomeNeedsInput: {"failed", "failed"}, pags.OutcomeMaxSteps: {"failed", "failed"}, pags.OutcomeFailed: {"failed", "failed"},
		pags.OutcomeUnknown: {"failed", "failed"}, pags.OutcomeCancelled: {"cancelled", "cancelled"}, "of the future": {"failed", "failed"},
	} {
		if got := outcome.Status(); string(got) != want[0] || !got.Over() {
			t.Errorf("%s ends as %s, want %s", outcome, got, want[0])
		}
		if got := TaskStatus(pags.Run{Status: outcome.Status(), Outcome: outcome}); got != want[1] {
			t.Errorf("%s is task status %s, want %s", outcome, got, want[1])
		}
	}
	if len(pags.Outcomes) != 11 {
		t.Errorf("%d outcomes: say above what the new one is", len(pags.Outcomes))
	}
	for reason, want := range map[pags.WaitReason]string{pags.WaitApproval: "needs_approval", pags.WaitValue: "needs_human", pags.WaitChallenge: "needs_human",
		pags.WaitStuck: "needs_human", pags.WaitSignin: "needs_human", pags.WaitUnknown: "needs_human", pags.WaitRunner: "running", pags.WaitTime: "running"} {
		if got := TaskStatus(pags.Run{Status: pags.RunWaiting, WaitingFor: reason}); got != want {
			t.Errorf("waiting for %s is %s, want %s", reason, got, want)
		}
	}
}
