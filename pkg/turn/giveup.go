package turn

import (
	"context"
	"errors"

	"github.com/proagentstore/pags/pkg/pags"
)

// GiveUp ends a run whose decision failed for good, with what people can do about it. The cause goes to the log only.
func (s *Service) GiveUp(ctx context.Context, f Failed) (Cursor, error) {
	c := Cursor{V: CursorVersion, RunID: f.RunID, Generation: f.Generation, Step: f.Step}
	s.Log.ErrorContext(ctx, "gives up", "run", f.RunID, "step", f.Step, "error", f.Last.Error, "cause", first(f.Last.Cause, 2000))
	run, err := s.Runs.Load(ctx, f.RunID)
	if err != nil {
		return Cursor{}, err
	}
	if run.Status.Over() || f.Generation < run.Generation {
		return over(c, run), nil
	}
	outcome, detail := pags.OutcomeFailed, gaveUp(f.Last.Error)
	if run.CancelAsked {
		outcome, detail = pags.OutcomeCancelled, "Cancelled by the owner."
	}
	run, err = s.Runs.Advance(ctx, f.RunID, "give-up", func(r *pags.Run) error {
		r.Status, r.Outcome, r.Detail = outcome.Status(), outcome, detail
		return nil
	}, pags.Event{Kind: "ended", Step: f.Step, Text: detail, Data: map[string]any{"outcome": string(outcome)}})
	if err != nil && !pags.Is(err, pags.Conflict) {
		return Cursor{}, err
	}
	if err := errors.Join(s.asks.CancelRun(ctx, f.RunID), s.calls.CancelCall(ctx, f.RunID)); err != nil {
		s.Log.WarnContext(ctx, "waits not told of the end", "run", f.RunID, "error", err)
	}
	return over(c, run), nil
}

func gaveUp(name string) string {
	switch name {
	case "ModelRateLimited":
		return "The model provider kept limiting our requests. Try again later, or set another key with `pags keys set`."
	case "ModelUnavailable":
		return "The model provider was not available for several tries. Try again later, or set another key with `pags keys set`."
	case "ModelTimeout":
		return "The model did not answer in time, several times. Try again later, or choose another model with `pags keys set`."
	}
	return "Something failed inside pags (" + first(name, 60) + "); the log of BrowseFunction says what. Start the task again."
}
