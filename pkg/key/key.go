// Package key keeps people's own model keys: sealed when stored, never shown again, opened only for the call that needs one.
//
//	routes.go  every route, first
//	key.go     the rows, and which key a brain uses
//	trial.go   asking the model for one word
package key

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Providers are the wires that are spoken, in the order in which a stored key is preferred.
var Providers = []string{"anthropic", "openai"}

// Limits of a key.
const (
	minKey   = 8
	maxKey   = 500
	maxURL   = 500
	maxModel = 120
)

// Deps is what the area needs. CheckURL says whether a model server's address may be called from here; nil allows none but
// the providers' own.
type Deps struct {
	Table    port.Table
	Vault    port.Vault
	Models   port.Models
	Clock    port.Clock
	CheckURL func(raw string) error
}

// Service is the area. Safe for concurrent use.
type Service struct{ Deps }

// New makes the area.
func New(d Deps) *Service { return &Service{d} }

// Key is a stored key as people see it.
type Key struct {
	Provider   string    `json:"provider" enum:"anthropic,openai"`
	Last4      string    `json:"last4" doc:"the last four characters"`
	BaseURL    string    `json:"baseUrl,omitempty" doc:"a server other than the provider's own"`
	Model      string    `json:"model,omitempty" doc:"empty: the default of the wire"`
	UpdatedAt  time.Time `json:"updatedAt"`
	LastUsedAt time.Time `json:"lastUsedAt,omitzero" doc:"to within an hour"`
}

// row is a key with its sealed text.
type row struct {
	Key
	Sealed string `json:"sealed"` // base64; bound to user and provider
}

func rowKey(uid pags.UserID, provider string) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "KEY#" + provider}
}

func bind(uid pags.UserID, provider string) map[string]string {
	return map[string]string{"kind": "model-key", "user": string(uid), "provider": provider}
}

// Set stores a key in place of the one before. Bad input is pags.Unprocessable and names the part.
func (s *Service) Set(ctx context.Context, uid pags.UserID, provider, secret, baseURL, model string) (Key, error) {
	secret, baseURL, model = strings.TrimSpace(secret), strings.TrimRight(strings.TrimSpace(baseURL), "/"), strings.TrimSpace(model)
	switch {
	case !slices.Contains(Providers, provider):
		return Key{}, unknown(provider)
	case len(secret) < minKey || len(secret) > maxKey || strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return Key{}, pags.Errorf(pags.Unprocessable, "key is %d to %d printable characters without spaces", minKey, maxKey)
	case len(baseURL) > maxURL || len(model) > maxModel:
		return Key{}, pags.Errorf(pags.Unprocessable, "baseUrl is at most %d and model at most %d characters", maxURL, maxModel)
	}
	if baseURL != "" {
		if s.CheckURL == nil {
			return Key{}, pags.Errorf(pags.Unprocessable, "this host calls only the providers' own servers; leave baseUrl out")
		}
		if err := s.CheckURL(baseURL); err != nil {
			return Key{}, pags.Wrap(err, pags.Unprocessable, "baseUrl cannot be called from here: %s", message(err))
		}
	}
	sealed, err := s.Vault.Seal(ctx, []byte(secret), bind(uid, provider))
	if err != nil {
		return Key{}, fmt.Errorf("seal the %s key of %s: %w", provider, uid, err)
	}
	k := Key{Provider: provider, Last4: secret[len(secret)-4:], BaseURL: baseURL, Model: model, UpdatedAt: s.Clock.Now().UTC()}
	it, err := port.Encode(rowKey(uid, provider), row{k, base64.StdEncoding.EncodeToString(sealed)})
	if err != nil {
		return Key{}, err
	}
	if err := s.Table.Transact(ctx, pags.NewToken()[:32], port.Put(it), s.audit(uid, "key.set", provider)); err != nil {
		return Key{}, fmt.Errorf("store the %s key of %s: %w", provider, uid, err)
	}
	return k, nil
}

// List gives the user's keys in the order of preference.
func (s *Service) List(ctx context.Context, uid pags.UserID) ([]Key, error) {
	rows, err := s.rows(ctx, uid)
	keys := make([]Key, len(rows))
	for i, r := range rows {
		keys[i] = r.Key
	}
	return keys, err
}

func (s *Service) rows(ctx context.Context, uid pags.UserID) ([]row, error) {
	keys := make([]port.Key, len(Providers))
	for i, p := range Providers {
		keys[i] = rowKey(uid, p)
	}
	items, err := s.Table.GetMany(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read the keys of %s: %w", uid, err)
	}
	var rows []row
	for _, it := range items {
		if it == nil {
			continue
		}
		var r row
		if err := port.Decode(it, &r); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Remove forgets a key; one that is not there is pags.NotFound.
func (s *Service) Remove(ctx context.Context, uid pags.UserID, provider string) error {
	err := s.Table.Transact(ctx, pags.NewToken()[:32], port.Delete(rowKey(uid, provider)).When(port.Exists()), s.audit(uid, "key.remove", provider))
	var no *port.Cancelled
	if errors.As(err, &no) && no.Failed(0) {
		return pags.Errorf(pags.NotFound, "there is no %s key", clip(provider))
	}
	if err != nil {
		return fmt.Errorf("remove the %s key of %s: %w", provider, uid, err)
	}
	return nil
}

// Credential opens the user's preferred key: the first of Providers that is stored. Without one it is pags.Conflict with
// advice.
func (s *Service) Credential(ctx context.Context, uid pags.UserID) (port.Credential, error) {
	rows, err := s.rows(ctx, uid)
	if err != nil {
		return port.Credential{}, err
	}
	if len(rows) == 0 {
		return port.Credential{}, pags.Errorf(pags.Conflict, "no model key is stored; store one in the console under Keys, or with: pags keys set anthropic")
	}
	return s.open(ctx, uid, rows[0])
}

// lastUsedEvery bounds how often a use is noted, so that a run does not write once a step.
const lastUsedEvery = time.Hour

func (s *Service) open(ctx context.Context, uid pags.UserID, r row) (port.Credential, error) {
	sealed, err := base64.StdEncoding.DecodeString(r.Sealed)
	if err != nil {
		return port.Credential{}, fmt.Errorf("decode the %s key of %s: %w", r.Provider, uid, err)
	}
	secret, err := s.Vault.Open(ctx, sealed, bind(uid, r.Provider))
	if err != nil {
		return port.Credential{}, pags.Wrap(err, pags.Conflict, "the stored %s key cannot be opened by this host; store it again", r.Provider)
	}
	if now := s.Clock.Now().UTC(); now.Sub(r.LastUsedAt) > lastUsedEvery {
		use := port.Update(rowKey(uid, r.Provider)).Setting("lastUsedAt", now.Format(time.RFC3339)).When(port.Eq("sealed", r.Sealed))
		var gone *port.ConditionFailed
		if err := s.Table.Write(ctx, use); err != nil && !errors.As(err, &gone) {
			return port.Credential{}, fmt.Errorf("note the use of the %s key of %s: %w", r.Provider, uid, err)
		}
	}
	return port.Credential{Provider: r.Provider, BaseURL: r.BaseURL, Key: string(secret), Model: r.Model}, nil
}

func unknown(provider string) error {
	return pags.Errorf(pags.NotFound, "there is no provider %q; it is one of %s", clip(provider), strings.Join(Providers, ", "))
}

// audit notes who did what to which key, never the key.
func (s *Service) audit(uid pags.UserID, action, provider string) port.Write {
	return guard.Audit(s.Clock.Now(), uid, action, map[string]any{"provider": clip(provider)})
}

func clip(s string) string { return s[:min(len(s), 40)] }

func message(err error) string {
	var e *pags.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
