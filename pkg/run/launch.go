package run

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
)

// launch begins the execution of the run's generation and notes it. Begun already is fine; pags.Conflict says that it was
// and is over.
func (s *Service) launch(ctx context.Context, run pags.Run, step int) (pags.Run, error) {
	name := ExecutionName(run.ID, run.Generation)
	execution, err := s.Brains.Start(ctx, Machines[run.Kind], name, ExecutionInput(run.ID, run.Generation, step))
	if err != nil {
		return run, fmt.Errorf("start execution %s: %w", name, err)
	}
	crash.Here(crash.ExecStartAfter)
	if run.Kind == pags.KindCode { // its first slice notes it, with what it writes anyway
		run.Execution = execution
		return run, nil
	}
	noted, err := s.Advance(ctx, run.ID, "execution-"+name, func(r *pags.Run) error {
		r.Execution = execution
		return nil
	})
	if pags.Is(err, pags.Conflict) { // it was so quick that it is over
		return noted, nil
	}
	return noted, err
}
