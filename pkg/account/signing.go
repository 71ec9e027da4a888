package account

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

var (
	signingRow  = port.Key{PK: "SYS", SK: "SIGNING"}
	signingBind = map[string]string{"row": "SYS/SIGNING"}
)

// rereadAfter is how soon an unknown key id makes a process look again: a token may be signed by a key that another process
// just made, and a made-up id must not cost a read and an unsealing each time.
const rereadAfter = 10 * time.Second

// signAfter is how old a new key gets before it signs: by then every process that looks again finds it, so no token meets a
// process that cannot know its key.
const signAfter = 30 * time.Second

// signingSet is the stack's signing keys, newest first, at most two: the one that signs, and the one whose tokens may still
// be out. version grows with each rotation.
type signingSet struct {
	Version int64        `json:"version"`
	Keys    []signingKey `json:"keys"`
}

type signingKey struct {
	ID        string    `json:"kid"`
	Seed      []byte    `json:"seed"` // Ed25519 (RFC 8032); sealed with the set
	CreatedAt time.Time `json:"createdAt"`

	private ed25519.PrivateKey
}

func newSigningKey(now time.Time) signingKey {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // never fails since Go 1.24
	k := signingKey{Seed: seed, CreatedAt: now.UTC(), private: ed25519.NewKeyFromSeed(seed)}
	sum := sha256.Sum256(k.public())
	k.ID = base64.RawURLEncoding.EncodeToString(sum[:12])
	return k
}

func (k signingKey) public() ed25519.PublicKey { return k.private.Public().(ed25519.PublicKey) }

// signing returns the keys, unsealed once per process and made on the stack's first use.
func (s *Service) signing(ctx context.Context) (*signingSet, error) {
	s.keys.Lock()
	defer s.keys.Unlock()
	if s.keys.set != nil {
		return s.keys.set, nil
	}
	return s.reread(ctx)
}

// keyFor finds the key of a token. An unknown id is looked for again, but not more often than rereadAfter.
func (s *Service) keyFor(ctx context.Context, id string) (ed25519.PublicKey, error) {
	set, err := s.signing(ctx)
	if err != nil {
		return nil, err
	}
	if k, ok := set.find(id); ok {
		return k, nil
	}
	s.keys.Lock()
	defer s.keys.Unlock()
	if s.Clock.Now().Sub(s.keys.readAt) >= rereadAfter {
		if set, err = s.reread(ctx); err != nil {
			return nil, err
		}
		if k, ok := set.find(id); ok {
			return k, nil
		}
	}
	return nil, nil
}

// signer is the key that signs now.
func (set *signingSet) signer(now time.Time) signingKey {
	if len(set.Keys) > 1 && now.Sub(set.Keys[0].CreatedAt) < signAfter {
		return set.Keys[1]
	}
	return set.Keys[0]
}

func (set *signingSet) find(id string) (ed25519.PublicKey, bool) {
	for _, k := range set.Keys {
		if k.ID == id {
			return k.public(), true
		}
	}
	return nil, false
}

// reread loads the set under the lock, or makes the first one.
func (s *Service) reread(ctx context.Context) (*signingSet, error) {
	set, err := s.loadSigning(ctx)
	if pags.Is(err, pags.NotFound) {
		first := &signingSet{Version: 1, Keys: []signingKey{newSigningKey(s.Clock.Now())}}
		err = s.storeSigning(ctx, first, port.NotExists())
		var lost *port.ConditionFailed
		if errors.As(err, &lost) { // another process made it
			set, err = s.loadSigning(ctx)
		} else {
			set = first
		}
	}
	if err != nil {
		return nil, err
	}
	s.keys.set, s.keys.readAt = set, s.Clock.Now()
	return set, nil
}

func (s *Service) loadSigning(ctx context.Context) (*signingSet, error) {
	it, err := s.Table.Get(ctx, signingRow)
	if err != nil {
		return nil, fmt.Errorf("read the signing keys: %w", err)
	}
	sealed, _ := it["sealed"].([]byte)
	raw, err := s.Vault.Open(ctx, sealed, signingBind)
	if err != nil { // a host with another sealing key; not the caller's fault
		return nil, pags.Wrap(err, pags.Internal, "unseal the signing keys")
	}
	set := &signingSet{}
	if err := json.Unmarshal(raw, set); err != nil || len(set.Keys) == 0 {
		return nil, fmt.Errorf("read the signing keys: %d keys, %w", len(set.Keys), err)
	}
	for i, k := range set.Keys {
		if len(k.Seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("signing key %s has %d bytes", k.ID, len(k.Seed))
		}
		set.Keys[i].private = ed25519.NewKeyFromSeed(k.Seed)
	}
	return set, nil
}

func (s *Service) storeSigning(ctx context.Context, set *signingSet, cond *port.Cond) error {
	raw, err := json.Marshal(set)
	if err != nil {
		return fmt.Errorf("write the signing keys: %w", err)
	}
	sealed, err := s.Vault.Seal(ctx, raw, signingBind)
	if err != nil {
		return fmt.Errorf("seal the signing keys: %w", err)
	}
	it := port.Item{port.AttrPK: signingRow.PK, port.AttrSK: signingRow.SK, "sealed": sealed, "version": set.Version}
	return s.Table.Write(ctx, port.Put(it).When(cond))
}

// RotateSigning makes a new signing key; tokens of the one before stay good until they expire. Too soon after the last time is
// pags.Conflict: it would drop a key whose tokens are still out.
func (s *Service) RotateSigning(ctx context.Context) error {
	s.keys.Lock()
	defer s.keys.Unlock()
	set, err := s.reread(ctx)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	if age := AccessLife + signAfter; now.Sub(set.Keys[0].CreatedAt) < age {
		return pags.Errorf(pags.Conflict, "the signing key was made less than %s ago; wait until then", age)
	}
	next := &signingSet{Version: set.Version + 1, Keys: []signingKey{newSigningKey(now), set.Keys[0]}}
	err = s.storeSigning(ctx, next, port.Eq("version", set.Version))
	var lost *port.ConditionFailed
	if errors.As(err, &lost) {
		return pags.Errorf(pags.Conflict, "another process rotated the signing key at the same moment")
	}
	if err != nil {
		return fmt.Errorf("rotate the signing key: %w", err)
	}
	s.keys.set, s.keys.readAt = next, now
	return nil
}

// KeySet is a JSON Web Key Set (RFC 7517) of Ed25519 keys (RFC 8037).
type KeySet struct {
	Keys []PublicKey `json:"keys"`
}

// PublicKey is one key of a KeySet.
type PublicKey struct {
	KeyType   string `json:"kty"`
	Curve     string `json:"crv"`
	Algorithm string `json:"alg"`
	Use       string `json:"use"`
	ID        string `json:"kid"`
	X         string `json:"x"`
}

// PublicKeys returns the public half of the signing keys.
func (s *Service) PublicKeys(ctx context.Context) (KeySet, error) {
	set, err := s.signing(ctx)
	if err != nil {
		return KeySet{}, err
	}
	out := KeySet{Keys: []PublicKey{}}
	for _, k := range set.Keys {
		out.Keys = append(out.Keys, PublicKey{"OKP", "Ed25519", "EdDSA", "sig", k.ID, base64.RawURLEncoding.EncodeToString(k.public())})
	}
	return out, nil
}
