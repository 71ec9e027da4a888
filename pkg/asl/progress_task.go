package asl

import (
	"encoding/json"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// schedule makes the next attempt of a task: its parameters, its token, its limits. Calling it is the driver's part.
func (p *progress) schedule(now time.Time) {
	s := p.state()
	t := s.task
	if t.kind == taskToken {
		p.head.Token = pags.NewToken()
	}
	in, fail := p.effective()
	sc := p.scope(in)
	call := in
	if fail == nil && s.parameters != nil {
		call, fail = s.parameters.eval(sc)
	}
	var ready callInput
	if fail == nil {
		ready, fail = t.input(call)
	}
	timeout, beat := t.timeout, t.heartbeat
	if fail == nil && t.timeoutPath != nil {
		timeout, fail = seconds(sc, t.timeoutPath, "TimeoutSecondsPath", 1)
	}
	if fail == nil && t.heartbeatPath != nil {
		beat, fail = seconds(sc, t.heartbeatPath, "HeartbeatSecondsPath", 1)
	}
	raw := encode(call)
	if fail == nil && len(raw) > p.maxPayload {
		fail = tooLarge(s.name)
	}
	if fail != nil {
		p.handle(now, fail)
		return
	}
	e := t.event(eventScheduled)
	e.Timeout, e.Heartbeat = timeout, beat
	if t.kind == taskFunction {
		e.Resource, e.Input = t.resource, raw
	} else {
		e.Parameters = raw
	}
	p.head.Scheduled = p.emit(now, e)
	p.emit(now, t.event(eventBegun))
	p.head.Phase, p.head.Call, p.head.Wake, p.head.Heartbeat = phaseCall, raw, time.Time{}, beat
	p.ready = &ready
	p.head.Deadline = time.Time{}
	if timeout > 0 {
		p.head.Deadline = now.UTC().Add(time.Duration(timeout) * time.Second)
	}
	p.beat(now)
	p.dirty = true
}

// beat grants a full heartbeat interval.
func (p *progress) beat(now time.Time) {
	p.beatAt = time.Time{}
	if p.head.Heartbeat > 0 && (p.head.Phase == phaseCall || p.head.Phase == phaseToken) {
		p.beatAt = now.Add(time.Duration(p.head.Heartbeat) * time.Second)
	}
}

// late ends an attempt whose time is up.
func (p *progress) late(now time.Time) bool {
	f := &Failure{Error: ErrTimeout}
	switch {
	case !p.head.Deadline.IsZero() && !now.Before(p.head.Deadline):
	case !p.beatAt.IsZero() && !now.Before(p.beatAt):
		f.beat = true
	default:
		return false
	}
	e := p.state().task.event(eventLate)
	e.Error = f.Error
	p.emit(now, e)
	p.handle(now, f)
	return true
}

// returned says what the call of the scheduled attempt brought. A task that waits for a token is submitted by it; any
// other is done.
func (p *progress) returned(now time.Time, result any, fail *Failure) {
	t := p.state().task
	var raw json.RawMessage
	if fail == nil {
		raw = encode(result)
	}
	if len(raw) > p.maxPayload {
		what := t.resource
		if t.kind != taskFunction {
			what = t.service
		}
		fail = tooLarge(what)
	}
	switch {
	case fail != nil:
		p.broken(now, fail)
	case t.kind == taskToken:
		p.submitted(now, raw)
	default:
		p.done(now, result, raw)
	}
}

func (p *progress) submitted(now time.Time, result json.RawMessage) {
	e := p.state().task.event(eventSubmitted)
	e.Output = result
	p.emit(now, e)
	p.head.Phase, p.head.Call, p.dirty = phaseToken, nil, true
}

// told says what came with the task's token. A function may tell it before it returns: then it was submitted all the same.
func (p *progress) told(now time.Time, result any, fail *Failure) {
	if p.head.Phase == phaseCall {
		p.submitted(now, nil)
	}
	if fail != nil {
		p.broken(now, fail)
		return
	}
	p.done(now, result, encode(result))
}

func (p *progress) broken(now time.Time, fail *Failure) {
	e := p.state().task.event(eventBroken)
	e.Error, e.Cause = fail.Error, fail.Cause
	p.emit(now, e)
	p.handle(now, fail)
}

func (p *progress) done(now time.Time, result any, raw json.RawMessage) {
	s := p.state()
	e := s.task.event(eventDone)
	e.Output = raw
	p.emit(now, e)
	p.closeTask()
	if s.resultSelector != nil {
		v, fail := s.resultSelector.eval(p.scope(result))
		if fail != nil {
			p.handle(now, fail)
			return
		}
		result = v
	}
	p.exitResult(now, result)
}

func (p *progress) closeTask() {
	p.head.Call, p.head.Token, p.head.Deadline, p.head.Heartbeat, p.head.Scheduled = nil, "", time.Time{}, 0, 0
	p.beatAt, p.ready = time.Time{}, nil
}

// call is what the scheduled task is called with. After a restart it is read from what was made durable.
func (p *progress) call() (callInput, *Failure) {
	if p.ready != nil {
		return *p.ready, nil
	}
	v, err := decode(p.head.Call)
	if err != nil {
		return callInput{}, runtimeFailure(err.Error())
	}
	return p.state().task.input(v)
}

// handle decides what a failure of the state leads to: another attempt, a catcher, or the end of the execution.
func (p *progress) handle(now time.Time, f *Failure) {
	p.closeTask()
	if p.full {
		return
	}
	s := p.state()
	for i, r := range s.retry {
		if !f.matches(r.errors) {
			continue
		}
		if p.head.Retries[i] >= r.attempts {
			break
		}
		p.head.Wake = now.UTC().Add(r.delay(p.head.Retries[i], p.rand))
		p.head.Retries[i]++
		p.head.Attempt++
		p.head.Phase, p.dirty = phaseRetry, true
		return
	}
	for _, c := range s.catch {
		if f.matches(c.errors) {
			p.caught(now, c, f)
			return
		}
	}
	if f.Error == ErrRuntime && f.Cause != "" {
		f = &Failure{Error: f.Error, Cause: "An error occurred while executing the state '" + s.name +
			"' (entered at the event id #" + string(number(p.head.EnteredEvent)) + "). " + f.Cause}
	}
	p.fail(now, Failed, f)
}

// caught leaves through a catcher: its ResultPath puts the error into the raw input, OutputPath does not apply.
func (p *progress) caught(now time.Time, c catcher, f *Failure) {
	out, fail := p.merge(c.resultPath, f.output())
	raw := encode(out)
	if fail == nil && len(raw) > p.maxPayload {
		fail = tooLarge(p.head.State)
	}
	if fail != nil {
		p.fail(now, Failed, fail)
		return
	}
	p.leave(now, c.next, out, raw)
}
