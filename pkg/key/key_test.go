package key_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/key"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

const owner, stranger, robot = httpapitest.OwnerToken, httpapitest.StrangerToken, httpapitest.RobotToken

// canary is a made-up key that must never come back.
const canary = "sk-ant-canary-0123456789abcdef-WXYZ"

// provider answers as it is told and remembers what it was asked with.
type provider struct {
	asked []port.Credential
	fail  error
}

func (p *provider) Ask(_ context.Context, c port.Credential, q port.Prompt) (port.Reply, error) {
	p.asked = append(p.asked, c)
	if q.MaxTokens == 0 || q.MaxTokens > 100 {
		return port.Reply{}, fmt.Errorf("a test asked for %d tokens", q.MaxTokens)
	}
	return port.Reply{Text: "ready", Model: "model-1"}, p.fail
}

type stage struct {
	*key.Service
	api      *httpapi.API
	clock    *porttest.Clock
	table    *httpapitest.Recorder
	provider *provider
	log      *bytes.Buffer
	deps     key.Deps
}

func newStage(t *testing.T, policy guard.Policy) *stage {
	t.Helper()
	clock := porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	bolted, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bolted.Close() })
	s := &stage{clock: clock, table: httpapitest.Record(bolted), provider: &provider{}, log: &bytes.Buffer{}}
	s.deps = key.Deps{Table: s.table, Vault: httpapitest.NewVault(), Models: s.provider, Clock: clock, CheckURL: policy.CheckURL}
	s.Service = key.New(s.deps)
	s.api = httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: clock, Log: slog.New(slog.NewJSONHandler(s.log, nil)),
		Limiter: httpapi.NewLimits(s.table, clock)})
	key.Routes(s.api, s.Service)
	return s
}

func (s *stage) put(t *testing.T, provider string, body map[string]any) key.Key {
	t.Helper()
	return httpapitest.Read[key.Key](t, httpapitest.Do(t, s.api, "PUT", "/v1/keys/"+provider, owner, body), 200)
}

func TestRoutes_OwnershipOfEveryRoute(t *testing.T) {
	httpapitest.Ownership(t, func(t *testing.T) httpapitest.World {
		s := newStage(t, guard.Policy{})
		s.put(t, "anthropic", map[string]any{"key": canary})
		return httpapitest.World{API: s.api, Table: s.table, Owner: owner, Stranger: stranger, Suspended: httpapitest.SuspendedToken,
			Params: map[string]string{"provider": "anthropic"}, Inputs: map[string]httpapitest.Input{"setKey": {Body: map[string]any{"key": canary}}}}
	})
}

func TestKeys_StoreShowAndForget(t *testing.T) {
	s := newStage(t, guard.Policy{})
	k := s.put(t, "openai", map[string]any{"key": "  " + canary + " ", "baseUrl": "https://models.example.test/v1/", "model": "small"})
	if k.Last4 != "WXYZ" || k.BaseURL != "https://models.example.test/v1" || k.Model != "small" || !k.UpdatedAt.Equal(s.clock.Now()) {
		t.Errorf("%+v", k)
	}
	list := func(token string) []key.Key {
		return httpapitest.Read[httpapi.Page[key.Key]](t, httpapitest.Do(t, s.api, "GET", "/v1/keys", token, nil), 200).Items
	}
	if got := list(owner); len(got) != 1 || got[0].Provider != "openai" {
		t.Errorf("%+v", got)
	}
	if got := list(stranger); got == nil || len(got) != 0 {
		t.Errorf("a stranger sees %+v", got)
	}
	if w := httpapitest.Do(t, s.api, "DELETE", "/v1/keys/openai", owner, nil); w.Code != 204 {
		t.Errorf("%d", w.Code)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "DELETE", "/v1/keys/openai", owner, nil), 404, "no openai key")
	if got := list(owner); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestKeys_OnlyAPersonChangesOrTriesThem(t *testing.T) {
	s := newStage(t, guard.Policy{})
	s.put(t, "anthropic", map[string]any{"key": canary})
	for _, c := range [][2]string{{"PUT", "/v1/keys/anthropic"}, {"DELETE", "/v1/keys/anthropic"}, {"POST", "/v1/keys/anthropic/test"}} {
		s.table.Reset()
		httpapitest.Refused(t, httpapitest.Do(t, s.api, c[0], c[1], robot, map[string]any{"key": canary}), 403, "person")
		if w := s.table.Written(); len(w) != 0 {
			t.Errorf("%v wrote %v", c, w)
		}
	}
}

func TestKeys_WhatIsRefused(t *testing.T) {
	s := newStage(t, guard.Policy{})
	for name, c := range map[string]struct {
		provider string
		body     map[string]any
		status   int
		says     string
	}{
		"a provider that nobody knows": {"mistral", map[string]any{"key": canary}, 404, "anthropic, openai"},
		"a key with a line break":      {"openai", map[string]any{"key": "abcdefgh\nijkl"}, 422, "printable"},
		"a short key":                  {"openai", map[string]any{"key": "abc"}, 422, "body.key"},
		"another field":                {"openai", map[string]any{"key": canary, "accountId": "x"}, 422, "body.accountId"},
		"plain http":                   {"openai", map[string]any{"key": canary, "baseUrl": "http://models.example.test"}, 422, "baseUrl"},
		"this machine":                 {"openai", map[string]any{"key": canary, "baseUrl": "https://localhost:8080"}, 422, "baseUrl"},
		"cloud metadata":               {"openai", map[string]any{"key": canary, "baseUrl": "https://169.254.169.254/"}, 422, "baseUrl"},
		"credentials in the address":   {"openai", map[string]any{"key": canary, "baseUrl": "https://u:p@models.example.test/"}, 422, "baseUrl"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httpapitest.Do(t, s.api, "PUT", "/v1/keys/"+c.provider, owner, c.body)
			httpapitest.Refused(t, w, c.status, c.says)
			if strings.Contains(w.Body.String(), canary) {
				t.Errorf("the key comes back: %s", w.Body)
			}
		})
	}
	local := newStage(t, guard.Policy{AllowPrivate: true})
	local.put(t, "openai", map[string]any{"key": canary, "baseUrl": "http://localhost:11434/v1"})
}

func TestCredential_AnthropicFirstThenOpenAI(t *testing.T) {
	s := newStage(t, guard.Policy{})
	if _, err := s.Credential(t.Context(), httpapitest.OwnerID); !pags.Is(err, pags.Conflict) || !strings.Contains(err.Error(), "store one") {
		t.Errorf("without a key: %v", err)
	}
	s.put(t, "openai", map[string]any{"key": "openai-key-1234", "model": "o"})
	if c, err := s.Credential(t.Context(), httpapitest.OwnerID); err != nil || c.Provider != "openai" || c.Key != "openai-key-1234" || c.Model != "o" {
		t.Errorf("%+v %v", c, err)
	}
	s.put(t, "anthropic", map[string]any{"key": canary})
	if c, err := s.Credential(t.Context(), httpapitest.OwnerID); err != nil || c.Provider != "anthropic" || c.Key != canary {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := s.Credential(t.Context(), httpapitest.StrangerID); !pags.Is(err, pags.Conflict) {
		t.Errorf("a stranger: %v", err)
	}
	s.table.Reset()
	for range 5 {
		if _, err := s.Credential(t.Context(), httpapitest.OwnerID); err != nil {
			t.Fatal(err)
		}
	}
	if w := s.table.Written(); len(w) != 0 {
		t.Errorf("each use is written: %v", w)
	}
	s.clock.Advance(2 * time.Hour)
	_, _ = s.Credential(t.Context(), httpapitest.OwnerID)
	if got, _ := s.List(t.Context(), httpapitest.OwnerID); !got[0].LastUsedAt.Equal(s.clock.Now()) {
		t.Errorf("last use: %v", got[0].LastUsedAt)
	}
	// what another user's row holds cannot be opened as one's own
	it, err := s.table.Get(t.Context(), port.Key{PK: "U#" + string(httpapitest.OwnerID), SK: "KEY#anthropic"})
	if err != nil {
		t.Fatal(err)
	}
	it["pk"] = "U#" + string(httpapitest.StrangerID)
	if err := s.table.Write(t.Context(), port.Put(it)); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Credential(t.Context(), httpapitest.StrangerID); !pags.Is(err, pags.Conflict) || c.Key != "" {
		t.Errorf("a copied row opened: %+v %v", c, err)
	}
}

func TestKeyTest_SaysWhatFailed(t *testing.T) {
	for name, c := range map[string]struct {
		fail error
		says string
	}{
		"it works":             {nil, ""},
		"the key is wrong":     {pags.Wrap(&port.ModelError{Status: 401, Message: "invalid x-api-key " + canary}, pags.Forbidden, "refused"), "refuses this key"},
		"the account is full":  {pags.Errorf(pags.RateLimited, "x"), "limits this account"},
		"it is overloaded":     {pags.Errorf(pags.Unavailable, "x"), "Try again later"},
		"the model is unknown": {pags.Errorf(pags.Invalid, "x"), "model's name"},
		"it does not answer":   {pags.Errorf(pags.Timeout, "x"), "in time"},
		"it is a web page":     {pags.Errorf(pags.Upstream, "x"), "address"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, guard.Policy{})
			s.put(t, "anthropic", map[string]any{"key": canary, "model": "m"})
			s.provider.fail = c.fail
			w := httpapitest.Do(t, s.api, "POST", "/v1/keys/anthropic/test", owner, nil)
			got := httpapitest.Read[key.Tested](t, w, 200)
			if got.OK != (c.fail == nil) || !strings.Contains(got.Detail, c.says) || strings.Contains(w.Body.String(), canary) {
				t.Errorf("%s", w.Body)
			}
			if len(s.provider.asked) != 1 || s.provider.asked[0].Key != canary || s.provider.asked[0].Model != "m" {
				t.Errorf("%d questions", len(s.provider.asked))
			}
		})
	}
	s := newStage(t, guard.Policy{})
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/keys/openai/test", owner, nil), 404, "store one first")
	s.put(t, "openai", map[string]any{"key": canary})
	for i := range 11 {
		w := httpapitest.Do(t, s.api, "POST", "/v1/keys/openai/test", owner, nil)
		if limited := w.Code == 429; limited != (i >= 9) { // one was used above
			t.Errorf("test %d: %d", i+1, w.Code)
		}
	}
}

func TestKeys_NoKeyIsStoredInPlainOrLogged(t *testing.T) {
	s := newStage(t, guard.Policy{})
	s.put(t, "anthropic", map[string]any{"key": canary})
	httpapitest.Do(t, s.api, "PUT", "/v1/keys/anthropic", owner, map[string]any{"key": canary, "extra": canary})
	httpapitest.Do(t, s.api, "POST", "/v1/keys/anthropic/test", owner, nil)
	httpapitest.Do(t, s.api, "DELETE", "/v1/keys/anthropic", owner, nil)
	s.put(t, "anthropic", map[string]any{"key": canary})
	rows, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(httpapitest.OwnerID), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(rows.Items)
	if bytes.Contains(raw, []byte(canary)) || bytes.Contains(s.log.Bytes(), []byte(canary)) {
		t.Error("the key is stored in plain or logged")
	}
	for _, action := range []string{"key.set", "key.test", "key.remove"} {
		if !bytes.Contains(raw, []byte(action)) {
			t.Errorf("%s left no audit row", action)
		}
	}
}
