package run

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
)

// CallSent notes that a machine got the command of a step; the run stays with that machine. It may be repeated.
func (s *Service) CallSent(ctx context.Context, id pags.RunID, step int, machine pags.MachineID) error {
	run, err := s.Load(ctx, id)
	if err != nil || run.MachineID == machine && run.WaitingFor != pags.WaitRunner {
		return err // nothing new, as on nearly every step
	}
	var events []pags.Event
	if run.WaitingFor == pags.WaitRunner {
		events = append(events, pags.Event{Kind: "resumed", Step: step, Text: "Your machine is there; going on."})
	}
	_, err = s.Advance(ctx, id, fmt.Sprintf("sent-%06d-%s", step, machine), func(r *pags.Run) error {
		r.MachineID = machine
		if r.WaitingFor == pags.WaitRunner {
			r.Status, r.WaitingFor, r.Detail = pags.RunRunning, "", ""
		}
		return nil
	}, events...)
	return unlessOver(err)
}

// CallWaiting notes that no machine is there for a step, with a sentence for people. It may be repeated.
func (s *Service) CallWaiting(ctx context.Context, id pags.RunID, step int, why string) error {
	_, err := s.Advance(ctx, id, fmt.Sprintf("away-%06d", step), func(r *pags.Run) error {
		r.Status, r.WaitingFor, r.Detail = pags.RunWaiting, pags.WaitRunner, why
		return nil
	}, pags.Event{Kind: "waiting", Step: step, Text: why, Data: map[string]any{"for": string(pags.WaitRunner)}})
	return unlessOver(err)
}

// Wants reports whether the run still waits for this step: it is not over and not past it.
func (s *Service) Wants(ctx context.Context, id pags.RunID, step int) (bool, error) {
	run, err := s.Load(ctx, id)
	if pags.Is(err, pags.NotFound) {
		return false, nil
	}
	return err == nil && !run.Status.Over() && run.Step == step, err
}

// unlessOver forgives that a run ended before something about it could be noted.
func unlessOver(err error) error {
	if pags.Is(err, pags.Conflict) {
		return nil
	}
	return err
}
