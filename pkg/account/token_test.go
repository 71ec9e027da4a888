package account_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// forge changes an access token's header or claims and signs it with key.
func forge(t *testing.T, token string, header, claims map[string]any, key any) string {
	t.Helper()
	parts := strings.Split(token, ".")
	read := func(s string) map[string]any {
		raw, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]any{}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	h, c := read(parts[0]), read(parts[1])
	for k, v := range header {
		h[k] = v
	}
	for k, v := range claims {
		if c[k] = v; v == nil {
			delete(c, k)
		}
	}
	method := jwt.GetSigningMethod(h["alg"].(string))
	made := jwt.NewWithClaims(method, jwt.MapClaims(c))
	made.Header = h
	out, err := made.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stolenKey unseals the stack's signing key, for tokens that are well signed and wrong in another way.
func stolenKey(t *testing.T, s *stage) ed25519.PrivateKey {
	t.Helper()
	it, err := s.table.Get(t.Context(), port.Key{PK: "SYS", SK: "SIGNING"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.vault.Open(t.Context(), it["sealed"].([]byte), map[string]string{"row": "SYS/SIGNING"})
	if err != nil {
		t.Fatal(err)
	}
	var set struct{ Keys []struct{ Seed []byte } }
	if err := json.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	return ed25519.NewKeyFromSeed(set.Keys[0].Seed)
}

func TestVerify_RefusesEveryTokenThatIsNotOurs(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	_, good, _ := s.session(t, u.ID, true)
	key := stolenKey(t, s)
	_, foreignKey, _ := ed25519.GenerateKey(nil)
	x := s.user(t)
	public := key.Public().(ed25519.PublicKey)
	for name, token := range map[string]string{
		"signed by another key":            forge(t, good, nil, nil, foreignKey),
		"without a signature":              forge(t, good, map[string]any{"alg": "none"}, nil, jwt.UnsafeAllowNoneSignatureType),
		"our public key as an HMAC secret": forge(t, good, map[string]any{"alg": "HS256"}, nil, []byte(public)),
		"another type":                     forge(t, good, map[string]any{"typ": "JWT"}, nil, key),
		"no type":                          forge(t, good, map[string]any{"typ": nil}, nil, key),
		"another audience":                 forge(t, good, nil, map[string]any{"aud": "mcp"}, key),
		"no audience":                      forge(t, good, nil, map[string]any{"aud": nil}, key),
		"another issuer":                   forge(t, good, nil, map[string]any{"iss": "https://evil.example.test"}, key),
		"no expiry":                        forge(t, good, nil, map[string]any{"exp": nil}, key),
		"expired":                          forge(t, good, nil, map[string]any{"exp": noon.Unix()}, key),
		"another user's id":                forge(t, good, nil, map[string]any{"sub": "usr_someone"}, key),
		"no session":                       forge(t, good, nil, map[string]any{"sid": nil}, key),
		"an unknown key id":                forge(t, good, map[string]any{"kid": "nobody"}, nil, key),
		"cut":                              good[:len(good)-3],
		"nonsense":                         "a.b.c",
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := s.Verify(t.Context(), token); !pags.Is(err, pags.Unauthenticated) || c.UserID != "" {
				t.Errorf("%+v %v", c, err)
			}
		})
	}
	if c, err := s.Verify(t.Context(), forge(t, good, nil, nil, key)); err != nil || c.UserID != x.ID || !c.Person {
		t.Errorf("the forger of this test is broken: %+v %v", c, err)
	}
}

func TestVerify_LooksAtTheSessionAsItIsNow(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	_, access, session := s.session(t, u.ID, false)
	if c, err := s.Verify(t.Context(), access); err != nil || c.Person || c.SessionID != session.ID {
		t.Fatalf("%+v %v", c, err)
	}
	s.clock.Advance(15*time.Minute - time.Second)
	if _, err := s.Verify(t.Context(), access); err != nil {
		t.Errorf("a second before it is over: %v", err)
	}
	if err := s.SetSuspended(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), access); !pags.Is(err, pags.Forbidden) {
		t.Errorf("suspended: %v", err)
	}
	_ = s.SetSuspended(t.Context(), u.ID, false)
	if err := s.Revoke(t.Context(), u.ID, session.ID, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), access); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("revoked: %v", err)
	}
	_, fresh, _ := s.session(t, u.ID, true)
	s.clock.Advance(15 * time.Minute)
	if _, err := s.Verify(t.Context(), fresh); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("over: %v", err)
	}
}

// brokenTable fails reads on demand, and counts those that pass.
type brokenTable struct {
	port.Table
	broken atomic.Bool
	reads  atomic.Int64
}

func (b *brokenTable) GetMany(ctx context.Context, keys ...port.Key) ([]port.Item, error) {
	b.reads.Add(1)
	if b.broken.Load() {
		return nil, errors.New("connection refused")
	}
	return b.Table.GetMany(ctx, keys...)
}

func (b *brokenTable) Get(ctx context.Context, key port.Key) (port.Item, error) {
	b.reads.Add(1)
	if b.broken.Load() {
		return nil, errors.New("connection refused")
	}
	return b.Table.Get(ctx, key)
}

func TestVerify_OneReadEachAndNobodyPassesWithoutIt(t *testing.T) {
	s := newStage(t)
	_, access, _ := s.session(t, s.user(t).ID, true)
	table := &brokenTable{Table: s.table}
	svc := account.New(account.Deps{Table: table, Vault: s.vault, Clock: s.clock, PublicURL: publicURL})
	if _, err := svc.Verify(t.Context(), access); err != nil {
		t.Fatal(err)
	}
	before := table.reads.Load()
	for range 10 {
		if _, err := svc.Verify(t.Context(), access); err != nil {
			t.Fatal(err)
		}
	}
	if n := table.reads.Load() - before; n != 10 {
		t.Errorf("10 checks cost %d reads", n)
	}
	table.broken.Store(true)
	if c, err := svc.Verify(t.Context(), access); !pags.Is(err, pags.Unavailable) || c.UserID != "" {
		t.Errorf("%+v %v", c, err)
	}
	cold := account.New(account.Deps{Table: table, Vault: s.vault, Clock: s.clock, PublicURL: publicURL})
	if _, err := cold.Verify(t.Context(), access); !pags.Is(err, pags.Unavailable) {
		t.Errorf("without signing keys: %v", err)
	}
}

func TestSigning_ProcessesAgreeAndRotationKeepsOldTokens(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	var wg sync.WaitGroup
	tokens := make([]string, 6)
	for i := range tokens {
		wg.Go(func() {
			svc, _ := s.process(false)
			_, access, _, err := svc.NewSession(context.Background(), u.ID, "race", true)
			if err != nil {
				t.Error(err)
			}
			tokens[i] = access
		})
	}
	wg.Wait()
	for i, token := range tokens {
		if _, err := s.Verify(t.Context(), token); err != nil {
			t.Errorf("process %d made a key of its own: %v", i, err)
		}
	}
	if err := s.RotateSigning(t.Context()); !pags.Is(err, pags.Conflict) {
		t.Errorf("rotated at once: %v", err)
	}
	behind, _ := s.process(false)
	s.clock.Advance(15*time.Minute + 30*time.Second)
	_, old, _, err := behind.NewSession(t.Context(), u.ID, "old", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RotateSigning(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, early, _ := s.session(t, u.ID, true)
	if _, err := behind.Verify(t.Context(), early); err != nil {
		t.Errorf("a process that read the keys a moment ago refuses a token of now: %v", err)
	}
	s.clock.Advance(30 * time.Second)
	_, fresh, _ := s.session(t, u.ID, true)
	if fresh[:60] == early[:60] {
		t.Error("the new key does not sign")
	}
	for name, svc := range map[string]*account.Service{"the one that rotated": s.Service, "one that has the old set": behind} {
		for which, token := range map[string]string{"old": old, "new": fresh} {
			if _, err := svc.Verify(t.Context(), token); err != nil {
				t.Errorf("%s refuses the %s token: %v", name, which, err)
			}
		}
	}
	set, err := s.PublicKeys(t.Context())
	if err != nil || len(set.Keys) != 2 || set.Keys[0].ID == set.Keys[1].ID || set.Keys[0].KeyType != "OKP" {
		t.Errorf("%+v %v", set, err)
	}
	raw, _ := json.Marshal(set)
	if strings.Contains(string(raw), "seed") || strings.Contains(string(raw), `"d"`) {
		t.Errorf("private parts are public: %s", raw)
	}
}
