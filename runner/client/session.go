package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/proagentstore/pags/runner/home"
)

// Stored is the session file: which host, and the tokens of this place. Mode 0600.
type Stored struct {
	Server       string    `json:"server"`
	RefreshToken string    `json:"refreshToken"`
	AccessToken  string    `json:"accessToken,omitempty"`
	ExpiresAt    time.Time `json:"expiresAt,omitzero"`
}

// Session keeps the tokens of the session file fresh. Several processes may share the file: a lock beside it makes one of them
// refresh while the others wait and read the result.
type Session struct {
	path   string
	now    func() time.Time
	mu     sync.Mutex
	stored Stored
}

// ErrSignedOut says that there is no usable session here.
var ErrSignedOut = errors.New("you are not signed in here; start the host with pags serve, or sign in with pags login")

// OpenSession reads the session file.
func OpenSession(path string, now func() time.Time) (*Session, error) {
	s := &Session{path: path, now: now}
	if err := s.read(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Session) read() error {
	raw, err := home.ReadOwn(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrSignedOut
	}
	if err != nil {
		return err
	}
	var st Stored
	if err := json.Unmarshal(raw, &st); err != nil || st.Server == "" || st.RefreshToken == "" {
		return fmt.Errorf("the session file %s is damaged; sign in again with pags login", s.path)
	}
	s.stored = st
	return nil
}

// Server is the host's address without a trailing slash.
func (s *Session) Server() string { return strings.TrimRight(s.stored.Server, "/") }

// Move points the session at the host's new address.
func (s *Session) Move(server string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored.Server = server
	return SaveSession(s.path, s.stored)
}

// early is how long before its end an access token is renewed.
const early = 30 * time.Second

// Access returns an access token that is good for a while, refreshing it when needed or when renew says that the host
// refused the last one.
func (s *Session) Access(ctx context.Context, h *http.Client, renew bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !renew && s.fresh() {
		return s.stored.AccessToken, nil
	}
	refused := s.stored.AccessToken
	unlock, err := lockFile(s.path + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := s.read(); err != nil { // another process may have refreshed it meanwhile
		return "", err
	}
	if s.fresh() && s.stored.AccessToken != refused {
		return s.stored.AccessToken, nil
	}
	if err := s.refresh(ctx, h); err != nil {
		return "", err
	}
	return s.stored.AccessToken, nil
}

func (s *Session) fresh() bool {
	return s.stored.AccessToken != "" && s.stored.ExpiresAt.After(s.now().Add(early))
}

func (s *Session) refresh(ctx context.Context, h *http.Client) error {
	body, err := json.Marshal(map[string]string{"refreshToken": s.stored.RefreshToken})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Server()+"/v1/auth/refresh", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	var out Stored
	if err := send(h, req, s.Server(), &out); err != nil {
		var p *Problem
		if errors.As(err, &p) && p.Status == http.StatusUnauthorized {
			return ErrSignedOut
		}
		return err
	}
	s.stored.AccessToken, s.stored.ExpiresAt = out.AccessToken, out.ExpiresAt
	if out.RefreshToken != "" {
		s.stored.RefreshToken = out.RefreshToken
	}
	return SaveSession(s.path, s.stored)
}

// SaveSession writes the session file.
func SaveSession(path string, st Stored) error {
	raw, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	return home.WriteFile(path, append(raw, '\n'))
}

// RemoveSession forgets the session here; it is fine if there is none.
func RemoveSession(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// Exchange trades a one-time link token for a session at a host.
func Exchange(ctx context.Context, server, token string) (Stored, error) {
	body, err := json.Marshal(map[string]string{"token": token, "label": "cli", "deliver": "body"})
	if err != nil {
		return Stored{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/v1/auth/link", bytes.NewReader(body))
	if err != nil {
		return Stored{}, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	var out Stored
	if err := send(&http.Client{Timeout: 30 * time.Second}, req, server, &out); err != nil {
		return Stored{}, err
	}
	out.Server = server
	return out, nil
}
