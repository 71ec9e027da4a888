package codemode

import (
	"time"
)

// effects counts calls that have left and have no outcome yet.
func (e *execution) effects() (n int) {
	for _, c := range e.calls {
		if c.active && c.effect {
			n++
		}
	}
	return n
}

// idle reports whether nothing will happen inside this slice any more, except by time.
func (e *execution) idle() bool {
	return len(e.queue) == 0 && e.active == 0 && len(e.waiting) == 0 && len(e.unseen) == 0
}

func (e *execution) suspended() bool {
	for _, c := range e.calls {
		if !c.answered {
			return true
		}
	}
	return false
}

// nextTimer is when the earliest timer is due, or 0.
func (e *execution) nextTimer() (due int64) {
	for _, at := range e.timers {
		if due == 0 || at < due {
			due = at
		}
	}
	return due
}

// rest decides what an idle slice does: it ends, or waits for a timer, and then there is no outcome yet.
func (e *execution) rest() (*Outcome, error) {
	due := e.nextTimer()
	ended := e.last.Settled
	switch {
	case ended && due > 0:
		// The program has its result. What it left running goes on, and nobody needs the time between.
		e.clock = max(e.clock, due)
		e.fire()
		return nil, nil
	case ended && !e.suspended():
		out, err := e.end(e.last)
		return &out, err
	case due > 0 && time.Duration(due-e.Clock.Now().UnixMilli())*time.Millisecond <= patience:
		return nil, nil
	case due > 0 || e.suspended():
		if err := e.flush(e.ctx); err != nil {
			return nil, err
		}
		out := e.outcome(Suspended)
		if due > 0 {
			out.WakeAt = time.UnixMilli(due).UTC()
		}
		return &out, nil
	}
	out, err := e.end(Turn{Dropped: e.last.Dropped, Failure: failf(FailStalled, "nothing left to run: the program waits for a promise that nothing will settle")})
	return &out, err
}

// fire lets the earliest timer that is due go off.
func (e *execution) fire() {
	e.tick()
	first, at := 0, int64(0)
	for id, due := range e.timers {
		if due <= e.clock && (first == 0 || due < at || due == at && id < first) {
			first, at = id, due
		}
	}
	if first == 0 {
		return
	}
	delete(e.timers, first)
	e.add(Entry{Kind: EntryTimer, Timer: first})
	e.queue = append(e.queue, Event{Kind: eventTimer, At: e.clock, Timer: first})
}

// close ends a slice that takes on nothing new: its time is up, or its program failed.
func (e *execution) close() (Outcome, error) {
	if e.last.Failure != nil {
		return e.end(e.last)
	}
	if err := e.flush(e.ctx); err != nil {
		return Outcome{}, err
	}
	return e.outcome(SliceOver), nil
}
