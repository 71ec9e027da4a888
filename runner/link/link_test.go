package link

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/outcome"
)

var click = relay.Command{Action: relay.ActClick, Ref: "e1"}

func TestLink_ADropAtAnyFrameLosesAndDoublesNothing(t *testing.T) {
	for _, fate := range []machinetest.Fate{machinetest.CutFirst, machinetest.CutAfter} {
		for frame := 1; frame <= 9; frame++ { // hello, welcome, call, outcome, ack, and again
			t.Run(fmt.Sprintf("fate %d at frame %d", fate, frame), func(t *testing.T) {
				t.Parallel()
				c, _ := newCloud(t, false, "http://blobs.test")
				var n atomic.Int32
				c.edge.Judge(func(machinetest.Direction, string, []byte) machinetest.Fate {
					if n.Add(1) == int32(frame) {
						return fate
					}
					return machinetest.Deliver
				})
				r := c.runner().up()
				for step := 1; step <= 3; step++ {
					c.call(step, "ins_1", string(r.mac.ID), click)
					c.ended(step, relay.StatusOK)
					if got := r.hand.times(relay.CallKey("run_1", step)); got != 1 {
						t.Fatalf("step %d was done %d times", step, got)
					}
				}
				c.eventually("everything is acknowledged", func() bool { all, err := r.store.Unacked(); return err == nil && len(all) == 0 })
			})
		}
	}
}

func TestLink_EveryFrameTwiceActsOnce(t *testing.T) {
	c, _ := newCloud(t, false, "http://blobs.test")
	c.edge.Judge(func(machinetest.Direction, string, []byte) machinetest.Fate { return machinetest.Double })
	r := c.runner().up().live()
	for step := 1; step <= 5; step++ {
		c.call(step, "ins_1", "", click)
		c.ended(step, relay.StatusOK)
		if got := r.hand.times(relay.CallKey("run_1", step)); got != 1 {
			t.Fatalf("step %d was done %d times", step, got)
		}
	}
}

func TestLink_ALostOutcomeOrAckIsSentAgainOnTheSameLine(t *testing.T) {
	for _, lost := range []string{relay.KindOutcome, relay.KindAck} {
		t.Run(lost, func(t *testing.T) {
			c, _ := newCloud(t, true, "http://blobs.test")
			var losing atomic.Bool
			losing.Store(true)
			c.edge.Judge(func(_ machinetest.Direction, _ string, f []byte) machinetest.Fate {
				if strings.Contains(string(f), `"kind":"`+lost+`"`) && losing.CompareAndSwap(true, false) {
					return machinetest.Lose
				}
				return machinetest.Deliver
			})
			r := c.runner().up().live()
			c.call(1, "ins_1", "", click)
			c.eventually("a frame was lost", func() bool { return !losing.Load() })
			c.settle()
			c.fake.Advance(resendAfter + time.Second)
			c.ended(1, relay.StatusOK)
			c.eventually("it is acknowledged", func() bool { all, err := r.store.Unacked(); return err == nil && len(all) == 0 })
			if n := c.edge.Dialed(); n != 1 {
				t.Fatalf("dialed %d times", n)
			}
		})
	}
}

func TestLink_AfterAKillTheOutcomeIsSentOrSaidUnknown(t *testing.T) {
	c, _ := newCloud(t, false, "http://blobs.test")
	r := c.runner()
	c.call(1, "ins_1", string(r.mac.ID), click)
	c.call(2, "ins_1", string(r.mac.ID), click)
	c.call(3, "ins_1", string(r.mac.ID), relay.Command{Action: relay.ActSnapshot})
	store, err := outcome.Open(r.path, c.clock) // what a killed process leaves: 1 done and not sent, 2 and 3 begun
	c.must(err)
	for step, action := range map[int]string{1: relay.ActClick, 2: relay.ActClick, 3: relay.ActSnapshot} {
		_, _, err := store.Intent(relay.Call{RunID: "run_1", Step: step, InstanceID: "ins_1", Fence: 7, Command: relay.Command{Action: action}})
		c.must(err)
	}
	_, err = store.Finish(relay.Outcome{RunID: "run_1", Step: 1, Fence: 7, Result: relay.Result{Status: relay.StatusOK, Feedback: "before the kill"}})
	c.must(errors.Join(err, store.Close()))
	r.up()
	if got := c.ended(1, relay.StatusOK); got.Feedback != "before the kill" {
		t.Fatalf("step 1 ended %+v", got)
	}
	c.ended(2, relay.StatusUnknown)
	c.ended(3, relay.StatusOK)
	if r.hand.times("run_1/1") != 0 || r.hand.times("run_1/2") != 0 || r.hand.times("run_1/3") != 1 {
		t.Fatalf("after the kill it did %v", r.hand.order)
	}
}

func TestLink_WS07_IdleStaysConnectedAndHalfOpenIsDropped(t *testing.T) {
	c, _ := newCloud(t, true, "http://blobs.test")
	r := c.runner().up().live()
	minute := func() {
		c.fake.Advance(relay.PingEvery)
		c.settle()
	}
	for range 25 {
		minute()
		m, err := c.svc.Machine(c.Context(), user, r.mac.ID)
		if err != nil || !m.Online {
			t.Fatalf("not online: %+v, %v", m, err)
		}
	}
	if n := c.edge.Dialed(); n != 1 {
		t.Fatalf("dialed %d times in 25 idle minutes", n)
	}
	half := c.edge.Open()[0]
	c.edge.Judge(func(d machinetest.Direction, id string, _ []byte) machinetest.Fate {
		if d == machinetest.Down && id == half {
			return machinetest.Lose
		}
		return machinetest.Deliver
	})
	for range relay.MissedPongs + 1 {
		minute()
	}
	c.eventually("the half-open line is dropped", func() bool { return !slices.Contains(c.edge.Open(), half) })
	c.eventually("it is back", func() bool {
		c.fake.Advance(minBackoff)
		c.settle()
		return c.edge.Dialed() == 2 && r.state() == Live
	})
}

func TestLink_ThePlannedReconnectKeepsWorkInFlight(t *testing.T) {
	c, _ := newCloud(t, true, "http://blobs.test")
	r := c.runner().up().live()
	for range 99 {
		c.fake.Advance(time.Minute)
		c.settle()
	}
	r.hand.hold = make(chan struct{})
	c.call(1, "ins_1", "", click)
	<-r.hand.begun
	c.fake.Advance(time.Minute)
	c.eventually("there is a new line and the old one is closed", func() bool { return c.edge.Dialed() == 2 && len(c.edge.Open()) == 1 })
	close(r.hand.hold)
	c.ended(1, relay.StatusOK)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.states {
		if s.Kind == Waiting || s.Kind == Blocked {
			t.Fatalf("states %v", r.states)
		}
	}
}

func TestLink_TwoProcessesOnOneMachine(t *testing.T) {
	c, _ := newCloud(t, true, "http://blobs.test")
	a := c.runner().up().live()
	b := a.another().up()
	c.eventually("the second is blocked", func() bool { return b.state() == Blocked })
	c.settle()
	for range 5 {
		c.fake.Advance(blockedRetry)
		c.settle()
	}
	if a.state() != Live || b.state() == Live {
		t.Fatalf("a is %s, b is %s", a.state(), b.state())
	}
	f := a.another().up(func(c *Config) { c.Force = true }).live()
	c.eventually("the first is blocked", func() bool { return a.state() == Blocked })
	for range 5 { // neither of the others takes the place back
		c.fake.Advance(blockedRetry)
		c.settle()
	}
	if f.state() != Live {
		t.Fatalf("the forced one is %s", f.state())
	}
	c.call(1, "ins_1", "", click)
	c.ended(1, relay.StatusOK)
	if f.hand.times("run_1/1") != 1 {
		t.Fatal("the forced one did not do the work")
	}
	c.must(f.stop())
	c.eventually("another takes over", func() bool {
		c.fake.Advance(blockedRetry)
		c.settle()
		return a.state() == Live || b.state() == Live
	})
}

func TestLink_SeveralMachinesEachDoTheirOwn(t *testing.T) {
	c, _ := newCloud(t, false, "http://blobs.test")
	a, b := c.runner().up().live(), c.runner().up().live()
	for step := 1; step <= 6; step++ {
		pin := a
		if step%2 == 0 {
			pin = b
		}
		c.call(step, "ins_1", string(pin.mac.ID), click)
	}
	for step := 1; step <= 6; step++ {
		c.ended(step, relay.StatusOK)
		if a.hand.times(relay.CallKey("run_1", step)) != step%2 || b.hand.times(relay.CallKey("run_1", step)) != 1-step%2 {
			t.Fatalf("step %d was done by a %d and b %d times", step, a.hand.times(relay.CallKey("run_1", step)), b.hand.times(relay.CallKey("run_1", step)))
		}
	}
}

func TestTransfer_WS03_ThroughARealRunner(t *testing.T) {
	site := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	c, blobs := newCloud(t, false, site.URL)
	site.Config.Handler = blobs.Handler()
	r := c.runner()
	r.hand.result = func(ctx context.Context, call relay.Call, up Uploader) relay.Result {
		key, err := up.Upload(ctx, "shot.jpg", "image/jpeg", []byte("picture of "+call.RunID))
		if err != nil {
			return relay.Result{Status: relay.StatusFailed, Feedback: err.Error()}
		}
		return relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{Snapshot: call.Command.Text, Picture: key}}
	}
	r.up().live()
	for i, text := range []string{strings.Repeat("a", 31<<10), strings.Repeat("b", 33<<10), strings.Repeat("c", 127<<10),
		strings.Repeat("d", 129<<10), strings.Repeat("世", 5<<20/3)} {
		step := i + 1
		c.call(step, "ins_1", "", relay.Command{Action: relay.ActType, Ref: "e1", Text: text})
		got := c.ended(step, relay.StatusOK)
		whole := got.Seen.Snapshot
		if key := got.Seen.SnapshotKey; key != "" {
			raw, _, err := blobs.Get(c.Context(), key, 0, 0)
			c.must(err)
			whole = string(raw)
		}
		if encoded(sha256.Sum256([]byte(whole))) != encoded(sha256.Sum256([]byte(text))) {
			t.Fatalf("%d bytes went down and %d came up", len(text), len(whole))
		}
		picture, _, err := blobs.Get(c.Context(), got.Seen.Picture, 0, 0)
		if err != nil || string(picture) != "picture of run_1" {
			t.Fatalf("picture %q, %v", picture, err)
		}
	}
	if n := c.edge.Dialed(); n != 1 {
		t.Fatalf("dialed %d times", n)
	}
}

func TestRun_EndsWhereANewAttemptCannotHelp(t *testing.T) {
	c, _ := newCloud(t, false, "http://blobs.test")
	r := c.runner().up().live()
	c.world.Locked(func() { c.world.Inactive["ses_1"] = pags.Errorf(pags.Unauthenticated, "revoked") })
	l := New(Config{Tickets: r, MachineID: r.mac.ID, Node: r.id.Node, Sign: r.id.Sign, Hand: r.hand, Store: r.store, Clock: c.clock,
		Dial: func(context.Context, string) (Conn, error) {
			return nil, &refusal{relay.Refused{Code: relay.CodeVersion, Reason: "update"}}
		}})
	if err := l.Run(c.Context()); !pags.Is(err, pags.Gone) {
		t.Fatalf("another wire version: %v", err)
	}
	for code, err := range map[pags.Code]error{pags.Unauthenticated: &refusal{relay.Refused{Code: relay.CodeUnauthorized, Reason: "r"}},
		pags.Forbidden: fmt.Errorf("ticket: %w", pags.Errorf(pags.Forbidden, "suspended"))} {
		if got := stops(err); !pags.Is(got, code) {
			t.Errorf("%v stops with %v, want %s", err, got, code)
		}
	}
	if err := stops(errSilent); err != nil {
		t.Errorf("silence stops the link: %v", err)
	}
}

// advice is an error that says when to come back.
type advice time.Duration

func (a advice) Error() string             { return "busy" }
func (a advice) RetryAfter() time.Duration { return time.Duration(a) }

func TestPause_IsFullJitterWithinBoundsAndTakesAdvice(t *testing.T) {
	roll := 0.0
	l := New(Config{Rand: func() float64 { return roll }})
	for failures, limit := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second, 60: 30 * time.Second} {
		roll = 0
		if got := l.pause(errSilent, failures); got != minBackoff {
			t.Errorf("least pause after %d failures is %s", failures, got)
		}
		roll = 0.999999
		if got := l.pause(errSilent, failures).Round(time.Millisecond); got != limit {
			t.Errorf("longest pause after %d failures is %s, want %s", failures, got, limit)
		}
	}
	roll = 0
	if got := l.pause(fmt.Errorf("ticket: %w", advice(50*time.Second)), 1); got != 50*time.Second {
		t.Errorf("advised 50s, waits %s", got)
	}
	if got := l.pause(&refusal{relay.Refused{Code: relay.CodeSlotTaken}}, 1); got != blockedRetry {
		t.Errorf("blocked waits %s", got)
	}
}
