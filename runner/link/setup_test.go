package link

import (
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/machineid"
	"github.com/proagentstore/pags/runner/outcome"
)

const user = pags.UserID("usr_1")

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// cloud is the real pkg/machine over an in-memory edge.
type cloud struct {
	*testing.T
	svc   *machine.Service
	world *machinetest.World
	edge  *machinetest.Edge
	clock port.Clock
	fake  *porttest.Clock // nil on the wall clock
}

func newCloud(t *testing.T, fake bool, blobsAt string) (*cloud, *files.Blobs) {
	t.Helper()
	c := &cloud{T: t, world: machinetest.NewWorld(), edge: machinetest.NewEdge(), clock: clock.Real{}}
	if fake {
		c.fake = porttest.NewClock(t0)
		c.clock = c.fake
	}
	dir := t.TempDir()
	table, err := bolt.Open(filepath.Join(dir, "pags.db"), bolt.Options{Clock: c.clock, NoSync: true})
	c.must(err)
	blobs, err := files.Open(files.Options{Dir: dir, BaseURL: blobsAt, Clock: c.clock})
	c.must(err)
	c.svc = c.world.Service(c.edge, table, blobs, c.clock)
	c.world.Owner["ins_1"], c.world.Owner["ins_2"] = pags.User{ID: user}, pags.User{ID: user}
	t.Cleanup(func() {
		for _, err := range c.edge.Errors() {
			t.Errorf("a handler failed: %v", err)
		}
		c.must(table.Close())
	})
	return c, blobs
}

func (c *cloud) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cloud) eventually(what string, holds func() bool) {
	c.Helper()
	c.must(machinetest.Eventually(what, holds))
}

// settle waits until nothing moves on the edge, a few looks in a row.
func (c *cloud) settle() {
	c.Helper()
	still := 0
	c.eventually("nothing moves", func() bool {
		if still++; !c.edge.Idle() {
			still = 0
		}
		return still >= 8
	})
}

func (c *cloud) call(step int, instance pags.InstanceID, pin string, cmd relay.Command) {
	c.Helper()
	c.world.Order(user, pin, relay.Call{RunID: "run_1", Step: step, InstanceID: instance, Fence: 7, Command: cmd})
	c.ring(step, fmt.Sprintf("token-%d", step))
}

func (c *cloud) ring(step int, token string) {
	c.Helper()
	_, err := c.svc.Call(c.Context(), machine.CallInput{RunID: "run_1", Step: step, Generation: 1, TaskToken: token})
	c.must(err)
}

// ended waits until the step has an outcome and its task was told once.
func (c *cloud) ended(step int, status string) relay.Result {
	c.Helper()
	var got relay.Result
	c.eventually(fmt.Sprintf("step %d ends %s", step, status), func() bool {
		o, _, err := c.svc.Outcome(context.Background(), "run_1", step)
		c.must(err)
		if o == nil {
			return false
		}
		got = o.Result
		return true
	})
	if got.Status != status {
		c.Fatalf("step %d ended %+v, want %s", step, got, status)
	}
	c.eventually("the task is told", func() bool {
		n := 0
		for _, t := range c.world.Told() {
			if t.Token == fmt.Sprintf("token-%d", step) && t.What == "success" {
				n++
			}
		}
		return n == 1
	})
	return got
}

// hand counts what it does and can be held.
type hand struct {
	mu     sync.Mutex
	did    map[string]int
	order  []string
	hold   chan struct{} // nil: at once
	deaf   bool          // ignores its context while held
	begun  chan string
	result func(context.Context, relay.Call, Uploader) relay.Result
}

func newHand() *hand { return &hand{did: map[string]int{}, begun: make(chan string, 100)} }

func (h *hand) Do(ctx context.Context, c relay.Call, up Uploader) relay.Result {
	h.mu.Lock()
	key := relay.CallKey(c.RunID, c.Step)
	h.did[key]++
	h.order = append(h.order, key)
	hold, deaf, result := h.hold, h.deaf, h.result
	h.mu.Unlock()
	h.begun <- key
	if deaf {
		<-hold
	} else if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return relay.Result{Status: relay.StatusCancelled, Feedback: context.Cause(ctx).Error()}
		}
	}
	if result != nil {
		return result(ctx, c, up)
	}
	return relay.Result{Status: relay.StatusOK}
}

func (h *hand) times(key string) int { h.mu.Lock(); defer h.mu.Unlock(); return h.did[key] }

// runner is one pags up.
type runner struct {
	*cloud
	id     *machineid.Identity
	mac    pags.Machine
	store  *outcome.Store
	path   string
	hand   *hand
	mu     sync.Mutex
	states []State
	stop   func() error
}

func (c *cloud) runner() *runner {
	c.Helper()
	dir := c.TempDir()
	id, err := machineid.Load(dir)
	c.must(err)
	mac, err := c.svc.Register(c.Context(), user, machine.Registration{PublicKey: id.PublicKey(), Node: id.Node, Version: "1", Capabilities: []string{"browser"}})
	c.must(err)
	return &runner{cloud: c, id: id, mac: mac, path: filepath.Join(dir, "outcomes.db"), hand: newHand()}
}

// Ticket mints as the CLI does.
func (r *runner) Ticket(ctx context.Context) (Ticket, error) {
	t, err := r.svc.Mint(ctx, user, "ses_1", machine.TicketAsk{Role: "runner", MachineID: r.mac.ID, Node: r.id.Node})
	return Ticket{t.URL, t.Nonce}, err
}

func (r *runner) up(change ...func(*Config)) *runner {
	r.Helper()
	var err error
	r.store, err = outcome.Open(r.path, r.clock)
	r.must(err)
	cfg := Config{Tickets: r, MachineID: r.mac.ID, Node: r.id.Node, Sign: r.id.Sign, Version: "1", Capabilities: []string{"browser"},
		Hand: r.hand, Store: r.store, Clock: r.clock, Rand: func() float64 { return 0 },
		Dial: func(ctx context.Context, url string) (Conn, error) { return r.edge.Dial(ctx, url) },
		OnState: func(s State) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.states = append(r.states, s)
		}}
	for _, f := range change {
		f(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- New(cfg).Run(ctx) }()
	var once sync.Once
	var ended error
	r.stop = func() error {
		once.Do(func() {
			cancel()
			select {
			case ended = <-done:
			case <-time.After(10 * time.Second):
				ended = fmt.Errorf("the link did not stop")
			}
			if err := r.store.Close(); err != nil {
				r.Error(err)
			}
		})
		return ended
	}
	stop := r.stop
	r.Cleanup(func() {
		if err := stop(); err != nil && !pags.Is(err, pags.Unauthenticated) {
			r.Error(err)
		}
	})
	return r
}

func (r *runner) live() *runner {
	r.Helper()
	r.eventually("the link is live", func() bool { return r.state() == Live })
	r.settle()
	return r
}

func (r *runner) state() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.states) == 0 {
		return ""
	}
	return r.states[len(r.states)-1].Kind
}

// another is a second process on the same machine, with its own folder for outcomes.
func (r *runner) another() *runner {
	return &runner{cloud: r.cloud, id: r.id, mac: r.mac, path: filepath.Join(r.TempDir(), "outcomes.db"), hand: newHand()}
}

func encoded(sum [32]byte) string { return base64.StdEncoding.EncodeToString(sum[:]) }
