package run

import (
	"context"
	"errors"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
)

// Cancel asks a run to end: the flag is read between steps, the question or command in flight is told at once. A run that has
// not begun ends here. Cancelling twice, or what is over, changes nothing and answers the run.
func (s *Service) Cancel(ctx context.Context, uid pags.UserID, id pags.RunID) (pags.Run, error) {
	run, err := s.Get(ctx, uid, id)
	if err != nil || run.Status.Over() {
		return run, err
	}
	asked := pags.Event{Kind: "cancelAsked", Text: "The owner wants it to end."}
	run, err = s.Advance(ctx, id, "cancel", func(r *pags.Run) error {
		r.CancelAsked = true
		return nil
	}, asked)
	if err == nil && run.Status == pags.RunQueued && run.Execution == "" {
		run, err = s.end(ctx, id, "cancel-queued", pags.OutcomeCancelled, "Cancelled before it began.")
	}
	if pags.Is(err, pags.Conflict) {
		return s.Load(ctx, id) // it ended meanwhile
	}
	if err != nil || run.Status.Over() {
		return run, err
	}
	crash.Here(crash.CancelAfter)
	if run.Status == pags.RunWaiting && run.WaitingFor == pags.WaitTime && run.Kind == pags.KindCode {
		return s.wakeNever(ctx, run)
	}
	if err := s.interrupt(ctx, id); err != nil {
		s.Log.WarnContext(ctx, "cancel not told; reconcile will", "run", id, "error", err)
	}
	return run, nil
}

// wakeNever ends a program that waits for time alone: nobody holds a token that could be told.
func (s *Service) wakeNever(ctx context.Context, run pags.Run) (pags.Run, error) {
	ended, err := s.end(ctx, run.ID, "cancel-asleep", pags.OutcomeCancelled, "Cancelled by the owner.")
	if pags.Is(err, pags.Conflict) {
		return s.Load(ctx, run.ID) // it ended meanwhile
	}
	if err != nil {
		return run, err
	}
	if err := s.Brains.Stop(ctx, run.Execution, "Cancelled", "the owner wanted it to end"); err != nil {
		s.Log.WarnContext(ctx, "execution not stopped; it ends when it wakes", "run", run.ID, "error", err)
	}
	return ended, nil
}

// interrupt tells whatever the run waits for that it is cancelled.
func (s *Service) interrupt(ctx context.Context, id pags.RunID) error {
	return errors.Join(s.asks.CancelRun(ctx, id), s.calls.CancelCall(ctx, id))
}

// end ends a run from outside its brain.
func (s *Service) end(ctx context.Context, id pags.RunID, key string, outcome pags.Outcome, detail string) (pags.Run, error) {
	return s.Advance(ctx, id, key, func(r *pags.Run) error {
		r.Status, r.Outcome, r.Detail = outcome.Status(), outcome, detail
		return nil
	}, EndedEvent(outcome, detail))
}

// EndedEvent is the last event of a run.
func EndedEvent(outcome pags.Outcome, detail string) pags.Event {
	return pags.Event{Kind: "ended", Text: detail, Data: map[string]any{"outcome": string(outcome)}}
}
