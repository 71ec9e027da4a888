package files

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Handler serves presigned URLs below /blobs/. Nothing else gives permission: no cookie, no header.
func (b *Blobs) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer") // the address is the permission
		h.Set("Cache-Control", "private, no-store")
		g, ok := b.permitted(r)
		switch {
		case !ok:
			http.Error(w, "this address does not permit it, or no longer", http.StatusForbidden)
		case g.method == http.MethodPut:
			b.receive(w, r, g)
		default:
			b.send(w, r, g)
		}
	})
}

// permitted reads the grant out of the request and checks its signature and age.
func (b *Blobs) permitted(r *http.Request) (grant, bool) {
	g := grant{method: r.Method}
	if g.method == http.MethodHead {
		g.method = http.MethodGet
	}
	if g.method != http.MethodGet && g.method != http.MethodPut {
		return g, false
	}
	key, ok := strings.CutPrefix(r.URL.Path, "/blobs/")
	if !ok || port.CheckBlobKey(key) != nil {
		return g, false
	}
	q, err := strictQuery(r)
	if err != nil {
		return g, false
	}
	g.key = key
	if g.expires, err = strconv.ParseInt(q["expires"], 10, 64); err != nil {
		return g, false
	}
	if g.method == http.MethodPut {
		if g.size, err = strconv.ParseInt(q["size"], 10, 64); err != nil {
			return g, false
		}
		g.sha256, g.contentType = q["sha256"], q["type"]
	}
	if !hmac.Equal([]byte(q["signature"]), []byte(b.sign(g))) {
		return g, false
	}
	return g, b.clock.Now().UnixMilli() < g.expires
}

// strictQuery refuses repeated parameters: two readers must not see two values.
func strictQuery(r *http.Request) (map[string]string, error) {
	out := map[string]string{}
	for name, values := range r.URL.Query() {
		if len(values) != 1 {
			return nil, pags.Errorf(pags.Invalid, "parameter %q comes twice", name)
		}
		out[name] = values[0]
	}
	return out, nil
}

// receive takes exactly the body that was granted.
func (b *Blobs) receive(w http.ResponseWriter, r *http.Request, g grant) {
	if r.Header.Get("Content-Type") != g.contentType {
		http.Error(w, "the content type is not the one that was granted", http.StatusForbidden)
		return
	}
	if r.ContentLength != g.size {
		http.Error(w, "the size is not the one that was granted", http.StatusForbidden)
		return
	}
	sum := sha256.New()
	body := io.TeeReader(io.LimitReader(r.Body, g.size), sum)
	temp, err := b.writeTemp(header{ETag: g.sha256, ContentType: g.contentType, Size: g.size}, body)
	if err != nil {
		http.Error(w, "the body could not be stored", http.StatusInternalServerError)
		return
	}
	defer os.Remove(temp)
	if hex.EncodeToString(sum.Sum(nil)) != g.sha256 {
		http.Error(w, "the checksum is not the one that was granted", http.StatusBadRequest)
		return
	}
	defer b.lock(g.key)()
	if err := install(temp, b.path(g.key)); err != nil {
		http.Error(w, "the body could not be stored", http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", strconv.Quote(g.sha256))
	w.WriteHeader(http.StatusOK)
}

func (b *Blobs) send(w http.ResponseWriter, r *http.Request, g grant) {
	f, info, err := b.open(r.Context(), g.key)
	if err != nil {
		status := http.StatusInternalServerError
		if pags.Is(err, pags.NotFound) {
			status = http.StatusNotFound
		}
		http.Error(w, "there is nothing to read", status)
		return
	}
	defer f.Close()
	kind := info.ContentType
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", disposition(g.key, kind))
	w.Header().Set("ETag", strconv.Quote(info.ETag))
	http.ServeContent(w, r, "", time.Time{}, f)
}

// disposition shows pictures in place and makes a download of everything else: uploaded bytes never become a page of ours.
func disposition(key, kind string) string {
	name := key[strings.LastIndexByte(key, '/')+1:]
	how := "attachment"
	switch media, _, _ := mime.ParseMediaType(kind); media {
	case "image/jpeg", "image/png", "image/webp", "image/gif":
		how = "inline"
	}
	return mime.FormatMediaType(how, map[string]string{"filename": name})
}
