package link

import (
	"errors"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/outcome"
)

func TestLink_OneCommandAtATimeForEachInstance(t *testing.T) {
	c, _ := newCloud(t, true, "http://blobs.test")
	r := c.runner().up().live()
	r.hand.hold = make(chan struct{})
	c.call(1, "ins_1", "", click)
	<-r.hand.begun
	c.call(2, "ins_1", "", click)
	c.call(3, "ins_2", "", click)
	if got := <-r.hand.begun; got != "run_1/3" {
		t.Fatalf("beside the first command began %s", got)
	}
	c.settle()
	c.fake.Advance(relay.BeatEvery)
	c.eventually("running and queued calls beat", func() bool { return c.world.Beats() == 3 })
	close(r.hand.hold)
	for step := 1; step <= 3; step++ {
		c.ended(step, relay.StatusOK)
	}
}

func TestLink_CancelStopsWhatRunsAndWhatWaits(t *testing.T) {
	c, _ := newCloud(t, true, "http://blobs.test")
	r := c.runner().up().live()
	r.hand.hold = make(chan struct{})
	c.call(1, "ins_1", "", click)
	c.call(2, "ins_1", "", click)
	<-r.hand.begun
	c.must(c.svc.CancelCall(c.Context(), "run_1"))
	if got := c.ended(1, relay.StatusCancelled); got.Feedback != ErrCancelled.Error() {
		t.Fatalf("step 1 ended %+v", got)
	}
	c.ended(2, relay.StatusCancelled)
	if r.hand.times("run_1/2") != 0 {
		t.Fatal("a queued command was done after its cancel")
	}
}

func TestLink_ACancelThatOvertakesItsCallHolds(t *testing.T) {
	h := newHand()
	l, store := bare(t, h)
	l.cancel(relay.CallRef{RunID: "run_1", Step: 1})
	if err := l.accept(relay.Call{RunID: "run_1", Step: 1, InstanceID: "ins_1", Command: click}); err != nil {
		t.Fatal(err)
	}
	l.work.wait()
	all, err := store.Unacked()
	if err != nil || len(all) != 1 || all[0].Result.Status != relay.StatusCancelled || h.times("run_1/1") != 0 {
		t.Fatalf("outcomes %+v, %v; done %d times", all, err, h.times("run_1/1"))
	}
}

func TestLink_AHandThatDoesNotEndIsSaidUnknownAndKeepsItsInstanceBusy(t *testing.T) {
	for what, begin := range map[string]func(*cloud){
		"cancelled": func(c *cloud) { c.must(c.svc.CancelCall(c.Context(), "run_1")) },
		"deadline":  func(c *cloud) { c.fake.Advance(relay.CommandLimit) },
	} {
		t.Run(what, func(t *testing.T) {
			c, _ := newCloud(t, true, "http://blobs.test")
			r := c.runner().up().live()
			r.hand.hold, r.hand.deaf = make(chan struct{}), true
			c.call(1, "ins_1", "", click)
			<-r.hand.begun
			c.settle()
			begin(c)
			c.settle()
			c.fake.Advance(grace)
			c.ended(1, relay.StatusUnknown)
			c.call(2, "ins_1", "", click)
			c.settle()
			if r.hand.times("run_1/2") != 0 {
				t.Fatal("a second command began while the first is still at it")
			}
			close(r.hand.hold)
			c.ended(2, relay.StatusOK)
		})
	}
}

// fullDisk is a store that cannot write.
type fullDisk struct{ Store }

func (fullDisk) Intent(relay.Call) (outcome.Verdict, *relay.Outcome, error) {
	return 0, nil, errors.New("no space left on device")
}

func TestLink_AFullDiskRefusesTheCommandBeforeItActs(t *testing.T) {
	c, _ := newCloud(t, false, "http://blobs.test")
	r := c.runner().up(func(c *Config) { c.Store = fullDisk{c.Store} }).live()
	c.call(1, "ins_1", "", click)
	if got := c.ended(1, relay.StatusFailed); !strings.Contains(got.Feedback, "disk") || r.hand.times("run_1/1") != 0 {
		t.Fatalf("ended %+v, done %d times", got, r.hand.times("run_1/1"))
	}
}

func TestLink_AStoppingRunnerWritesAndSendsWhatItHas(t *testing.T) {
	c, _ := newCloud(t, false, "http://blobs.test")
	r := c.runner().up().live()
	r.hand.hold = make(chan struct{})
	c.call(1, "ins_1", "", click)
	<-r.hand.begun
	c.must(r.stop())
	if got := c.ended(1, relay.StatusCancelled); got.Feedback != ErrStopped.Error() {
		t.Fatalf("ended %+v", got)
	}
}

func bare(t *testing.T, h Hand) (*Link, *outcome.Store) {
	t.Helper()
	c, _ := newCloud(t, false, "http://blobs.test")
	store, err := outcome.Open(t.TempDir()+"/o.db", c.clock)
	c.must(err)
	t.Cleanup(func() { _ = store.Close() })
	return New(Config{Hand: h, Store: store, Clock: c.clock}), store
}

func TestBeat_SF04_ARunnerThatIsSwitchedOffStopsBeating(t *testing.T) {
	c, _ := newCloud(t, true, "http://blobs.test")
	r := c.runner().up().live()
	r.hand.hold = make(chan struct{})
	c.call(1, "ins_1", "", click)
	<-r.hand.begun
	for beats := 1; beats <= 3; beats++ {
		c.settle()
		c.fake.Advance(relay.BeatEvery)
		c.eventually("the task's heart beats", func() bool { return c.world.Beats() == beats })
	}
	c.edge.Judge(func(machinetest.Direction, string, []byte) machinetest.Fate { return machinetest.Lose }) // switched off
	for range 3 {
		c.settle()
		c.fake.Advance(relay.BeatEvery)
	}
	c.settle()
	if got := c.world.Beats(); got != 3 {
		t.Fatalf("%d beats, 3 of them before it was switched off", got)
	}
	c.world.TimeOut("token-1") // the state machine's heartbeat lapses; the brain asks how the call stands
	o, info, err := c.svc.Outcome(c.Context(), "run_1", 1)
	if o != nil || err != nil || !info.Accepted {
		t.Fatalf("the call stands at %+v %+v %v, want no outcome of an accepted call", o, info, err)
	}
	c.edge.Judge(nil)
	close(r.hand.hold)
}
