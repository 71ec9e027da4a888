package porttest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// VaultPeer says what the store behind an adapter proves.
type VaultPeer struct {
	// Denies: what was sealed under another master key is answered with "access denied" (moto). AWS says that the text or
	// the key is wrong; pkg/aws/kms proves that against a stub, and here any refusal will do.
	Denies bool
}

// Vault holds an adapter to port.Vault. open gives the vault under test; other gives one with another master key.
func Vault(t *testing.T, peer VaultPeer, open, other func(t *testing.T) port.Vault) {
	refused := func(err error) bool { return err != nil && (peer.Denies || pags.Is(err, pags.Invalid)) }
	ctx := context.Background()
	v := open(t)
	bind := map[string]string{"user": "usr_1", "row": "KEY#anthropic", "note": `"quoted", ü`}
	seal := func(t *testing.T, plain []byte) []byte {
		t.Helper()
		sealed, err := v.Seal(ctx, plain, bind)
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}

	t.Run("what was sealed opens", func(t *testing.T) {
		for _, plain := range [][]byte{{}, []byte("secret"), bytes.Repeat([]byte("long"), 20_000), {0, 255}} {
			got, err := v.Open(ctx, seal(t, plain), map[string]string{"note": `"quoted", ü`, "row": "KEY#anthropic", "user": "usr_1"})
			if err != nil || !bytes.Equal(got, plain) || got == nil {
				t.Errorf("%d bytes: got %d, %v", len(plain), len(got), err)
			}
		}
	})
	t.Run("a sealed text tells nothing and is new each time", func(t *testing.T) {
		one, two := seal(t, []byte("secret")), seal(t, []byte("secret"))
		if bytes.Equal(one, two) || bytes.Contains(one, []byte("secret")) {
			t.Errorf("sealed as %x and %x", one, two)
		}
	})
	t.Run("another bind does not open it", func(t *testing.T) {
		sealed := seal(t, []byte("secret"))
		for name, wrong := range map[string]map[string]string{
			"another owner":      {"user": "usr_2", "row": "KEY#anthropic", "note": `"quoted", ü`},
			"a part missing":     {"user": "usr_1", "row": "KEY#anthropic"},
			"a part more":        {"user": "usr_1", "row": "KEY#anthropic", "note": `"quoted", ü`, "origin": "x"},
			"parts run together": {"user": `usr_1","row":"KEY#anthropic`, "note": `"quoted", ü`},
			"nothing":            {},
		} {
			_, err := v.Open(ctx, sealed, wrong)
			wantCode(t, name, err, pags.Invalid)
		}
	})
	t.Run("a changed byte anywhere does not open", func(t *testing.T) {
		sealed := seal(t, []byte("secret"))
		for i := range sealed {
			bad := bytes.Clone(sealed)
			bad[i] ^= 0x40
			if _, err := v.Open(ctx, bad, bind); !refused(err) {
				t.Errorf("byte %d of %d: %v", i, len(sealed), err)
			}
		}
		for _, n := range []int{0, 1, 2, 3, len(sealed) / 2, len(sealed) - 1} {
			_, err := v.Open(ctx, sealed[:n], bind)
			wantCode(t, fmt.Sprintf("the first %d bytes", n), err, pags.Invalid)
		}
	})
	t.Run("another master key does not open it", func(t *testing.T) {
		_, err := other(t).Open(ctx, seal(t, []byte("secret")), bind)
		if !refused(err) {
			t.Errorf("another vault: got %v", err)
		}
	})
	t.Run("sealing needs something to bind to", func(t *testing.T) {
		_, err := v.Seal(ctx, []byte("secret"), nil)
		wantCode(t, "no bind", err, pags.Invalid)
	})
}
