package asl

import (
	"encoding/json"
	"fmt"
	"time"
)

// Limits of an execution on AWS (spec limits C.4). Tests lower them.
const (
	MaxPayload = 262_144 // bytes of JSON
	MaxEvents  = 25_000
)

// progress is one execution, advanced purely: it is told the time and what happened, it records events and says what it
// waits for. It never blocks and has no effect of its own; whoever drives it makes take's batch durable before acting.
type progress struct {
	id    string
	def   *Definition
	start Start
	head  Head

	maxPayload int
	maxEvents  int64
	rand       func() float64
	quiet      bool // nobody has to be told about the end

	input  any        // decoded head.Input
	beatAt time.Time  // the heartbeat is missed at this time; not durable: a restart grants a fresh interval
	ready  *callInput // what head.Call says, already read
	events []Event    // since the last take
	dirty  bool
	full   bool // the history is at its limit
}

// need is what an execution waits for.
type need struct {
	over  bool
	call  bool // the task must be called, unless it is already
	more  bool // nothing: it has done a lot without waiting and can go on at once
	until time.Time
}

// burst is how many transitions are made at most before events are made durable although nothing waits.
const burst = 200

// begin opens a new execution.
func (p *progress) begin() {
	p.head = Head{Phase: phaseEnter, State: p.def.startAt, Input: p.start.Input, Status: Running}
	p.emit(p.start.At, Event{Type: EventStarted, Input: p.start.Input})
}

// take hands out what is not durable yet.
func (p *progress) take() Batch {
	b := Batch{Execution: p.id, Events: p.events, Head: p.head}
	b.Head.Retries = append([]int64(nil), p.head.Retries...)
	p.events, p.dirty = nil, false
	return b
}

// emit records an event and returns its id. The last free place of a history is for the event that ends the execution.
func (p *progress) emit(now time.Time, e Event) int64 {
	if p.head.LastEvent+1 >= p.maxEvents && p.head.Phase != phaseOver {
		p.full = true
		return p.head.LastEvent
	}
	e.Previous = p.head.LastEvent
	p.head.LastEvent++
	e.ID, e.At = p.head.LastEvent, now.UTC().Truncate(time.Millisecond)
	p.events, p.dirty = append(p.events, e), true
	return e.ID
}

// advance goes on until the execution has to wait for something.
func (p *progress) advance(now time.Time) need {
	for range burst {
		if p.full && p.head.Phase != phaseOver {
			p.fail(now, Failed, &Failure{Error: ErrRuntime, Cause: fmt.Sprintf(
				"The execution reached the maximum number of history events (%d).", p.maxEvents)})
		}
		limit := p.limit()
		if p.head.Phase != phaseOver && !limit.IsZero() && !now.Before(limit) {
			p.fail(now, TimedOut, &Failure{Error: ErrTimeout})
		}
		if n, waits := p.step(now, limit); waits {
			return n
		}
	}
	return need{more: true}
}

// limit is when the whole execution times out.
func (p *progress) limit() time.Time {
	if p.def.timeout == 0 {
		return time.Time{}
	}
	return p.start.At.Add(time.Duration(p.def.timeout) * time.Second)
}

func (p *progress) step(now, limit time.Time) (need, bool) {
	switch p.head.Phase {
	case phaseEnter:
		p.enter(now)
	case phaseSchedule:
		p.schedule(now)
	case phaseWait, phaseRetry:
		if now.Before(p.head.Wake) {
			return need{until: earliest(p.head.Wake, limit)}, true
		}
		if p.head.Phase == phaseWait {
			in, fail := p.effective()
			p.exitFiltered(now, in, fail)
		} else {
			p.schedule(now)
		}
	case phaseCall, phaseToken:
		if !p.late(now) {
			return need{call: p.head.Phase == phaseCall, until: earliest(p.head.Deadline, p.beatAt, limit)}, true
		}
	default:
		return need{over: true}, true
	}
	return need{}, false
}

func earliest(times ...time.Time) time.Time {
	var first time.Time
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

func (p *progress) state() *state { return p.def.states[p.head.State] }

// value is the state's input, decoded at most once.
func (p *progress) value() any {
	if p.input == nil {
		p.input, _ = decode(p.head.Input) // it was ours or was checked when it came in
	}
	return p.input
}

// exit leaves the state with its output.
func (p *progress) exit(now time.Time, next string, out any) {
	raw := encode(out)
	if len(raw) > p.maxPayload {
		p.handle(now, tooLarge(p.head.State))
		return
	}
	p.leave(now, next, out, raw)
}

func (p *progress) leave(now time.Time, next string, out any, raw json.RawMessage) {
	p.emit(now, Event{Type: p.state().kind + eventExited, Name: p.head.State, Output: raw})
	p.head.Input, p.input = raw, out
	p.head.Retries, p.head.Attempt, p.head.Wake = nil, 0, time.Time{}
	p.dirty = true
	if next == "" {
		p.succeed(now)
		return
	}
	p.head.Phase, p.head.State = phaseEnter, next
}

func (p *progress) succeed(now time.Time) {
	if p.full {
		return // advance ends it
	}
	out := p.head.Input
	p.over(now, Succeeded)
	p.head.Output = out
	p.emit(now, Event{Type: EventSucceeded, Output: out})
}

// fail ends the execution without success.
func (p *progress) fail(now time.Time, status string, f *Failure) {
	p.over(now, status)
	p.head.Error, p.head.Cause = f.Error, f.Cause
	p.emit(now, Event{Type: map[string]string{Failed: EventFailed, TimedOut: EventTimedOut, Aborted: EventAborted}[status],
		Error: f.Error, Cause: f.Cause})
}

func (p *progress) over(now time.Time, status string) {
	p.closeTask()
	p.head.Phase, p.head.Status, p.head.Stopped, p.dirty = phaseOver, status, now.UTC(), true
	p.head.Input, p.input, p.head.Retries, p.head.Wake, p.head.Settled = nil, nil, nil, time.Time{}, p.quiet
}
