package machineid

import (
	"crypto/ed25519"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/proagentstore/pags/pkg/relay"
)

func TestLoad_TheKeyStaysAndIsTheOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	a, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.PublicKey() != b.PublicKey() {
		t.Fatal("the key changed between two starts")
	}
	path := filepath.Join(dir, "machine.key")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("key file: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil {
		t.Fatal("a key that others can read was taken")
	}
}

func TestSign_IsWhatTheHostChecks(t *testing.T) {
	id, err := Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	public, err := base64.StdEncoding.DecodeString(id.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	sig, err := base64.StdEncoding.DecodeString(id.Sign("nonce", "mac_1"))
	if err != nil {
		t.Fatal(err)
	}
	if !ed25519.Verify(public, relay.SigningText("nonce", "mac_1", id.Node), sig) {
		t.Fatal("the signature does not verify")
	}
	if ed25519.Verify(public, relay.SigningText("other", "mac_1", id.Node), sig) {
		t.Fatal("the signature holds for another nonce")
	}
}

func TestRemember_IdsAreKeptForEachHostAndUser(t *testing.T) {
	dir := t.TempDir()
	id, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.Remember("http://a/", "usr_1", "mac_1"); err != nil {
		t.Fatal(err)
	}
	if err := id.Remember("http://b", "usr_1", "mac_2"); err != nil {
		t.Fatal(err)
	}
	if id, err = Load(dir); err != nil {
		t.Fatal(err)
	}
	if got := id.ID("http://a", "usr_1"); got != "mac_1" {
		t.Fatalf("host a: %q", got)
	}
	if got := id.ID("http://b/", "usr_1"); got != "mac_2" {
		t.Fatalf("host b: %q", got)
	}
	if got := id.ID("http://a", "usr_2"); got != "" {
		t.Fatalf("another user: %q", got)
	}
}

func TestLoad_ABrokenFileIsExplained(t *testing.T) {
	for name, body := range map[string]string{"machine.key": "rubbish", "machine.json": "{"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil {
			t.Fatalf("a broken %s was taken", name)
		}
	}
}
