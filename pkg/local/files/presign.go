package files

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// grant is what a URL permits. Every field is under the signature.
type grant struct {
	method      string // PUT or GET
	key         string
	expires     int64 // Unix milliseconds
	size        int64 // PUT only, as are the rest
	sha256      string
	contentType string
}

func (b *Blobs) sign(g grant) string {
	mac := hmac.New(sha256.New, b.secret)
	for _, field := range []string{"pags-blob-1", g.method, g.key, strconv.FormatInt(g.expires, 10), strconv.FormatInt(g.size, 10), g.sha256, g.contentType} {
		_, _ = mac.Write([]byte(strconv.Itoa(len(field)) + ":" + field)) // lengths keep fields from running together
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (b *Blobs) url(g grant) string {
	q := url.Values{"expires": {strconv.FormatInt(g.expires, 10)}, "signature": {b.sign(g)}}
	if g.method == http.MethodPut {
		q.Set("size", strconv.FormatInt(g.size, 10))
		q.Set("sha256", g.sha256)
		q.Set("type", g.contentType)
	}
	parts := strings.Split(g.key, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return b.base + "/blobs/" + strings.Join(parts, "/") + "?" + q.Encode()
}

// PresignPut gives a URL for exactly one body.
func (b *Blobs) PresignPut(ctx context.Context, key string, size int64, sum, contentType string, d time.Duration) (port.Presigned, error) {
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != sha256.Size {
		return port.Presigned{}, pags.Errorf(pags.Invalid, "a checksum is the SHA-256 in 64 hex digits")
	}
	if size < 0 {
		return port.Presigned{}, pags.Errorf(pags.Invalid, "a size must not be negative")
	}
	g := grant{method: http.MethodPut, size: size, sha256: hex.EncodeToString(raw), contentType: contentType}
	p, err := b.presign(ctx, key, g, d)
	if contentType != "" {
		p.Headers = map[string]string{"Content-Type": contentType}
	}
	return p, err
}

// PresignGet gives a URL that reads.
func (b *Blobs) PresignGet(ctx context.Context, key string, d time.Duration) (port.Presigned, error) {
	return b.presign(ctx, key, grant{method: http.MethodGet}, d)
}

func (b *Blobs) presign(ctx context.Context, key string, g grant, d time.Duration) (port.Presigned, error) {
	if err := check(ctx, key); err != nil {
		return port.Presigned{}, err
	}
	if d <= 0 || d > port.MaxPresignSeconds*time.Second {
		return port.Presigned{}, pags.Errorf(pags.Invalid, "a presigned URL lives at most 15 minutes")
	}
	at := b.clock.Now().Add(d)
	g.key, g.expires = key, at.UnixMilli()
	return port.Presigned{Method: g.method, URL: b.url(g), ExpiresAt: at}, nil
}

// urlKey reads the signing key, or makes it on first use. It outlives restarts so that URLs do.
func urlKey(path, tmp string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		_, _ = rand.Read(key)
		temp := filepath.Join(tmp, "url.key")
		if err = writeSynced(temp, key); err == nil {
			err = install(temp, path)
		}
	}
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "read or make the key of blob URLs")
	}
	if len(key) != 32 {
		return nil, pags.Errorf(pags.Internal, "%s is damaged; delete it and start again", path)
	}
	return key, nil
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
