package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

var setupRow = port.Key{PK: "SYS", SK: "SETUP"}

func profileKey(uid pags.UserID) port.Key { return port.Key{PK: "U#" + string(uid), SK: "PROFILE"} }

// User reads a user; pags.NotFound if there is none.
func (s *Service) User(ctx context.Context, uid pags.UserID) (pags.User, error) {
	var u pags.User
	it, err := s.Table.Get(ctx, profileKey(uid))
	if pags.Is(err, pags.NotFound) {
		return u, pags.Wrap(err, pags.NotFound, "there is no such user")
	}
	if err != nil {
		return u, fmt.Errorf("read user %s: %w", uid, err)
	}
	return u, port.Decode(it, &u)
}

// SetUp makes the first account with the token that was given to this stack, and a sign-in link for it. It works once:
// later calls are pags.Conflict, a wrong token is pags.Unauthenticated.
func (s *Service) SetUp(ctx context.Context, token, login, name string) (pags.User, Link, error) {
	if s.SetupHash == "" {
		return pags.User{}, Link{}, pags.Errorf(pags.Forbidden, "set-up by token is off on this host; give it a set-up token first")
	}
	if subtle.ConstantTimeCompare([]byte(hash(token)), []byte(strings.ToLower(s.SetupHash))) != 1 {
		return pags.User{}, Link{}, pags.Errorf(pags.Unauthenticated, "the set-up token is wrong")
	}
	u, made, err := s.first(ctx, login, name)
	if err != nil {
		return u, Link{}, err
	}
	if !made {
		return pags.User{}, Link{}, pags.Errorf(pags.Conflict, "this stack has its first account already; sign in with a link")
	}
	link, err := s.NewLink(ctx, u.ID)
	return u, link, err
}

// EnsureLocalAccount returns the account of a host that serves one person, and makes it on the first call.
func (s *Service) EnsureLocalAccount(ctx context.Context) (u pags.User, created bool, err error) {
	return s.first(ctx, "owner", "Owner")
}

// first returns the stack's first account, made on the first call by whoever comes first.
func (s *Service) first(ctx context.Context, login, name string) (pags.User, bool, error) {
	now := s.Clock.Now().UTC()
	u := pags.User{ID: pags.NewUserID(now), Login: login, Name: name, Roles: []string{"user", "creator", "admin"}, CreatedAt: now}
	it, err := port.Encode(profileKey(u.ID), u)
	if err != nil {
		return u, false, err
	}
	err = s.Table.Transact(ctx, pags.NewToken()[:32],
		port.Put(port.Item{port.AttrPK: setupRow.PK, port.AttrSK: setupRow.SK, "userId": string(u.ID)}).When(port.NotExists()),
		port.Put(it).When(port.NotExists()),
		guard.Audit(now, u.ID, "account.created", nil))
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) && cancelled.Failed(0) {
		row, err := s.Table.Get(ctx, setupRow)
		if err != nil {
			return u, false, fmt.Errorf("read who was set up: %w", err)
		}
		uid, _ := row["userId"].(string)
		u, err = s.User(ctx, pags.UserID(uid))
		return u, false, err
	}
	if err != nil {
		return u, false, fmt.Errorf("make the first account: %w", err)
	}
	return u, true, nil
}

// isSetUp reports whether the first account was made.
func (s *Service) isSetUp(ctx context.Context) (bool, error) {
	_, err := s.Table.Get(ctx, setupRow)
	if pags.Is(err, pags.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read whether the stack is set up: %w", err)
	}
	return true, nil
}

// SetSuspended stops a user, or lets them go on: the next request of any of their sessions knows. For operators; no route
// leads here.
func (s *Service) SetSuspended(ctx context.Context, uid pags.UserID, suspended bool) error {
	err := s.Table.Transact(ctx, pags.NewToken()[:32],
		port.Update(profileKey(uid)).Setting("suspended", suspended).When(port.Exists()),
		guard.Audit(s.Clock.Now(), uid, "account.suspended", map[string]any{"suspended": suspended}))
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) && cancelled.Failed(0) {
		return pags.Errorf(pags.NotFound, "there is no such user")
	}
	if err != nil {
		return fmt.Errorf("suspend user %s: %w", uid, err)
	}
	return nil
}
