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

// fetch lets npm get the tarball, so that its registry, login and proxy settings count.
func fetch(ctx context.Context, node string) ([]byte, error) {
	npm := npmBeside(node)
	if npm == "" {
		return nil, errors.New("npm is not beside " + node + " and not in PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "pags-npm-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "playwright-core@"+Version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, bytes.TrimSpace(out))
	}
	f, err := os.Open(filepath.Join(dir, "playwright-core-"+Version+".tgz"))
	if err != nil {
		return nil, fmt.Errorf("npm pack left no tarball: %w", err)
	}
	defer func() { _ = f.Close() }()
	body, err := io.ReadAll(io.LimitReader(f, maxPackage+1))
	if err == nil && len(body) > maxPackage {
		err = fmt.Errorf("playwright-core is larger than %d bytes", maxPackage)
	}
	return body, err
}

func npmBeside(node string) string {
	if beside, err := exec.LookPath(filepath.Join(filepath.Dir(node), "npm")); err == nil {
		return beside
	}
	path, _ := exec.LookPath("npm")
	return path
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
