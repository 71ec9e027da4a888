package files

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// header is the first line of a blob's file.
type header struct {
	ETag        string `json:"etag"`
	ContentType string `json:"type,omitempty"`
	Size        int64  `json:"size"`
}

// maxHeader bounds the line; a content type is at most a few hundred bytes.
const maxHeader = 8 << 10

func (h header) info(key string) port.BlobInfo {
	return port.BlobInfo{Key: key, Size: h.Size, ETag: h.ETag, ContentType: h.ContentType}
}

// blob is an open file past its header. Reads see only the body.
type blob struct {
	*io.SectionReader
	file   *os.File
	header header
}

func (b *blob) Close() error { return b.file.Close() }

func openBlob(path string) (*blob, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pags.Errorf(pags.NotFound, "there is no blob at this key")
	}
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "open a blob")
	}
	line, err := bufio.NewReaderSize(f, maxHeader).ReadSlice('\n')
	var h header
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	if err == nil {
		var st os.FileInfo
		if st, err = f.Stat(); err == nil && st.Size() != int64(len(line))+h.Size {
			err = errors.New("the file's length is not what its header says")
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, pags.Wrap(err, pags.Internal, "read a blob's header")
	}
	return &blob{io.NewSectionReader(f, int64(len(line)), h.Size), f, h}, nil
}

// writeTemp writes header and body aside and makes them durable. The caller removes or installs the file.
func (b *Blobs) writeTemp(h header, body io.Reader) (path string, err error) {
	if len(h.ContentType) > 512 {
		return "", pags.Errorf(pags.Invalid, "a content type is at most 512 bytes")
	}
	line, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(b.tmp(), "put-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(append(line, '\n')); err != nil {
		return "", err
	}
	if _, err = io.Copy(f, body); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}

// install renames a finished file to its place and makes the name durable, with the folders above it.
func install(temp, path string) error {
	dir := filepath.Dir(path)
	if err := makeDirs(dir); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(dir)
}

// makeDirs is MkdirAll that syncs the parent of each folder it makes.
func makeDirs(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDirs(filepath.Dir(dir)); err != nil {
			return err
		}
		if err = os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
