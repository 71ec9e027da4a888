package interaction

import (
	"context"
	"errors"

	"github.com/proagentstore/pags/pkg/pags"
)

// CancelRun ends the open questions of a run and tells their tokens. Repeating it is fine.
func (s *Service) CancelRun(ctx context.Context, id pags.RunID) error {
	rows, err := s.rowsOf(ctx, id)
	if err != nil {
		return err
	}
	var failed []error
	for _, r := range rows {
		failed = append(failed, s.withdraw(ctx, r))
	}
	return errors.Join(failed...)
}

// withdraw ends a question that is open, and tells its token.
func (s *Service) withdraw(ctx context.Context, r row) error {
	if r.Status == pags.InteractionOpen {
		x, err := s.over(ctx, r, pags.InteractionCancelled)
		if err != nil {
			return err
		}
		r.Status = x.Status
	}
	if r.Status != pags.InteractionCancelled {
		return nil
	}
	return s.deliver(ctx, r) // also again: the first time may not have got through
}
