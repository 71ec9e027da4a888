package asl

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// Retain is how long AWS keeps a finished execution.
const Retain = 90 * 24 * time.Hour

// drain is how long Close lets running functions finish; a host has 2 s to stop.
const drain = 1500 * time.Millisecond

// Options of an engine. Journal, Clock and Functions are required.
type Options struct {
	Journal     Journal
	Clock       port.Clock
	Functions   port.Functions
	Definitions map[string]*Definition // by logical name

	// StatusChanged is told when an execution began (best effort) and when it is over (until it answers nil; again after a
	// restart). The event has the shape of EventBridge's "Step Functions Execution Status Change".
	StatusChanged func(ctx context.Context, event json.RawMessage) error

	MaxPayload int            // 0: 262,144 bytes
	MaxEvents  int64          // 0: 25,000
	Retain     time.Duration  // 0: 90 days
	Rand       func() float64 // 0 ≤ x < 1; nil: random
	Log        *slog.Logger   // nil: none
}

// Engine runs executions. Every unfinished one lives in memory with a goroutine of its own; the journal is read only to
// resume, to describe what is over, and for histories.
type Engine struct {
	o Options

	mu      sync.Mutex
	resumed bool
	closed  bool
	live    map[string]*execution
	tokens  map[[sha256.Size]byte]*execution
	parsed  map[[sha256.Size]byte]*Definition // of executions that were started before this process

	closing chan struct{} // no new effects
	killed  chan struct{} // nothing waits for a function any more
	calls   context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // executions
	telling sync.WaitGroup // status changes and pruning
}

var _ port.Brains = (*Engine)(nil)

// New makes an engine. Call Resume before anything else.
func New(o Options) *Engine {
	if o.MaxPayload == 0 {
		o.MaxPayload = MaxPayload
	}
	if o.MaxEvents == 0 {
		o.MaxEvents = MaxEvents
	}
	if o.Retain == 0 {
		o.Retain = Retain
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{o: o, live: map[string]*execution{}, tokens: map[[sha256.Size]byte]*execution{},
		parsed: map[[sha256.Size]byte]*Definition{}, closing: make(chan struct{}), killed: make(chan struct{})}
	e.calls, e.cancel = context.WithCancel(context.Background())
	return e
}

// Resume continues every unfinished execution and begins to prune. It is called once.
func (e *Engine) Resume(ctx context.Context) error {
	ids, err := e.o.Journal.Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		start, head, err := e.o.Journal.Load(ctx, id)
		if err != nil {
			return err
		}
		def, err := e.definition(start.Definition)
		if err != nil {
			def = &Definition{}
		}
		x := e.open(id, def, start)
		x.p.head = head
		if now := e.o.Clock.Now(); err == nil {
			x.p.beat(now)
		} else if head.Phase != phaseOver { // an older version took it; it must not stand in the way of the others
			e.o.Log.Error("execution cannot be continued", "execution", id, "error", err)
			x.p.fail(now, Failed, &Failure{Error: ErrRuntime, Cause: "The definition cannot be run any more: " + outward(err)})
		}
		x.told = true
		close(x.ready)
		e.mu.Lock()
		e.live[id] = x
		e.mu.Unlock()
		x.hold()
	}
	e.mu.Lock()
	e.resumed = true
	for _, id := range ids {
		e.launch(e.live[id])
	}
	e.mu.Unlock()
	e.telling.Go(e.prune)
	return nil
}

func (e *Engine) definition(raw json.RawMessage) (*Definition, error) {
	sum := sha256.Sum256(raw)
	if d := e.parsed[sum]; d != nil {
		return d, nil
	}
	d, err := Parse(raw)
	if err == nil {
		e.parsed[sum] = d
	}
	return d, err
}

// launch runs an execution; the lock is held.
func (e *Engine) launch(x *execution) {
	if e.closed {
		close(x.gone)
		return
	}
	e.running.Go(x.run)
}

// prune removes old executions at once and then each hour.
func (e *Engine) prune() {
	for {
		if _, err := e.Prune(e.calls); err != nil {
			e.o.Log.Warn("prune executions", "error", err)
		}
		select {
		case <-e.o.Clock.After(time.Hour):
		case <-e.closing:
			return
		}
	}
}

// Prune removes executions that are over for longer than Options.Retain and tells how many.
func (e *Engine) Prune(ctx context.Context) (int, error) {
	return e.o.Journal.Prune(ctx, e.o.Clock.Now().Add(-e.o.Retain))
}

// Describe tells how an execution stands.
func (e *Engine) Describe(ctx context.Context, id string) (port.Execution, error) {
	start, head, err := e.o.Journal.Load(ctx, id)
	if err != nil {
		return port.Execution{}, err
	}
	return port.Execution{ID: id, Machine: start.Machine, Name: start.Name, Status: head.Status, Input: start.Input,
		Output: head.Output, Error: head.Error, Cause: head.Cause, StartedAt: start.At, StoppedAt: head.Stopped}, nil
}

// History lists what is durable of an execution's events.
func (e *Engine) History(ctx context.Context, id string) ([]Event, error) {
	return e.o.Journal.Events(ctx, id)
}

// Close stops the engine in less than two seconds. Executions pause where they are and go on after the next Resume; a
// function that still runs is given a moment, then cancelled and called again after the restart.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	e.mu.Unlock()
	close(e.closing)
	idle := make(chan struct{})
	go func() {
		e.running.Wait()
		e.telling.Wait()
		close(idle)
	}()
	grace, stop := context.WithTimeout(ctx, drain)
	defer stop()
	select {
	case <-idle:
	case <-grace.Done():
	}
	close(e.killed)
	e.cancel()
	e.running.Wait()
	return e.o.Journal.Close()
}
