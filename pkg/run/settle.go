package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// settle finishes what may have died half way on one run. It is safe at any moment and may be repeated.
func (s *Service) settle(ctx context.Context, id pags.RunID) error {
	run, err := s.Load(ctx, id)
	if pags.Is(err, pags.NotFound) || err == nil && run.Status.Over() {
		return errors.Join(s.Table.Write(ctx, port.Delete(openKey(id))), s.closeAsks(ctx, run))
	}
	if err != nil {
		return err
	}
	if run.Execution == "" {
		return s.settleQueued(ctx, run)
	}
	ex, err := s.Brains.Describe(ctx, run.Execution)
	switch {
	case pags.Is(err, pags.NotFound):
		return s.close(ctx, run, "its execution is gone")
	case err != nil:
		return fmt.Errorf("describe %s: %w", run.Execution, err)
	case ex.Status == "RUNNING":
		return s.settleRunning(ctx, run)
	}
	if _, generation, ok := parseExecution(run.Execution); ok && generation < run.Generation {
		return s.settleHandover(ctx, run)
	}
	// The execution was over before this read; a decision that ends a run is written before its execution ends.
	now, err := s.Load(ctx, id)
	if err != nil || now.Status.Over() || now.Execution != run.Execution || now.Generation != run.Generation {
		return err
	}
	why := "its execution ended as " + ex.Status
	if ex.Error != "" {
		why += " (" + firstRunes(ex.Error, 100) + ")"
	}
	return s.close(ctx, now, why)
}

// closeAsks ends what a program that is over still asked: it may end while others have yet to answer, and on AWS the function
// that runs it reaches no questions.
func (s *Service) closeAsks(ctx context.Context, run pags.Run) error {
	if run.Kind != pags.KindCode {
		return nil
	}
	return s.asks.CancelRun(ctx, run.ID)
}

// settleQueued begins an execution that was never noted. However young the run is: a start that is still at it names the
// same execution with the same input, so one of the two finds it begun.
func (s *Service) settleQueued(ctx context.Context, run pags.Run) error {
	age := s.Clock.Now().Sub(run.CreatedAt)
	if run.CancelAsked {
		return s.close(ctx, run, "it had not begun")
	}
	_, err := s.launch(ctx, run, 0)
	switch {
	case err == nil:
		return nil
	case pags.Is(err, pags.Conflict):
		return s.close(ctx, run, "its execution ended before it began to work")
	case age > silentLimit:
		return s.close(ctx, run, "its execution could not be started for 3 hours")
	}
	return err
}

// settleHandover makes sure that the next generation runs.
func (s *Service) settleHandover(ctx context.Context, run pags.Run) error {
	silent := s.Clock.Now().Sub(run.LastAliveAt)
	if silent < nextGrace {
		return nil
	}
	_, err := s.launch(ctx, run, run.Step)
	if pags.Is(err, pags.Conflict) { // the old execution began it, with words of its own; it will be noted
		err = nil
		if silent > silentLimit {
			return s.close(ctx, run, "its next execution fell silent")
		}
	}
	return err
}

// settleRunning looks at a run whose execution goes on.
func (s *Service) settleRunning(ctx context.Context, run pags.Run) error {
	silent := s.Clock.Now().Sub(run.LastAliveAt)
	if run.CancelAsked && silent < cancelLimit {
		return s.interrupt(ctx, run.ID)
	}
	limit := silentLimit
	switch {
	case run.Status != pags.RunWaiting || run.WaitingFor == pags.WaitRunner:
	case run.WaitingFor != pags.WaitTime:
		limit = humanLimit // a question's own expiry comes first
	case run.Kind == pags.KindCode:
		limit = sleepLimit // and so does the longest timer of a program
	}
	why := ""
	switch {
	case run.CancelAsked:
		why = "it did not end by itself"
	case silent > limit:
		why = fmt.Sprintf("it was silent for %.0f hours", silent.Hours())
	default:
		return nil
	}
	if err := s.Brains.Stop(ctx, run.Execution, "Silent", why); err != nil {
		return fmt.Errorf("stop %s: %w", run.Execution, err)
	}
	return s.close(ctx, run, why)
}

// close ends a run honestly: cancelled where that was asked, failed otherwise.
func (s *Service) close(ctx context.Context, run pags.Run, why string) error {
	outcome, detail := pags.OutcomeFailed, "Ended by the platform: "+why+"."
	if run.CancelAsked {
		outcome, detail = pags.OutcomeCancelled, "Cancelled by the owner; "+why+"."
	}
	_, err := s.end(ctx, run.ID, "close", outcome, detail)
	if pags.Is(err, pags.Conflict) {
		return nil // it ended by itself meanwhile
	}
	if err != nil {
		return err
	}
	return s.interrupt(ctx, run.ID)
}
