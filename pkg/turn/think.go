package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/brain/browse"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Failures of the model that the definition retries. Lambda reports an error by the name of its Go type, and so does the
// local host: these names are the ones in browse.asl.json. They hide their cause, so that nobody takes them for it.
type (
	ModelRateLimited struct{ failure }
	ModelUnavailable struct{ failure }
	ModelTimeout     struct{ failure }
)

type failure struct{ cause error }

func (f failure) Error() string { return "model: " + f.cause.Error() }

// think asks the model once and lets the brain act on its reply.
func (s *Service) think(ctx context.Context, t *turnOf) error {
	cred, err := s.Keys.Credential(ctx, t.run.UserID)
	if pags.Is(err, pags.Conflict) || pags.Is(err, pags.NotFound) {
		t.endBy(pags.OutcomeBlocked, "There is no model key any more. Add one with `pags keys set` and run the task again.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("model key: %w", err)
	}
	limited, stop := context.WithTimeout(ctx, modelLimit)
	defer stop()
	reply, err := s.Models.Ask(limited, cred, browse.Prompt(t.state))
	if err != nil {
		return s.modelFailed(ctx, t, err)
	}
	crash.Here(crash.ModelReplyAfter)
	t.reply = &reply
	t.state, t.move = browse.Act(t.state, reply)
	return nil
}

// modelFailed sorts a failure: what may pass is the definition's to retry, the rest ends the run with what to do.
func (s *Service) modelFailed(ctx context.Context, t *turnOf, err error) error {
	said := ""
	var m *port.ModelError
	if errors.As(err, &m) && m.Message != "" {
		said = " It said: " + m.Message
	}
	switch pags.CodeOf(err) {
	case pags.RateLimited:
		s.noteRetry(ctx, t, "The model provider limits our requests; trying again.")
		return &ModelRateLimited{failure{err}}
	case pags.Unavailable, pags.Upstream:
		s.noteRetry(ctx, t, "The model provider has a problem; trying again.")
		return &ModelUnavailable{failure{err}}
	case pags.Timeout:
		s.noteRetry(ctx, t, "The model did not answer in time; trying again.")
		return &ModelTimeout{failure{err}}
	case pags.Forbidden, pags.Unauthenticated:
		t.endBy(pags.OutcomeBlocked, "The model provider refuses the key. Set a good one with `pags keys set` and run the task again."+said)
	case pags.Invalid, pags.TooLarge, pags.NotFound:
		t.endBy(pags.OutcomeFailed, "The model provider refuses the request; check the key's model and base URL with `pags keys list`."+said)
	default:
		if errors.Is(err, context.DeadlineExceeded) {
			return &ModelTimeout{failure{err}}
		}
		return fmt.Errorf("ask the model: %w", err)
	}
	return nil
}

// endBy ends the run through the brain, so that the page is closed first.
func (t *turnOf) endBy(o pags.Outcome, detail string) {
	t.state, t.move = browse.Stop(t.state, o, detail)
}

// noteRetry tells people once a step why nothing moves. Best effort: it is only a note.
func (s *Service) noteRetry(ctx context.Context, t *turnOf, text string) {
	_, err := s.Runs.Advance(ctx, t.run.ID, fmt.Sprintf("model-%06d", t.cursor.Step+1), nil, pags.Event{Kind: "note", Step: t.cursor.Step, Text: text})
	if err != nil {
		s.Log.WarnContext(ctx, "note not kept", "run", t.run.ID, "error", err)
	}
}
