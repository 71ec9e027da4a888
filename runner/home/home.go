// Package home knows where pags keeps its files on a person's machine: one folder, PAGS_HOME or ~/.pags, readable by its
// owner only.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is the home folder. Everything below it is ours.
type Dir string

// Find returns the folder named by the flag, else by PAGS_HOME, else ~/.pags. It does not create it.
func Find(flag string) (Dir, error) {
	for _, d := range []string{flag, os.Getenv("PAGS_HOME")} {
		if d != "" {
			abs, err := filepath.Abs(d)
			if err != nil {
				return "", fmt.Errorf("find the folder %q: %w", d, err)
			}
			return Dir(abs), nil
		}
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("no home folder is known here; name one with PAGS_HOME or --data")
	}
	return Dir(filepath.Join(user, ".pags")), nil
}

// Make creates the folder and its parents, for the owner only.
func (d Dir) Make() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make the folder %s: %w", d, err)
	}
	return nil
}

func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// Session is the CLI's session file, mode 0600.
func (d Dir) Session() string { return d.path("session.json") }

// Database is the local host's store.
func (d Dir) Database() string { return d.path("pags.db") }

// Blobs is the folder of the local host's blobs.
func (d Dir) Blobs() string { return d.path("blobs") }

// MasterKey is the local host's key file, mode 0600.
func (d Dir) MasterKey() string { return d.path("master.key") }

// Owner is the file in which a running local host says who and where it is.
func (d Dir) Owner() string { return d.path("serve.json") }

// CodeCache is the folder of machine code that the sandbox compiled, so that it need not do so again.
func (d Dir) CodeCache() string { return d.path("codecache") }

// Runner is the folder of pags up: machine key, outcome store, browser profile.
func (d Dir) Runner() string { return d.path("runner") }

// WriteFile replaces a file at once and for good: written beside it, synced, renamed. Mode 0600.
func WriteFile(path string, body []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder %s: %w", dir, err)
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // after the rename there is nothing to remove
	if err := errors.Join(f.Chmod(0o600), write(f, body)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func write(f *os.File, body []byte) error {
	_, err := f.Write(body)
	return errors.Join(err, f.Sync(), f.Close())
}

// ReadOwn reads a file that only its owner may read; one open to others is refused, since it holds a secret.
func ReadOwn(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModePerm&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return os.ReadFile(path)
}
