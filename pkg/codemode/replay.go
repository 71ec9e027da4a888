package codemode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// replay brings a fresh sandbox to where the journal ends, by telling it what the journal says in the same order. It sends
// nothing. A program that does something else than its journal says gives a failure that names the place.
func (e *execution) replay(ctx context.Context) (*Failure, error) {
	t, err := e.session.Step(ctx, Event{Kind: eventStart, At: e.clock})
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	e.absorb(t)
	for _, entry := range e.entries[:e.loaded] {
		if fail := e.note(entry); fail != nil {
			return fail, nil
		}
		event := Event{At: entry.At, Seq: entry.Seq, Timer: entry.Timer, Value: entry.Value, Thrown: entry.Thrown}
		switch entry.Kind {
		case EntryAnswer:
			event.Kind = eventAnswer
		case EntryTimer:
			event.Kind = eventTimer
		default:
			continue
		}
		if e.last.Failure != nil {
			continue // outcomes that arrived after the program had failed
		}
		e.clock = max(e.clock, entry.At)
		if t, err = e.session.Step(ctx, event); err != nil {
			return nil, fmt.Errorf("replay the journal of %s: %w", e.Run, err)
		}
		e.absorb(t)
	}
	return nil, nil
}

// known reports whether an entry tells of a call that was made before.
func (e *execution) known(entry Entry) bool { return entry.Seq > 0 && entry.Seq <= len(e.calls) }

// note checks one entry against what the program did, and takes its state.
func (e *execution) note(entry Entry) *Failure {
	switch entry.Kind {
	case EntryCall:
		if len(e.unseen) == 0 {
			return e.diverged(entry, "the program made no further call")
		}
		made := e.unseen[0]
		if made.Seq != entry.Seq || made.Path != entry.Path || !sameJSON(made.Args, entry.Args) {
			return e.diverged(entry, told(made.Seq, made.Path, made.Args))
		}
		e.unseen = e.unseen[1:]
		e.calls = append(e.calls, e.newCall(made))
	case EntrySent, EntryPause, EntryAnswer:
		if !e.known(entry) || e.calls[entry.Seq-1].answered {
			return e.diverged(entry, fmt.Sprintf("the program waits for no call %d", entry.Seq))
		}
		e.calls[entry.Seq-1].take(entry)
	case EntryTimer:
		if _, ok := e.timers[entry.Timer]; !ok {
			return e.diverged(entry, fmt.Sprintf("the program waits for no timer %d", entry.Timer))
		}
		delete(e.timers, entry.Timer)
	}
	return nil
}

// take changes the state of a call as its entry says.
func (c *call) take(entry Entry) {
	switch entry.Kind {
	case EntrySent:
		c.Sent, c.Pause = true, nil
	case EntryPause:
		c.Pause = entry.Pause
	case EntryAnswer:
		c.answered = true
	}
}

// recall reads the calls of an execution that has ended, without its program.
func (e *execution) recall() {
	for _, entry := range e.entries {
		switch {
		case entry.Kind == EntryCall:
			e.calls = append(e.calls, e.newCall(Made{Seq: entry.Seq, Path: entry.Path, Args: entry.Args}))
		case e.known(entry):
			e.calls[entry.Seq-1].take(entry)
		}
	}
}

func (e *execution) newCall(m Made) *call {
	return &call{Call: Call{Run: e.Run, Seq: m.Seq, Key: fmt.Sprintf("%s/%d", e.Run, m.Seq), Path: m.Path, Args: m.Args}}
}

func (e *execution) diverged(entry Entry, actual string) *Failure {
	if e.last.Failure != nil {
		actual += ": it failed with " + e.last.Failure.Error()
	}
	expected := fmt.Sprintf("%s of call %d", entry.Kind, entry.Seq)
	switch {
	case entry.Kind == EntryCall:
		expected = told(entry.Seq, entry.Path, entry.Args)
	case entry.Kind == EntryTimer:
		expected = fmt.Sprintf("timer %d", entry.Timer)
	case e.known(entry):
		c := e.calls[entry.Seq-1]
		expected = entry.Kind + " of " + told(c.Seq, c.Path, c.Args)
	}
	step := entry.Seq
	if step == 0 {
		step = len(e.calls)
	}
	f := failf(FailDiverged, "the program was run again and did something else than before at step %d: expected %s; now %s", step, expected, actual)
	f.Step, f.Expected, f.Actual = step, expected, actual
	return f
}

// told names a call for people, its arguments in short.
func told(seq int, path string, args json.RawMessage) string {
	text := string(args)
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return fmt.Sprintf("call %d to %s %s", seq, path, text)
}

// sameJSON compares texts that one writer wrote; a journal may have changed the space between.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
