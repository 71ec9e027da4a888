package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// working is a run whose execution has decided once.
func working(t *testing.T, h *house) pags.Run {
	t.Helper()
	run := h.start(t, nil)
	run, err := h.Advance(t.Context(), run.ID, "step-000001", func(r *pags.Run) error { r.Status, r.Step = pags.RunRunning, 1; return nil }, pags.Event{Kind: "started"})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestReconcile_FinishesWhatDied(t *testing.T) {
	waitFor := func(reason pags.WaitReason) func(*pags.Run) error {
		return func(r *pags.Run) error { r.Status, r.WaitingFor = pags.RunWaiting, reason; return nil }
	}
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T, h *house) pags.Run
		after   time.Duration
		status  pags.RunStatus
		says    string
	}{
		{"an execution that did not start is started", func(t *testing.T, h *house) pags.Run {
			h.brains.down = pags.Errorf(pags.Unavailable, "down")
			run := h.start(t, nil)
			if run.Execution != "" {
				t.Fatal("started after all")
			}
			h.brains.down = nil
			return run
		}, time.Minute, pags.RunQueued, ""},
		{"one that started and was not noted is found", func(t *testing.T, h *house) pags.Run {
			h.brains.down = errors.New("lost")
			run := h.start(t, nil)
			h.brains.down = nil
			if _, err := h.brains.Start(t.Context(), Machines[pags.KindBrowse], ExecutionName(run.ID, 1), ExecutionInput(run.ID, 1, 0)); err != nil {
				t.Fatal(err)
			}
			return run
		}, time.Minute, pags.RunQueued, ""},
		{"one that cannot be started for hours", func(t *testing.T, h *house) pags.Run {
			h.brains.down = errors.New("gone for good")
			return h.start(t, nil)
		}, 4 * time.Hour, pags.RunFailed, "could not be started"},
		{"an execution that failed", func(t *testing.T, h *house) pags.Run {
			run := working(t, h)
			ex := h.brains.runs[run.Execution]
			ex.Status, ex.Error = "FAILED", "States.Runtime"
			return run
		}, time.Minute, pags.RunFailed, "States.Runtime"},
		{"an execution that ended without a word", func(t *testing.T, h *house) pags.Run {
			run := working(t, h)
			h.brains.runs[run.Execution].Status = "SUCCEEDED"
			return run
		}, time.Minute, pags.RunFailed, "SUCCEEDED"},
		{"an execution that is gone", func(t *testing.T, h *house) pags.Run {
			run := working(t, h)
			delete(h.brains.runs, run.Execution)
			return run
		}, time.Minute, pags.RunFailed, "gone"},
		{"one that was asked to cancel and died", func(t *testing.T, h *house) pags.Run {
			run := working(t, h)
			if _, err := h.Cancel(t.Context(), ada, run.ID); err != nil {
				t.Fatal(err)
			}
			h.brains.runs[run.Execution].Status = "ABORTED"
			return run
		}, time.Minute, pags.RunCancelled, "ABORTED"},
		{"one that was asked to cancel and does not end", func(t *testing.T, h *house) pags.Run {
			run := working(t, h)
			if _, err := h.Cancel(t.Context(), ada, run.ID); err != nil {
				t.Fatal(err)
			}
			return run
		}, 11 * time.Minute, pags.RunCancelled, "did not end"},
		{"silent for three hours", working, 3*time.Hour + time.Minute, pags.RunFailed, "silent"},
		{"silent for less", working, 2*time.Hour + 50*time.Minute, pags.RunRunning, ""},
		{"waiting for a person is not silence", func(t *testing.T, h *house) pags.Run {
			run, err := h.Advance(t.Context(), working(t, h).ID, "w", waitFor(pags.WaitApproval))
			if err != nil {
				t.Fatal(err)
			}
			return run
		}, 23 * time.Hour, pags.RunWaiting, ""},
		{"waiting for a runner is", func(t *testing.T, h *house) pags.Run {
			run, err := h.Advance(t.Context(), working(t, h).ID, "w", waitFor(pags.WaitRunner))
			if err != nil {
				t.Fatal(err)
			}
			return run
		}, 4 * time.Hour, pags.RunFailed, "silent"},
		{"a program that sleeps for weeks is not silent", asleep, 29 * 24 * time.Hour, pags.RunWaiting, ""},
		{"one that sleeps longer than any timer is", asleep, 31 * 24 * time.Hour, pags.RunFailed, "silent"},
		{"a hand-over that stopped half way goes on", func(t *testing.T, h *house) pags.Run {
			run, err := h.Advance(t.Context(), working(t, h).ID, "handover-2", func(r *pags.Run) error { r.Generation = 2; return nil })
			if err != nil {
				t.Fatal(err)
			}
			h.brains.runs[run.Execution].Status = "SUCCEEDED"
			return run
		}, time.Minute, pags.RunRunning, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			run := c.arrange(t, h)
			h.clock.Advance(c.after)
			for range 2 { // a second tick changes nothing
				_ = h.Reconcile(t.Context(), nil) // a start that fails again is reported and tried in the next tick
			}
			got := h.load(t, run.ID)
			if got.Status != c.status || !strings.Contains(got.Detail, c.says) {
				t.Fatalf("status %s %q, want %s with %q", got.Status, got.Detail, c.status, c.says)
			}
			if !got.Status.Over() {
				ex := h.brains.runs[got.Execution]
				if ex == nil || ex.Status != "RUNNING" || ex.Name != ExecutionName(run.ID, got.Generation) {
					t.Errorf("execution = %+v", ex)
				}
			} else if kinds := h.timeline(t, run.ID); kinds[len(kinds)-1] != "ended" {
				t.Error(kinds)
			}
		})
	}
}

// asleep is a program that waits for nothing but time.
func asleep(t *testing.T, h *house) pags.Run {
	t.Helper()
	run, err := h.Open(t.Context(), program("", "one"))
	if err == nil {
		execution := run.Execution // its first slice notes it
		run, err = h.Advance(t.Context(), run.ID, "w", func(r *pags.Run) error {
			r.Status, r.WaitingFor, r.Execution = pags.RunWaiting, pags.WaitTime, execution
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestReconcile_DomainsAreIsolated(t *testing.T) {
	h := newHouse(t)
	run := working(t, h)
	h.brains.runs[run.Execution].Status = "FAILED"
	h.asks.panics = true
	if err := h.Reconcile(t.Context(), json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("err = %v", err)
	}
	if got := h.load(t, run.ID); got.Status != pags.RunFailed {
		t.Errorf("status %s: one domain stopped the other", got.Status)
	}
}

func TestReconcile_GoesRoundSoThatNoneIsStarved(t *testing.T) {
	h := newHouse(t)
	for i := range perTick + 100 { // rows of runs that are not there: each look removes one
		id := pags.RunID(fmt.Sprintf("run_%026d", i))
		key := openKey(id)
		if err := h.table.Write(t.Context(), port.Put(port.Item{port.AttrPK: key.PK, port.AttrSK: key.SK})); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n int) {
		for i := range shards {
			page, err := h.table.Query(t.Context(), port.Query{PK: openShard(i), Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			n += len(page.Items)
		}
		return n
	}
	if err := h.Reconcile(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := left(); n < 100 {
		t.Errorf("one tick looked at %d runs", perTick+100-n)
	}
	for range 4 {
		if err := h.Reconcile(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := left(); n != 0 {
		t.Errorf("%d were never looked at", n)
	}
}

func TestExecutionChanged_SettlesThatRun(t *testing.T) {
	h := newHouse(t)
	run := working(t, h)
	h.brains.runs[run.Execution].Status = "TIMED_OUT"
	tell := func(name, status string) {
		t.Helper()
		detail, _ := json.Marshal(map[string]string{"name": name, "status": status})
		if err := h.ExecutionChanged(t.Context(), events.CloudWatchEvent{Detail: detail}); err != nil {
			t.Fatal(err)
		}
	}
	tell("something-else", "FAILED")
	tell("run_00000000000000000000000000-g1", "FAILED")
	tell(ExecutionName(run.ID, 1), "RUNNING")
	if h.load(t, run.ID).Status.Over() {
		t.Fatal("ended too early")
	}
	tell(ExecutionName(run.ID, 1), "TIMED_OUT")
	if got := h.load(t, run.ID); got.Status != pags.RunFailed || !strings.Contains(got.Detail, "TIMED_OUT") {
		t.Errorf("%+v", got)
	}
}

func TestCancel_Situations(t *testing.T) {
	t.Run("not begun ends at once", func(t *testing.T) {
		h := newHouse(t)
		h.brains.down = errors.New("down")
		run := h.start(t, nil)
		got, err := h.Cancel(t.Context(), ada, run.ID)
		if err != nil || got.Status != pags.RunCancelled {
			t.Fatalf("%+v %v", got, err)
		}
		if next := h.start(t, nil); next.ID == run.ID {
			t.Error("the instance is not free")
		}
	})
	t.Run("at work is told, twice is once", func(t *testing.T) {
		h := newHouse(t)
		run := working(t, h)
		for range 2 {
			got, err := h.Cancel(t.Context(), ada, run.ID)
			if err != nil || !got.CancelAsked || got.Status != pags.RunRunning {
				t.Fatalf("%+v %v", got, err)
			}
		}
		if len(h.asks.cancelled) == 0 || len(h.calls.cancelled) == 0 {
			t.Error("nobody was told")
		}
		if kinds := h.timeline(t, run.ID); strings.Count(strings.Join(kinds, " "), "cancelAsked") != 1 {
			t.Error(kinds)
		}
	})
	t.Run("over stays as it is", func(t *testing.T) {
		h := newHouse(t)
		run := working(t, h)
		if _, err := h.end(t.Context(), run.ID, "e", pags.OutcomeDone, "Done."); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Cancel(t.Context(), ada, run.ID); err != nil || got.Status != pags.RunCompleted || got.CancelAsked {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("another person's is not there", func(t *testing.T) {
		h := newHouse(t)
		run := working(t, h)
		_, err := h.Cancel(t.Context(), eve, run.ID)
		wantCode(t, err, pags.NotFound)
		if h.load(t, run.ID).CancelAsked {
			t.Error("flag set by a stranger")
		}
	})
}

func TestHands_TellTheRunHowCallsFare(t *testing.T) {
	h := newHouse(t)
	run := working(t, h)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		must(h.CallWaiting(t.Context(), run.ID, 1, "No machine of yours is there."))
	}
	if got := h.load(t, run.ID); got.Status != pags.RunWaiting || got.WaitingFor != pags.WaitRunner {
		t.Errorf("%+v", got)
	}
	for range 2 {
		must(h.CallSent(t.Context(), run.ID, 1, "mac_1"))
	}
	if got := h.load(t, run.ID); got.Status != pags.RunRunning || got.MachineID != "mac_1" {
		t.Errorf("%+v", got)
	}
	if n := len(h.timeline(t, run.ID)); n != 4 {
		t.Errorf("%d events", n)
	}
	for step, want := range map[int]bool{0: false, 1: true, 2: false} {
		if got, err := h.Wants(t.Context(), run.ID, step); err != nil || got != want {
			t.Errorf("wants step %d: %v %v", step, got, err)
		}
	}
	if got, err := h.Wants(t.Context(), "run_none", 1); err != nil || got {
		t.Error("a run that is not there wants something")
	}
}
