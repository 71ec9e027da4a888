package source_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/source"
)

var keyHeader = m{"parameters": []m{{"name": "Idempotency-Key", "in": "header", "schema": m{"type": "string"}}}}

// shop is a source whose tools answer as told, with a connection that sends a token.
func shop(t *testing.T, answer http.HandlerFunc) (*stage, *upstream) {
	s, up := newStage(t, local), newUpstream(t, answer)
	body := items(m{"type": "object"})
	s.add(t, m{"slug": "shop", "document": describe(up.URL, bearer,
		op("GET /read read"), op("POST /make make", body), op("POST /keyed keyed", body, keyHeader), op("PUT /put put", body), op("DELETE /gone removeIt"),
		op("POST /upload upload", m{"requestBody": m{"content": m{"application/octet-stream": m{}}}}))})
	s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}})
	return s, up
}

func TestSend_AnAnswerIsAResult(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		contentType  string
		body         string
		ok           bool
		code, says   string
		retryable    bool
		data, header string
	}{
		"JSON":                    {200, "application/json", `{"n":12345678901234567890}`, true, "", "", false, `{"n":12345678901234567890}`, ""},
		"nothing":                 {204, "", "", true, "", "", false, "null", ""},
		"text":                    {200, "text/plain", "hello", true, "", "", false, `"hello"`, ""},
		"a wrong argument":        {400, "application/json", `{"error":{"message":"no such colour"}}`, false, "upstream_http_error", "no such colour", false, "", ""},
		"a refused credential":    {401, "application/json", `{"message":"bad token"}`, false, "connection_rejected", "bad token; the API does not take the credential of connection shop.main", false, "", ""},
		"too little access":       {403, "application/json", `{"message":"admins only"}`, false, "connection_rejected", "more access", false, "", ""},
		"a scope that is missing": {403, "application/json", `{}`, false, "oauth_scope_insufficient", "more access", false, "", `Bearer error="insufficient_scope"`},
		"a busy server":           {503, "text/plain", "later", false, "upstream_http_error", "later", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, up := shop(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				if c.header != "" {
					w.Header().Set("WWW-Authenticate", c.header)
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			for _, tool := range []string{"read", "make"} {
				r := s.send(t, "shop.main.shop."+tool, nil, "")
				if r.OK != c.ok || r.HTTP == nil || r.HTTP.Status != c.status {
					t.Fatalf("%+v", r)
				}
				if raw, _ := json.Marshal(r.Data); c.ok && string(raw) != c.data {
					t.Errorf("data %s", raw)
				}
				if !c.ok && (r.Error.Code != c.code || !strings.Contains(r.Error.Message, c.says) || r.Error.Retryable != c.retryable || r.Error.Status != c.status) {
					t.Errorf("%+v", r.Error)
				}
			}
			if n := len(up.seen()); n != 2 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestSend_ArgumentsAndAddressesThatAreWrongAreNotSent(t *testing.T) {
	s, up := shop(t, says("{}"))
	r := s.send(t, "shop.main.shop.read", m{"colour": "red"}, "")
	if r.OK || r.Error.Code != catalog.CodeInvalidArguments {
		t.Errorf("%+v", r.Error)
	}
	s.add(t, m{"document": describe("/v1", nil, op("GET /me getMe")), "slug": "nowhere"})
	if r := s.send(t, "nowhere.main.shop.getMe", nil, ""); r.OK || r.Error.Code != catalog.CodeBinding || !strings.Contains(r.Error.Message, "base URL") {
		t.Errorf("%+v", r.Error)
	}
	if len(up.seen()) != 0 {
		t.Error("something was sent")
	}
}

func TestKeyed_OnlyAStatedKeyCounts(t *testing.T) {
	s, up := shop(t, says("{}"))
	for tool, want := range map[string]bool{"keyed": true, "make": false, "put": false, "removeIt": false} {
		if got := source.Keyed(s.bound(t, "shop.main.shop."+tool).Tool); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
	for name, c := range map[string]struct {
		tool, key string
		args      m
		want      string
	}{
		"the call's key":                   {"keyed", "call-7", m{"body": m{}}, "call-7"},
		"the caller's own key comes first": {"keyed", "call-7", m{"body": m{}, "idempotency-key": "mine"}, "mine"},
		"also inside headers":              {"keyed", "call-7", m{"body": m{}, "headers": m{"Idempotency-Key": "mine"}}, "mine"},
		"a tool that takes none":           {"make", "call-7", m{"body": m{}}, ""},
		"a call without a key":             {"keyed", "", m{"body": m{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if r := s.send(t, "shop.main.shop."+c.tool, c.args, c.key); !r.OK {
				t.Fatalf("%+v", r.Error)
			}
			if got := up.seen()[0].Header.Get("Idempotency-Key"); got != c.want {
				t.Errorf("%q", got)
			}
		})
	}
	nested := m{"parameters": []m{{"name": "Idempotency-Key", "in": "header", "required": true, "schema": m{"type": "string"}}, {"name": "Idempotency-Key", "in": "query", "schema": m{"type": "string"}}}}
	s.add(t, m{"document": describe(up.URL, nil, op("POST /n n", nested)), "slug": "nested"})
	if r := s.send(t, "nested.main.shop.n", m{"query": m{"Idempotency-Key": "q"}}, "call-8"); !r.OK {
		t.Fatalf("%+v", r.Error)
	}
	if c := up.seen()[0]; c.Header.Get("Idempotency-Key") != "call-8" || c.Query != "Idempotency-Key=q" {
		t.Errorf("%+v", c)
	}
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

func TestSend_AConnectionThatBreaksIsUnknownForAnEffectAndRetryableForARead(t *testing.T) {
	s, up := shop(t, hangUp)
	r, err := s.Send(t.Context(), uid, s.bound(t, "shop.main.shop.read"), nil, "")
	if err != nil || r.OK || r.Error.Code != catalog.CodeUpstreamHTTP || !r.Error.Retryable {
		t.Errorf("a read: %+v %v", r, err)
	}
	for _, tool := range []string{"make", "put", "removeIt"} {
		up.seen()
		_, err := s.Send(t.Context(), uid, s.bound(t, "shop.main.shop."+tool), nil, "")
		var unknown *source.Unknown
		var asked interface{ UnknownOutcome() string }
		if !errors.As(err, &unknown) || !errors.As(err, &asked) || !strings.Contains(asked.UnknownOutcome(), "may have taken effect") {
			t.Errorf("%s: %v", tool, err)
		}
		if n := len(up.seen()); n != 1 {
			t.Errorf("%s was sent %d times", tool, n)
		}
	}
	bound := s.bound(t, "shop.main.shop.make")
	up.Close()
	if r, err := s.Send(t.Context(), uid, bound, nil, ""); err != nil || r.OK || !r.Error.Retryable || !strings.Contains(r.Error.Message, "cannot be reached") {
		t.Errorf("an effect that was never sent: %+v %v", r, err)
	}
}

func TestSend_TimeoutsHaveTheirCodes(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	wait := func(s *stage, tool string, d time.Duration) (catalog.Result, error) {
		t.Helper()
		type out struct {
			r   catalog.Result
			err error
		}
		done := make(chan out, 1)
		bound := s.bound(t, "shop.main.shop."+tool)
		before := s.clock.Waiters()
		go func() {
			r, err := s.Send(t.Context(), uid, bound, nil, "")
			done <- out{r, err}
		}()
		s.clock.AwaitWaiters(before + 1)
		for {
			select {
			case o := <-done:
				return o.r, o.err
			case <-time.After(20 * time.Millisecond):
				s.clock.Advance(d)
			}
		}
	}
	s, up := shop(t, func(w http.ResponseWriter, r *http.Request) { <-release })
	r, err := wait(s, "read", 110*time.Second)
	if err != nil || r.OK || r.Error.Code != catalog.CodeHeadersTimeout || !r.Error.Retryable || !strings.Contains(r.Error.Message, "110 s") {
		t.Errorf("no headers of a read: %+v %v", r.Error, err)
	}
	_, err = wait(s, "make", 110*time.Second)
	var unknown *source.Unknown
	if !errors.As(err, &unknown) || unknown.Failure.Code != catalog.CodeHeadersTimeout {
		t.Errorf("no headers of an effect: %v", err)
	}
	up.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"a":`)
		w.(http.Flusher).Flush()
		<-release
	})
	for _, tool := range []string{"read", "make"} {
		if r, err := wait(s, tool, 60*time.Second); err != nil || r.OK || r.Error.Code != catalog.CodeBodyTimeout || r.HTTP.Status != 200 {
			t.Errorf("half a body of %s: %+v %v", tool, r, err)
		}
	}
	up.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: one\n\n")
		w.(http.Flusher).Flush()
		<-release
	})
	if r, err := wait(s, "read", 10*time.Second); err != nil || !r.OK || !r.HTTP.Truncated || !strings.Contains(fmt.Sprint(r.Data), "one") {
		t.Errorf("a stream that does not end: %+v %v", r, err)
	}
}

func TestSend_AnEndlessBodyIsCut(t *testing.T) {
	s, _ := shop(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 64 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	r := s.send(t, "shop.main.shop.read", nil, "")
	if !r.OK || !r.HTTP.Truncated || len(r.Data.(string)) != 10<<20 {
		t.Errorf("%d %+v", len(fmt.Sprint(r.Data)), r.HTTP)
	}
}

func TestSend_RedirectsOfEffectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		s, up := shop(t, nil)
		up.answers(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/done" {
				fmt.Fprint(w, "done")
				return
			}
			http.Redirect(w, r, "/done", status)
		})
		for _, tool := range []string{"make", "put", "removeIt"} {
			if r := s.send(t, "shop.main.shop."+tool, nil, ""); r.OK || r.HTTP.Status != status || !strings.Contains(r.Error.Message, "not followed") || r.HTTP.Headers["location"] != "/done" {
				t.Errorf("%d %s: %+v", status, tool, r)
			}
		}
		if n := len(up.seen()); n != 3 {
			t.Errorf("%d: %d requests", status, n)
		}
		if r := s.send(t, "shop.main.shop.read", nil, ""); !r.OK || r.Data != "done" {
			t.Errorf("%d: a read: %+v", status, r)
		}
	}
}

func TestFiles_LargeOnesAreKeptAndCanBeReadAndSentAgainByTheirOwner(t *testing.T) {
	pdf := append([]byte("%PDF-1.4\n"), bytes.Repeat([]byte{0, 1, 2, 3}, 20<<10)...)
	s, up := shop(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Disposition", `attachment; filename="bill.pdf"`)
		w.Write(pdf)
	})
	f := s.send(t, "shop.main.shop.read", nil, "").Data.(catalog.File)
	if f.Data != nil || f.Size != len(pdf) || !strings.HasPrefix(f.Blob, "fil_") || f.Filename != "bill.pdf" {
		t.Fatalf("%+v", f)
	}
	link := httpapitest.Read[source.FileLink](t, s.do(t, "GET", "/v1/tools/files/"+f.Blob, owner, nil), 200)
	if link.ContentType != "application/pdf" || link.Filename != "bill.pdf" || link.Size != len(pdf) || !link.ExpiresAt.After(s.clock.Now()) || link.URL == "" {
		t.Errorf("%+v", link)
	}
	httpapitest.Refused(t, s.do(t, "GET", "/v1/tools/files/"+f.Blob, stranger, nil), 404, "no such file")
	httpapitest.Refused(t, s.do(t, "GET", "/v1/tools/files/..%2Fx", owner, nil), 404, "")

	up.seen()
	up.answers(says("{}"))
	if r := s.send(t, "shop.main.shop.upload", m{"body": m{"blob": f.Blob, "contentType": "application/pdf"}}, ""); !r.OK {
		t.Fatalf("%+v", r.Error)
	}
	if c := up.seen()[0]; c.Body != string(pdf) || c.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("%d bytes as %s", len(c.Body), c.Header.Get("Content-Type"))
	}
	theirs, err := s.Service.Add(t.Context(), httpapitest.StrangerID, source.Given{Document: describe(up.URL, nil, op("POST /upload upload", m{"requestBody": m{"content": m{"application/octet-stream": m{}}}}))}, "", "shop", "")
	if err != nil || theirs.Connections != 1 {
		t.Fatal(err)
	}
	b, _, _ := s.Resolve(t.Context(), httpapitest.StrangerID, "shop.main.shop.upload")
	for _, blob := range []string{f.Blob, "../" + string(uid) + "/" + f.Blob, "fil_00000000000000000000000000"} {
		if r, err := s.Send(t.Context(), httpapitest.StrangerID, b, m{"body": m{"blob": blob}}, ""); err != nil || r.OK || r.Error.Code != catalog.CodeInvalidArguments {
			t.Errorf("a stranger sends %s: %+v %v", blob, r, err)
		}
	}
	if len(up.seen()) != 0 {
		t.Error("something was sent")
	}
	s.clock.Advance(31 * 24 * time.Hour)
	httpapitest.Refused(t, s.do(t, "GET", "/v1/tools/files/"+f.Blob, owner, nil), 404, "any more")

	up.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Write([]byte("\x89PNG small"))
	})
	if f := s.send(t, "shop.main.shop.read", nil, "").Data.(catalog.File); f.Blob != "" || len(f.Data) == 0 {
		t.Errorf("a small file: %+v", f)
	}
}

func TestSend_OneRequestOnAnIdleConnectionThatDiedIsNotRepeated(t *testing.T) {
	// A server that answers once and then drops each next request of the same connection after having read it.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan string, 20)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for i := range 2 {
					buf := make([]byte, 64<<10)
					n, err := conn.Read(buf)
					if err != nil {
						return
					}
					got <- strings.SplitN(string(buf[:n]), "\r\n", 2)[0]
					if i == 0 {
						io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
					}
				}
			}()
		}
	}()
	s := newStage(t, local)
	s.add(t, m{"slug": "shop", "document": describe("http://"+l.Addr().String(), nil, op("GET /read read"), op("POST /make make", items(m{"type": "object"})))})
	if r := s.send(t, "shop.main.shop.read", nil, ""); !r.OK {
		t.Fatalf("%+v", r.Error)
	}
	_, err = s.Send(t.Context(), uid, s.bound(t, "shop.main.shop.make"), m{"body": m{}}, "")
	var unknown *source.Unknown
	if !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
	posts := 0
	for len(got) > 0 {
		if strings.HasPrefix(<-got, "POST") {
			posts++
		}
	}
	if posts != 1 {
		t.Errorf("the effect was sent %d times", posts)
	}
}

// cancelling is a source with an effect whose method says that it is none.
func cancelling(t *testing.T, answer http.HandlerFunc) (*stage, *upstream) {
	s, up := newStage(t, local), newUpstream(t, answer)
	s.add(t, m{"slug": "shop", "document": describe(up.URL, nil, op("GET /cancel cancelOrder"), op("GET /read read"))})
	return s, up
}

func TestSend_AnEffectWithTheMethodOfAReadFollowsNoRedirectAndIsNotKeyed(t *testing.T) {
	s, up := cancelling(t, nil)
	up.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/read", http.StatusFound) })
	if r := s.send(t, "shop.main.shop.cancelOrder", nil, ""); r.OK || r.HTTP.Status != 302 {
		t.Errorf("%+v", r)
	}
	if n := len(up.seen()); n != 1 {
		t.Errorf("%d requests", n)
	}
	if source.Keyed(s.bound(t, "shop.main.shop.cancelOrder").Tool) {
		t.Error("it would be sent again without a question")
	}
}

func TestSend_AnEffectIsSentOnceAlsoWhenAnOldConnectionBreaksUnderIt(t *testing.T) {
	s, up := cancelling(t, says("{}"))
	s.send(t, "shop.main.shop.read", nil, "") // leaves a connection that is used again
	up.seen()
	up.answers(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	})
	_, err := s.Send(t.Context(), uid, s.bound(t, "shop.main.shop.cancelOrder"), nil, "")
	var unknown *source.Unknown
	if n := len(up.seen()); n != 1 || !errors.As(err, &unknown) {
		t.Errorf("%d requests, %v", n, err)
	}
}
