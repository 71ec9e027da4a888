package httpapitest

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Recorder is a table that remembers which keys were written. Rows of the rate limiter are not counted: they are about the
// caller, not about anyone's things.
type Recorder struct {
	port.Table
	mu      sync.Mutex
	written []port.Key
}

// Record wraps a table.
func Record(t port.Table) *Recorder { return &Recorder{Table: t} }

func (r *Recorder) Write(ctx context.Context, w port.Write) error {
	r.note(w)
	return r.Table.Write(ctx, w)
}

func (r *Recorder) Transact(ctx context.Context, token string, writes ...port.Write) error {
	r.note(writes...)
	return r.Table.Transact(ctx, token, writes...)
}

func (r *Recorder) note(writes ...port.Write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range writes {
		if w.Kind != port.CheckWrite && !strings.HasPrefix(w.Key.PK, "RL#") {
			r.written = append(r.written, w.Key)
		}
	}
}

// Written lists the keys since Reset, in order, those of refused writes too.
func (r *Recorder) Written() []port.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]port.Key(nil), r.written...)
}

// Reset forgets what was written.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = nil
}

// Tokens is a Verifier for areas that do not test sign-in: a token stands for a caller.
type Tokens map[string]httpapi.Caller

// Token texts that World uses with Tokens.
const (
	OwnerToken, StrangerToken, SuspendedToken, RobotToken = "owner", "stranger", "suspended", "robot"
	OwnerID, StrangerID                                   = pags.UserID("usr_01OWNER00000000000000000000"), pags.UserID("usr_01STRANGER00000000000000000")
)

// People is the usual set of Tokens: owner and stranger in person, a robot of the owner, and a suspended user.
func People() Tokens {
	return Tokens{
		OwnerToken:    {UserID: OwnerID, SessionID: "ses_owner", Person: true, Roles: []string{"user"}},
		StrangerToken: {UserID: StrangerID, SessionID: "ses_stranger", Person: true, Roles: []string{"user"}},
		RobotToken:    {UserID: OwnerID, SessionID: "ses_robot", Roles: []string{"user"}},
	}
}

// Verify implements httpapi.Verifier.
func (t Tokens) Verify(_ context.Context, bearer string) (httpapi.Caller, error) {
	if bearer == SuspendedToken {
		return httpapi.Caller{}, pags.Errorf(pags.Forbidden, "this account is suspended")
	}
	if c, ok := t[bearer]; ok {
		return c, nil
	}
	return httpapi.Caller{}, pags.Errorf(pags.Unauthenticated, "the session is over; sign in again")
}

// Vault seals with a key of this value only, bound as port.Vault promises.
type Vault struct{ aead cipher.AEAD }

var _ port.Vault = Vault{}

// NewVault makes a vault with a fresh key.
func NewVault() Vault {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	block, _ := aes.NewCipher(key) // 32 bytes are always a key
	aead, _ := cipher.NewGCMWithRandomNonce(block)
	return Vault{aead}
}

func (v Vault) Seal(_ context.Context, plaintext []byte, bind map[string]string) ([]byte, error) {
	aad, err := json.Marshal(bind)
	if err != nil {
		return nil, err
	}
	return v.aead.Seal(nil, nil, plaintext, aad), nil
}

func (v Vault) Open(_ context.Context, sealed []byte, bind map[string]string) ([]byte, error) {
	aad, err := json.Marshal(bind)
	if err != nil {
		return nil, err
	}
	out, err := v.aead.Open(nil, nil, sealed, aad)
	if err != nil {
		return nil, pags.Errorf(pags.Invalid, "the sealed text was changed or belongs elsewhere")
	}
	return out, nil
}
