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
		if r.Status == pags.InteractionOpen {
			x, err := s.over(ctx, r, pags.InteractionCancelled)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			r.Status = x.Status
		}
		if r.Status == pags.InteractionCancelled { // told again: the first time may not have got through
			failed = append(failed, s.deliver(ctx, r))
		}
	}
	return errors.Join(failed...)
}
