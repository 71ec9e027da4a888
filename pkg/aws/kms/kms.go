// Package kms is port.Vault over a KMS key. Each text has a data key of its own that KMS made and only KMS can unwrap,
// with what the text belongs to as encryption context; the text itself never leaves the process unencrypted.
//
// A sealed text is: version (1 byte), length of the wrapped key (2 bytes), the wrapped key, nonce, the text under
// AES-256-GCM with the same binding.
package kms

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/smithy-go"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

const (
	version   = 1
	nonceSize = 12 // the standard nonce of GCM
	tagSize   = 16
)

// Vault seals under one KMS key.
type Vault struct {
	api *sdk.Client
	key *string
}

var _ port.Vault = (*Vault)(nil)

// New makes the adapter; keyID is a key id, ARN or alias.
func New(cfg aws.Config, keyID string) *Vault {
	return &Vault{sdk.NewFromConfig(cfg), &keyID}
}

// Seal asks KMS once.
func (v *Vault) Seal(ctx context.Context, plaintext []byte, bind map[string]string) ([]byte, error) {
	aad, err := owner(bind)
	if err != nil {
		return nil, err
	}
	made, err := v.api.GenerateDataKey(ctx, &sdk.GenerateDataKeyInput{KeyId: v.key, KeySpec: types.DataKeySpecAes256, EncryptionContext: bind})
	if err != nil {
		return nil, coded(err, "make a data key")
	}
	box, err := gcm(made.Plaintext)
	if err != nil {
		return nil, err
	}
	if len(made.CiphertextBlob) > 1<<16-1 {
		return nil, pags.Errorf(pags.Internal, "a wrapped data key has %d bytes", len(made.CiphertextBlob))
	}
	out := binary.BigEndian.AppendUint16([]byte{version}, uint16(len(made.CiphertextBlob)))
	out = append(out, made.CiphertextBlob...)
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // never fails since Go 1.24
	return box.Seal(append(out, nonce...), nonce, plaintext, aad), nil
}

// Open asks KMS once; callers keep what they need often.
func (v *Vault) Open(ctx context.Context, sealed []byte, bind map[string]string) ([]byte, error) {
	aad, err := owner(bind)
	if err != nil {
		return nil, err
	}
	if len(sealed) < 3 || sealed[0] != version {
		return nil, refused(nil)
	}
	n := int(binary.BigEndian.Uint16(sealed[1:3]))
	rest := sealed[3:]
	if n == 0 || len(rest) < n+nonceSize+tagSize {
		return nil, refused(nil)
	}
	// The key is named, so that a wrapped key of another one is refused even where we could use that.
	out, err := v.api.Decrypt(ctx, &sdk.DecryptInput{KeyId: v.key, CiphertextBlob: rest[:n], EncryptionContext: bind})
	if err != nil {
		return nil, coded(err, "unwrap a data key")
	}
	box, err := gcm(out.Plaintext)
	if err != nil {
		return nil, err
	}
	rest = rest[n:]
	plain, err := box.Open([]byte{}, rest[:nonceSize], rest[nonceSize:], aad)
	if err != nil {
		return nil, refused(nil)
	}
	return plain, nil
}

// owner writes bind in its one form: encoding/json sorts the keys of a map.
func owner(bind map[string]string) ([]byte, error) {
	if len(bind) == 0 {
		return nil, pags.Errorf(pags.Invalid, "a sealed text must be bound to something")
	}
	return json.Marshal(bind)
}

func gcm(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "use a data key")
	}
	return cipher.NewGCM(block)
}

func refused(err error) error {
	return pags.Wrap(err, pags.Invalid, "the sealed text is damaged or belongs to something else")
}

func coded(err error, doing string) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode() {
		case "InvalidCiphertextException", "IncorrectKeyException":
			return refused(err)
		case "ThrottlingException", "KMSInternalException", "DependencyTimeoutException", "KeyUnavailableException":
			return pags.Wrap(err, pags.Unavailable, "the key service is busy; try again")
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return pags.Wrap(err, pags.Timeout, "the key service did not answer in time")
	}
	return pags.Wrap(err, pags.Internal, "%s", doing)
}
