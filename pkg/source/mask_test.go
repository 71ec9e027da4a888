package source_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/source"
)

// nasty has something in it for every way of writing.
const nasty = `Ca"nary/+ <&>=?%é 0123456789`

// tame can be put into a header.
const tame = `Ca"nary/+<&>=?%0123456789`

// echoes is an upstream that gives back everything it was sent, in every form, in every place.
func echoes(forms func(r *http.Request) []string, status int, contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		all := forms(r)
		w.Header().Set("Content-Type", contentType)
		for i, f := range all {
			if !strings.ContainsAny(f, "\r\n") {
				w.Header().Set(fmt.Sprintf("X-Page-%d", i), f)
			}
		}
		w.Header().Set("Location", "/x?k="+url.QueryEscape(all[0]))
		w.WriteHeader(status)
		if contentType != "application/json" {
			for _, f := range all {
				fmt.Fprintf(w, "[%s]", f)
			}
			return
		}
		keys := m{}
		for i, f := range all {
			keys[fmt.Sprint(f, i)] = i
		}
		raw, _ := json.Marshal(m{"message": strings.Join(all, " and "), "list": all, "keys": keys, "deep": m{"list": []any{m{"x": all}}}})
		w.Write(raw)
	}
}

// spelled is a secret in the ways that an upstream may write it.
func spelled(s string) []string {
	quoted, _ := json.Marshal(s)
	small := regexp.MustCompile(`%..`).ReplaceAllStringFunc(url.QueryEscape(s), strings.ToLower)
	return []string{s, url.QueryEscape(s), url.PathEscape(s), small, base64.StdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)),
		hex.EncodeToString([]byte(s)), string(quoted[1 : len(quoted)-1]), html.EscapeString(s)}
}

// traces are what nobody may find of secrets: also the part of a longer base64 text that a secret decides.
func traces(secrets ...string) []string {
	var out []string
	for _, s := range secrets {
		out = append(append(out, spelled(s)...), base64.StdEncoding.EncodeToString([]byte("x" + s))[4:12], base64.StdEncoding.EncodeToString([]byte("xx" + s))[4:12])
	}
	return out
}

func clean(t *testing.T, where, text string, secrets ...string) {
	t.Helper()
	for _, s := range traces(secrets...) {
		if at := strings.Index(text, s); at >= 0 {
			t.Errorf("%s holds %q: …%s…", where, s, text[max(0, at-40):min(len(text), at+len(s)+40)])
		}
	}
}

func TestSend_ASecretComesBackNowhere(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		values map[string]string
		secret []string
	}{
		"a bearer token":        {"bearer", map[string]string{"token": tame}, []string{tame}},
		"a password":            {"basic", map[string]string{"username": "ana", "password": nasty}, []string{nasty, "ana:" + nasty}},
		"a user name alone":     {"basic", map[string]string{"username": nasty}, []string{nasty, nasty + ":"}},
		"a key in the query":    {"query:key", map[string]string{"key": nasty}, []string{nasty}},
		"a key in a cookie":     {"cookie:sid", map[string]string{"key": nasty}, []string{nasty}},
		"a key in a header":     {"header:X-Api-Key", map[string]string{"key": tame}, []string{tame}},
		"a key made of numbers": {"header:X-Api-Key", map[string]string{"key": "123456789012"}, []string{"123456789012"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, up := newStage(t, local), newUpstream(t, nil)
			s.add(t, m{"document": describe(up.URL, nil, op("GET /read read"), op("POST /make make")), "slug": "shop"})
			s.connect(t, source.NewConnection{Source: "shop", Name: "mine", Method: c.method, Values: c.values})
			forms := func(r *http.Request) []string {
				out := []string{c.secret[0], r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("Cookie"), "Bearer " + c.secret[0]}
				for _, secret := range c.secret {
					out = append(out, spelled(secret)...)
					out = append(out, base64.StdEncoding.EncodeToString([]byte("Bearer "+secret+" end")), base64.StdEncoding.EncodeToString([]byte("a: "+secret)))
				}
				return out
			}
			for _, answer := range []struct {
				status int
				kind   string
			}{{200, "application/json"}, {200, "text/plain"}, {200, "application/pdf"}, {400, "application/json"}, {401, "application/json"}, {500, "text/plain"}, {302, "text/plain"}} {
				up.answers(echoes(forms, answer.status, answer.kind))
				for _, tool := range []string{"make", "read"} {
					r, err := s.Send(t.Context(), uid, s.bound(t, "shop.mine.shop."+tool), nil, "")
					if err != nil {
						t.Fatal(err)
					}
					where := fmt.Sprint("the result of ", tool, " ", answer)
					raw, _ := json.Marshal(r)
					text := string(raw) + fmt.Sprintf("%+v", r)
					if r.Error != nil {
						text += fmt.Sprintf("%+v %v", r.Error, r.Error.Details)
					}
					if f, ok := r.Data.(catalog.File); ok {
						text += string(f.Data)
						if f.Size != len(f.Data) {
							t.Errorf("size %d of %d bytes", f.Size, len(f.Data))
						}
					}
					if answer.status != 302 && !strings.Contains(text, guard.Mask) { // a read goes in circles there
						t.Errorf("nothing came back, so this proves nothing: %s", text)
					}
					clean(t, where, text, c.secret...)
				}
				_, _ = s.Test(t.Context(), uid, "shop", "mine")
				conn, _ := s.Connection(t.Context(), uid, "shop", "mine")
				clean(t, "the connection", fmt.Sprintf("%+v", conn), c.secret...)
			}
			s.nowhere(t, c.secret...)
		})
	}
}

// nowhere looks for secrets in everything that was written: rows, blobs, logs.
func (s *stage) nowhere(t *testing.T, secrets ...string) {
	t.Helper()
	clean(t, "the log", s.log.String(), secrets...)
	seen := 0
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		seen++
		for _, secret := range secrets {
			if len(secret) > 8 && bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s holds a secret", path)
			}
		}
		return err
	})
	if err != nil || seen < 2 {
		t.Errorf("%d files: %v", seen, err)
	}
}

func TestSend_ASecretAtTheEdgeOfWhatIsKeptIsNotCutInHalf(t *testing.T) {
	for name, fill := range map[string]int{"the body": 10<<20 - 10, "the message": 1024 - 10} {
		for _, status := range []int{200, 500} {
			s := newStage(t, local)
			up := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("X-Page-Next", strings.Repeat("y", 1024-10)+token)
				w.WriteHeader(status)
				w.Write(append(bytes.Repeat([]byte("x"), fill), token+" and more"...))
			})
			s.add(t, m{"document": describe(up.URL, bearer, op("GET /read read")), "slug": "shop"})
			s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}})
			raw, _ := json.Marshal(s.send(t, "shop.main.shop.read", nil, ""))
			if strings.Contains(string(raw), token[:6]) {
				t.Errorf("%s of a %d: the beginning of the secret is there", name, status)
			}
		}
	}
}

func TestSend_WhatIsNoSecretStays(t *testing.T) {
	s := newStage(t, local)
	up := newUpstream(t, says(`{"owner":"ana@example.test","note":"TOK-CANARY-0123456789-wxyz","n":1.50,"list":[null,true]}`))
	s.add(t, m{"document": describe(up.URL, basic, op("GET /read read")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "login", Values: map[string]string{"username": "ana@example.test", "password": token}})
	raw, _ := json.Marshal(s.send(t, "shop.main.shop.read", nil, "").Data)
	if string(raw) != `{"list":[null,true],"n":1.50,"note":"TOK-CANARY-0123456789-wxyz","owner":"ana@example.test"}` {
		t.Errorf("%s", raw)
	}
}

func TestSend_ErrorsOfTheNetworkTellNothing(t *testing.T) {
	s, up := newStage(t, local), newUpstream(t, hangUp)
	s.add(t, m{"document": describe(up.URL, nil, op("GET /read read"), op("POST /make make")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Name: "mine", Method: "query:api_key", Values: map[string]string{"key": token}})
	check := func(what string) {
		t.Helper()
		for _, tool := range []string{"read", "make"} {
			r, err := s.Send(t.Context(), uid, s.bound(t, "shop.mine.shop."+tool), nil, "")
			raw, _ := json.Marshal(r)
			clean(t, what, string(raw)+fmt.Sprintf("%v %+v", err, err), token)
		}
	}
	check("a connection that breaks")
	up.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) })
	check("a circle")
	up.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/?k="+r.URL.Query().Get("api_key"), http.StatusFound)
	})
	check("an address that is not allowed")
	up.Close()
	check("nobody there")
	s.nowhere(t, token)
}

func BenchmarkMask_TenMegabytes(b *testing.B) {
	s := newStage(b, local)
	line := []byte(`{"id":123,"name":"some ordinary text of a record","tags":["a","b","c"],"token":"cmVjb3Jk"},` + "\n")
	body := bytes.Repeat(line, 10<<20/len(line))
	up := newUpstream(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(body)
	})
	s.add(b, m{"document": describe(up.URL, bearer, op("GET /read read")), "slug": "shop"})
	s.connect(b, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}})
	s.connect(b, source.NewConnection{Source: "shop", Name: "open", Method: "none"})
	for name, path := range map[string]string{"masked": "shop.main.shop.read", "nothing to mask": "shop.open.shop.read"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.send(b, path, nil, "")
			}
		})
	}
}

func TestSend_ASecretThatWasPastedWithItsSchemeIsMaskedWithoutItToo(t *testing.T) {
	for says, c := range map[string]struct {
		method string
		name   string
		value  string
		secret string
	}{
		"a bearer token":                  {"token", "token", "Bearer canary-0123456789", "canary-0123456789"},
		"another scheme":                  {"header:Authorization", "key", "token canary-0123456789", "canary-0123456789"},
		"a user and password, as encoded": {"header:Authorization", "key", "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:canary-0123456789")), "canary-0123456789"},
	} {
		s := newStage(t, local)
		up := newUpstream(t, repeats(c.secret))
		s.add(t, m{"slug": "shop", "document": describe(up.URL, bearer, op("GET /read read"))})
		s.connect(t, source.NewConnection{Source: "shop", Method: c.method, Values: map[string]string{c.name: c.value}})
		r := s.send(t, "shop.main.shop.read", nil, "")
		if raw, _ := json.Marshal(r); bytes.Contains(raw, []byte("canary")) {
			t.Errorf("%s: %s", says, raw)
		}
		if got := up.seen()[0].Header.Get("Authorization"); got != c.value {
			t.Errorf("%s was sent as %s", says, got)
		}
	}
}

// repeats answers with a text in two places.
func repeats(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"token":%q,"message":"no access for %s"}`, text, text)
	}
}
