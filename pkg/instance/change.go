package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Rename gives the user's instance another name.
func (s *Service) Rename(ctx context.Context, uid pags.UserID, id pags.InstanceID, name string) (pags.Instance, error) {
	in, err := s.Owned(ctx, uid, id)
	if err != nil {
		return in, err
	}
	if in.DisplayName, err = goodName(name); err != nil {
		return in, err
	}
	if err := s.update(ctx, id, port.Update(metaKey(id)).Setting("displayName", in.DisplayName)); err != nil {
		return in, err
	}
	s.changed(ctx, uid)
	return in, nil
}

// Cancel retires the user's instance: machines stop serving it and nothing starts in it any more. Doing it again is fine.
func (s *Service) Cancel(ctx context.Context, uid pags.UserID, id pags.InstanceID) (pags.Instance, error) {
	in, err := s.Owned(ctx, uid, id)
	if err != nil || in.Status == Canceled {
		return in, err
	}
	in.Status, in.LastActivityAt = Canceled, s.Clock.Now().UTC()
	w := port.Update(metaKey(id)).Setting("status", in.Status).Setting("lastActivityAt", in.LastActivityAt.Format(time.RFC3339Nano))
	if err := s.update(ctx, id, w); err != nil {
		return in, err
	}
	s.changed(ctx, uid)
	return in, nil
}

// Touch notes that something happened in the instance; one that is gone is left alone.
func (s *Service) Touch(ctx context.Context, id pags.InstanceID) error {
	w := port.Update(metaKey(id)).Setting("lastActivityAt", s.Clock.Now().UTC().Format(time.RFC3339Nano))
	if err := s.update(ctx, id, w); err != nil && !pags.Is(err, pags.NotFound) {
		return err
	}
	return nil
}

func (s *Service) update(ctx context.Context, id pags.InstanceID, w port.Write) error {
	err := s.Table.Write(ctx, w.When(port.Exists()))
	var gone *port.ConditionFailed
	if errors.As(err, &gone) {
		return notFound()
	}
	if err != nil {
		return fmt.Errorf("change instance %s: %w", id, err)
	}
	return nil
}
