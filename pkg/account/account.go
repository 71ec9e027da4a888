// Package account knows people and the places they are signed in at.
//
//	routes.go   the routes, listed first
//	user.go     users; the first one of a stack
//	link.go     one-time sign-in links
//	session.go  sessions: open, list, revoke
//	refresh.go  rotating refresh tokens
//	signing.go  the stack's signing keys and their public half
//	token.go    access tokens
//	verify.go   the check of every request
//	program.go  access tokens for programs
//	cookie.go   how browsers keep a refresh token
package account

import (
	"net/http"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/port"
)

// Lives of what we hand out.
const (
	AccessLife  = 15 * time.Minute
	SessionLife = 30 * 24 * time.Hour // from the last refresh (spec platform 6.1)
	LinkLife    = 10 * time.Minute
	ReuseGrace  = time.Minute // a refresh token that was just replaced still gets an answer: two tabs refresh at once
)

// Deps is what the area needs.
type Deps struct {
	Table port.Table
	Vault port.Vault
	Clock port.Clock
	// PublicURL is where people reach this stack: issuer of tokens, and the origin that may use cookies.
	PublicURL string
	// SetupHash is the SHA-256 (hex) of the token that may make the first account; empty turns that route off.
	SetupHash string
	// PlainCookies names the refresh cookie without __Host- and Secure, for plain http on loopback.
	PlainCookies bool
}

// Service is the area.
type Service struct {
	Deps
	keys struct {
		sync.Mutex
		set    *signingSet
		readAt time.Time
	}
}

var _ httpapi.Verifier = (*Service)(nil)

// New makes the area.
func New(d Deps) *Service { return &Service{Deps: d} }

// cookieName: the __Host- prefix makes browsers insist on Secure, Path=/ and no Domain.
func (s *Service) cookieName() string {
	if s.PlainCookies {
		return "pags_refresh"
	}
	return "__Host-pags"
}

func (s *Service) cookie(value string, life time.Duration) string {
	c := http.Cookie{Name: s.cookieName(), Value: value, Path: "/", HttpOnly: true, Secure: !s.PlainCookies,
		SameSite: http.SameSiteStrictMode, MaxAge: int(life / time.Second)}
	if value == "" {
		c.MaxAge = -1
	}
	return c.String()
}
