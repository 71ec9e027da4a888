package interaction

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// AskInput is what the state machine hands to AskFunction: one step, or several questions that wait side by side for one token.
type AskInput struct {
	RunID     pags.RunID `json:"runId"`
	Step      int        `json:"step"`
	Asks      []Ref      `json:"asks,omitempty"`
	TaskToken string     `json:"taskToken"`
}

// Ref names a question inside its run: the step that asks, and which of its questions it is, from 0.
type Ref struct {
	Step  int `json:"step"`
	Round int `json:"round,omitempty"`
}

// Ask opens questions for a waiting token. Asked again it replaces their token; if one of them is over by then, the token is
// told at once.
func (s *Service) Ask(ctx context.Context, in AskInput) (struct{}, error) {
	if len(in.Asks) == 0 {
		in.Asks = []Ref{{Step: in.Step}}
	}
	for _, ref := range in.Asks {
		if err := s.ask(ctx, in, ref); err != nil {
			return struct{}{}, err
		}
	}
	return struct{}{}, nil
}

func (s *Service) ask(ctx context.Context, in AskInput, ref Ref) error {
	r, isNew, err := s.open(ctx, in, ref)
	if pags.Is(err, pags.Conflict) {
		err := s.Brains.SendFailure(ctx, in.TaskToken, "Cancelled", "the run was cancelled")
		if pags.Is(err, pags.Gone) {
			err = nil
		}
		return err
	}
	if err != nil {
		return err
	}
	crash.Here(crash.AskRowAfter)
	if isNew {
		s.pushInbox(ctx, r.Interaction)
		// A cancel that looked for open questions before there was this one did not see it: look once more. It may also be that
		// only this call needs nobody any more; the other questions of the run stay open.
		if _, err := s.Questions.Question(ctx, in.RunID, ref); pags.Is(err, pags.Conflict) {
			return s.withdraw(ctx, r)
		}
		return nil
	}
	if r.Status == pags.InteractionOpen {
		err := s.Table.Write(ctx, port.Update(metaKey(r.ID)).Setting("token", in.TaskToken).When(open()))
		var over *port.ConditionFailed
		if !errors.As(err, &over) {
			return wrap(err, "replace the token of "+string(r.ID))
		}
		if r, err = s.load(ctx, r.ID); err != nil { // it was answered in between
			return err
		}
	}
	r.Token = in.TaskToken
	return s.deliver(ctx, r)
}

// open finds the step's question or makes it.
func (s *Service) open(ctx context.Context, in AskInput, ref Ref) (r row, isNew bool, err error) {
	for range 3 {
		id, err := s.idOf(ctx, in.RunID, ref)
		if err == nil {
			r, err = s.load(ctx, id)
			return r, false, err
		}
		if !pags.Is(err, pags.NotFound) {
			return row{}, false, err
		}
		draft, err := s.Questions.Question(ctx, in.RunID, ref)
		if err != nil {
			return row{}, false, fmt.Errorf("draft the question of step %d of %s: %w", ref.Step, in.RunID, err)
		}
		now := s.Clock.Now().UTC()
		draft.ID, draft.Status, draft.CreatedAt = pags.NewInteractionID(now), pags.InteractionOpen, now
		r = row{Interaction: draft, Token: in.TaskToken}
		it, err := r.item()
		if err != nil {
			return row{}, false, err
		}
		ask := askKey(in.RunID, ref)
		err = s.Table.Transact(ctx, pags.NewToken()[:36],
			port.Put(port.Item{port.AttrPK: ask.PK, port.AttrSK: ask.SK, "interactionId": string(r.ID)}).When(port.NotExists()),
			port.Put(it).When(port.NotExists()))
		var twin *port.Cancelled
		if err == nil || !errors.As(err, &twin) {
			return r, true, wrap(err, "open the question")
		}
	}
	return row{}, false, pags.Errorf(pags.Unavailable, "the question of step %d of %s changes too fast", ref.Step, in.RunID)
}

func wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
