package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
)

// Send makes a call that was judged and writes its audit rows to the trail; nil is the table, at once. A call that was refused
// ends in its result and one row. One that needs a consent is sent only after Granted, else it is pags.Conflict.
//
// What may have an effect leaves only after the row of its intent is durable, else it is pags.Unavailable and nothing was sent;
// its result is given also if the row of its end could not be written, since the intent tells of it. What only reads has one
// row, and its result is withheld if that cannot be written. Everything that upstream says is a result. An error of
// Sources.Send is passed on as it is, also one that says that the outcome is unknown.
func (s *Service) Send(ctx context.Context, j Judgement, trail Trail) (catalog.Result, error) {
	none := catalog.Result{}
	switch {
	case j.Result != nil:
		return *j.Result, s.Ended(ctx, j, statusOf(*j.Result), trail)
	case j.Digest == "":
		return none, fmt.Errorf("a call of %s was not judged", clip(j.Address, 120))
	case j.Ask != nil && j.consent == "":
		return none, pags.Errorf(pags.Conflict, "a person has to be asked before this call of %s", j.Address)
	case j.Bound == nil:
		return s.sendOwn(ctx, j, trail)
	}
	door := s.breaker.enter(string(j.User)+"\n"+j.Address, s.Clock.Now())
	if door.wait > 0 {
		j = j.over(resting(j.Address, door.wait))
		return *j.Result, s.Ended(ctx, j, StatusFailed, trail)
	}
	verdict := unclear
	defer func() { door.leave(verdict, s.Clock.Now()) }()

	t, facts := s.trail(trail), j.facts()
	if !j.ReadOnly {
		if err := t.Intent(ctx, guard.Audit(s.Clock.Now(), j.User, actionIntent, facts)); err != nil {
			return none, pags.Wrap(err, pags.Unavailable, "the audit row of this call could not be written, so nothing was sent; try again")
		}
	}
	began := s.Clock.Now()
	r, err := s.Sources.Send(ctx, j.User, j.Bound, j.Input, j.Key)
	took := s.Clock.Now().Sub(began)
	if verdict = judged(r, err); err != nil && ctx.Err() != nil { // the caller gave up, which says nothing of upstream
		verdict = unclear
	}
	if err != nil {
		s.sendFailed(ctx, t, j, facts, err, took)
		return none, err
	}
	outcome(facts, statusOf(r), &r, took)
	if err := s.note(ctx, t, j.User, facts); err != nil {
		if j.ReadOnly {
			return none, pags.Wrap(err, pags.Unavailable, "the audit row of this call could not be written, so its result is withheld; try again")
		}
		s.Log.ErrorContext(ctx, "the end of a call has no audit row", "address", j.Address, "run", j.Run, "error", err)
	}
	return r, nil
}

// sendFailed writes the row of a call that ended in our own trouble. The caller gets that trouble, not one of the row's.
func (s *Service) sendFailed(ctx context.Context, t Trail, j Judgement, facts map[string]any, cause error, took time.Duration) {
	if isUnknown(cause) {
		outcome(facts, StatusUnknown, nil, took)
	} else {
		outcome(facts, StatusFailed, nil, took)
		facts["code"] = string(pags.CodeOf(cause))
	}
	if err := s.note(ctx, t, j.User, facts); err != nil {
		s.Log.ErrorContext(ctx, "the end of a call has no audit row", "address", j.Address, "run", j.Run, "error", err)
	}
}

// isUnknown reports whether an error says that nobody can tell whether a call took effect.
func isUnknown(err error) bool {
	var u interface {
		error
		UnknownOutcome() string
	}
	return errors.As(err, &u)
}

// Ended writes the one audit row of a call that ends without being sent now: refused, declined, or given up as unknown. If it
// cannot be written it is pags.Unavailable, and the ending has to be withheld.
func (s *Service) Ended(ctx context.Context, j Judgement, how Status, trail Trail) error {
	facts := j.facts()
	outcome(facts, how, j.Result, 0)
	if err := s.note(ctx, s.trail(trail), j.User, facts); err != nil {
		return pags.Wrap(err, pags.Unavailable, "the audit row of this call could not be written, so its end is withheld; try again")
	}
	return nil
}
