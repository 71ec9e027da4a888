package stories

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

func TestHandover_SF02_OneRunGoesThroughSeveralExecutionsAndNoStepTwice(t *testing.T) {
	t.Parallel()
	const password = "desk-drawer-7"
	d := newDesk(password)
	var s *scene
	s = newScene(t, d, deskScript(func() string { return s.page.URL + "/" }))
	s.serve(nil, "--handover-after", "3")
	p := &person{scene: s, password: password, received: d.count}
	p.instance = s.ready("story-model-key")
	s.up(nil)
	p.follow(2 * time.Minute)
	p.show()
	if p.run.Outcome != pags.OutcomeDone || d.count() != 1 {
		t.Errorf("it ended as %s (%s), the site received %d", p.run.Outcome, p.run.Detail, d.count())
	}
	if p.run.Generation < 3 || !strings.HasSuffix(p.run.Execution, string(p.run.ID)+"-g"+string(rune('0'+p.run.Generation))) {
		t.Errorf("execution %d, %s", p.run.Generation, p.run.Execution)
	}
	if all := s.runs(); len(all) != 1 {
		t.Errorf("there are %d runs", len(all))
	}
	p.decidedOnce(t)
	handovers := 0
	for _, e := range p.timeline() {
		if e.Kind == "handover" {
			handovers++
		}
	}
	if handovers != p.run.Generation-1 {
		t.Errorf("%d hand-overs for %d executions", handovers, p.run.Generation)
	}
	failed := 0 // on a busy machine the hand may need a second try, which is a step of its own
	for _, e := range p.timeline() {
		if e.Kind == "acted" && strings.HasSuffix(e.Text, ": failed") {
			failed++
		}
	}
	if n := len(s.model.Turns()); n != lastReply+failed {
		t.Errorf("the model was asked %d times, want %d: once for each step that needs it", n, lastReply+failed)
	}
}

// A wait for a runner ends by its heartbeat of 60 s; only then the budget counts, so both stories last a little longer.
func TestRunnerLost_SF04(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		budget string
		back   bool
	}{
		{"a runner that stays away ends the run, which says so", "10s", false},
		{"a runner that is back within the budget goes on", "5m", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const password = "desk-drawer-7"
			d := newDesk(password)
			var s *scene
			s = newScene(t, d, deskScript(func() string { return s.page.URL + "/" }))
			s.serve(nil, "--loss-budget", c.budget)
			p := &person{scene: s, password: password, received: d.count}
			p.instance = s.ready("story-model-key")
			runner := s.up(nil)
			s.await(time.Minute, "the first question", func() bool { time.Sleep(pace); p.ask(); return p.run.WaitingFor == pags.WaitValue })
			runner.Kill()
			p.look() // answers; the next command has no machine
			killed := time.Now()
			s.await(time.Minute, "the run to wait for its machine", func() bool { p.look(); return p.run.WaitingFor == pags.WaitRunner })
			if c.back {
				s.await(2*time.Minute, "the heartbeat to pass", func() bool {
					time.Sleep(time.Second)
					return time.Since(killed) > 65*time.Second
				})
				s.up(nil)
			}
			p.follow(2 * time.Minute)
			p.show()
			switch {
			case c.back && (p.run.Outcome != pags.OutcomeDone || d.count() != 1):
				t.Errorf("it ended as %s (%s), the site received %d", p.run.Outcome, p.run.Detail, d.count())
			case !c.back && (p.run.Status != pags.RunFailed || !strings.Contains(p.run.Detail, "The runner did not answer") || d.count() != 0):
				t.Errorf("it ended as %s (%s), the site received %d", p.run.Status, p.run.Detail, d.count())
			}
			p.decidedOnce(t)
		})
	}
}
