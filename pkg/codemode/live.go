package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// Entries that may be lost, because what they tell can be found out again, wait this long for company; outcomes of effects
// only as long as the program usually needs to make its next call, so that both are one write.
const (
	lazyFlush   = 50 * time.Millisecond
	urgentFlush = 5 * time.Millisecond
)

// news is what a goroutine of a call has to tell.
type news struct {
	c         *call
	admission *Admission // it was asked whether it may go
	answer    Answer
	err       error
	phase     string // admit, send
}

// stepped is the end of a step that ran beside the loop.
type stepped struct {
	turn Turn
	err  error
}

// live goes on where the journal ends. One loop owns everything: the program computes, calls are asked and sent, and the
// journal is written beside it, but what happens is decided here, one thing after the other.
func (e *execution) live(over <-chan time.Time) (Outcome, error) {
	reads, stopReads := context.WithCancel(e.ctx)
	defer stopReads()
	poke, cancel := e.Poke, e.Cancel
	stopped := false
	var grace, due <-chan time.Time
	var dueAt int64
	var step chan stepped
	stepping, stopStep := context.WithCancel(e.ctx)
	defer func() {
		stopStep()
		if step != nil {
			<-step
		}
	}()
	closing := false // no new work: the slice is over, or the program has ended and effects in flight are awaited

	e.ask()
	for {
		select {
		case <-cancel:
			cancel, stopped = nil, true
			e.last = Turn{Dropped: e.last.Dropped, Failure: cancelled()}
			closing, grace = true, e.Clock.After(min(e.Grace, cancelGrace))
			stopStep()
			stopReads()
		default:
		}
		if step == nil {
			e.journalCalls(closing)
		}
		if step == nil && !closing && e.last.Failure == nil && len(e.queue) > 0 {
			event := e.queue[0]
			e.queue = e.queue[1:]
			step = make(chan stepped, 1)
			done := step
			go func() {
				t, err := e.session.Step(stepping, event)
				done <- stepped{t, err}
			}()
		}
		if e.last.Failure != nil && !closing {
			closing, grace = true, e.Clock.After(e.Grace)
			stopReads()
		}
		if !closing {
			e.launch(reads)
		} else if e.effects() == 0 && step == nil {
			return e.close()
		}
		if step == nil && !closing && e.idle() {
			if out, err := e.rest(); out != nil || err != nil {
				return deref(out), err
			}
			if len(e.queue) > 0 {
				continue
			}
		}
		// Not while the program computes: it may be about to clear the very timer.
		if at := e.nextTimer(); at == 0 || step != nil || closing {
			due, dueAt = nil, 0
		} else if at != dueAt {
			dueAt, due = at, e.Clock.After(time.Duration(at-e.Clock.Now().UnixMilli())*time.Millisecond)
		}
		e.plan()

		select {
		case <-e.ctx.Done():
			return Outcome{}, e.ctx.Err()
		case s := <-step:
			step = nil
			if stopped {
				continue // whatever it computed, it is over
			}
			if s.err != nil {
				if closing && e.ctx.Err() == nil {
					continue
				}
				return Outcome{}, fmt.Errorf("run the program of %s: %w", e.Run, s.err)
			}
			e.absorb(s.turn)
		case n := <-e.news:
			if err := e.hear(n, closing); err != nil {
				return Outcome{}, err
			}
		case <-e.flushAt:
			if err := e.flush(e.ctx); err != nil {
				return Outcome{}, err
			}
		case <-due:
			due, dueAt = nil, 0
			e.fire()
		case _, open := <-poke:
			if !open {
				poke = nil
				continue
			}
			e.ask()
		case <-over:
			closing, grace = true, e.Clock.After(e.Grace)
			stopStep() // it will be done again
			stopReads()
		case <-grace:
			return e.close()
		case <-cancel:
			continue // see above
		}
	}
}

func deref(o *Outcome) Outcome {
	if o == nil {
		return Outcome{}
	}
	return *o
}

// journalCalls gives calls that the program just made their entries.
func (e *execution) journalCalls(closing bool) {
	for _, m := range e.unseen {
		if closing && e.last.Failure == nil {
			return // the next slice makes them again
		}
		c := e.newCall(m)
		e.calls = append(e.calls, c)
		e.add(Entry{Kind: EntryCall, Seq: m.Seq, Path: m.Path, Args: m.Args})
		if !closing && e.last.Failure == nil {
			e.waiting = append(e.waiting, c)
		}
	}
	e.unseen = nil
}

// ask has every call that waits for something outside asked again.
func (e *execution) ask() {
	for _, c := range e.calls {
		if !c.answered && !c.active && !slices.Contains(e.waiting, c) {
			e.waiting = append(e.waiting, c)
		}
	}
}

// launch asks for calls that have room to go.
func (e *execution) launch(reads context.Context) {
	for len(e.waiting) > 0 && e.active < e.Limits.Parallel {
		c := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.active++
		c.active = true
		c.release = make(chan bool, 1)
		e.wg.Add(1)
		go func(asked Call) {
			defer e.wg.Done()
			e.make(reads, c, asked)
		}(c.Call)
	}
}

// make is the way of one call, in its own goroutine.
func (e *execution) make(reads context.Context, c *call, asked Call) {
	say := func(n news) {
		n.c = c
		select {
		case e.news <- n:
		case <-e.ctx.Done():
		}
	}
	a, err := e.Tools.Admit(reads, asked)
	if err != nil || a.Answer != nil || a.Pause != nil {
		say(news{phase: "admit", admission: &a, err: err})
		return
	}
	ctx := reads
	if !a.ReadOnly {
		ctx = e.ctx // once it left it is awaited as long as it can be
		say(news{phase: "admit", admission: &a})
		select {
		case ok := <-c.release:
			if !ok {
				return
			}
		case <-e.ctx.Done():
			return
		}
		asked.Sent = true
	}
	answer, err := e.Tools.Send(ctx, asked)
	say(news{phase: "send", admission: &a, answer: answer, err: err})
}

// hear takes news, and everything else that is there already, so that many effects leave after one write.
func (e *execution) hear(n news, closing bool) error {
	var leaving []*call
	for more := true; more; {
		leave, err := e.heard(n, closing)
		if err != nil {
			return err
		}
		if leave {
			leaving = append(leaving, n.c)
		}
		select {
		case n = <-e.news:
		default:
			more = false
		}
	}
	if len(leaving) == 0 {
		return nil
	}
	if err := e.flush(e.ctx); err != nil {
		return err
	}
	for _, c := range leaving {
		c.release <- true
	}
	return nil
}

// heard reports whether the call may leave once all so far is durable.
func (e *execution) heard(n news, closing bool) (leave bool, err error) {
	c := n.c
	if n.phase == "admit" && n.err == nil && n.admission.Answer == nil && n.admission.Pause == nil {
		if closing || !e.mayLeave(c, n.admission) {
			c.release <- false
			e.rested(c)
			return false, nil
		}
		c.effect = true
		return true, nil
	}
	e.rested(c)
	switch {
	case n.err != nil && (closing || e.ctx.Err() != nil):
		return false, nil // as if it had not been asked, or a crash had come; the next slice knows what to do
	case n.err != nil && n.phase == "admit":
		return false, fmt.Errorf("ask for %s: %w", c.Path, n.err)
	case n.err != nil && n.admission.ReadOnly:
		e.answer(c, Answer{Thrown: &Thrown{Name: "ToolError", Code: string(pags.CodeOf(n.err)), Message: c.Path + ": " + safe(n.err)}}, false)
	case n.err != nil:
		e.pause(c, *unknown(safe(n.err)))
	case n.phase == "admit" && n.admission.Answer != nil:
		e.answer(c, *n.admission.Answer, false)
	case n.phase == "admit":
		e.pause(c, *n.admission.Pause)
	default:
		e.answer(c, n.answer, !n.admission.ReadOnly)
	}
	return false, nil
}

func (e *execution) rested(c *call) {
	c.active, c.effect = false, false
	e.active--
}

// safe is the text of an error that a program may see.
func safe(err error) string {
	var p *pags.Error
	if errors.As(err, &p) {
		return p.Message
	}
	return "the call failed for a reason on our side"
}

// mayLeave notes that an effect is about to leave; or, if it may have left before and nobody knows what became of it, that a
// person has to look.
func (e *execution) mayLeave(c *call, a *Admission) bool {
	if c.Sent && c.Pause == nil && !a.Keyed {
		e.pause(c, *unknown("it was on its way when the work was interrupted"))
		return false
	}
	if !c.Sent || c.Pause != nil { // of a pause after it left a person said: again. Each time that it leaves is noted
		e.record(c, Entry{Kind: EntrySent, Seq: c.Seq})
	}
	return true
}

func (e *execution) record(c *call, entry Entry) {
	e.tick()
	e.add(entry)
	c.take(entry)
}

func (e *execution) pause(c *call, p Pause) {
	if c.Pause == nil || *c.Pause != p {
		e.record(c, Entry{Kind: EntryPause, Seq: c.Seq, Pause: &p})
	}
}

// answer notes an outcome and lets the program know when its turn comes.
func (e *execution) answer(c *call, a Answer, effect bool) {
	switch {
	case a.Pause != nil:
		e.pause(c, *a.Pause)
		return
	case a.Unknown != "":
		e.pause(c, *unknown(a.Unknown))
		return
	case len(a.Value) > 0 && !json.Valid(a.Value):
		a = Answer{Thrown: &Thrown{Name: "ToolError", Code: string(pags.Internal), Message: c.Path + " gave something that is not JSON"}}
	}
	e.record(c, Entry{Kind: EntryAnswer, Seq: c.Seq, Value: a.Value, Thrown: a.Thrown})
	e.urgent = e.urgent || effect
	e.queue = append(e.queue, Event{Kind: eventAnswer, At: e.clock, Seq: c.Seq, Value: a.Value, Thrown: a.Thrown})
}

// plan says when what is not durable has waited long enough.
func (e *execution) plan() {
	if e.durable == len(e.entries) {
		e.flushAt = nil
	} else if e.urgent && !e.hurried {
		e.flushAt, e.hurried = e.Clock.After(urgentFlush), true
	} else if e.flushAt == nil {
		e.flushAt = e.Clock.After(lazyFlush)
	}
}
