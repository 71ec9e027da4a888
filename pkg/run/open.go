package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Draft is a run that another room made ready: kind, owner, title and input are set, and its id where Writes need it. Writes are that room's own, in the same
// transaction. MessageID is the caller's Idempotency-Key; Digest is of what was asked for.
type Draft struct {
	Run       pags.Run
	MessageID string
	Digest    string
	Writes    []port.Write
}

// Open starts a run that holds no instance, so that any number may go at once. One message id starts one run of a kind and
// owner: a repeat answers that run, also after it ended; the id with another digest is pags.Conflict. If the execution cannot
// begin right now the run stays queued and reconcile begins it.
func (s *Service) Open(ctx context.Context, d Draft) (pags.Run, error) {
	run := d.Run
	if run.InstanceID != "" || Machines[run.Kind] == "" {
		return pags.Run{}, pags.Errorf(pags.Internal, "a run of kind %q on instance %q cannot be opened", run.Kind, run.InstanceID)
	}
	msg := message{user: run.UserID, of: string(run.Kind), id: d.MessageID, digest: d.Digest}
	if first, found, err := s.earlier(ctx, msg); err != nil || found {
		if err == nil && first.Status == pags.RunQueued && first.Execution == "" { // the first time did not get this far
			first = s.begin(ctx, first)
		}
		return first, err
	}
	now := s.Clock.Now().UTC()
	if run.ID == "" {
		run.ID = pags.NewRunID(now)
	}
	run.Status, run.Generation, run.LastEvent = pags.RunQueued, 1, 1
	run.CreatedAt, run.LastAliveAt, run.LastProgressAt = now, now, now
	return s.open(ctx, run, msg, d.Writes)
}

func (s *Service) open(ctx context.Context, run pags.Run, msg message, extra []port.Write) (pags.Run, error) {
	writes, err := s.startWrites(run, nil, msg)
	if err != nil {
		return run, err
	}
	err = s.write(ctx, append(writes, extra...))
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) {
		if twin, found, err := s.earlier(ctx, msg); err != nil || found { // the same message, delivered twice at once
			return twin, err
		}
	}
	if err != nil {
		return run, fmt.Errorf("open run %s: %w", run.ID, err)
	}
	s.pushes.push(ctx, run, []pags.Event{queuedEvent(run)})
	return s.begin(ctx, run), nil
}
