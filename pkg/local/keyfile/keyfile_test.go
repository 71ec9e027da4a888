package keyfile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/proagentstore/pags/pkg/local/keyfile"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestVault_Contract(t *testing.T) {
	open := func(t *testing.T) port.Vault {
		v, err := keyfile.Open(filepath.Join(t.TempDir(), "deep", "master.key"))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	porttest.Vault(t, porttest.VaultPeer{}, open, open)
}

func TestOpen_FindsItsKeyAgain(t *testing.T) {
	path, bind := filepath.Join(t.TempDir(), "master.key"), map[string]string{"a": "b"}
	var sealed [8][]byte
	var wg sync.WaitGroup
	for i := range sealed { // all start at once on an empty folder: one key must win for all
		wg.Go(func() {
			v, err := keyfile.Open(path)
			if err == nil {
				sealed[i], err = v.Seal(context.Background(), []byte("x"), bind)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	v, err := keyfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		if got, err := v.Open(context.Background(), sealed[i], bind); err != nil || string(got) != "x" {
			t.Errorf("start %d sealed what now gives %q, %v", i, got, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".key-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestOpen_RefusesAKeyThatIsNotItsOwn(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good")
	if _, err := keyfile.Open(good); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		make func(path string) error
		want pags.Code
	}{
		"readable by the group":   {func(p string) error { return os.WriteFile(p, text, 0o640) }, pags.Forbidden},
		"writable by all":         {func(p string) error { _ = os.WriteFile(p, text, 0o600); return os.Chmod(p, 0o602) }, pags.Forbidden},
		"a link":                  {func(p string) error { return os.Symlink(good, p) }, pags.Forbidden},
		"empty":                   {func(p string) error { return os.WriteFile(p, nil, 0o600) }, pags.Invalid},
		"cut":                     {func(p string) error { return os.WriteFile(p, text[:40], 0o600) }, pags.Invalid},
		"something else entirely": {func(p string) error { return os.WriteFile(p, []byte("hello"), 0o600) }, pags.Invalid},
	} {
		path := filepath.Join(t.TempDir(), "master.key")
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		_, err := keyfile.Open(path)
		if !pags.Is(err, c.want) {
			t.Errorf("%s: got %v, want code %s", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), strings.TrimSpace(string(text[20:]))) {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}
