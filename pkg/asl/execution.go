package asl

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// execution drives one progress: its goroutine alone touches p after launch.
type execution struct {
	e  *Engine
	id string
	p  progress

	ready  chan struct{}   // closed when the start is durable or failed
	failed error           // set before ready is closed
	ended  chan struct{}   // closed when the end is durable
	gone   chan struct{}   // closed when the goroutine has stopped
	told   bool            // the begin was announced
	begun  <-chan struct{} // closed when that is done

	messages chan message
	acks     []chan error // answered by the next flush

	held     [sha256.Size]byte // hash of the token that leads here
	holding  bool
	calling  int64 // event id of the call that runs, 0 none
	results  chan returned
	timer    <-chan time.Time
	timerFor time.Time
}

// message is something from outside: told about a token, or a stop.
type message struct {
	token  string // empty: stop
	beat   bool
	result any
	fail   *Failure
	answer chan error
}

type returned struct {
	scheduled int64
	result    any
	fail      *Failure
	unknown   bool // the host stops: nothing is known about the call
}

func (e *Engine) open(id string, def *Definition, s Start) *execution {
	return &execution{e: e, id: id, ready: make(chan struct{}), ended: make(chan struct{}), gone: make(chan struct{}),
		messages: make(chan message), results: make(chan returned, 1),
		p: progress{id: id, def: def, start: s, maxPayload: e.o.MaxPayload, maxEvents: e.o.MaxEvents, rand: e.o.Rand,
			quiet: e.o.StatusChanged == nil}}
}

// run advances, makes durable, acts, waits; until the execution is over or the engine closes.
func (x *execution) run() {
	defer close(x.gone)
	if !x.told {
		x.announce(Running)
	}
	for {
		n := x.p.advance(x.e.o.Clock.Now())
		if x.p.head.Scheduled != x.calling {
			x.calling = 0 // the attempt is over; its function, as a Lambda, is left to end by itself
		}
		x.hold()
		if !x.flush() {
			return
		}
		switch {
		case n.over:
			x.finish()
			return
		case n.more:
			x.poll()
			continue
		case n.call && x.calling == 0:
			if x.e.isClosing() {
				return
			}
			x.call()
		}
		if !x.wait(n) {
			return
		}
	}
}

func (e *Engine) isClosing() bool {
	select {
	case <-e.closing:
		return true
	default:
		return false
	}
}

// flush makes progress durable, then answers those who caused it. While the journal refuses it is tried again; nothing
// goes on without it.
func (x *execution) flush() bool {
	if x.p.dirty || len(x.p.events) > 0 {
		b := x.p.take()
		for {
			err := x.e.o.Journal.Append(context.Background(), b)
			if err == nil {
				break
			}
			x.e.o.Log.Error("journal refuses an append", "execution", x.id, "error", err)
			select {
			case <-x.e.o.Clock.After(time.Second):
			case <-x.e.closing:
				return false
			}
		}
	}
	for _, a := range x.acks {
		a <- nil
	}
	x.acks = nil
	return true
}

// wait blocks until something happens; false when the engine closes.
func (x *execution) wait(n need) bool {
	timer, due := x.alarm(n.until)
	if due {
		return true
	}
	closing := x.e.closing
	if x.calling != 0 {
		closing = x.e.killed // a function that runs may still tell its result
	}
	select {
	case m := <-x.messages:
		x.receive(m)
	case r := <-x.results:
		return x.returned(r)
	case <-timer:
		x.timerFor = time.Time{}
	case <-closing:
		return false
	}
	return true
}

// alarm returns a timer for the moment, the one that runs already if it is the same; due if it has passed.
func (x *execution) alarm(at time.Time) (timer <-chan time.Time, due bool) {
	if at.IsZero() {
		return nil, false
	}
	now := x.e.o.Clock.Now()
	if !now.Before(at) {
		return nil, true
	}
	if !x.timerFor.Equal(at) {
		x.timer, x.timerFor = x.e.o.Clock.After(at.Sub(now)), at
		if later := x.e.o.Clock.Now(); later.Sub(now) >= time.Millisecond { // the clock jumped in between
			x.timerFor = time.Time{}
			return x.alarm(at)
		}
	}
	return x.timer, false
}

// poll takes what is there without waiting.
func (x *execution) poll() {
	select {
	case m := <-x.messages:
		x.receive(m)
	default:
	}
}

func (x *execution) receive(m message) {
	now := x.e.o.Clock.Now()
	switch {
	case m.token == "":
		x.p.fail(now, Aborted, m.fail)
	case x.p.head.Token != m.token:
		m.answer <- tokenGone()
		return
	case x.p.late(now): // its time was up before it came
		m.answer <- tokenGone()
		return
	case m.beat:
		x.p.beat(now)
		m.answer <- nil
		return
	default:
		x.p.told(now, m.result, m.fail)
	}
	x.acks = append(x.acks, m.answer)
}

func (x *execution) returned(r returned) bool {
	if r.scheduled != x.calling {
		return true
	}
	if r.unknown {
		return false
	}
	now := x.e.o.Clock.Now()
	if x.p.head.Phase == phaseCall && !x.p.late(now) {
		x.p.returned(now, r.result, r.fail)
		if x.p.head.Phase == phaseToken {
			x.calling = 0
		}
	}
	return true
}

// hold keeps the token's way to this execution.
func (x *execution) hold() {
	var want [sha256.Size]byte
	if x.p.head.Token != "" {
		want = sha256.Sum256([]byte(x.p.head.Token))
	}
	if want == x.held {
		return
	}
	x.e.mu.Lock()
	defer x.e.mu.Unlock()
	if x.holding {
		delete(x.e.tokens, x.held)
	}
	if x.holding = x.p.head.Token != ""; x.holding {
		x.e.tokens[want] = x
	}
	x.held = want
}

// finish is reached once the end is durable.
func (x *execution) finish() {
	close(x.ended)
	if x.p.head.Settled {
		x.drop()
		return
	}
	x.announce(x.p.head.Status)
}

func (x *execution) drop() {
	x.e.mu.Lock()
	defer x.e.mu.Unlock()
	delete(x.e.live, x.id)
}

func tokenGone() error {
	return pags.Errorf(pags.Gone, "the task token was used, has timed out or never was")
}
