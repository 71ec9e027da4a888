// Package machineid keeps what makes this computer a machine of its owner: a key that never leaves it, and the id that a
// pags host gave it. Hostnames are only labels.
package machineid

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/home"
)

// MaxNode is the longest label of a machine (spec platform 4.1).
const MaxNode = 120

// Identity is this machine. It is read once at start.
type Identity struct {
	Node string // hostname, cut at MaxNode characters

	dir string
	key ed25519.PrivateKey
	ids map[string]pags.MachineID // by account: host address and user
}

// Load reads the identity kept in dir, or makes one. Two processes that make one at the same time end with the same key.
func Load(dir string) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder %s: %w", dir, err)
	}
	id := &Identity{Node: node(), dir: dir, ids: map[string]pags.MachineID{}}
	var err error
	if id.key, err = loadKey(filepath.Join(dir, "machine.key")); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(id.file())
	if errors.Is(err, fs.ErrNotExist) {
		return id, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the machine file: %w", err)
	}
	if err := json.Unmarshal(raw, &id.ids); err != nil {
		return nil, fmt.Errorf("read %s: %w; remove it and pags up registers this machine again", id.file(), err)
	}
	return id, nil
}

// PublicKey is what the host knows of the key: base64 of 32 bytes.
func (id *Identity) PublicKey() string {
	return base64.StdEncoding.EncodeToString(id.key.Public().(ed25519.PublicKey))
}

// Sign answers a host's nonce for a machine id; see relay.SigningText.
func (id *Identity) Sign(nonce string, machine pags.MachineID) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(id.key, relay.SigningText(nonce, machine, id.Node)))
}

// ID is the machine's id at a host for a user; empty when it is not registered there.
func (id *Identity) ID(server string, user pags.UserID) pags.MachineID {
	return id.ids[account(server, user)]
}

// Remember keeps the id that registration gave.
func (id *Identity) Remember(server string, user pags.UserID, machine pags.MachineID) error {
	id.ids[account(server, user)] = machine
	raw, err := json.MarshalIndent(id.ids, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the machine file: %w", err)
	}
	return home.WriteFile(id.file(), append(raw, '\n'))
}

func (id *Identity) file() string { return filepath.Join(id.dir, "machine.json") }

func account(server string, user pags.UserID) string {
	return strings.TrimSuffix(server, "/") + " " + string(user)
}

// loadKey reads the seed, or makes one. Linking the finished file into place lets exactly one maker win.
func loadKey(path string) (ed25519.PrivateKey, error) {
	for {
		raw, err := home.ReadOwn(path)
		if err == nil {
			seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(raw)))
			if err != nil || len(seed) != ed25519.SeedSize {
				return nil, fmt.Errorf("%s does not hold a machine key; move it away and pags up makes a new one", path)
			}
			return ed25519.NewKeyFromSeed(seed), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the machine key: %w", err)
		}
		seed := make([]byte, ed25519.SeedSize)
		_, _ = rand.Read(seed) // never fails since Go 1.24
		fresh := fmt.Sprintf("%s.new-%d", path, os.Getpid())
		if err := home.WriteFile(fresh, []byte(base64.StdEncoding.EncodeToString(seed)+"\n")); err != nil {
			return nil, err
		}
		err = os.Link(fresh, path)
		if errors.Is(err, fs.ErrExist) {
			err = nil // another process was first; its key is read in the next round
		}
		if err := errors.Join(err, os.Remove(fresh)); err != nil {
			return nil, fmt.Errorf("put the machine key in place: %w", err)
		}
	}
}

func node() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "machine"
	}
	if r := []rune(name); len(r) > MaxNode {
		name = string(r[:MaxNode])
	}
	return name
}
