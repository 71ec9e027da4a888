package interaction

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Said is what a person answers.
type Said struct {
	Kind    string
	Value   string
	Secret  string // sealed before it is stored
	Content map[string]any
	Note    string
}

// Answer records the answer once, in one transaction with the run's event, an audit row and the note that the token has yet
// to be told; then tells it. Only the person whose run it is may answer, and programs of theirs as far as mayAnswer goes. A
// second answer is pags.Conflict with the first attached, a late one pags.Gone.
func (s *Service) Answer(ctx context.Context, caller httpapi.Caller, id pags.InteractionID, said Said) (pags.Interaction, error) {
	r, err := s.owned(ctx, caller.UserID, id)
	if err != nil {
		return pags.Interaction{}, err
	}
	if err := mayAnswer(caller, r.Interaction, said.Kind); err != nil {
		return pags.Interaction{}, err
	}
	if err := s.answerable(r); err != nil {
		return r.Interaction, err
	}
	if err := said.check(r.Allowed); err != nil {
		return r.Interaction, err
	}
	if err := s.checkForm(r.Interaction, said); err != nil {
		return r.Interaction, err
	}
	now := s.Clock.Now().UTC()
	next := r
	next.Status = pags.InteractionAnswered
	next.Answer = &pags.Answer{Kind: said.Kind, Value: said.Value, Content: said.Content, Note: said.Note, By: caller.UserID, At: now}
	var writes []port.Write
	if said.Kind == pags.AnswerSecret {
		secret, write, err := s.seal(ctx, r.Interaction, said.Secret, now)
		if err != nil {
			return r.Interaction, err
		}
		next.Answer.Secret = secret
		writes = append(writes, write)
	}
	if writes, err = s.answerWrites(caller, next, writes); err != nil {
		return r.Interaction, err
	}
	event := pags.Event{Kind: "answered", Step: r.Step, Text: saidText[said.Kind], Data: map[string]any{"interactionId": string(id), "kind": said.Kind}}
	_, err = s.Runs.AdvanceWith(ctx, r.RunID, "answer-"+string(id), func(run *pags.Run) error {
		run.Status, run.WaitingFor, run.Detail = pags.RunRunning, "", ""
		return nil
	}, []pags.Event{event}, writes...)
	var failed *port.ConditionFailed
	if err != nil && !errors.As(err, &failed) {
		return r.Interaction, err
	}
	now2, loadErr := s.load(ctx, id) // also the newest token
	if loadErr != nil {
		return next.Interaction, loadErr
	}
	if failed != nil || !sameAnswer(now2, next) { // another answer, the expiry or a cancel was faster
		return now2.Interaction, s.answerable(now2)
	}
	crash.Here(crash.AnswerRowAfter)
	if err := s.deliver(ctx, now2); err != nil {
		s.Log.WarnContext(ctx, "answer not told; reconcile will", "interaction", id, "error", err)
	}
	s.pushInbox(ctx, now2.Interaction)
	return now2.Interaction, nil
}

var saidText = map[string]string{pags.AnswerAccept: "The owner said yes.", pags.AnswerDecline: "The owner said no.",
	pags.AnswerValue: "The owner gave a value.", pags.AnswerSecret: "The owner gave a secret.",
	pags.AnswerForm: "The owner filled in the form.", pags.AnswerRetry: "The owner said: do it again."}

// sameAnswer reports whether what is stored is this very answer: the run's key for it is taken by the first one.
func sameAnswer(a, b row) bool {
	return a.Answer != nil && b.Answer != nil && a.Answer.At.Equal(b.Answer.At) && a.Answer.Kind == b.Answer.Kind &&
		a.Answer.Value == b.Answer.Value && a.Answer.Secret == b.Answer.Secret && a.Answer.Note == b.Answer.Note && len(a.Answer.Content) == len(b.Answer.Content)
}

// answerable says why a question takes no answer (any more).
func (s *Service) answerable(r row) error {
	switch {
	case r.Status == pags.InteractionAnswered:
		return pags.Errorf(pags.Conflict, "this was answered already").With(r.Interaction)
	case r.Status == pags.InteractionCancelled:
		return pags.Errorf(pags.Gone, "the run was cancelled or is over; there is nothing to answer").With(r.Interaction)
	case r.Status == pags.InteractionExpired || r.expired(s.Clock.Now()):
		return pags.Errorf(pags.Gone, "the time for an answer is over (%s)", r.ExpiresAt.UTC().Format(time.RFC3339)).With(r.Interaction)
	}
	return nil
}

// check holds an answer to what is allowed. Its errors never hold what was said.
func (a Said) check(allowed []string) error {
	if !slices.Contains(allowed, a.Kind) {
		return pags.Errorf(pags.Unprocessable, "this takes one of: %s", strings.Join(allowed, ", "))
	}
	if utf8.RuneCountInString(a.Note) > maxNote {
		return pags.Errorf(pags.Unprocessable, "note is longer than %d characters", maxNote)
	}
	for _, f := range []struct{ name, text, kind string }{{"value", a.Value, pags.AnswerValue}, {"secret", a.Secret, pags.AnswerSecret}} {
		switch {
		case a.Kind != f.kind && f.text != "":
			return pags.Errorf(pags.Unprocessable, "%s goes with kind %s only", f.name, f.kind)
		case a.Kind == f.kind && (f.text == "" || utf8.RuneCountInString(f.text) > maxValue):
			return pags.Errorf(pags.Unprocessable, "%s has 1 to %d characters", f.name, maxValue)
		}
	}
	if a.Kind != pags.AnswerForm && a.Content != nil {
		return pags.Errorf(pags.Unprocessable, "content goes with kind form only")
	}
	return nil
}

// answerWrites are the answered row, the note that its token has yet to be told, and the audit row.
func (s *Service) answerWrites(caller httpapi.Caller, r row, writes []port.Write) ([]port.Write, error) {
	it, err := r.item()
	if err != nil {
		return nil, err
	}
	owed := undeliveredKey(r.ID)
	at := r.Answer.At
	audit := port.Item{
		port.AttrPK: "U#" + string(r.UserID), port.AttrSK: "AUDIT#" + at.Format("2006-01-02T15:04:05.000000000Z") + "#" + string(r.ID),
		"action": "interaction.answer", "interactionId": string(r.ID), "runId": string(r.RunID), "reason": string(r.Reason),
		"kind": r.Answer.Kind, "sessionId": string(caller.SessionID), "tokenId": string(caller.TokenID), "at": at.Format(time.RFC3339Nano),
	}
	// the token may be replaced while we write: only what we answer is set, under the condition that it is open
	set := port.Update(metaKey(r.ID)).Setting("status", it["status"]).Setting("answer", it["answer"]).Setting(port.AttrG1SK, it[port.AttrG1SK]).When(open())
	return append(writes, set,
		port.Put(port.Item{port.AttrPK: owed.PK, port.AttrSK: owed.SK}),
		port.Put(audit.Expiring(at.Add(auditLife)))), nil
}
