package stories

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
)

// The desk's task, as decisions (D) and commands (C), is: 1 open (C1); 2 type the name (C2); 3 ask for the password; 4 look
// (C3); 5 type the password (C4); 6 press the button (C5), which is held; 7 ask for approval; 8 press it, approved (C6);
// 9 close the page (C7); 10 end. The model is asked for 2, 3, 5, 6 and 9.
const (
	submitDecision = 8
	submitCommand  = 6
	lastReply      = 5
)

// asks says whether the owner is asked if the submit happened.
type asks int

const (
	never asks = iota
	may        // it depends on how far the runner came
	must       // nobody else can know
)

// kill is one death: the process that the point belongs to ends at the nth time it passes it.
type kill struct {
	point  string
	nth    int
	submit bool // the final submit is on its way: the owner has approved
	both   bool // the other process is killed at the same moment
	asks   asks
	cancel bool // the owner cancels instead of giving the password
}

func (k kill) String() string {
	name := k.point
	if k.nth > 1 {
		name += " at the submit"
	}
	if k.both {
		name += ", both processes"
	}
	return name
}

func (k kill) ofRunner() bool { return strings.HasPrefix(k.point, "runner.") }

// kills are every point at its first passing, those that the submit passes there too, and both processes at once.
func kills() []kill {
	var all []kill
	for _, point := range slices.Concat(crash.BrowsePoints, crash.RunnerPoints) {
		all = append(all, kill{point: point, nth: 1, cancel: point == crash.CancelAfter, submit: strings.HasPrefix(point, "server.run-end.")})
	}
	submit := []kill{
		{point: crash.ModelReplyAfter, nth: lastReply}, {point: crash.DecideBefore, nth: submitDecision}, {point: crash.DecideAfter, nth: submitDecision},
		{point: crash.CallRowAfter, nth: submitCommand}, {point: crash.CallRungAfter, nth: submitCommand},
		{point: crash.OutcomeRowBefore, nth: submitCommand}, {point: crash.OutcomeRowAfter, nth: submitCommand},
		{point: crash.OutcomeTokenAfter, nth: submitCommand}, {point: crash.AnswerRowAfter, nth: 2}, {point: crash.AnswerTokenAfter, nth: 2},
		{point: crash.IntentBefore, nth: submitCommand}, {point: crash.IntentAfter, nth: submitCommand, asks: must},
		{point: crash.UploadAfter, nth: submitCommand, asks: must}, {point: crash.EffectAfter, nth: submitCommand, asks: must},
		{point: crash.OutcomeStoredAfter, nth: submitCommand}, {point: crash.OutcomeSentAfter, nth: submitCommand},
		{point: crash.AckBefore, nth: submitCommand},
	}
	for _, k := range submit {
		k.submit = true
		all = append(all, k)
		switch k.point {
		case crash.DecideAfter, crash.CallRungAfter, crash.OutcomeRowBefore, crash.OutcomeRowAfter, crash.EffectAfter, crash.OutcomeStoredAfter, crash.OutcomeSentAfter:
			k.both = true
			if k.point == crash.CallRungAfter {
				k.asks = may
			}
			all = append(all, k)
		}
	}
	return all
}

func TestKill_TheRunEndsAsIfNothingHadHappened(t *testing.T) {
	t.Parallel()
	for _, k := range kills() {
		t.Run(k.String(), func(t *testing.T) { t.Parallel(); survive(t, k) })
	}
}

// survive plays the desk's task through one kill.
func survive(t *testing.T, k kill) {
	const password = "desk-drawer-7"
	d := newDesk(password)
	var s *scene
	s = newScene(t, d, deskScript(func() string { return s.page.URL + "/" }))
	c := &cast{kill: k, person: person{scene: s, password: password, received: d.count}}
	c.start([]string{fmt.Sprintf("PAGS_CRASH_AT=%s:%d", k.point, k.nth)})
	c.await(2*time.Minute, "the run to end", c.turn)
	if t.Failed() {
		return
	}
	c.show()
	c.check(d)
}

// cast is everyone in it: both processes and the person.
type cast struct {
	person
	kill
	host, runner *stage.Process
	died         bool
	events       int64     // of the run, when it died
	back         time.Time // when the restart began
	continued    time.Duration
	cancelled    bool
}

func (c *cast) hostFlags() []string {
	if c.point == crash.HandoverAfter {
		return []string{"--handover-after", "4"}
	}
	return nil
}

func (c *cast) start(deadly []string) {
	c.t.Helper()
	if c.ofRunner() {
		c.host = c.serve(nil, c.hostFlags()...)
	} else {
		c.host = c.serve(deadly, c.hostFlags()...)
	}
	c.instance = c.ready("story-model-key")
	if c.ofRunner() {
		c.runner = c.up(deadly)
	} else {
		c.runner = c.up(nil)
	}
}

// turn is one look around: bury the dead and start them again, then do what the person does. True ends the play.
func (c *cast) turn() bool {
	c.t.Helper()
	if victim := c.victim(); !c.died && victim.Over() {
		c.revive(victim)
	}
	if c.cancel && !c.cancelled && c.run.Status == pags.RunWaiting {
		c.cancelled = true
		if _, err := c.api(http.MethodPost, "/v1/runs/"+string(c.run.ID)+"/cancel", nil, nil, nil); err != nil {
			c.t.Logf("cancel: %v", err)
		}
		return false
	}
	if c.cancel && c.cancelled && !c.died {
		return false // nobody answers what was cancelled
	}
	over := c.look()
	if c.died && c.continued == 0 && (over || c.run.LastEvent > c.events) {
		c.continued = time.Since(c.back)
	}
	return over && (c.died || c.t.Failed() || c.victimStays())
}

func (c *cast) victim() *stage.Process {
	if c.ofRunner() {
		return c.runner
	}
	return c.host
}

// victimStays waits a moment for a death that comes after the run's end; a process that lives on was never killed.
func (c *cast) victimStays() bool {
	select {
	case <-c.victim().Done():
		return false
	case <-time.After(2 * time.Second):
		c.t.Errorf("the run is over (%s) and nothing died: %s is not passed %d times", c.run.Status, c.point, c.nth)
		return true
	}
}

func (c *cast) revive(victim *stage.Process) {
	c.t.Helper()
	var exit *exec.ExitError
	status, ok := syscall.WaitStatus(0), false
	if errors.As(victim.Err(), &exit) {
		status, ok = exit.Sys().(syscall.WaitStatus)
	}
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		c.t.Fatalf("it did not die of the kill: %v", victim.Err())
	}
	if c.submit != c.approved {
		c.t.Errorf("it died with the submit approved: %v, meant: %v", c.approved, c.submit)
	}
	c.died, c.events, c.back = true, c.run.LastEvent, time.Now()
	if c.both {
		other := c.host
		if victim == c.host {
			other = c.runner
		}
		other.Kill()
		c.host = c.serve(nil, c.hostFlags()...)
		c.runner = c.up(nil)
		return
	}
	if victim == c.host {
		c.host = c.serve(nil, c.hostFlags()...)
	} else {
		c.runner = c.up(nil)
	}
}

// check compares with the run that nothing happens to.
func (c *cast) check(d *desk) {
	t := c.t
	t.Helper()
	wantRun, wantOutcome, wantReceived := pags.RunCompleted, pags.OutcomeDone, 1
	if c.cancel {
		wantRun, wantOutcome, wantReceived = pags.RunCancelled, pags.OutcomeCancelled, 0
	}
	if c.run.Status != wantRun || c.run.Outcome != wantOutcome {
		t.Errorf("it ended as %s, %s: %s", c.run.Status, c.run.Outcome, c.run.Detail)
	}
	if n := d.count(); n != wantReceived {
		t.Errorf("the site received %d requests", n)
	}
	if asked := slices.Contains(c.asked, pags.WaitUnknown); c.asks != may && asked != (c.asks == must) {
		t.Errorf("whether it happened was asked: %v, want %v", asked, !asked)
	}
	if all := c.runs(); len(all) != 1 {
		t.Errorf("there are %d runs", len(all))
	}
	if open := c.inbox(); len(open) != 0 {
		t.Errorf("still asked: %v", open)
	}
	c.decidedOnce(t)
	t.Logf("continued %.1f s after the restart", c.continued.Seconds())
	if c.continued > time.Minute {
		t.Errorf("it took %s to continue", c.continued)
	}
}
