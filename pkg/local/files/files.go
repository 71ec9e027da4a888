// Package files is port.Blobs over a directory.
//
//	<dir>/blobs/…   one file for each blob: a header line, then the body (path.go says how keys become paths)
//	<dir>/tmp/      bodies being written; emptied at start
//	<dir>/url.key   what presigned URLs are signed with
//
// One process owns the directory. A blob appears whole or not at all: it is written aside, synced, then renamed.
package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Options of Open. All are required.
type Options struct {
	Dir     string
	BaseURL string // where Handler is reached, without the "/blobs/"
	Clock   port.Clock
}

// Blobs keeps blobs in files.
type Blobs struct {
	dir, base string
	clock     port.Clock
	secret    []byte
	locks     [64]sync.Mutex // by key: a condition and its write are one step
}

var _ port.Blobs = (*Blobs)(nil)

// Open prepares the directory and clears what a crash left unfinished.
func Open(o Options) (*Blobs, error) {
	b := &Blobs{dir: o.Dir, base: strings.TrimRight(o.BaseURL, "/"), clock: o.Clock}
	if err := os.RemoveAll(b.tmp()); err != nil {
		return nil, pags.Wrap(err, pags.Internal, "clear the blobs' temporary directory")
	}
	for _, d := range []string{b.root(), b.tmp()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, pags.Wrap(err, pags.Internal, "make the blob directory")
		}
	}
	var err error
	b.secret, err = urlKey(filepath.Join(o.Dir, "url.key"), b.tmp())
	return b, err
}

func (b *Blobs) root() string { return filepath.Join(b.dir, "blobs") }
func (b *Blobs) tmp() string  { return filepath.Join(b.dir, "tmp") }

func (b *Blobs) lock(key string) func() {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	m := &b.locks[h.Sum32()%uint32(len(b.locks))]
	m.Lock()
	return m.Unlock
}

// Put writes a blob.
func (b *Blobs) Put(ctx context.Context, key string, body []byte, o port.PutOptions) (port.BlobInfo, error) {
	if err := check(ctx, key); err != nil {
		return port.BlobInfo{}, err
	}
	sum := sha256.Sum256(body)
	h := header{ETag: hex.EncodeToString(sum[:]), ContentType: o.ContentType, Size: int64(len(body))}
	temp, err := b.writeTemp(h, bytes.NewReader(body))
	if err != nil {
		return port.BlobInfo{}, pags.Wrap(err, pags.Internal, "write a blob")
	}
	defer os.Remove(temp)

	defer b.lock(key)()
	if o.IfAbsent || o.IfMatch != "" {
		now, err := b.head(key)
		switch {
		case err != nil && !pags.Is(err, pags.NotFound):
			return port.BlobInfo{}, err
		case o.IfAbsent && err == nil:
			return port.BlobInfo{}, pags.Errorf(pags.Conflict, "there is a blob at this key already")
		case o.IfMatch != "" && (err != nil || now.ETag != o.IfMatch):
			return port.BlobInfo{}, pags.Errorf(pags.Conflict, "the blob is not the one that was expected")
		}
	}
	if err := install(temp, b.path(key)); err != nil {
		return port.BlobInfo{}, pags.Wrap(err, pags.Internal, "put a blob in place")
	}
	return h.info(key), nil
}

// Get reads a blob or a range of it.
func (b *Blobs) Get(ctx context.Context, key string, offset, length int64) ([]byte, port.BlobInfo, error) {
	f, info, err := b.open(ctx, key)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	from, n, err := span(info.Size, offset, length)
	if err != nil {
		return nil, info, err
	}
	body := make([]byte, n)
	if _, err := f.ReadAt(body, from); err != nil && !(errors.Is(err, io.EOF) && n == 0) {
		return nil, info, pags.Wrap(err, pags.Internal, "read a blob")
	}
	return body, info, nil
}

// span resolves a range. As on S3, one that begins behind the end does not exist, and one that ends behind it is cut.
func span(size, offset, length int64) (from, n int64, err error) {
	if length < 0 {
		return 0, 0, pags.Errorf(pags.Invalid, "a range's length must not be negative")
	}
	if offset == 0 && length == 0 {
		return 0, size, nil
	}
	if offset < 0 {
		offset = max(0, size+offset)
	}
	if offset >= size {
		return 0, 0, pags.Errorf(pags.Invalid, "the range begins behind the blob's end")
	}
	if length == 0 || length > size-offset {
		length = size - offset
	}
	return offset, length, nil
}

// Open reads a blob as a stream.
func (b *Blobs) Open(ctx context.Context, key string) (io.ReadCloser, port.BlobInfo, error) {
	f, info, err := b.open(ctx, key)
	if err != nil {
		return nil, info, err
	}
	return f, info, nil
}

func (b *Blobs) open(ctx context.Context, key string) (*blob, port.BlobInfo, error) {
	if err := check(ctx, key); err != nil {
		return nil, port.BlobInfo{}, err
	}
	f, err := openBlob(b.path(key))
	if err != nil {
		return nil, port.BlobInfo{}, err
	}
	return f, f.header.info(key), nil
}

// Head describes a blob.
func (b *Blobs) Head(ctx context.Context, key string) (port.BlobInfo, error) {
	if err := check(ctx, key); err != nil {
		return port.BlobInfo{}, err
	}
	return b.head(key)
}

func (b *Blobs) head(key string) (port.BlobInfo, error) {
	f, err := openBlob(b.path(key))
	if err != nil {
		return port.BlobInfo{}, err
	}
	defer f.Close()
	return f.header.info(key), nil
}

// Delete removes a blob.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	defer b.lock(key)()
	path := b.path(key)
	if err := os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return pags.Wrap(err, pags.Internal, "delete a blob")
	}
	return syncDir(filepath.Dir(path))
}

// List reads only the directory that the prefix's complete parts name, then sorts: the order of keys is not the order of
// a directory walk ("a-b" is before "a/b").
func (b *Blobs) List(ctx context.Context, prefix, after string, limit int) ([]port.BlobInfo, error) {
	if limit <= 0 || limit > 1000 {
		limit = 1000
	}
	within, start := b.root(), ""
	if cut := strings.LastIndexByte(prefix, '/'); cut >= 0 {
		if port.CheckBlobKey(prefix[:cut]) != nil {
			return nil, nil // no key can have that beginning
		}
		start = prefix[:cut+1]
		within = b.folder(prefix[:cut])
	}
	var keys []string
	err := walk(within, start, func(key string) {
		if strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
	})
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "list blobs")
	}
	sort.Strings(keys)
	var out []port.BlobInfo
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := b.head(key)
		if pags.Is(err, pags.NotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if out = append(out, info); len(out) == limit {
			break
		}
	}
	return out, nil
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return port.CheckBlobKey(key)
}
