package machine_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

func TestRegister_TheSameKeyIsTheSameMachine(t *testing.T) {
	c := newCloud(t)
	p := c.machine("laptop")
	r := machine.Registration{PublicKey: p.mac.PublicKey, Node: "renamed", Version: "2", Capabilities: []string{"browser"}}
	again, err := c.Register(c.ctx, user, r)
	if err != nil || again.ID != p.mac.ID || again.Node != "renamed" || again.Version != "2" {
		t.Fatalf("registered again: %+v, %v", again, err)
	}
	other, err := c.Register(c.ctx, "usr_2", r)
	if err != nil || other.ID == p.mac.ID {
		t.Fatalf("another user with the same key: %+v, %v", other, err)
	}
	if _, err := c.Machine(c.ctx, "usr_2", p.mac.ID); !pags.Is(err, pags.NotFound) {
		t.Fatalf("another's machine: %v", err)
	}
	all, next, err := c.List(c.ctx, user, "", 50)
	if err != nil || len(all) != 1 || next != "" || all[0].Online {
		t.Fatalf("list: %+v %q %v", all, next, err)
	}
}

func TestRegister_BadInputIsNamed(t *testing.T) {
	c := newCloud(t)
	good := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for name, r := range map[string]machine.Registration{
		"short key": {PublicKey: "AAAA", Node: "n"}, "no base64": {PublicKey: "§", Node: "n"},
		"no node": {PublicKey: good}, "long node": {PublicKey: good, Node: strings.Repeat("n", 121)},
		"a node that moves the cursor": {PublicKey: good, Node: "n\x1b[2J"}, "a node that turns the reading direction": {PublicKey: good, Node: "n\u202en"},
		"empty capability": {PublicKey: good, Node: "n", Capabilities: []string{""}},
	} {
		if _, err := c.Register(c.ctx, user, r); !pags.Is(err, pags.Unprocessable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestForget_OnlyOfflineOrByForce(t *testing.T) {
	c := newCloud(t)
	p := c.machine("laptop").up()
	if err := c.Forget(c.ctx, user, p.mac.ID, false); !pags.Is(err, pags.Conflict) {
		t.Fatalf("online: %v", err)
	}
	if err := c.Forget(c.ctx, "usr_2", p.mac.ID, true); !pags.Is(err, pags.NotFound) {
		t.Fatalf("another user: %v", err)
	}
	c.must(c.Forget(c.ctx, user, p.mac.ID, true))
	p.refused(relay.CodeUnauthorized)
	if _, err := c.Machine(c.ctx, user, p.mac.ID); !pags.Is(err, pags.NotFound) {
		t.Fatalf("forgotten: %v", err)
	}
}

func TestConnect_ATicketOpensOneSocketOnceWithinAMinute(t *testing.T) {
	c := newCloud(t)
	p := c.machine("laptop")
	ask := machine.TicketAsk{Role: "runner", MachineID: p.mac.ID, Node: "laptop"}
	mint := func() string {
		t.Helper()
		got, err := c.Mint(c.ctx, user, "ses_1", ask)
		c.must(err)
		return got.URL
	}
	used, late, revoked := mint(), mint(), ""
	if _, err := c.edge.Dial(c.ctx, used); err != nil {
		t.Fatal(err)
	}
	refusedDial := func(what, url string) {
		t.Helper()
		if _, err := c.edge.Dial(c.ctx, url); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("%s: %v, want 401", what, err)
		}
	}
	refusedDial("used", used)
	refusedDial("unknown", "ws://x/?ticket=nonsense")
	refusedDial("none", "ws://x/")
	c.clock.Advance(relay.TicketLife)
	refusedDial("late", late)
	revoked = mint()
	c.world.Locked(func() { c.world.Inactive["ses_1"] = pags.Errorf(pags.Unauthenticated, "revoked") })
	refusedDial("revoked session", revoked)
	for what, bad := range map[string]machine.TicketAsk{
		"no machine": {Role: "runner", Node: "n"}, "unknown role": {Role: "boss"},
		"console with a machine": {Role: "console", MachineID: p.mac.ID}, "no node": {Role: "runner", MachineID: p.mac.ID},
	} {
		if _, err := c.Mint(c.ctx, user, "ses_1", bad); !pags.Is(err, pags.Unprocessable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := c.Mint(c.ctx, "usr_2", "ses_2", ask); !pags.Is(err, pags.NotFound) {
		t.Errorf("a ticket for another's machine: %v", err)
	}
}

func TestHello_IsRefusedWithAReason(t *testing.T) {
	cases := map[string]struct {
		change func(*peer)
		code   int
	}{
		"signed for another nonce": {func(p *peer) { p.hello.Signature = base64.StdEncoding.EncodeToString(make([]byte, 64)) }, relay.CodeBadHello},
		"not a signature":          {func(p *peer) { p.hello.Signature = "rubbish" }, relay.CodeBadHello},
		"another node":             {func(p *peer) { p.hello.Node = "other" }, relay.CodeBadHello},
		"another machine":          {func(p *peer) { p.hello.MachineID = "mac_other" }, relay.CodeBadHello},
		"revoked meanwhile": {func(p *peer) {
			p.world.Locked(func() { p.world.Inactive["ses_1"] = pags.Errorf(pags.Forbidden, "suspended") })
		}, relay.CodeUnauthorized},
	}
	for name, x := range cases {
		t.Run(name, func(t *testing.T) {
			p := newCloud(t).machine("laptop").dial()
			x.change(p)
			p.send(relay.KindHello, p.hello)
			p.refused(x.code)
		})
	}
}

func TestMessage_WhatIsOddChangesNothingAndNeverPanics(t *testing.T) {
	odd := []string{"", "hello", "[]", "{}", `{"v":1}`, `{"v":1,"id":"a","kind":"nonsense"}`, `{"v":1,"id":"a","kind":"outcome"}`,
		`{"v":1,"id":"a","kind":"outcome","body":7}`, `{"v":1,"id":"b","kind":"progress","body":{"runId":"","step":-1}}`,
		`{"v":1,"id":"c","kind":"slots","body":{"runId":"run_x","step":1,"items":[]}}`, `{"v":1,"id":"d","kind":"watch","body":{}}`,
		`{"m":"x","i":0,"n":1,"d":"nonsense"}`, `{"m":"x","i":5,"n":2,"d":"a"}`, strings.Repeat("x", 30<<10)}
	t.Run("from a live runner", func(t *testing.T) {
		p := newCloud(t).machine("laptop").up()
		for _, frame := range odd {
			p.must(p.conn.Write(p.ctx, []byte(frame)))
		}
		p.edge.Errors()
		p.send(relay.KindPing, nil)
		for m := p.next(); m.Kind != relay.KindPong; m = p.next() {
			if m.Kind == relay.KindRefused || m.Kind == relay.KindCall {
				t.Fatalf("answered %s %s", m.Kind, m.Body)
			}
		}
	})
	for i, frame := range odd {
		if frame == "" {
			continue
		}
		p := newCloud(t).machine("laptop").dial()
		p.must(p.conn.Write(p.ctx, []byte(frame)))
		p.refused(relay.CodeBadHello)
		if p.has(port.Key{PK: "N#" + string(p.mac.ID), SK: "CONN"}) {
			t.Fatalf("frame %d got a place without hello", i)
		}
	}
	t.Run("another version", func(t *testing.T) {
		p := newCloud(t).machine("laptop").dial()
		p.must(p.conn.Write(p.ctx, []byte(`{"v":2,"id":"a","kind":"hello","body":{}}`)))
		p.refused(relay.CodeVersion)
	})
}

func TestSlot_TwoRunnersOnOneMachine(t *testing.T) {
	t.Run("the living incumbent wins", func(t *testing.T) {
		a := newCloud(t).machine("laptop").up()
		b := a.again().dial()
		b.send(relay.KindHello, b.hello)
		b.refused(relay.CodeSlotTaken)
		a.expect(relay.KindPing, nil)
		a.send(relay.KindPong, nil)
		a.edge.Errors()
		a.clock.Advance(20 * time.Second)
		b = a.again().dial()
		b.send(relay.KindHello, b.hello)
		b.refused(relay.CodeSlotTaken)
	})
	t.Run("force replaces it", func(t *testing.T) {
		a := newCloud(t).machine("laptop").up()
		b := a.again().up(func(h *relay.Hello) { h.Force = true })
		a.refused(relay.CodeSlotTaken)
		b.send(relay.KindPing, nil)
		b.expect(relay.KindPong, nil)
	})
	t.Run("a reconnect of the same process takes its own place", func(t *testing.T) {
		me := func(h *relay.Hello) { h.Process = "p1" }
		a := newCloud(t).machine("laptop").up(me)
		a.again().up(me)
		a.eventually("the old socket is closed", func() bool { return len(a.edge.Open()) == 1 })
		a.quiet()
	})
	t.Run("one that does not answer the probe loses at the next try", func(t *testing.T) {
		a := newCloud(t).machine("laptop").up()
		a.edge.Judge(func(d machinetest.Direction, id string, _ []byte) machinetest.Fate {
			if id == a.conn.ID {
				return machinetest.Lose // half open: posts succeed, nothing comes back
			}
			return machinetest.Deliver
		})
		b := a.again().dial()
		b.send(relay.KindHello, b.hello)
		b.refused(relay.CodeSlotTaken)
		a.clock.Advance(20 * time.Second)
		a.again().up()
	})
	t.Run("one that was cut loses at once", func(t *testing.T) {
		a := newCloud(t).machine("laptop").up()
		a.edge.Cut(a.conn.ID)
		a.again().up()
	})
	t.Run("one that is silent for two pings loses", func(t *testing.T) {
		a := newCloud(t).machine("laptop").up()
		a.clock.Advance(2*relay.PingEvery + 11*time.Second)
		a.again().up()
		a.refused(relay.CodeSlotTaken)
	})
}

func TestDisconnect_WS02_TheLateCleanupOfTheOldConnectionLeavesTheNewOne(t *testing.T) {
	c := newCloud(t)
	c1 := c.machine("laptop").up()
	c.edge.Cut(c1.conn.ID)
	c2 := c1.again().up()
	c.clock.Advance(3 * time.Second)
	c.must(c.edge.Disconnected(c.ctx, c1.conn.ID))
	if m, err := c.Machine(c.ctx, user, c1.mac.ID); err != nil || !m.Online {
		t.Fatalf("machine after the late $disconnect: %+v, %v", m, err)
	}
	c.order(1, "", relay.Command{Action: relay.ActSnapshot})
	c.call(1, "token-1")
	var got relay.Call
	c2.expect(relay.KindCall, &got)
	if got.Step != 1 {
		t.Fatalf("call %+v", got)
	}
	c.must(c.edge.Disconnected(c.ctx, c2.conn.ID))
	m, err := c.Machine(c.ctx, user, c1.mac.ID)
	if err != nil || m.Online || !m.LastSeenAt.Equal(c.clock.Now()) {
		t.Fatalf("machine after its own $disconnect: %+v, %v", m, err)
	}
}

func TestPing_KeepsTheMachineOnlineAndEndsARevokedSession(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	for range 25 {
		p.clock.Advance(relay.PingEvery)
		p.send(relay.KindPing, nil)
		p.expect(relay.KindPong, nil)
		if m, err := p.Machine(p.ctx, user, p.mac.ID); err != nil || !m.Online {
			t.Fatalf("not online: %+v, %v", m, err)
		}
	}
	p.clock.Advance(relay.PongFresh + time.Millisecond)
	if m, err := p.Machine(p.ctx, user, p.mac.ID); err != nil || m.Online {
		t.Fatalf("online after %s of silence: %v", relay.PongFresh, err)
	}
	p.world.Locked(func() { p.world.Inactive["ses_1"] = pags.Errorf(pags.Unauthenticated, "revoked") })
	p.send(relay.KindPing, nil)
	p.refused(relay.CodeUnauthorized)
}

func TestPing_ALiveSocketWithoutItsRowConnectsAnew(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	p.must(p.table.Write(p.ctx, port.Delete(port.Key{PK: "N#" + string(p.mac.ID), SK: "CONN"})))
	p.send(relay.KindPing, nil)
	p.eventually("the socket is closed", func() bool { return len(p.edge.Open()) == 0 })
}

func TestAttachment_EachReasonHasOneRemedy(t *testing.T) {
	c := newCloud(t)
	check := func(node, reason string) {
		t.Helper()
		a, err := c.Attachment(c.ctx, user, "ins_1", node)
		c.must(err)
		if a.Reason != reason || (a.Remedy == "") != (reason == machine.Attached) || a.Connected != (reason == machine.Attached) {
			t.Fatalf("node %q: %+v, want %s", node, a, reason)
		}
	}
	check("", machine.NeverRegistered)
	a := c.machine("laptop")
	check("", machine.RunnerOffline)
	a.up(func(h *relay.Hello) { h.Only = []pags.InstanceID{"ins_other"} })
	check("", machine.AgentDetached)
	c.machine("desk").up()
	check("", machine.Attached)
	check("laptop", machine.AgentDetached)
	check("gone-machine", machine.PinnedOffline)
	c.world.Locked(func() { c.world.Config["ins_1"] = map[string]any{machine.PinKey: "laptop"} })
	check("", machine.AgentDetached)
	c.clock.Advance(relay.PongFresh + time.Second)
	check("", machine.PinnedOffline)
	if _, err := c.Attachment(c.ctx, "usr_2", "ins_1", ""); !pags.Is(err, pags.NotFound) {
		t.Fatalf("another's instance: %v", err)
	}
}
