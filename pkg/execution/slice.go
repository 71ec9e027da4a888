package execution

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/pags"
)

// slice runs the program from its journal to its end or to where it can do nothing but wait. It may be repeated: the journal
// knows what has happened.
func (s *Service) slice(ctx context.Context, c Cursor, execution string) (Cursor, error) {
	defer s.bells.ring(c.RunID)
	if c.V != CursorVersion {
		return Cursor{}, pags.Errorf(pags.Invalid, "a cursor of version %d cannot be continued by this release", c.V)
	}
	run, err := s.runs.Load(ctx, c.RunID)
	if err != nil {
		return Cursor{}, err
	}
	if run.Status.Over() {
		return over(c), nil
	}
	if c.Generation < run.Generation { // handed over already; the next execution may not have begun
		return handover(c, run), nil
	}
	if c.Step >= s.SlicesPerExecution {
		return s.handOver(ctx, c)
	}
	c.Step++
	if run, err = s.awake(ctx, run, c, execution); err != nil {
		return Cursor{}, err
	}
	if run.Status.Over() {
		return over(c), nil
	}
	out, j, err := s.work(ctx, run)
	if err != nil {
		return Cursor{}, err
	}
	switch out.Status {
	case codemode.Completed, codemode.Failed:
		s.tidy(ctx, run.ID)
		return over(c), nil
	case codemode.SliceOver:
		return Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: c.Step, Next: NextAgain}, nil
	}
	return s.rest(ctx, c, run, out, j)
}

// awake says on the run that it works.
func (s *Service) awake(ctx context.Context, run pags.Run, c Cursor, execution string) (pags.Run, error) {
	if run.Status == pags.RunRunning {
		return run, nil
	}
	var events []pags.Event
	switch {
	case run.StartedAt.IsZero():
		events = []pags.Event{{Kind: "started", Text: "The program runs."}}
	case run.WaitingFor == pags.WaitTime:
		events = []pags.Event{{Kind: "resumed", Text: "Its time has come; going on."}}
	}
	next, err := s.runs.AdvanceWith(ctx, run.ID, fmt.Sprintf("slice-%d-%d", c.Generation, c.Step), func(r *pags.Run) error {
		r.Status, r.WaitingFor, r.Detail = pags.RunRunning, "", ""
		if r.StartedAt.IsZero() {
			r.StartedAt = s.Clock.Now().UTC()
		}
		if execution != "" {
			r.Execution = execution
		}
		return nil
	}, events)
	if pags.Is(err, pags.Conflict) {
		return s.runs.Load(ctx, run.ID)
	}
	return next, err
}

// work does the slice itself. Whatever became of it, the audit rows of its calls are written.
func (s *Service) work(ctx context.Context, run pags.Run) (codemode.Outcome, *journal, error) {
	if s.Sandbox == nil {
		return codemode.Outcome{}, nil, pags.Errorf(pags.Internal, "this function runs no programs")
	}
	code, err := s.program(ctx, run.ID)
	if err != nil {
		return codemode.Outcome{}, nil, err
	}
	j := s.journal(run.ID)
	w := s.watch(ctx, run)
	defer w.stop()
	out, err := codemode.Run(ctx, codemode.Slice{Run: run.ID, Code: code, Limits: s.Limits, Sandbox: s.Sandbox, Journal: j, Tools: s.dispatcher(run, j),
		Clock: s.Clock, Cancel: w.cancel, Poke: w.poke})
	if err = errors.Join(err, j.settle(context.WithoutCancel(ctx))); err != nil {
		return out, j, fmt.Errorf("slice of %s: %w", run.ID, err)
	}
	return out, j, nil
}

// program reads the text of a run's program.
func (s *Service) program(ctx context.Context, id pags.RunID) (string, error) {
	it, err := s.Table.Get(ctx, programKey(id))
	if err != nil {
		return "", fmt.Errorf("read the program of %s: %w", id, err)
	}
	code, _ := it["code"].(string)
	return code, nil
}

// tidy closes questions that an ended program no longer waits for.
func (s *Service) tidy(ctx context.Context, id pags.RunID) {
	if err := s.closeAsks(ctx, id); err != nil {
		s.Log.WarnContext(ctx, "open questions of an ended program were not closed; their time will", "run", id, "error", err.Error())
	}
}

// closeAsks is for hosts where questions are in reach. Where they are not, whoever hears that the execution ended closes them.
func (s *Service) closeAsks(ctx context.Context, id pags.RunID) error {
	if s.Dispatch != nil {
		return nil
	}
	return s.asks.CancelRun(ctx, id)
}

// handOver lets a fresh execution go on, long before the history of this one is full.
func (s *Service) handOver(ctx context.Context, c Cursor) (Cursor, error) {
	next, err := s.runs.AdvanceWith(ctx, c.RunID, fmt.Sprintf("handover-%d", c.Generation), func(r *pags.Run) error {
		r.Generation = c.Generation + 1
		return nil
	}, []pags.Event{{Kind: "handover", Text: "Goes on in a fresh execution."}})
	if pags.Is(err, pags.Conflict) {
		return over(c), nil
	}
	if err != nil {
		return Cursor{}, err
	}
	return handover(c, next), nil
}
