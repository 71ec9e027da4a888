package machine_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
)

const user = pags.UserID("usr_1")

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// cloud is the area with everything around it.
type cloud struct {
	*testing.T
	*machine.Service
	world *machinetest.World
	edge  *machinetest.Edge
	table port.Table
	blobs port.Blobs
	clock *porttest.Clock
	ctx   context.Context
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	clock := porttest.NewClock(t0)
	dir := t.TempDir()
	table, err := bolt.Open(filepath.Join(dir, "pags.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := files.Open(files.Options{Dir: dir, BaseURL: "http://blobs.test", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	w, e := machinetest.NewWorld(), machinetest.NewEdge()
	w.Owner["ins_1"] = pags.User{ID: user}
	c := &cloud{T: t, world: w, edge: e, table: table, blobs: blobs, clock: clock, ctx: t.Context(), Service: w.Service(e, table, blobs, clock)}
	t.Cleanup(func() {
		for _, err := range e.Errors() {
			t.Errorf("a handler failed: %v", err)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *cloud) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cloud) has(key port.Key) bool {
	c.Helper()
	_, err := c.table.Get(c.ctx, key)
	if err != nil && !pags.Is(err, pags.NotFound) {
		c.Fatal(err)
	}
	return err == nil
}

// peer is a runner or console spoken by hand.
type peer struct {
	*cloud
	key    ed25519.PrivateKey
	mac    pags.Machine
	conn   *machinetest.Conn
	parts  *relay.Assembler
	ticket machine.Ticket
	hello  relay.Hello
	n      int
}

func (c *cloud) machine(node string) *peer {
	c.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	c.must(err)
	m, err := c.Register(c.ctx, user, machine.Registration{PublicKey: base64.StdEncoding.EncodeToString(public), Node: node, Version: "1", Capabilities: []string{"browser"}})
	c.must(err)
	return &peer{cloud: c, key: key, mac: m}
}

// again is another process, or another connection, of the same machine.
func (p *peer) again() *peer { return &peer{cloud: p.cloud, key: p.key, mac: p.mac} }

// dial opens the socket without saying hello.
func (p *peer) dial() *peer {
	p.Helper()
	var err error
	p.ticket, err = p.Mint(p.ctx, user, "ses_1", machine.TicketAsk{Role: "runner", MachineID: p.mac.ID, Node: p.mac.Node})
	p.must(err)
	p.conn, err = p.edge.Dial(p.ctx, p.ticket.URL)
	p.must(err)
	p.parts = relay.NewAssembler(p.clock.Now)
	p.hello = relay.Hello{MachineID: p.mac.ID, Node: p.mac.Node, RunnerVersion: "1", Capabilities: []string{"browser"},
		Signature: base64.StdEncoding.EncodeToString(ed25519.Sign(p.key, relay.SigningText(p.ticket.Nonce, p.mac.ID, p.mac.Node)))}
	return p
}

// up dials and is welcomed.
func (p *peer) up(change ...func(*relay.Hello)) *peer {
	p.Helper()
	p.dial()
	for _, f := range change {
		f(&p.hello)
	}
	p.send(relay.KindHello, p.hello)
	p.expect(relay.KindWelcome, nil)
	p.edge.Errors() // open calls are sent again after the welcome
	return p
}

func (c *cloud) console() *peer {
	c.Helper()
	t, err := c.Mint(c.ctx, user, "ses_1", machine.TicketAsk{Role: "console"})
	c.must(err)
	conn, err := c.edge.Dial(c.ctx, t.URL)
	c.must(err)
	return &peer{cloud: c, conn: conn, parts: relay.NewAssembler(c.clock.Now)}
}

func (p *peer) send(kind string, body any) string {
	p.Helper()
	p.n++
	m, err := relay.New(fmt.Sprintf("%s-%d", p.conn.ID, p.n), kind, body)
	p.must(err)
	frames, err := relay.Split(m)
	p.must(err)
	for _, f := range frames {
		p.must(p.conn.Write(p.ctx, f))
	}
	return m.ID
}

// next reads one whole message.
func (p *peer) next() relay.Message {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	for {
		data, err := p.conn.Read(ctx)
		p.must(err)
		m, whole, err := p.parts.Add(data)
		p.must(err)
		if whole {
			return m
		}
	}
}

// expect reads one message of a kind into body.
func (p *peer) expect(kind string, body any) {
	p.Helper()
	m := p.next()
	if m.Kind != kind {
		p.Fatalf("got %s %s, want %s", m.Kind, m.Body, kind)
	}
	if body != nil {
		p.must(m.Read(body))
	}
}

func (p *peer) refused(code int) {
	p.Helper()
	var r relay.Refused
	p.expect(relay.KindRefused, &r)
	if r.Code != code || r.Reason == "" {
		p.Fatalf("refused with %+v, want %d and a reason", r, code)
	}
	p.eventually("the refused socket is closed", func() bool { return !slices.Contains(p.edge.Open(), p.conn.ID) })
}

// quiet checks that nothing is waiting to be read once all handlers are done.
func (p *peer) quiet() {
	p.Helper()
	p.edge.Errors()
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	if data, err := p.conn.Read(ctx); err == nil {
		p.Fatalf("unexpected frame %s", data)
	}
}

func (c *cloud) eventually(what string, holds func() bool) {
	c.Helper()
	c.must(machinetest.Eventually(what, holds))
}

func (c *cloud) order(step int, pin string, cmd relay.Command) relay.Call {
	call := relay.Call{RunID: "run_1", Step: step, InstanceID: "ins_1", Fence: 7, Command: cmd}
	c.world.Order(user, pin, call)
	return call
}

func (c *cloud) call(step int, token string) {
	c.Helper()
	_, err := c.Call(c.ctx, machine.CallInput{RunID: "run_1", Step: step, Generation: 1, TaskToken: token})
	c.must(err)
}

func done(step int) relay.Outcome {
	return relay.Outcome{RunID: "run_1", Step: step, Fence: 7, Result: relay.Result{Status: relay.StatusOK}}
}

func (c *cloud) told(want ...machinetest.Told) {
	c.Helper()
	c.edge.Errors()
	got := c.world.Told()
	for i := range got {
		got[i].Text = ""
	}
	if !slices.Equal(got, want) {
		c.Fatalf("tasks were told %v, want %v", got, want)
	}
}
