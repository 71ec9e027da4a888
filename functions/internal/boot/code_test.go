package boot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proagentstore/pags/pkg/wire"
)

func TestSandbox_TheShippedCacheIsCopiedToAFolderOfOurOwn(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	shipped := filepath.Join(t.TempDir(), codeCache)
	if got := ownCache(shipped); got != "" {
		t.Errorf("no cache was shipped, and yet there is %s", got)
	}
	file := filepath.Join("engine-1-arch-os", "abc")
	if err := os.MkdirAll(filepath.Dir(filepath.Join(shipped, file)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shipped, file), []byte("code"), 0o444); err != nil {
		t.Fatal(err)
	}
	own := ownCache(shipped)
	info, err := os.Stat(own)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v", info, err)
	}
	if got, err := os.ReadFile(filepath.Join(own, file)); err != nil || string(got) != "code" {
		t.Errorf("%q %v", got, err)
	}
}

func TestSandbox_IsReadyWithoutACacheAndLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var d wire.Deps
	Sandbox(nil, &d)
	if d.Sandbox == nil {
		t.Error("there is no sandbox")
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestOutbound_OnlyPublicAddressesUnlessNamed(t *testing.T) {
	var d wire.Deps
	Outbound(nil, &d)
	if err := d.Config.CheckToolURL("http://127.0.0.1:8080/"); err == nil {
		t.Error("production reaches this machine")
	}
	t.Setenv("TOOL_HOSTS", "127.0.0.1")
	Outbound(nil, &d)
	if err := d.Config.CheckToolURL("http://127.0.0.1:8080/"); err != nil {
		t.Error(err)
	}
}
