package asl

import "time"

// enter begins a state and, unless it has to wait, also ends it.
func (p *progress) enter(now time.Time) {
	s := p.state()
	p.head.EnteredAt = now.UTC().Truncate(time.Millisecond)
	p.head.EnteredEvent = p.emit(now, Event{Type: s.kind + eventEntered, Name: s.name, Input: p.head.Input})
	if p.full {
		return
	}
	switch s.kind {
	case "Fail":
		p.enterFail(now, s)
		return
	case "Task":
		p.head.Retries, p.head.Attempt, p.head.Phase = make([]int64, len(s.retry)), 0, phaseSchedule
		return
	}
	in, fail := p.effective()
	if fail != nil {
		p.handle(now, fail)
		return
	}
	switch s.kind {
	case "Pass":
		p.enterPass(now, s, in)
	case "Choice":
		p.enterChoice(now, s, in)
	case "Wait":
		p.enterWait(now, s, in)
	default:
		p.exitFiltered(now, in, nil)
	}
}

// effective is the state's input after InputPath.
func (p *progress) effective() (any, *Failure) {
	return p.filter(p.state().inputPath, p.value(), "InputPath")
}

// filter applies InputPath or OutputPath: null stands for an empty object.
func (p *progress) filter(path *Path, v any, field string) (any, *Failure) {
	if path == nil {
		return map[string]any{}, nil
	}
	return path.eval(p.scope(v), field)
}

// exitFiltered leaves a state whose output is its effective input, after OutputPath.
func (p *progress) exitFiltered(now time.Time, v any, fail *Failure) {
	s := p.state()
	if fail == nil {
		v, fail = p.filter(s.outputPath, v, "OutputPath")
	}
	if fail != nil {
		p.handle(now, fail)
		return
	}
	p.exit(now, s.next, v)
}

// exitResult leaves a state that has a result: ResultPath puts it into the raw input, OutputPath selects.
func (p *progress) exitResult(now time.Time, result any) {
	out, fail := p.merge(p.state().resultPath, result)
	p.exitFiltered(now, out, fail)
}

// merge puts a result into the state's raw input; without a path the result is dropped.
func (p *progress) merge(path *Path, result any) (any, *Failure) {
	if path == nil {
		return p.value(), nil
	}
	out, ok := path.put(p.value(), result)
	if !ok {
		return nil, &Failure{Error: ErrResultPath, Cause: "Unable to apply step \"" + path.text + "\" to input " +
			string(p.head.Input)}
	}
	return out, nil
}

func (p *progress) enterPass(now time.Time, s *state, in any) {
	if s.parameters != nil {
		v, fail := s.parameters.eval(p.scope(in))
		if fail != nil {
			p.handle(now, fail)
			return
		}
		in = v
	}
	if s.hasResult {
		in = s.result
	}
	p.exitResult(now, in)
}

func (p *progress) enterChoice(now time.Time, s *state, in any) {
	sc := p.scope(in)
	next := s.fallback
	for _, r := range s.rules {
		ok, fail := r.holds(sc)
		if fail != nil {
			p.handle(now, fail)
			return
		}
		if ok {
			next = r.next
			break
		}
	}
	if next == "" {
		p.handle(now, &Failure{Error: ErrNoChoiceMatched, Cause: "No rule of the state '" + s.name +
			"' matches and it has no Default"})
		return
	}
	out, fail := p.filter(s.outputPath, in, "OutputPath")
	if fail != nil {
		p.handle(now, fail)
		return
	}
	p.exit(now, next, out)
}

func (p *progress) enterWait(now time.Time, s *state, in any) {
	sc := p.scope(in)
	wake := now.Add(time.Duration(s.seconds) * time.Second)
	switch {
	case !s.until.IsZero():
		wake = s.until
	case s.secondsPath != nil:
		n, fail := seconds(sc, s.secondsPath, "SecondsPath", 0)
		if fail != nil {
			p.handle(now, fail)
			return
		}
		wake = now.Add(time.Duration(n) * time.Second)
	case s.untilPath != nil:
		v, fail := s.untilPath.eval(sc, "TimestampPath")
		t, ok := moment(v)
		if fail == nil && !ok {
			fail = runtimeFailure("The TimestampPath parameter does not reference a valid ISO-8601 extended offset "+
				"date-time format string: ", s.untilPath.text, " == ", string(encode(v)))
		}
		if fail != nil {
			p.handle(now, fail)
			return
		}
		wake = t
	}
	p.head.Phase, p.head.Wake, p.dirty = phaseWait, wake.UTC(), true
}

// seconds reads a number of seconds that a path points at.
func seconds(sc *scope, path *Path, field string, least int64) (int64, *Failure) {
	v, fail := path.eval(sc, field)
	if fail != nil {
		return 0, fail
	}
	n, ok := whole(v)
	if !ok || n < least || n > maxSeconds {
		return 0, runtimeFailure("The ", field, " parameter references an invalid value: ", path.text, " == ", string(encode(v)))
	}
	return n, nil
}

func (p *progress) enterFail(now time.Time, s *state) {
	f := &Failure{Error: s.errorName, Cause: s.cause}
	sc := p.scope(p.value())
	for _, part := range []struct {
		expr  expression
		into  *string
		field string
	}{{s.errorNamePath, &f.Error, "ErrorPath"}, {s.causePath, &f.Cause, "CausePath"}} {
		if part.expr == nil {
			continue
		}
		v, fail := part.expr.eval(sc, part.field)
		text, ok := v.(string)
		if fail == nil && !ok {
			fail = runtimeFailure("The ", part.field, " parameter must be a text, not ", string(encode(v)))
		}
		if fail != nil {
			p.handle(now, fail)
			return
		}
		*part.into = text
	}
	p.fail(now, Failed, f)
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// scope makes what expressions of this state see.
func (p *progress) scope(input any) *scope {
	return &scope{input: input, rand: p.rand, context: func() any {
		in, _ := decode(p.start.Input)
		c := map[string]any{
			"Execution": map[string]any{"Id": p.id, "Input": in, "Name": p.start.Name,
				"StartTime": p.start.At.UTC().Format(timeFormat)},
			"State": map[string]any{"EnteredTime": p.head.EnteredAt.UTC().Format(timeFormat), "Name": p.head.State,
				"RetryCount": number(p.head.Attempt)},
			"StateMachine": map[string]any{"Id": machineOf(p.id), "Name": p.start.Machine},
		}
		if p.head.Token != "" {
			c["Task"] = map[string]any{"Token": p.head.Token}
		}
		return c
	}}
}
