package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// A refresh token is <user>.<session>.<family>.<random>: where to look, the part that shows it is a token of this session at
// all, and the part that is new each time. With the family part a token that is long replaced can be told from a guess: the
// one ends the session, the other must not, or anyone who knows an id could sign people out.
func newRefresh(uid pags.UserID, sid pags.SessionID, family string) string {
	return string(uid) + "." + string(sid) + "." + family + "." + pags.NewToken()
}

// twins is how many tokens may be good at once: that many clients of one session refresh at the same moment and all go on.
// One more takes the place of the oldest.
const twins = 8

// Refresh trades a refresh token for a new one and an access token. The token it replaces gets an answer of its own for
// ReuseGrace more; after that its use means that it was stolen, and ends the session.
func (s *Service) Refresh(ctx context.Context, token string) (Tokens, error) {
	over := pags.Errorf(pags.Unauthenticated, "the session is over; sign in again")
	part := strings.Split(token, ".")
	if len(token) > 400 || len(part) != 4 || !strings.HasPrefix(part[0], "usr_") || !strings.HasPrefix(part[1], "ses_") {
		return Tokens{}, over
	}
	uid, sid := pags.UserID(part[0]), pags.SessionID(part[1])
	for range twins {
		u, row, err := s.live(ctx, uid, sid)
		if err != nil {
			return Tokens{}, err
		}
		if subtle.ConstantTimeCompare([]byte(hash(part[2])), []byte(row.Family)) != 1 {
			return Tokens{}, over
		}
		now := s.Clock.Now().UTC()
		fresh := newRefresh(uid, sid, part[2])
		next, used := rotate(row, hash(token), hash(fresh), now)
		if !used {
			if err := s.Revoke(ctx, uid, sid, "a replaced refresh token was used again"); err != nil && !pags.Is(err, pags.NotFound) {
				return Tokens{}, err
			}
			return Tokens{}, pags.Errorf(pags.Unauthenticated, "this refresh token was replaced before; the session was ended to be safe, sign in again")
		}
		it, err := port.Encode(sessionKey(uid, sid), next)
		if err != nil {
			return Tokens{}, err
		}
		err = s.Table.Write(ctx, port.Put(it.Expiring(next.ExpiresAt)).When(port.Eq("rev", row.Rev)))
		var lost *port.ConditionFailed
		if errors.As(err, &lost) { // a twin or a revocation came first; look again
			continue
		}
		if err != nil {
			return Tokens{}, fmt.Errorf("rotate a refresh token: %w", err)
		}
		return s.tokens(ctx, u, next.Session, fresh)
	}
	return Tokens{}, pags.Errorf(pags.Unavailable, "too many clients refresh this session at once; try again")
}

// rotate works out the session after the token was used. used is false for a token that was replaced longer ago than the
// grace allows.
func rotate(row sessionRow, token, fresh string, now time.Time) (next sessionRow, used bool) {
	next = row
	switch {
	case slices.Contains(row.Current, token):
		next.Previous, next.Current, next.Rotated = row.Current, []string{fresh}, now
	case slices.Contains(row.Previous, token) && now.Sub(row.Rotated) <= ReuseGrace:
		next.Current = append(slices.Clone(row.Current), fresh)
		if len(next.Current) > twins {
			next.Current = next.Current[1:]
		}
	default:
		return row, false
	}
	next.Rev++
	next.LastUsed, next.ExpiresAt = now, now.Add(SessionLife)
	return next, true
}
