package keyfile

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// intro begins the file, so that a person who finds it knows what it is.
const intro = "pags-master-key-1 "

// load reads the key, making the file first if it is not there.
func load(path string) ([]byte, error) {
	key, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, pags.Wrap(err, pags.Internal, "make the key file %s", path)
		}
		key, err = read(path)
	}
	return key, err
}

func read(path string) ([]byte, error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "look at the key file %s", path)
	}
	if !st.Mode().IsRegular() {
		return nil, pags.Errorf(pags.Forbidden, "the key file %s is not a regular file; put the key itself there", path)
	}
	if st.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, pags.Errorf(pags.Forbidden, "the key file %s can be used by others; run: chmod 600 %s", path, path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "read the key file %s", path)
	}
	text, ok := strings.CutPrefix(string(raw), intro)
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if !ok || err != nil || len(key) != keySize {
		return nil, pags.Errorf(pags.Invalid, "the key file %s is damaged; restore it from a backup, without it sealed texts stay closed", path)
	}
	return key, nil
}

// create makes the file whole or not at all. Of two that create at once the first wins: link fails where rename would
// replace a key that already sealed something.
func create(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(intro + base64.StdEncoding.EncodeToString(random(keySize)) + "\n")
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
