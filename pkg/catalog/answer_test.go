package catalog

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/proagentstore/pags/pkg/pags"
)

func TestReadResponse_EveryShapeOfAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header string // "Name: value" lines
		body   string
		want   string // the result as JSON, without http
	}{
		"JSON keeps 64 bits":                 {200, "Content-Type: application/json", `{"n":9223372036854775807,"f":1.10}`, `{"ok":true,"data":{"f":1.10,"n":9223372036854775807}}`},
		"JSON of a vendor, with a mark":      {200, "Content-Type: application/vnd.a+json; v=1", "\xef\xbb\xbf[1]", `{"ok":true,"data":[1]}`},
		"JSON that is none becomes text":     {200, "Content-Type: application/json", `OK, done`, `{"ok":true,"data":"OK, done"}`},
		"JSON without a type":                {200, "", ` {"a":1} `, `{"ok":true,"data":{"a":1}}`},
		"null":                               {200, "Content-Type: application/json", `null`, `{"ok":true}`},
		"text in Latin-1":                    {200, "Content-Type: text/plain; charset=ISO-8859-1", "caf\xe9", `{"ok":true,"data":"café"}`},
		"text in UTF-16":                     {200, "Content-Type: text/plain; charset=utf-16", "\xff\xfea\x00", `{"ok":true,"data":"a"}`},
		"text that does not say":             {200, "Content-Type: text/plain", "caf\xe9", `{"ok":true,"data":"café"}`},
		"text with an unknown charset":       {200, "Content-Type: text/plain; charset=klingon", "a\xff", `{"ok":true,"data":"a�"}`},
		"lines":                              {200, "Content-Type: application/x-ndjson", "{\"a\":1}\n\n{\"a\":2}\nx\n", `{"ok":true,"data":[{"a":1},{"a":2},"x"]}`},
		"bytes":                              {200, "Content-Type: image/png\nContent-Disposition: attachment; filename=\"../a.png\"", "\x89PNG\r\n\x1a\n", `{"ok":true,"data":{"filename":"a.png","contentType":"image/png","data":"iVBORw0KGgo=","size":8}}`},
		"bytes without a type":               {200, "", "%PDF-1.7\x00\xff", `{"ok":true,"data":{"contentType":"application/pdf","data":"JVBERi0xLjcA/w==","size":10}}`},
		"a form":                             {200, "Content-Type: application/x-www-form-urlencoded", "a=1", `{"ok":true,"data":"a=1"}`},
		"not modified":                       {304, "", "", `{"ok":false,"error":{"code":"upstream_http_error","message":"the API sends the call elsewhere (304), which was not followed","status":304}}`},
		"error.message":                      {400, "Content-Type: application/json", `{"error":{"message":"no such field"}}`, `{"ok":false,"error":{"code":"upstream_http_error","message":"no such field","status":400,"details":{"error":{"message":"no such field"}}}}`},
		"a problem":                          {422, "Content-Type: application/problem+json", `{"title":"Bad","detail":"x is odd"}`, `{"ok":false,"error":{"code":"upstream_http_error","message":"x is odd","status":422,"details":{"detail":"x is odd","title":"Bad"}}}`},
		"a list of errors":                   {400, "Content-Type: application/json", `{"errors":[{"detail":"a"},{"message":"b"},"c"]}`, `{"ok":false,"error":{"code":"upstream_http_error","message":"a; b; c","status":400,"details":{"errors":[{"detail":"a"},{"message":"b"},"c"]}}}`},
		"an OAuth error":                     {400, "Content-Type: application/json", `{"error":"invalid_grant","error_description":"too old"}`, `{"ok":false,"error":{"code":"upstream_http_error","message":"too old","status":400,"details":{"error":"invalid_grant","error_description":"too old"}}}`},
		"a web page says nothing":            {500, "Content-Type: text/html", `<html>oops</html>`, `{"ok":false,"error":{"code":"upstream_http_error","message":"the API answered 500 Internal Server Error","status":500,"details":"<html>oops</html>"}}`},
		"unknown JSON":                       {400, "Content-Type: application/json", `{"x":1}`, `{"ok":false,"error":{"code":"upstream_http_error","message":"{\"x\":1}","status":400,"details":{"x":1}}}`},
		"nothing":                            {404, "", "", `{"ok":false,"error":{"code":"upstream_http_error","message":"the API answered 404 Not Found","status":404}}`},
		"not let in":                         {401, "WWW-Authenticate: Bearer", "", `{"ok":false,"error":{"code":"connection_rejected","message":"the API answered 401 Unauthorized","status":401}}`},
		"a scope is missing":                 {403, "WWW-Authenticate: Bearer error=\"insufficient_scope\"", "", `{"ok":false,"error":{"code":"oauth_scope_insufficient","message":"the API answered 403 Forbidden","status":403}}`},
		"too often":                          {429, "Retry-After: 7", "", `{"ok":false,"error":{"code":"upstream_http_error","message":"the API answered 429 Too Many Requests","status":429,"retryable":true,"retryAfter":7}}`},
		"a content type that is nonsense":    {200, "Content-Type: ;;;", `{"a":1}`, `{"ok":true,"data":{"a":1}}`},
		"JSON with more behind it is a text": {200, "Content-Type: application/json", `{} {}`, `{"ok":true,"data":"{} {}"}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			for _, l := range strings.Split(c.header, "\n") {
				if k, v, ok := strings.Cut(l, ": "); ok {
					h.Set(k, v)
				}
			}
			got := ReadResponse(c.status, h, strings.NewReader(c.body))
			if got.HTTP == nil || got.HTTP.Status != c.status {
				t.Errorf("http %+v", got.HTTP)
			}
			got.HTTP = nil
			if text := string(jsonText(got)); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func TestReadResponse_KeepsAtMostWhatItShould(t *testing.T) {
	endless := func(s string) io.Reader { return &repeat{[]byte(s), 0} }
	r := ReadResponse(200, http.Header{"Content-Type": {"text/plain"}}, endless("x"))
	if !r.OK || len(r.Data.(string)) != maxAnswer || !r.HTTP.Truncated {
		t.Errorf("text: %d bytes, %+v", len(r.Data.(string)), r.HTTP)
	}
	r = ReadResponse(200, http.Header{"Content-Type": {"text/event-stream"}}, endless("data: 1\n\n"))
	if len(r.Data.(string)) != maxStream || !r.HTTP.Truncated {
		t.Errorf("stream: %+v", r.HTTP)
	}
	r = ReadResponse(200, http.Header{"Content-Type": {"application/json"}}, endless("[1,"))
	if !r.OK || !r.HTTP.Truncated {
		t.Errorf("JSON: %+v", r.HTTP)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	for range 64 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
	_ = w.Close()
	r = ReadResponse(200, http.Header{"Content-Type": {"application/octet-stream"}, "Content-Encoding": {"gzip"}}, &z)
	if f := r.Data.(File); f.Size != maxAnswer || !r.HTTP.Truncated {
		t.Errorf("a packed answer unpacks to %d bytes", f.Size)
	}
	if raw, err := json.Marshal(r); err != nil || len(raw) < maxAnswer {
		t.Errorf("a file is JSON too: %v", err)
	}
}

type repeat struct {
	what []byte
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.what[r.at%len(r.what)]
		r.at++
	}
	return len(p), nil
}

func TestReadResponse_AnAnswerThatBreaksOffIsAFailureExceptOnAStream(t *testing.T) {
	broken := func(s string, err error) io.Reader {
		return io.MultiReader(strings.NewReader(s), iotest.ErrReader(err))
	}
	r := ReadResponse(200, http.Header{"Content-Type": {"application/json"}}, broken(`{"a":`, os.ErrDeadlineExceeded))
	if r.OK || r.Error.Code != CodeBodyTimeout || !pags.Is(r.Error, pags.Timeout) {
		t.Errorf("time-out: %+v", r.Error)
	}
	r = ReadResponse(200, nil, broken(`{"a":`, errors.New("connection to 10.0.0.1 reset")))
	if r.OK || r.Error.Code != CodeUpstreamHTTP || strings.Contains(r.Error.Message, "10.0.0.1") {
		t.Errorf("reset: %+v", r.Error)
	}
	r = ReadResponse(200, http.Header{"Content-Type": {"application/x-ndjson"}}, broken("{\"a\":1}\n{\"b\"", os.ErrDeadlineExceeded))
	if !r.OK || !r.HTTP.Truncated || string(jsonText(r.Data)) != `[{"a":1}]` {
		t.Errorf("stream: %+v", r)
	}
}

func TestReadResponse_ShowsNoSecrets(t *testing.T) {
	h := http.Header{"Set-Cookie": {"sid=hunter2"}, "Content-Type": {"application/json"}, "X-Ratelimit-Remaining": {"3"}, "Link": {"<https://a.example.test?page=2>; rel=next"}}
	r := ReadResponse(400, h, strings.NewReader(`{"message":"bad token Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJl","password":"hunter2"}`))
	text := string(jsonText(r))
	if strings.Contains(text, "hunter2") || strings.Contains(text, "eyJzdWIi") {
		t.Errorf("a secret is shown: %s", text)
	}
	if r.HTTP.Headers["x-ratelimit-remaining"] != "3" || r.HTTP.Headers["link"] == "" {
		t.Errorf("headers %v", r.HTTP.Headers)
	}
}
