package machine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

func pushOf(t *testing.T, run pags.RunID, text string) relay.Message {
	t.Helper()
	m, err := relay.New("", relay.KindEvents, relay.Events{Run: pags.Run{ID: run, LastEvent: 1}, Events: []pags.Event{{Seq: 1, Text: text}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPush_WS01_OneDeadSocketNeverSilencesTheOthers(t *testing.T) {
	c := newCloud(t)
	a, b, never := c.console(), c.console(), c.console()
	c.edge.Cut(a.conn.ID)
	c.edge.Script(never.conn.ID, pags.Errorf(pags.Gone, "never existed"))
	c.edge.Script(b.conn.ID, pags.Errorf(pags.RateLimited, "429"))
	c.Push(c.ctx, user, pushOf(t, "run_1", "hello"))
	var got relay.Events
	b.expect(relay.KindEvents, &got)
	if len(got.Events) != 1 || got.Events[0].Text != "hello" {
		t.Fatalf("b got %+v", got)
	}
	b.quiet()
	for _, p := range []*peer{a, never} {
		if c.has(port.Key{PK: "U#" + string(user), SK: "CONSOLE#" + p.conn.ID}) || c.has(port.Key{PK: "C#" + p.conn.ID, SK: "META"}) {
			t.Fatalf("rows of the dead socket %s are still there", p.conn.ID)
		}
	}
	if !c.has(port.Key{PK: "U#" + string(user), SK: "CONSOLE#" + b.conn.ID}) {
		t.Fatal("the row of the throttled socket is gone")
	}
}

func TestPush_FollowsWatchAndKeepsLargeListsForTheReRead(t *testing.T) {
	c := newCloud(t)
	all, one := c.console(), c.console()
	one.send(relay.KindWatch, relay.Watch{RunID: "run_2"})
	c.edge.Errors()
	c.Push(c.ctx, user, pushOf(t, "run_1", "first"))
	c.Push(c.ctx, user, pushOf(t, "run_2", strings.Repeat("世", 40<<10)))
	c.Push(c.ctx, "usr_2", pushOf(t, "run_3", "another's"))
	var got relay.Events
	all.expect(relay.KindEvents, &got)
	if got.Run.ID != "run_1" {
		t.Fatalf("first push was of %s", got.Run.ID)
	}
	for _, p := range []*peer{all, one} {
		p.expect(relay.KindEvents, &got)
		if got.Run.ID != "run_2" || len(got.Events) != 0 || got.Run.LastEvent != 1 {
			t.Fatalf("a push too large for a message came as %s with %d events", got.Run.ID, len(got.Events))
		}
		p.quiet()
	}
	all.send(relay.KindPing, nil)
	all.expect(relay.KindPong, nil)
}

func TestMembersChanged_TellsTheConnectedMachines(t *testing.T) {
	c := newCloud(t)
	a, b := c.machine("a").up(), c.machine("b").up(func(h *relay.Hello) { h.Only = []pags.InstanceID{"ins_1"} })
	c.world.Locked(func() { c.world.Owner["ins_2"] = pags.User{ID: user} })
	c.must(c.MembersChanged(context.Background(), user))
	var got relay.Members
	a.expect(relay.KindMembers, &got)
	if len(got.Instances) != 2 {
		t.Fatalf("a serves %+v", got)
	}
	b.expect(relay.KindMembers, &got)
	if len(got.Instances) != 1 || got.Instances[0].InstanceID != "ins_1" {
		t.Fatalf("b serves %+v", got)
	}
}
