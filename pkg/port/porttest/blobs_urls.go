package porttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func sumOf(body string) string {
	s := sha256.Sum256([]byte(body))
	return hex.EncodeToString(s[:])
}

// send uses a presigned URL the way a runner does and returns the status and the body.
func send(t *testing.T, p port.Presigned, method, body string, change ...func(*http.Request)) (int, string) {
	t.Helper()
	var content io.Reader // none at all for a GET: an empty reader would count as a body
	if method == http.MethodPut {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequest(method, p.URL, content)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range p.Headers {
		r.Header.Set(k, v)
	}
	for _, c := range change {
		c(r)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

const urlKey = "files/ins_1/a b+ü&c.txt"

func blobsPresigned(t *testing.T, b port.Blobs, clock *Clock) {
	ctx := context.Background()
	put, err := b.PresignPut(ctx, urlKey, 5, sumOf("hello"), "text/plain", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if put.Method != http.MethodPut || !put.ExpiresAt.Equal(clock.Now().Add(time.Minute)) {
		t.Errorf("presigned as %s until %s", put.Method, put.ExpiresAt)
	}
	if status, text := send(t, put, "PUT", "hello"); status != 200 {
		t.Fatalf("upload: %d %s", status, text)
	}
	got, info, err := b.Get(ctx, urlKey, 0, 0)
	if err != nil || string(got) != "hello" || info.ContentType != "text/plain" {
		t.Fatalf("uploaded %q, %+v, %v", got, info, err)
	}
	get, err := b.PresignGet(ctx, urlKey, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status, text := send(t, get, "GET", ""); status != 200 || text != "hello" {
		t.Errorf("download: %d %s", status, text)
	}
	if status, text := send(t, get, "GET", "", func(r *http.Request) { r.Header.Set("Range", "bytes=1-3") }); status != 206 || text != "ell" {
		t.Errorf("download of a range: %d %s", status, text)
	}
	absent, err := b.PresignGet(ctx, "nothing", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := send(t, absent, "GET", ""); status != 404 {
		t.Errorf("download of what is absent: %d", status)
	}
}

func blobsPresignBad(t *testing.T, b port.Blobs) {
	ctx := context.Background()
	sum := sumOf("x")
	for what, err := range map[string]error{
		"a key with ..":      errOf(b.PresignPut(ctx, "a/../b", 1, sum, "", time.Minute)),
		"a checksum of less": errOf(b.PresignPut(ctx, "a", 1, sum[2:], "", time.Minute)),
		"a negative size":    errOf(b.PresignPut(ctx, "a", -1, sum, "", time.Minute)),
		"no time":            errOf(b.PresignPut(ctx, "a", 1, sum, "", 0)),
		"an hour":            errOf(b.PresignGet(ctx, "a", time.Hour)),
		"a key of a folder":  errOf(b.PresignGet(ctx, "a/", time.Minute)),
	} {
		wantCode(t, what, err, pags.Invalid)
	}
}

func errOf[T any](_ T, err error) error { return err }

func blobsEnforced(t *testing.T, b port.Blobs, clock *Clock) {
	ctx := context.Background()
	fresh := func() port.Presigned {
		p, err := b.PresignPut(ctx, "k/one", 5, sumOf("hello"), "text/plain", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	edit := func(old, with string) func(port.Presigned) port.Presigned {
		return func(p port.Presigned) port.Presigned {
			if !strings.Contains(p.URL, old) {
				t.Fatalf("%s does not hold %q", p.URL, old)
			}
			p.URL = strings.Replace(p.URL, old, with, 1)
			return p
		}
	}
	same := func(p port.Presigned) port.Presigned { return p }
	for _, c := range []struct {
		name   string
		change func(port.Presigned) port.Presigned
		method string
		body   string
		header func(*http.Request)
	}{
		{"another body of the same size", same, "PUT", "hellO", nil},
		{"a longer body", same, "PUT", "hello!", nil},
		{"a shorter body", same, "PUT", "hell", nil},
		{"a body of unknown length", same, "PUT", "hello", func(r *http.Request) { r.ContentLength = -1 }},
		{"another content type", same, "PUT", "hello", func(r *http.Request) { r.Header.Set("Content-Type", "text/html") }},
		{"another key", edit("k/one", "k/two"), "PUT", "hello", nil},
		{"a key of another folder", edit("k/one", "k/../x"), "PUT", "hello", nil},
		{"an encoded way up", edit("k/one", "k%2F..%2Fx"), "PUT", "hello", nil},
		{"reading with it", same, "GET", "", nil},
		{"deleting with it", same, "DELETE", "", nil},
		{"another checksum", edit(sumOf("hello"), sumOf("other")), "PUT", "other", nil},
		{"another signature", func(p port.Presigned) port.Presigned { p.URL += "A"; return p }, "PUT", "hello", nil},
	} {
		change := []func(*http.Request){}
		if c.header != nil {
			change = append(change, c.header)
		}
		if status, text := send(t, c.change(fresh()), c.method, c.body, change...); status < 400 && status != 0 {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
	}
	if keys := listed(t, b, "", "", 10); len(keys) != 0 {
		t.Fatalf("refused uploads left %q", keys)
	}

	late := fresh()
	clock.Advance(time.Minute - time.Millisecond)
	if status, text := send(t, late, "PUT", "hello"); status != 200 {
		t.Errorf("just before the end: %d %s", status, text)
	}
	clock.Advance(time.Millisecond)
	if status, _ := send(t, late, "PUT", "hello"); status != 403 {
		t.Errorf("at the end: %d", status)
	}
	get, err := b.PresignGet(ctx, "k/one", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := send(t, get, "PUT", "evil!"); status < 400 {
		t.Errorf("writing with a URL for reading: %d", status)
	}
	clock.Advance(time.Minute)
	if status, _ := send(t, get, "GET", ""); status != 403 {
		t.Errorf("reading after the end: %d", status)
	}
}
