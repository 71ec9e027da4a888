package account

import (
	"context"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/proagentstore/pags/pkg/pags"
)

// An access token is a JWT signed with EdDSA whose header type is at+jwt (RFC 9068), so that no other token we may sign one
// day passes for it. It names user and session; everything else is read live.
const (
	tokenType = "at+jwt"
	audience  = "pags"
)

type accessClaims struct {
	jwt.RegisteredClaims
	Session pags.SessionID `json:"sid"`
}

// issue signs an access token.
func (s *Service) issue(ctx context.Context, uid pags.UserID, sid pags.SessionID) (string, time.Time, error) {
	set, err := s.signing(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	now := s.Clock.Now().UTC().Truncate(time.Second)
	until := now.Add(AccessLife)
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, accessClaims{Session: sid, RegisteredClaims: jwt.RegisteredClaims{
		Issuer: s.PublicURL, Subject: string(uid), Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(until),
	}})
	key := set.signer(now)
	t.Header["typ"], t.Header["kid"] = tokenType, key.ID
	text, err := t.SignedString(key.private)
	if err != nil {
		return "", until, fmt.Errorf("sign an access token: %w", err)
	}
	return text, until, nil
}
