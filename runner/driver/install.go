package driver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// integrity of playwright-core 1.64.1 as npm publishes it (dist.integrity). A mirror that serves other bytes is refused.
const integrity = "sha512-BC4s8y6SEVA6Q1rSxZTto8hI1KUI3xXlHGZgvGqP4IqPdI/a6FX9H29IDNz7vKo9l21b6LfYosScPL6M3xxyDQ=="

const (
	maxPackage = 32 << 20  // bytes of the tarball; it is 3.2 MB
	maxFile    = 128 << 20 // bytes of one file in it
	defaultNPM = "https://registry.npmjs.org"
)

// install fetches the driver and puts it into dir in one rename, so that a half written one is never found.
func install(ctx context.Context, node, dir string, log *slog.Logger) error {
	log.Info("installing the Playwright driver, once", "version", Version, "folder", dir)
	body, err := fetch(ctx, node)
	if err != nil {
		return pags.Wrap(err, pags.Unavailable, "cannot get the Playwright driver from npm; run `npm pack playwright-core@%s`, unpack it and set %s to the folder", Version, EnvDriver)
	}
	if sum := sha512.Sum512(body); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != integrity {
		return pags.Errorf(pags.Upstream, "the npm registry served a playwright-core %s that is not the published one; check `npm config get registry`", Version)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return pags.Wrap(err, pags.Unavailable, "cannot make the folder for the Playwright driver, %s", filepath.Dir(dir))
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".playwright-")
	if err != nil {
		return pags.Wrap(err, pags.Unavailable, "cannot write the Playwright driver beside %s", dir)
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	if err := unpack(body, fresh); err != nil {
		return pags.Wrap(err, pags.Unavailable, "cannot unpack the Playwright driver")
	}
	if err := patch(filepath.Join(fresh, "package", "lib", "coreBundle.js")); err != nil {
		return pags.Wrap(err, pags.Unavailable, "cannot prepare the Playwright driver")
	}
	if err := os.RemoveAll(dir); err != nil {
		return pags.Wrap(err, pags.Unavailable, "cannot replace the old Playwright driver in %s", dir)
	}
	if err := os.Rename(fresh, dir); err != nil && cliIn(dir) == "" { // another process may have been first
		return pags.Wrap(err, pags.Unavailable, "cannot put the Playwright driver into %s", dir)
	}
	return nil
}

// fetch asks the registry that npm is set up for; where that wants a login, npm itself does the asking.
func fetch(ctx context.Context, node string) ([]byte, error) {
	npm := npmBeside(node)
	body, direct := get(ctx, registry(ctx, npm)+"/playwright-core/-/playwright-core-"+Version+".tgz")
	if direct == nil {
		return body, nil
	}
	if npm == "" {
		return nil, direct
	}
	dir, err := os.MkdirTemp("", "pags-npm-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "playwright-core@"+Version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.Join(direct, fmt.Errorf("npm pack: %w: %s", err, bytes.TrimSpace(out)))
	}
	return os.ReadFile(filepath.Join(dir, "playwright-core-"+Version+".tgz"))
}

func registry(ctx context.Context, npm string) string {
	if host := os.Getenv("PLAYWRIGHT_GO_NPM_REGISTRY"); host != "" {
		return strings.TrimRight(host, "/")
	}
	if npm != "" {
		out, err := exec.CommandContext(ctx, npm, "config", "get", "registry").Output()
		if host := strings.TrimSpace(string(out)); err == nil && strings.HasPrefix(host, "http") {
			return strings.TrimRight(host, "/")
		}
	}
	return defaultNPM
}

func npmBeside(node string) string {
	if beside, err := exec.LookPath(filepath.Join(filepath.Dir(node), "npm")); err == nil {
		return beside
	}
	path, _ := exec.LookPath("npm")
	return path
}

func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the npm registry answered %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPackage+1))
	if err == nil && len(body) > maxPackage {
		err = errors.New("the package is larger than 32 MB")
	}
	return body, err
}

func unpack(body []byte, dir string) error {
	zipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // names in the archive cannot lead out of it
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for files := tar.NewReader(zipped); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if head.Typeflag != tar.TypeReg || !strings.HasPrefix(head.Name, "package/") {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(head.Name)), 0o755); err != nil {
			return err
		}
		data, err := io.ReadAll(io.LimitReader(files, maxFile))
		if err != nil {
			return err
		}
		if err := root.WriteFile(filepath.FromSlash(head.Name), data, 0o644|head.FileInfo().Mode().Perm()&0o111); err != nil {
			return err
		}
	}
}

// patch makes three places tolerate a page error without a location, as the Go library's own installer does: without it
// such an error ends the driver process.
func patch(bundle string) error {
	data, err := os.ReadFile(bundle)
	if err != nil {
		return err
	}
	fixed := strings.NewReplacer("pageError.location.url", `pageError.location?.url || ""`,
		"pageError.location.lineNumber", "pageError.location?.lineNumber || 0",
		"pageError.location.columnNumber", "pageError.location?.columnNumber || 0").Replace(string(data))
	if fixed == string(data) {
		return errors.New("lib/coreBundle.js is not what this version of pags knows")
	}
	return os.WriteFile(bundle, []byte(fixed), 0o644)
}
