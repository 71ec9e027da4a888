package codemode

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Slice is one stretch of an execution, from its journal as far as it gets.
type Slice struct {
	Run     pags.RunID
	Code    string // the same in each slice
	Limits  Limits // the same in each slice
	Sandbox Sandbox
	Journal Journal
	Tools   Dispatcher
	Clock   port.Clock
	// For is how long the slice may last; 10 min, below the 15 of a Lambda. What leaves shortly before has Grace to be noted.
	For   time.Duration
	Grace time.Duration // 2 min: longer than any call may take
	// Told gets each entry once it is durable; a caller shows progress with it. It must not block.
	Told func(Entry)
	// Poke, if there is one, has a slice that still runs ask again for calls that wait, such as when an answer has come.
	Poke <-chan struct{}
	// Cancel, if there is one, ends the execution when it is closed: nothing new leaves, and effects in flight are awaited for
	// at most 10 s (architecture: what a cancel waits for).
	Cancel <-chan struct{}
}

// cancelGrace bounds how long a cancelled execution waits for effects that have left.
const cancelGrace = 10 * time.Second

// Status says how a slice ended.
type Status string

const (
	Completed Status = "completed" // the program ended; Value is its result
	Failed    Status = "failed"    // the program ended; Failure says how
	Suspended Status = "suspended" // it waits for what Pending and WakeAt say; run the next slice when one of them is there
	SliceOver Status = "sliceOver" // its time was up; run the next slice at once
)

// Outcome of a slice. Completed and Failed are final: running again gives them again.
type Outcome struct {
	Status  Status
	Value   json.RawMessage // empty: no value
	Failure *Failure
	Pending []Pending // calls that wait. When the execution has ended: those that it no longer waits for
	WakeAt  time.Time // when a timer is due; zero if none is waited for
	Lines   []Line    // the console output of the whole execution
	Calls   int       // calls made so far
}

// Pending is a call that waits for something outside.
type Pending struct {
	Call
	Pause Pause
}

// patience is how long a slice waits for a timer when it has nothing else to do. Longer timers let go of the sandbox.
const patience = 30 * time.Second

// Run does one slice. Two slices of one execution at once do no harm: the journal lets one of them write. An error means that
// the slice could not go on for a reason of the house; run it again.
func Run(ctx context.Context, s Slice) (Outcome, error) {
	if s.For <= 0 {
		s.For = 10 * time.Minute
	}
	if s.Grace <= 0 {
		s.Grace = 2 * time.Minute
	}
	s.Limits = s.Limits.WithDefaults()
	out, err := run(ctx, s)
	if errors.Is(err, ErrLost) && ctx.Err() == nil {
		out, err = run(ctx, s)
	}
	if errors.Is(err, ErrLost) && ctx.Err() == nil {
		return lost(ctx, s)
	}
	return out, err
}

// lost ends an execution that twice took its sandbox with it.
func lost(ctx context.Context, s Slice) (Outcome, error) {
	entries, err := s.Journal.Load(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("load the journal of %s: %w", s.Run, err)
	}
	e := newExecution(s, entries)
	if _, err := e.begin(); err != nil {
		return Outcome{}, err
	}
	e.ctx = ctx
	e.recall()
	return e.end(Turn{Failure: failf(FailMemory, "memory limit: the program broke its sandbox twice, most likely with too much memory")})
}

func run(ctx context.Context, s Slice) (Outcome, error) {
	entries, err := s.Journal.Load(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("load the journal of %s: %w", s.Run, err)
	}
	e := newExecution(s, entries)
	if n := len(entries); n > 0 && entries[n-1].Kind == EntryEnd {
		return e.ended(), nil
	}
	seed, err := e.begin()
	if err != nil {
		return Outcome{}, err
	}
	ctx, leave := context.WithCancel(ctx)
	var calls sync.WaitGroup
	defer func() { leave(); calls.Wait() }()
	e.ctx, e.wg = ctx, &calls

	e.session, err = s.Sandbox.Open(ctx, Program{Code: s.Code, Limits: s.Limits, Seed: seed, At: e.clock, Line: e.said})
	var fail *Failure
	if errors.As(err, &fail) {
		return e.end(Turn{Failure: fail})
	} else if err != nil {
		return Outcome{}, fmt.Errorf("open a sandbox: %w", err)
	}
	defer e.session.Close()
	over := e.Clock.After(e.For)
	if fail, err := e.within(over, e.replay); err != nil {
		return Outcome{}, err
	} else if fail != nil {
		return e.end(Turn{Failure: fail})
	}
	return e.live(over)
}

// within does the replay, which must not take all of the slice: the next one would not come further.
func (e *execution) within(over <-chan time.Time, replay func(context.Context) (*Failure, error)) (*Failure, error) {
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	type result struct {
		fail *Failure
		err  error
	}
	done := make(chan result, 1)
	go func() {
		fail, err := replay(ctx)
		done <- result{fail, err}
	}()
	select {
	case r := <-done:
		return r.fail, r.err
	case <-over:
		stop()
		<-done
		return e.nowhere(), nil
	case <-e.Cancel:
		stop()
		<-done
		e.unseen, e.lines = nil, nil
		return cancelled(), nil
	}
}

func cancelled() *Failure { return failf(FailCancelled, "cancelled: its owner wanted it to end") }

// nowhere is the failure of a program that would compute all of each slice without making a step.
func (e *execution) nowhere() *Failure {
	e.unseen, e.lines = nil, nil
	return failf(FailTime, "time limit: the program computed for all of a slice (%s) and came no further than before", e.For)
}

// execution is a slice at work. One goroutine owns it; calls run in others and tell it through news.
type execution struct {
	Slice
	ctx     context.Context
	wg      *sync.WaitGroup
	session Session

	entries []Entry // all of the journal, and behind durable what it does not hold yet
	loaded  int
	durable int
	urgent  bool // what is not durable holds the outcome of an effect
	hurried bool // and flushAt knows
	flushAt <-chan time.Time

	clock  int64 // the program's, Unix milliseconds
	calls  []*call
	unseen []Made // made, and not yet in the journal
	timers map[int]int64
	lines  []Line // of the turn at hand
	skip   int    // lines that the journal has already

	last    Turn // whether it ended, and how much output was dropped
	queue   []Event
	news    chan news
	waiting []*call // to be asked or sent when there is room
	active  int     // calls in other goroutines
}

// call is one call of the program and what became of it.
type call struct {
	Call
	answered bool
	active   bool
	effect   bool
	release  chan bool // to the goroutine that waits for the journal; false: do not send
}

func newExecution(s Slice, entries []Entry) *execution {
	return &execution{Slice: s, entries: entries, loaded: len(entries), durable: len(entries), timers: map[int]int64{},
		news: make(chan news), skip: len(Lines(entries))}
}

// begin gives the seed of the execution, fresh if this is its first slice.
func (e *execution) begin() (seed [32]byte, err error) {
	if len(e.entries) == 0 {
		_, _ = crand.Read(seed[:])
		e.clock = e.Clock.Now().UnixMilli()
		e.add(Entry{Kind: EntryStart, Code: digest(e.Code), Version: Version(), Seed: hex.EncodeToString(seed[:])})
		return seed, nil
	}
	first := e.entries[0]
	if first.Kind != EntryStart || first.Code != digest(e.Code) {
		return seed, pags.Errorf(pags.Conflict, "the journal of %s is that of another program", e.Run)
	}
	raw, err := hex.DecodeString(first.Seed)
	if err != nil || copy(seed[:], raw) != len(seed) {
		return seed, pags.Errorf(pags.Internal, "the journal of %s has no seed", e.Run)
	}
	e.clock = first.At
	return seed, nil
}

// said collects console lines of the turn at hand.
func (e *execution) said(l Line) { e.lines = append(e.lines, l) }

// add puts an entry into the journal in memory.
func (e *execution) add(entry Entry) {
	entry.At = e.clock
	e.entries = append(e.entries, entry)
}

// tick moves the program's clock to now, never back.
func (e *execution) tick() { e.clock = max(e.clock, e.Clock.Now().UnixMilli()) }

// absorb takes note of what a turn did.
func (e *execution) absorb(t Turn) {
	for _, l := range e.lines {
		if e.skip > 0 {
			e.skip--
			continue
		}
		e.add(Entry{Kind: EntryLine, Line: &l})
	}
	e.lines = nil
	for _, timer := range t.Timers {
		e.timers[timer.ID] = e.clock + int64(timer.Delay)
	}
	for _, id := range t.Cleared {
		delete(e.timers, id)
	}
	e.unseen = append(e.unseen, t.Calls...)
	t.Calls, t.Timers, t.Cleared = nil, nil, nil
	e.last = t
}

// flush makes everything so far durable.
func (e *execution) flush(ctx context.Context) error {
	fresh := e.entries[e.durable:]
	if len(fresh) == 0 {
		return nil
	}
	if err := e.Journal.Append(ctx, e.durable, fresh); err != nil {
		return fmt.Errorf("write the journal of %s: %w", e.Run, err)
	}
	e.durable, e.urgent, e.hurried, e.flushAt = len(e.entries), false, false, nil
	if e.Told != nil {
		for _, entry := range fresh {
			e.Told(entry)
		}
	}
	return nil
}

// end writes the last entry.
func (e *execution) end(t Turn) (Outcome, error) {
	e.absorb(t)
	if t.Dropped.Lines == Uncounted {
		e.add(Entry{Kind: EntryLine, Line: &Line{Level: "warn", Text: "… the output was cut here: more lines were dropped, nobody knows how many"}})
	} else if d := t.Dropped; d.Lines > 0 {
		e.add(Entry{Kind: EntryLine, Line: &Line{Level: "warn", Text: fmt.Sprintf("… the output was cut here: %d more lines with %d bytes were dropped", d.Lines, d.Bytes)}})
	}
	e.add(Entry{Kind: EntryEnd, Value: t.Value, Failure: t.Failure})
	if err := e.flush(e.ctx); err != nil {
		return Outcome{}, err
	}
	return e.ended(), nil
}

// ended reads the outcome from the last entry.
func (e *execution) ended() Outcome {
	if len(e.calls) == 0 {
		e.recall()
	}
	last := e.entries[len(e.entries)-1]
	o := e.outcome(Completed)
	o.Value, o.Failure = last.Value, last.Failure
	if o.Failure != nil {
		o.Status = Failed
	}
	return o
}

func (e *execution) outcome(s Status) Outcome {
	o := Outcome{Status: s, Lines: Lines(e.entries), Calls: len(e.calls)}
	for _, c := range e.calls {
		if !c.answered && c.Pause != nil {
			o.Pending = append(o.Pending, Pending{c.Call, *c.Pause})
		}
	}
	return o
}
