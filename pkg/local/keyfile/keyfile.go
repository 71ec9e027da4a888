// Package keyfile is port.Vault over a master key in a file that only its owner can read.
//
// A sealed text is: version (1 byte), nonce and data key sealed under the master key, nonce and text sealed under the data
// key. What the text belongs to is authenticated with both, so neither part can be moved elsewhere.
package keyfile

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

const (
	version   = 1
	keySize   = 32 // AES-256
	nonceSize = 12 // the standard nonce of GCM
	tagSize   = 16
	wrapped   = nonceSize + keySize + tagSize
)

// Vault seals under one master key.
type Vault struct{ master cipher.AEAD }

var _ port.Vault = (*Vault)(nil)

// Open reads the key file, or makes it when there is none. A file that others can read or write is refused.
func Open(path string) (*Vault, error) {
	key, err := load(path)
	if err != nil {
		return nil, err
	}
	master, err := gcm(key)
	if err != nil {
		return nil, err
	}
	return &Vault{master}, nil
}

// Seal encrypts under a key of its own. The same text sealed twice differs.
func (v *Vault) Seal(_ context.Context, plaintext []byte, bind map[string]string) ([]byte, error) {
	aad, err := owner(bind)
	if err != nil {
		return nil, err
	}
	key := random(keySize)
	data, err := gcm(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 1+wrapped+nonceSize+len(plaintext)+tagSize)
	out = append(out, version)
	nonce := random(nonceSize)
	out = v.master.Seal(append(out, nonce...), nonce, key, append([]byte("key\n"), aad...))
	nonce = random(nonceSize)
	return data.Seal(append(out, nonce...), nonce, plaintext, append([]byte("text\n"), aad...)), nil
}

// Open decrypts. A wrong bind, another master key and a changed byte look the same.
func (v *Vault) Open(_ context.Context, sealed []byte, bind map[string]string) ([]byte, error) {
	aad, err := owner(bind)
	if err != nil {
		return nil, err
	}
	if len(sealed) < 1+wrapped+nonceSize+tagSize || sealed[0] != version {
		return nil, refused()
	}
	box := sealed[1 : 1+wrapped]
	key, err := v.master.Open(nil, box[:nonceSize], box[nonceSize:], append([]byte("key\n"), aad...))
	if err != nil {
		return nil, refused()
	}
	data, err := gcm(key)
	if err != nil {
		return nil, err
	}
	box = sealed[1+wrapped:]
	plain, err := data.Open([]byte{}, box[:nonceSize], box[nonceSize:], append([]byte("text\n"), aad...))
	if err != nil {
		return nil, refused()
	}
	return plain, nil
}

func refused() error {
	return pags.Errorf(pags.Invalid, "the sealed text is damaged or belongs to something else")
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
		return nil, pags.Wrap(err, pags.Internal, "prepare a key")
	}
	return cipher.NewGCM(block)
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails since Go 1.24
	return b
}
