package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Tokens are what a signed-in place gets.
type Tokens struct {
	Access    string
	ExpiresAt time.Time // of Access
	Refresh   string
	User      pags.User
	Session   pags.Session
}

// sessionRow is a session as stored. Refresh tokens are kept as hashes: those that are good now, and those they replaced.
type sessionRow struct {
	pags.Session
	Family   string    `json:"family"`   // hash of the part that all refresh tokens of the session share
	Current  []string  `json:"current"`  // more than one when twins refreshed within the grace
	Previous []string  `json:"previous"` // what Current replaced
	Rotated  time.Time `json:"rotatedAt"`
	Rev      int64     `json:"rev"` // grows with each change of the tokens
}

func sessionKey(uid pags.UserID, sid pags.SessionID) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "SESSION#" + string(sid)}
}

// NewSession signs a place in. person says that a person holds it: only such a session answers interactions or changes keys.
func (s *Service) NewSession(ctx context.Context, uid pags.UserID, label string, person bool) (refresh, access string, session pags.Session, err error) {
	t, err := s.open(ctx, uid, label, person)
	return t.Refresh, t.Access, t.Session, err
}

// open writes a session in one transaction with what pays for it; those writes come first.
func (s *Service) open(ctx context.Context, uid pags.UserID, label string, person bool, with ...port.Write) (Tokens, error) {
	u, err := s.User(ctx, uid)
	if err != nil {
		return Tokens{}, err
	}
	if u.Suspended {
		return Tokens{}, suspendedError()
	}
	now := s.Clock.Now().UTC()
	row := sessionRow{Session: pags.Session{ID: pags.NewSessionID(now), UserID: uid, Label: label, Person: person,
		CreatedAt: now, LastUsed: now, ExpiresAt: now.Add(SessionLife)}, Rev: 1, Rotated: now}
	family := pags.NewToken()
	refresh := newRefresh(uid, row.ID, family)
	row.Family, row.Current, row.Previous = hash(family), []string{hash(refresh)}, []string{}
	it, err := port.Encode(sessionKey(uid, row.ID), row)
	if err != nil {
		return Tokens{}, err
	}
	writes := append(with, port.Put(it.Expiring(row.ExpiresAt)).When(port.NotExists()),
		guard.Audit(now, uid, "session.opened", map[string]any{"sessionId": string(row.ID), "label": label, "person": person}))
	if err := s.Table.Transact(ctx, pags.NewToken()[:32], writes...); err != nil {
		return Tokens{}, fmt.Errorf("open a session: %w", err)
	}
	return s.tokens(ctx, u, row.Session, refresh)
}

// tokens adds an access token.
func (s *Service) tokens(ctx context.Context, u pags.User, session pags.Session, refresh string) (Tokens, error) {
	access, until, err := s.issue(ctx, u.ID, session.ID)
	return Tokens{Access: access, ExpiresAt: until, Refresh: refresh, User: u, Session: session}, err
}

// Sessions lists the live sessions of a user, newest first.
func (s *Service) Sessions(ctx context.Context, uid pags.UserID, limit int, cursor string) (httpapi.Page[pags.Session], error) {
	var out httpapi.Page[pags.Session]
	page, err := s.Table.Query(ctx, port.Query{PK: "U#" + string(uid), Prefix: "SESSION#", Desc: true, Limit: limit, Cursor: cursor,
		Filter: port.Eq("revoked", false)})
	if err != nil {
		return out, fmt.Errorf("list sessions: %w", err)
	}
	for _, it := range page.Items {
		var row sessionRow
		if err := port.Decode(it, &row); err != nil {
			return out, err
		}
		out.Items = append(out.Items, row.Session)
	}
	out.NextCursor = page.Cursor
	return out, nil
}

// Revoke ends a session of the user at once: its access tokens stop working with the next request. Another's session, and
// one that is over, is pags.NotFound.
func (s *Service) Revoke(ctx context.Context, uid pags.UserID, sid pags.SessionID, why string) error {
	missing := pags.Errorf(pags.NotFound, "there is no such session")
	if _, err := s.Table.Get(ctx, sessionKey(uid, sid)); pags.Is(err, pags.NotFound) {
		return missing // without a write
	} else if err != nil {
		return fmt.Errorf("read session %s: %w", sid, err)
	}
	err := s.Table.Transact(ctx, pags.NewToken()[:32],
		port.Update(sessionKey(uid, sid)).Setting("revoked", true).Adding("rev", 1).When(port.Eq("revoked", false)),
		guard.Audit(s.Clock.Now(), uid, "session.revoked", map[string]any{"sessionId": string(sid), "why": why}))
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) && cancelled.Failed(0) {
		return missing
	}
	if err != nil {
		return fmt.Errorf("revoke session %s: %w", sid, err)
	}
	return nil
}
