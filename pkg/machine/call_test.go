package machine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

var look = relay.Command{Action: relay.ActSnapshot}

func success(token string) machinetest.Told { return machinetest.Told{What: "success", Token: token} }
func failure(token string) machinetest.Told { return machinetest.Told{What: "failure", Token: token} }

func TestCall_GoesToTheMachineAndItsOutcomeEndsTheWait(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	p.world.Secret["sec_1"] = relay.Secret{Text: "hunter2", Origin: "https://shop.test"}
	p.order(1, "", relay.Command{Action: relay.ActType, Ref: "e1", Secret: "sec_1"})
	p.call(1, "token-1")
	var got relay.Call
	p.expect(relay.KindCall, &got)
	if got.Secrets["sec_1"].Text != "hunter2" || !got.Deadline.Equal(t0.Add(relay.CommandLimit)) || got.Fence != 7 {
		t.Fatalf("call %+v", got)
	}
	row, err := p.table.Get(p.ctx, port.Key{PK: "R#run_1", SK: "CALL#000001"})
	p.must(err)
	for attr, v := range row {
		if text, ok := v.(string); ok && strings.Contains(text, "hunter2") {
			t.Fatalf("the secret is stored in %s", attr)
		}
	}
	p.send(relay.KindProgress, relay.CallRef{RunID: "run_1", Step: 1})
	p.eventually("the task's heart beats", func() bool { return p.world.Beats() == 1 })
	p.send(relay.KindOutcome, done(1))
	p.expect(relay.KindAck, nil)
	p.told(success("token-1"))
	if sent := p.world.Sent(); !slices.Equal(sent, []string{"run_1/1 " + string(p.mac.ID)}) {
		t.Fatalf("runs heard %v", sent)
	}
	o, info, err := p.Outcome(p.ctx, "run_1", 1)
	if err != nil || o == nil || o.Result.Status != relay.StatusOK || !info.Accepted || info.MachineID != p.mac.ID {
		t.Fatalf("outcome %+v %+v %v", o, info, err)
	}
	if p.has(port.Key{PK: "N#" + string(p.mac.ID), SK: "CALL#run_1#000001"}) {
		t.Fatal("the call is still listed as open")
	}
}

func TestCall_AnExpiredSecretEndsTheCallUndone(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	p.order(1, "", relay.Command{Action: relay.ActType, Ref: "e1", Secret: "sec_gone"})
	p.call(1, "token-1")
	p.told(success("token-1"))
	o, _, err := p.Outcome(p.ctx, "run_1", 1)
	if err != nil || o.Result.Status != relay.StatusFailed {
		t.Fatalf("outcome %+v, %v", o, err)
	}
	p.quiet()
}

func TestOutcome_TheFirstCountsAndARepeatTellsTheTaskAgain(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	p.order(1, "", look)
	p.call(1, "token-1")
	p.expect(relay.KindCall, nil)
	p.world.Locked(func() { p.world.TokenDown = pags.Errorf(pags.Unavailable, "the process dies here") })
	m, err := relay.New("dying", relay.KindOutcome, done(1))
	p.must(err)
	frames, err := relay.Split(m)
	p.must(err)
	ev := socketEvent(p.conn.ID, string(frames[0]))
	if _, err := p.Message(p.ctx, ev); err == nil {
		t.Fatal("a task that could not be told was taken for told")
	}
	p.quiet() // not acknowledged
	p.world.Locked(func() { p.world.TokenDown = nil })
	other := done(1)
	other.Result.Status = relay.StatusFailed
	p.send(relay.KindOutcome, other)
	p.expect(relay.KindAck, nil)
	p.send(relay.KindOutcome, other)
	p.expect(relay.KindAck, nil)
	p.told(success("token-1"))
	if o, _, _ := p.Outcome(p.ctx, "run_1", 1); o.Result.Status != relay.StatusOK {
		t.Fatalf("the second outcome replaced the first: %+v", o)
	}
}

func TestCall_ARetryWithANewerTokenCompletesAtOnceOrLater(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	p.order(1, "", look)
	p.call(1, "old")
	p.expect(relay.KindCall, nil)
	p.world.TimeOut("old")
	p.call(1, "newer")
	p.expect(relay.KindCall, nil)
	p.send(relay.KindOutcome, done(1))
	p.expect(relay.KindAck, nil)
	p.told(success("newer"))
	p.call(1, "newest")
	p.told(success("newer"), success("newest"))
	p.quiet()
	_, err := p.Call(p.ctx, machine.CallInput{RunID: "run_1", Step: 1, Generation: 0, TaskToken: "of an older execution"})
	if !pags.Is(err, pags.Gone) {
		t.Fatalf("an older generation: %v", err)
	}
}

func TestOutcome_LateOrForeignOnesAreDroppedAndAcknowledged(t *testing.T) {
	c := newCloud(t)
	mine, other := c.machine("mine").up(), c.machine("other").up()
	c.order(1, string(mine.mac.ID), look)
	c.call(1, "token-1")
	mine.expect(relay.KindCall, nil)
	older := done(1)
	older.Fence = 6
	for what, x := range map[string]struct {
		from *peer
		o    relay.Outcome
	}{"another machine": {other, done(1)}, "an older fence": {mine, older}, "no such step": {mine, done(9)}} {
		x.from.send(relay.KindOutcome, x.o)
		var ack relay.CallRef
		x.from.expect(relay.KindAck, &ack)
		if !strings.HasPrefix(ack.Note, "dropped") || ack.Step != x.o.Step {
			t.Errorf("%s: %+v", what, ack)
		}
	}
	c.told()
	if o, _, err := c.Outcome(c.ctx, "run_1", 1); o != nil || err != nil {
		t.Fatalf("a foreign outcome was kept: %+v, %v", o, err)
	}
}

func TestCall_WithoutAMachineItWaitsAndGoesOutAtHello(t *testing.T) {
	for _, pin := range []string{"", "laptop", "id"} {
		t.Run("bound to "+pin, func(t *testing.T) {
			c := newCloud(t)
			other, p := c.machine("other"), c.machine("laptop")
			if pin == "id" {
				pin = string(p.mac.ID)
			}
			if pin != "" {
				other.up()
			}
			c.order(1, pin, look)
			c.call(1, "token-1")
			if got := c.world.Waiting(); !slices.Equal(got, []string{"run_1/1"}) {
				t.Fatalf("runs heard %v", got)
			}
			if _, info, err := c.Outcome(c.ctx, "run_1", 1); err != nil || info.Accepted {
				t.Fatalf("accepted by nobody: %+v, %v", info, err)
			}
			c.world.TimeOut("token-1")
			c.call(1, "token-2")
			p.up()
			p.expect(relay.KindCall, nil)
			p.send(relay.KindOutcome, done(1))
			p.expect(relay.KindAck, nil)
			c.told(success("token-2"))
			if got := c.world.Sent(); !slices.Contains(got, "run_1/1 "+string(p.mac.ID)) {
				t.Fatalf("runs heard %v", got)
			}
			if pin != "" {
				other.quiet()
			}
		})
	}
}

func TestCall_ADeadConnectionIsForgottenAndTheNextMachineTried(t *testing.T) {
	c := newCloud(t)
	a := c.machine("a").up()
	c.clock.Advance(time.Second)
	b := c.machine("b").up()
	c.edge.Cut(b.conn.ID) // connected last, so it is tried first
	c.order(1, "", look)
	c.call(1, "token-1")
	a.expect(relay.KindCall, nil)
	if c.has(port.Key{PK: "N#" + string(b.mac.ID), SK: "CONN"}) {
		t.Fatal("the dead connection still serves")
	}
	if c.has(port.Key{PK: "N#" + string(b.mac.ID), SK: "CALL#run_1#000001"}) {
		t.Fatal("the call is listed under the machine that never had it")
	}
	b.again().up().quiet()
	a.send(relay.KindOutcome, done(1))
	a.expect(relay.KindAck, nil)
	c.told(success("token-1"))
}

func TestCall_OnceHandedOverItStaysWithItsMachine(t *testing.T) {
	c := newCloud(t)
	a := c.machine("a").up()
	c.order(1, "", look)
	c.call(1, "token-1")
	a.expect(relay.KindCall, nil)
	c.edge.Cut(a.conn.ID)
	c.clock.Advance(time.Second)
	b := c.machine("b").up()
	c.call(1, "token-2")
	b.quiet()
	again := a.again().up()
	again.expect(relay.KindCall, nil)
	again.send(relay.KindOutcome, done(1))
	again.expect(relay.KindAck, nil)
	c.told(success("token-2"))
}

func TestHello_DoesNotSendCallsNobodyWaitsForAnyMore(t *testing.T) {
	c := newCloud(t)
	c.order(1, "", look)
	c.call(1, "token-1")
	c.world.Locked(func() { c.world.Unwanted["run_1/1"] = true })
	c.machine("laptop").up().quiet()
	if c.has(port.Key{PK: "U#" + string(user), SK: "CALL#run_1#000001"}) {
		t.Fatal("the call of a run that is over is still listed as open")
	}
}

func TestCancel_EndsTheWaitOneWayOrAnother(t *testing.T) {
	t.Run("a connected machine is told and its outcome ends the wait", func(t *testing.T) {
		p := newCloud(t).machine("laptop").up()
		p.order(1, "", look)
		p.call(1, "token-1")
		p.expect(relay.KindCall, nil)
		p.must(p.CancelCall(p.ctx, "run_1"))
		p.expect(relay.KindCancel, nil)
		p.told()
		o := done(1)
		o.Result.Status = relay.StatusCancelled
		p.send(relay.KindOutcome, o)
		p.expect(relay.KindAck, nil)
		p.told(success("token-1"))
	})
	t.Run("without a machine the task fails at once and the machine is told later", func(t *testing.T) {
		p := newCloud(t).machine("laptop").up()
		p.order(1, "", look)
		p.call(1, "token-1")
		p.expect(relay.KindCall, nil)
		p.edge.Cut(p.conn.ID)
		p.must(p.CancelCall(p.ctx, "run_1"))
		p.told(failure("token-1"))
		p = p.again().up()
		p.expect(relay.KindCancel, nil)
		p.quiet()
		p.again().up(func(h *relay.Hello) { h.Force = true }).quiet()
	})
	t.Run("a machine that does not stop loses the task with its next beat", func(t *testing.T) {
		p := newCloud(t).machine("laptop").up()
		p.order(1, "", look)
		p.call(1, "token-1")
		p.must(p.CancelCall(p.ctx, "run_1"))
		p.clock.Advance(11 * time.Second)
		p.send(relay.KindProgress, relay.CallRef{RunID: "run_1", Step: 1})
		p.eventually("the task failed", func() bool { return len(p.world.Told()) == 1 })
		p.told(failure("token-1"))
	})
	t.Run("a call that was cancelled before it went out is not sent", func(t *testing.T) {
		c := newCloud(t)
		c.order(1, "", look)
		c.call(1, "token-1")
		c.must(c.CancelCall(c.ctx, "run_1"))
		c.told(failure("token-1"))
		c.call(1, "token-2")
		c.told(failure("token-1"), failure("token-2"))
	})
}
