package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/rule"
)

// maxNote is the longest note of a policy.
const maxNote = 200

// readable holds a policy to what can be followed.
func readable(p stored) error {
	if err := rule.CheckPattern(p.Pattern); err != nil {
		return err
	}
	if !slices.Contains(rule.Actions, p.Action) {
		return fmt.Errorf("%q is no action; it is one of approve, require_approval, block", p.Action)
	}
	return nil
}

// Create makes a policy that holds from the next call on. A pattern that is none is pags.Unprocessable; one that matches nothing
// now is kept, with a warning. A repeat with the same key makes nothing and answers the first one.
func (s *Service) Create(ctx context.Context, uid pags.UserID, pattern string, action rule.Action, note, key string) (Policy, error) {
	now := s.Clock.Now().UTC()
	p := stored{ID: pags.NewPolicyID(now), Pattern: strings.TrimSpace(pattern), Action: action, Enabled: true, Note: strings.TrimSpace(note), CreatedAt: now, UpdatedAt: now}
	if err := good(p); err != nil {
		return Policy{}, err
	}
	request := map[string]string{"pattern": p.Pattern, "action": string(action), "note": p.Note}
	return httpapi.Idempotent(ctx, s.answers, key, request, func(keep func(Policy) ([]port.Write, error)) (Policy, error) {
		made := p.policy()
		s.measure(ctx, uid, &made)
		extra, err := keep(made)
		if err != nil {
			return Policy{}, err
		}
		it, err := port.Encode(rowKey(uid, p.ID), p)
		if err != nil {
			return Policy{}, err
		}
		writes := append([]port.Write{
			port.Update(headKey(uid)).Adding("rev", 1).Adding("count", 1).OrCreate().When(port.Or(port.LacksAttr("count"), port.Lt("count", MaxPolicies))),
			port.Put(it).When(port.NotExists()),
			s.audit(uid, "policy.create", p),
		}, extra...)
		err = s.Table.Transact(ctx, pags.NewToken()[:32], writes...)
		var no *port.Cancelled
		if errors.As(err, &no) && no.Failed(0) {
			return Policy{}, pags.Wrap(err, pags.Conflict, "you have %d policies, the most there can be; remove one first", MaxPolicies)
		}
		if err != nil {
			return Policy{}, fmt.Errorf("store a policy of %s: %w", uid, err)
		}
		return made, nil
	})
}

func good(p stored) error {
	if err := readable(p); err != nil {
		return pags.Errorf(pags.Unprocessable, "%s", err.Error())
	}
	switch {
	case utf8.RuneCountInString(p.Note) > maxNote:
		return pags.Errorf(pags.Unprocessable, "a note has at most %d characters", maxNote)
	case guard.Visible(p.Note) != p.Note:
		return pags.Errorf(pags.Unprocessable, "a note cannot hold invisible characters")
	}
	return nil
}

// Change says what of a policy becomes different; nil stays.
type Change struct {
	Pattern *string
	Action  *rule.Action
	Enabled *bool
	Note    *string
}

// Change changes a policy from the next call on. Two changes at once of different parts are both kept.
func (s *Service) Change(ctx context.Context, uid pags.UserID, id pags.PolicyID, c Change) (Policy, error) {
	p, err := s.load(ctx, uid, id)
	if err != nil {
		return Policy{}, err
	}
	w := port.Update(rowKey(uid, id)).When(port.Exists())
	if c.Pattern != nil {
		p.Pattern = strings.TrimSpace(*c.Pattern)
		w = w.Setting("pattern", p.Pattern)
	}
	if c.Action != nil {
		p.Action = *c.Action
		w = w.Setting("action", string(p.Action))
	}
	if c.Enabled != nil {
		p.Enabled = *c.Enabled
		w = w.Setting("enabled", p.Enabled)
	}
	if c.Note != nil {
		p.Note = strings.TrimSpace(*c.Note)
		w = w.Setting("note", p.Note)
	}
	if len(w.Set) == 0 {
		return Policy{}, pags.Errorf(pags.Unprocessable, "nothing to change: give pattern, action, enabled or note")
	}
	if err := good(p); err != nil {
		return Policy{}, err
	}
	p.UpdatedAt = s.Clock.Now().UTC()
	err = s.commit(ctx, uid, id, "change", w.Setting("updatedAt", p.UpdatedAt.Format(time.RFC3339Nano)), 0, s.audit(uid, "policy.change", p))
	if err != nil {
		return Policy{}, err
	}
	return s.Get(ctx, uid, id)
}

// Remove forgets a policy.
func (s *Service) Remove(ctx context.Context, uid pags.UserID, id pags.PolicyID) error {
	p, err := s.load(ctx, uid, id)
	if err != nil {
		return err
	}
	return s.commit(ctx, uid, id, "remove", port.Delete(rowKey(uid, id)).When(port.Exists()), -1, s.audit(uid, "policy.remove", p))
}

// commit does one change together with its revision and its audit row.
func (s *Service) commit(ctx context.Context, uid pags.UserID, id pags.PolicyID, verb string, w port.Write, count int64, audit port.Write) error {
	rev := port.Update(headKey(uid)).Adding("rev", 1).OrCreate()
	if count != 0 {
		rev = rev.Adding("count", count)
	}
	err := s.Table.Transact(ctx, pags.NewToken()[:32], w, rev, audit)
	var no *port.Cancelled
	if errors.As(err, &no) && no.Failed(0) {
		return missing(id)
	}
	if err != nil {
		return fmt.Errorf("%s the policy %s of %s: %w", verb, id, uid, err)
	}
	return nil
}

// audit notes who laid down what. Policies are rules, not content: they stand in the row.
func (s *Service) audit(uid pags.UserID, action string, p stored) port.Write {
	return guard.Audit(s.Clock.Now(), uid, action, map[string]any{"policyId": string(p.ID), "pattern": p.Pattern, "action": string(p.Action), "enabled": p.Enabled})
}

func missing(id pags.PolicyID) error {
	return pags.Errorf(pags.NotFound, "there is no policy %s", string(id[:min(len(id), 40)]))
}
