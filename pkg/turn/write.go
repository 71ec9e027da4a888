package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/brain/browse"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// write makes the decision durable: step, run and events in one transaction. Whoever decided the same step first wins.
func (s *Service) write(ctx context.Context, t *turnOf) (Cursor, error) {
	n := t.cursor.Step + 1
	st := step{Step: n, Generation: t.cursor.Generation, Count: 1, At: s.Clock.Now().UTC(), Result: without(t.result), Reply: t.reply, Move: t.move, State: t.state}
	if t.prev != nil && t.prev.Generation == t.cursor.Generation {
		st.Count = t.prev.Count + 1
	}
	put, err := s.record(ctx, t.run.ID, st)
	if err != nil {
		return Cursor{}, err
	}
	crash.Here(crash.DecideBefore)
	run, err := s.Runs.AdvanceWith(ctx, t.run.ID, fmt.Sprintf("step-%06d", n), func(r *pags.Run) error { return t.change(r, st) }, t.events(n), put)
	var first *port.ConditionFailed
	switch {
	case pags.Is(err, pags.Conflict): // it ended meanwhile
		return over(t.cursor, run), nil
	case err != nil && !errors.As(err, &first):
		return Cursor{}, err
	}
	crash.Here(crash.DecideAfter)
	rows, err := s.steps(ctx, t.run.ID, false, n) // ours, or that of whoever was first
	if err != nil {
		return Cursor{}, err
	}
	if rows[0] == nil {
		return Cursor{}, pags.Errorf(pags.Internal, "step %d of run %s was not kept", n, t.run.ID)
	}
	return s.cursorOf(t.cursor, rows[0]), nil
}

// change is what the decision means for the run that people look at.
func (t *turnOf) change(r *pags.Run, st step) error {
	r.Step = st.Step
	if r.StartedAt.IsZero() {
		r.StartedAt = st.At
	}
	if t.execution != "" {
		r.Execution = t.execution
	}
	if r.MachineID == "" {
		r.MachineID = t.machine
	}
	if t.reply != nil {
		r.InputTokens += t.reply.InputTokens
		r.OutputTokens += t.reply.OutputTokens
		if t.reply.Model != "" {
			r.Model = t.reply.Model
		}
	}
	switch t.move.Kind {
	case browse.MoveAsk:
		r.Status, r.WaitingFor, r.Detail = pags.RunWaiting, t.move.Question.Reason, t.move.Question.Title
	case browse.MoveEnd:
		r.Status, r.WaitingFor, r.Outcome, r.Detail = t.move.Outcome.Status(), "", t.move.Outcome, t.move.Detail
	default:
		r.Status, r.WaitingFor, r.Detail = pags.RunRunning, "", ""
	}
	return nil
}

// events are the timeline's entries of a decision: what the move before came to, then what is next.
func (t *turnOf) events(n int) []pags.Event {
	var out []pags.Event
	if t.prev == nil {
		out = append(out, pags.Event{Kind: "started", Text: "Started."})
	}
	if r := t.result; r != nil {
		e := pags.Event{Kind: "acted", Step: n - 1, Text: t.prev.Move.Text + ": " + r.Status, Data: map[string]any{"status": r.Status, "feedback": first(r.Feedback, 500), "millis": r.Millis}}
		if r.Status == relay.StatusRefused {
			e.Kind = "refused"
		}
		if r.Seen != nil {
			e.Picture = r.Seen.Picture
			e.Data["url"], e.Data["title"] = first(r.Seen.URL, 1000), first(r.Seen.Title, 200)
		}
		out = append(out, e)
	}
	e := pags.Event{Kind: "decided", Step: n, Text: t.move.Text}
	switch t.move.Kind {
	case browse.MoveCall:
		e.Data = map[string]any{"action": t.move.Command.Action}
	case browse.MoveAsk:
		e.Kind, e.Data = "asked", map[string]any{"reason": string(t.move.Question.Reason)}
	case browse.MoveAgain:
		e.Kind = "note"
	case browse.MoveEnd:
		e.Kind, e.Data = "ended", map[string]any{"outcome": string(t.move.Outcome)}
	}
	if t.reply != nil && t.reply.Text != "" && e.Data != nil {
		e.Data["thought"] = first(t.reply.Text, 500)
	}
	return append(out, e)
}

// cursorOf is where the state machine goes after a step.
func (s *Service) cursorOf(c Cursor, st *step) Cursor {
	next := Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: st.Step}
	switch st.Move.Kind {
	case browse.MoveCall:
		next.Next = NextCall
	case browse.MoveAsk:
		next.Next, next.WaitSeconds = NextAsk, s.waitSeconds(st)
	case browse.MoveAgain:
		next.Next = NextAgain
	default:
		return over(c, pags.Run{Step: st.Step, Outcome: st.Move.Outcome})
	}
	return next
}

// without is a result for the journal: the snapshot has served.
func without(r *relay.Result) *relay.Result {
	if r == nil || r.Seen == nil {
		return r
	}
	kept, seen := *r, *r.Seen
	seen.Snapshot, kept.Seen = "", &seen
	return &kept
}

func first(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
