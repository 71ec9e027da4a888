package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

var errKeysAway = errors.New("the signing keys cannot be read")

// Verify checks an access token of a session: signature, type, audience, issuer and expiry, then user and session as they
// are now, in one consistent read; or a token for programs, in one read too. Revoked, expired or unknown is
// pags.Unauthenticated, suspended pags.Forbidden; if anything cannot be read, nobody passes.
func (s *Service) Verify(ctx context.Context, bearer string) (httpapi.Caller, error) {
	if strings.HasPrefix(bearer, programPrefix) {
		return s.verifyProgram(ctx, bearer)
	}
	var claims accessClaims
	_, err := jwt.ParseWithClaims(bearer, &claims, func(t *jwt.Token) (any, error) {
		if t.Header["typ"] != tokenType {
			return nil, fmt.Errorf("token of type %v", t.Header["typ"])
		}
		id, _ := t.Header["kid"].(string)
		key, err := s.keyFor(ctx, id)
		if err != nil {
			return nil, errors.Join(errKeysAway, err)
		}
		if key == nil {
			return nil, errors.New("token of an unknown key")
		}
		return key, nil
	}, jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithAudience(audience), jwt.WithIssuer(s.PublicURL),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.Clock.Now))
	switch {
	case errors.Is(err, errKeysAway):
		return httpapi.Caller{}, pags.Wrap(err, pags.Unavailable, "tokens cannot be checked now; try again in a moment")
	case errors.Is(err, jwt.ErrTokenExpired):
		return httpapi.Caller{}, pags.Wrap(err, pags.Unauthenticated, "the access token is over; refresh it")
	case err != nil:
		return httpapi.Caller{}, pags.Wrap(err, pags.Unauthenticated, "the access token is not valid; sign in again")
	}
	u, row, err := s.live(ctx, pags.UserID(claims.Subject), claims.Session)
	if err != nil {
		return httpapi.Caller{}, err
	}
	return httpapi.Caller{UserID: u.ID, SessionID: row.ID, Person: row.Person, Roles: u.Roles}, nil
}

// live reads user and session in one consistent read and answers only if both are good.
func (s *Service) live(ctx context.Context, uid pags.UserID, sid pags.SessionID) (u pags.User, row sessionRow, err error) {
	if uid == "" || sid == "" {
		return u, row, pags.Errorf(pags.Unauthenticated, "the session is over; sign in again")
	}
	items, err := s.Table.GetMany(ctx, profileKey(uid), sessionKey(uid, sid))
	if err != nil {
		return u, row, pags.Wrap(err, pags.Unavailable, "the session cannot be checked now; try again in a moment")
	}
	if len(items) != 2 || items[0] == nil || items[1] == nil {
		return u, row, pags.Errorf(pags.Unauthenticated, "the session is over; sign in again")
	}
	if err := errors.Join(port.Decode(items[0], &u), port.Decode(items[1], &row)); err != nil {
		return u, row, fmt.Errorf("read a session: %w", err)
	}
	if u.Suspended {
		return u, row, suspendedError()
	}
	if row.Revoked || !s.Clock.Now().Before(row.ExpiresAt) {
		return u, row, pags.Errorf(pags.Unauthenticated, "the session is over; sign in again")
	}
	return u, row, nil
}

func suspendedError() error {
	return pags.Errorf(pags.Forbidden, "this account is suspended; ask whoever runs this stack")
}

// Active answers nil while the user is not suspended and the session is good; for connections that outlive a request.
func (s *Service) Active(ctx context.Context, uid pags.UserID, sid pags.SessionID) error {
	_, _, err := s.live(ctx, uid, sid)
	return err
}
