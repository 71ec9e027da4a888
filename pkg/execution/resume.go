package execution

import (
	"context"
	"strings"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Answer is what somebody says to a paused execution.
type Answer struct {
	Action      string             // accept, decline, retry, cancel
	Content     map[string]any     // with accept of a form
	Interaction pags.InteractionID // which question; needed where several are open
	Note        string
	Wait        int // seconds
}

// Resume answers one open question and waits for what is visible next: the end, or another pause. It works from any session and
// machine of the owner. Repeated, it changes nothing and answers how things are: the first answer stands. Cancel ends the
// execution. Who may say yes is decided where questions are answered.
func (s *Service) Resume(ctx context.Context, caller httpapi.Caller, id pags.RunID, a Answer) (Execution, error) {
	if a.Wait < 0 || a.Wait > maxWait {
		return Execution{}, pags.Errorf(pags.Unprocessable, "waitSeconds is 0 to %d", maxWait)
	}
	run, err := s.owned(ctx, caller.UserID, id)
	if err != nil {
		return Execution{}, err
	}
	if a.Action == "cancel" {
		if run, err = s.runs.Cancel(ctx, caller.UserID, id); err != nil {
			return Execution{}, err
		}
		return s.visible(ctx, run, a.Wait)
	}
	asked, err := s.asks.OfRun(ctx, id)
	if err != nil {
		return Execution{}, err
	}
	x, err := which(asked, a.Interaction, run)
	if err != nil {
		return Execution{}, err
	}
	if x != nil && x.Status == pags.InteractionExpired {
		return Execution{}, pags.Errorf(pags.Gone, "the time for an answer is over; it expired and was not done").With(*x)
	}
	if x != nil && x.Status == pags.InteractionOpen {
		if err := s.say(ctx, caller, *x, a); err != nil {
			return Execution{}, err
		}
	}
	if run, err = s.runs.Load(ctx, id); err != nil {
		return Execution{}, err
	}
	return s.visible(ctx, run, a.Wait)
}

// which finds the question that is meant. nil: there is none, since the program has ended or works. Without a name it is the only
// one that the program ever asked: an answer that is sent again must not answer the next question, which nobody has read.
func which(asked []pags.Interaction, id pags.InteractionID, run pags.Run) (*pags.Interaction, error) {
	var open []string
	var found *pags.Interaction
	answered := false
	for i, x := range asked {
		if x.ID == id {
			return &asked[i], nil
		}
		if x.Status == pags.InteractionOpen {
			open = append(open, string(x.ID))
			found = &asked[i]
		}
		answered = answered || x.Status == pags.InteractionAnswered
	}
	switch {
	case id != "":
		return nil, pags.Errorf(pags.NotFound, "execution %s has no question %s", run.ID, id)
	case len(open) > 1:
		return nil, pags.Errorf(pags.Conflict, "%d questions are open; name one as interactionId: %s", len(open), strings.Join(open, ", "))
	case len(open) == 1 && answered:
		return nil, pags.Errorf(pags.Conflict, "this program asked before, and that was answered; to answer what it asks now name it as interactionId: %s", open[0])
	case len(open) == 0 && len(asked) > 0 && asked[len(asked)-1].Status == pags.InteractionExpired && !run.Status.Over():
		return &asked[len(asked)-1], nil
	}
	return found, nil
}

// say answers a question in its own words. That somebody was faster is fine: the first answer stands.
func (s *Service) say(ctx context.Context, caller httpapi.Caller, x pags.Interaction, a Answer) error {
	said := pags.Answer{Note: a.Note}
	switch a.Action {
	case "", "accept":
		said.Kind = pags.AnswerAccept
		if x.Reason == pags.WaitValue {
			said.Kind, said.Content = pags.AnswerForm, a.Content
		}
	case "decline":
		said.Kind = pags.AnswerDecline
	case "retry":
		said.Kind = pags.AnswerRetry
	default:
		return pags.Errorf(pags.Unprocessable, "action is accept, decline, retry or cancel, not %q", clip(a.Action, 40))
	}
	_, err := s.asks.Answer(ctx, caller, x.ID, said)
	if pags.Is(err, pags.Conflict) {
		return nil
	}
	return err
}
