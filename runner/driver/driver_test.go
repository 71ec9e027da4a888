package driver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
)

func needNode(t *testing.T) string {
	t.Helper()
	path, _, err := FindNode(context.Background())
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

func writeCore(t *testing.T, dir, version string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	manifest := `{"name":"playwright-core","version":"` + version + `"}`
	for name, text := range map[string]string{"package.json": manifest, "cli.js": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEnsure_OverrideComesFirst(t *testing.T) {
	needNode(t)
	own, cache := t.TempDir(), t.TempDir()
	writeCore(t, own, Version)
	writeCore(t, filepath.Join(cache, "package"), Version)
	t.Setenv(EnvDriver, own)
	f, err := Ensure(context.Background(), Options{CacheDir: cache})
	if err != nil || f.CLI != filepath.Join(own, "cli.js") {
		t.Fatalf("got %+v, %v", f, err)
	}
}

func TestEnsure_OverrideWithoutADriverIsAnError(t *testing.T) {
	needNode(t)
	own := t.TempDir()
	writeCore(t, own, "1.52.0")
	t.Setenv(EnvDriver, own)
	if _, err := Ensure(context.Background(), Options{}); !pags.Is(err, pags.Invalid) || !strings.Contains(err.Error(), EnvDriver) {
		t.Fatalf("got %v", err)
	}
}

func TestEnsure_UsesTheCacheAndIgnoresAnotherVersion(t *testing.T) {
	t.Setenv(EnvDriver, "") // whoever runs the tests may have named one
	needNode(t)
	cache := t.TempDir()
	writeCore(t, filepath.Join(cache, "package"), Version)
	f, err := Ensure(context.Background(), Options{CacheDir: cache})
	if err != nil || f.CLI != filepath.Join(cache, "package", "cli.js") {
		t.Fatalf("got %+v, %v", f, err)
	}
	writeCore(t, filepath.Join(cache, "package"), "1.63.0")
	if cliIn(cache) != "" {
		t.Fatal("a driver of another version was taken")
	}
}

func TestEnsure_RefusesAPackageThatIsNotThePublishedOne(t *testing.T) {
	t.Setenv(EnvDriver, "") // whoever runs the tests may have named one
	needNode(t)
	evil := tarball(t, map[string]string{"package/cli.js": "evil()", "package/package.json": `{"name":"playwright-core","version":"` + Version + `"}`})
	sum := sha512.Sum512(evil)
	served := false
	var mirror *httptest.Server
	mirror = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/evil.tgz" {
			served = true
			_, _ = w.Write(evil)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": "playwright-core", "dist-tags": map[string]string{"latest": Version}, "versions": map[string]any{
			Version: map[string]any{"name": "playwright-core", "version": Version, "dist": map[string]string{
				"tarball": mirror.URL + "/evil.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}}})
	}))
	defer mirror.Close()
	t.Setenv("npm_config_registry", mirror.URL+"/")
	t.Setenv("npm_config_cache", t.TempDir())
	dir := filepath.Join(t.TempDir(), "driver")
	_, err := Ensure(context.Background(), Options{CacheDir: dir})
	if !pags.Is(err, pags.Upstream) || !served {
		t.Fatalf("served=%v, got %v", served, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatal("something was left in the driver's folder")
	}
}

func TestUnpack_NamesCannotLeadOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unpack(tarball(t, map[string]string{"package/../../out.js": "x"}), dir); err == nil {
		t.Fatal("an escaping name was accepted")
	}
	if err := unpack(tarball(t, map[string]string{"package/lib/a.js": "x", "other/b.js": "y"}), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "package", "lib", "a.js")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Fatal("a file outside package/ was written")
	}
}

func tarball(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFindNode_SaysWhatToDoWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("PLAYWRIGHT_NODEJS_PATH", "")
	if _, _, err := FindNode(context.Background()); !pags.Is(err, pags.Unavailable) || !strings.Contains(err.Error(), "nodejs.org") {
		t.Fatalf("got %v", err)
	}
}

func TestFindNode_OldOneIsRefusedWithItsVersion(t *testing.T) {
	old := filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho v18.20.1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLAYWRIGHT_NODEJS_PATH", old)
	if _, _, err := FindNode(context.Background()); !pags.Is(err, pags.Unavailable) || !strings.Contains(err.Error(), "v18.20.1") {
		t.Fatalf("got %v", err)
	}
}

func TestDoctor_NamesWhatIsMissing(t *testing.T) {
	t.Setenv(EnvDriver, "") // whoever runs the tests may have named one
	t.Setenv("PATH", t.TempDir())
	t.Setenv("PLAYWRIGHT_NODEJS_PATH", "")
	t.Setenv(EnvChromium, "/nowhere/chrome")
	checks := Doctor(context.Background(), Options{CacheDir: t.TempDir()})
	if len(checks) != 3 {
		t.Fatalf("got %d checks", len(checks))
	}
	for _, c := range checks {
		if c.OK || c.Detail == "" {
			t.Errorf("%s: ok=%v %q, want it named as missing", c.Name, c.OK, c.Detail)
		}
	}
}

// One real installation, where the registry can be reached: what is installed also starts.
func TestStart_InstallsFromNPMAndRuns(t *testing.T) {
	t.Setenv(EnvDriver, "") // whoever runs the tests may have named one
	node := needNode(t)
	if out, err := exec.Command(npmBeside(node), "view", "playwright-core@"+Version, "version").CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("npm does not reach its registry: %v: %s", err, out)
		}
		t.Skipf("npm does not reach its registry: %v", err)
	}
	pw, err := Start(context.Background(), Options{CacheDir: filepath.Join(t.TempDir(), "driver")})
	if err != nil {
		t.Fatal(err)
	}
	if err := pw.Stop(); err != nil {
		t.Fatal(err)
	}
}
