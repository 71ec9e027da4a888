package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time                         { return c.now }
func (c *stillClock) After(d time.Duration) <-chan time.Time { return make(chan time.Time) }

type tokens map[string]httpapi.Caller

func (t tokens) Verify(_ context.Context, bearer string) (httpapi.Caller, error) {
	switch bearer {
	case "suspended":
		return httpapi.Caller{}, pags.Errorf(pags.Forbidden, "this account is suspended")
	case "broken-table":
		return httpapi.Caller{}, errors.New("read session: connection refused 10.0.0.7")
	}
	if c, ok := t[bearer]; ok {
		return c, nil
	}
	return httpapi.Caller{}, pags.Errorf(pags.Unauthenticated, "the session is over; sign in again")
}

type noteIn struct {
	ID   string `path:"id"`
	Loud bool   `query:"loud"`
	Body struct {
		Text string   `json:"text" maxLength:"5"`
		Tags []string `json:"tags,omitempty"`
	}
}
type noteOut struct {
	Body struct {
		Text string   `json:"text"`
		By   string   `json:"by"`
		Tags []string `json:"tags"`
	}
}

func newAPI(t *testing.T, log io.Writer) *httpapi.API {
	t.Helper()
	api := httpapi.New(httpapi.Config{
		Verifier: tokens{"alice": {UserID: "usr_alice", Person: true}, "robot": {UserID: "usr_alice"}},
		Clock:    &stillClock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Log: slog.New(slog.NewJSONHandler(log, nil)),
		Version: "1.2.3", PublicURL: "https://pags.example.test",
	})
	echo := func(ctx context.Context, in *noteIn) (*noteOut, error) {
		out := &noteOut{}
		out.Body.Text, out.Body.By = in.Body.Text, string(httpapi.CallerFrom(ctx).UserID)
		return out, nil
	}
	httpapi.Handle(api, httpapi.Route{Method: "PUT", Path: "/v1/notes/{id}", ID: "put-note", Summary: "Write a note", Tag: "notes"}, echo)
	httpapi.Handle(api, httpapi.Route{Method: "PUT", Path: "/v1/small/{id}", ID: "put-small", Summary: "Write a small note", Tag: "notes", MaxBody: 20}, echo)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/seals/{id}", ID: "post-seal", Summary: "Person only", Tag: "notes", Person: true, Status: 201}, echo)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/open/{what}", ID: "get-open", Summary: "Fail as asked", Tag: "open", Public: true},
		func(ctx context.Context, in *struct {
			What string `path:"what"`
		}) (*struct{}, error) {
			switch in.What {
			case "panic":
				panic("the roof is on fire")
			case "internal":
				return nil, errors.New("dial tcp 10.1.2.3:8000: table PagsTable is gone")
			case "hidden":
				return nil, pags.Wrap(errors.New("secret storage text"), pags.Conflict, "it is taken; choose another name")
			case "about":
				return nil, pags.Errorf(pags.Conflict, "answered already").With(map[string]string{"status": "answered"})
			}
			return nil, pags.Errorf(pags.Code(in.What), "this is %s", in.What)
		})
	return api
}

func do(api *httpapi.API, method, path, token, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	api.Handler().ServeHTTP(w, r)
	return w
}

func problemOf(t *testing.T, w *httptest.ResponseRecorder) httpapi.Problem {
	t.Helper()
	if ct := w.Header().Get("Content-Type"); ct != "application/problem+json" {
		t.Fatalf("content type %q, body %s", ct, w.Body)
	}
	var p httpapi.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	if p.Status != w.Code || p.Type == "" || p.Title == "" || p.Detail == "" || p.Text != p.Detail || p.TraceID == "" || p.TraceID != w.Header().Get("X-Request-Id") {
		t.Errorf("incomplete problem: %+v with status %d and headers %v", p, w.Code, w.Header())
	}
	return p
}

func TestAPI_RefusesWithAProblemThatSaysWhatToDo(t *testing.T) {
	api := newAPI(t, io.Discard)
	for name, c := range map[string]struct {
		method, path, token, body string
		status                    int
		code                      pags.Code
		says                      string
	}{
		"an unknown body field is named":           {"PUT", "/v1/notes/a", "alice", `{"text":"x","Extra":1}`, 422, pags.Unprocessable, "body.Extra: unexpected property"},
		"a field in other letters is unknown":      {"PUT", "/v1/notes/a", "alice", `{"Text":"x"}`, 422, pags.Unprocessable, "body.Text: unexpected"},
		"a missing field is named":                 {"PUT", "/v1/notes/a", "alice", `{}`, 422, pags.Unprocessable, "text"},
		"a text that is too long is refused":       {"PUT", "/v1/notes/a", "alice", `{"text":"123456"}`, 422, pags.Unprocessable, "body.text: expected length <= 5"},
		"a wrong query value is named":             {"PUT", "/v1/notes/a?loud=maybe", "alice", `{"text":"x"}`, 422, pags.Unprocessable, "query.loud"},
		"malformed JSON":                           {"PUT", "/v1/notes/a", "alice", `{"text":`, 400, pags.Invalid, "body"},
		"two documents in one body":                {"PUT", "/v1/notes/a", "alice", `{"text":"x"}{}`, 400, pags.Invalid, "body"},
		"no body":                                  {"PUT", "/v1/notes/a", "alice", ``, 400, pags.Invalid, "body is required"},
		"a body over the limit":                    {"PUT", "/v1/small/a", "alice", `{"text":"x"         }`, 413, pags.TooLarge, "larger than the 20 bytes"},
		"an unknown path":                          {"GET", "/v1/nothing", "alice", ``, 404, pags.NotFound, "nothing at this path"},
		"a path that is not clean":                 {"PUT", "/v1//notes/a", "alice", `{"text":"x"}`, 404, pags.NotFound, "nothing at this path"},
		"a trailing slash":                         {"PUT", "/v1/notes/a/", "alice", `{"text":"x"}`, 404, pags.NotFound, "nothing at this path"},
		"another method":                           {"PATCH", "/v1/notes/a", "alice", ``, 405, pags.Invalid, "it takes PUT"},
		"no token, before the input is looked at":  {"PUT", "/v1/notes/a", "", `{"bad`, 401, pags.Unauthenticated, "Authorization: Bearer"},
		"a token that is over":                     {"PUT", "/v1/notes/a", "old", `{}`, 401, pags.Unauthenticated, "sign in again"},
		"a suspended user":                         {"PUT", "/v1/notes/a", "suspended", `{}`, 403, pags.Forbidden, "suspended"},
		"a session that no person holds":           {"POST", "/v1/seals/a", "robot", `{"text":"x"}`, 403, pags.Forbidden, "sign in yourself"},
		"sessions that cannot be read let none in": {"PUT", "/v1/notes/a", "broken-table", `{"text":"x"}`, 500, pags.Internal, "traceId"},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(api, c.method, c.path, c.token, c.body)
			p := problemOf(t, w)
			if w.Code != c.status || p.Code != c.code || !strings.Contains(p.Detail, c.says) {
				t.Errorf("got %d %s %q", w.Code, p.Code, p.Detail)
			}
			if strings.Contains(w.Body.String(), "10.0.0.7") || strings.Contains(w.Body.String(), "123456") {
				t.Errorf("the answer tells too much: %s", w.Body)
			}
			if (w.Code == 401) != (w.Header().Get("WWW-Authenticate") != "") {
				t.Errorf("challenge %q with status %d", w.Header().Get("WWW-Authenticate"), w.Code)
			}
			if (w.Code == 405) != (w.Header().Get("Allow") != "") {
				t.Errorf("Allow %q with status %d", w.Header().Get("Allow"), w.Code)
			}
		})
	}
}

func TestAPI_EveryCodeHasItsStatus(t *testing.T) {
	api := newAPI(t, io.Discard)
	for code, status := range map[pags.Code]int{pags.Invalid: 400, pags.Unauthenticated: 401, pags.Forbidden: 403, pags.NotFound: 404,
		pags.Conflict: 409, pags.Gone: 410, pags.TooLarge: 413, pags.Unprocessable: 422, pags.RateLimited: 429, pags.Internal: 500,
		pags.Upstream: 502, pags.Unavailable: 503, pags.Timeout: 504} {
		w := do(api, "GET", "/v1/open/"+string(code), "", "")
		if p := problemOf(t, w); w.Code != status || p.Code != code {
			t.Errorf("%s: status %d, code %s", code, w.Code, p.Code)
		}
	}
	w := do(api, "GET", "/v1/open/neverHeardOf", "", "")
	if p := problemOf(t, w); w.Code != 500 || p.Code != pags.Internal {
		t.Errorf("an unknown code answers %d %s", w.Code, p.Code)
	}
}

func TestAPI_KeepsInnerFailuresToTheLog(t *testing.T) {
	for what, want := range map[string]struct{ status, secret string }{
		"panic":    {"500", "the roof is on fire"},
		"internal": {"500", "10.1.2.3"},
		"hidden":   {"409", "secret storage text"},
	} {
		var log bytes.Buffer
		w := do(newAPI(t, &log), "GET", "/v1/open/"+what, "", "")
		p := problemOf(t, w)
		if strings.Contains(w.Body.String(), want.secret) {
			t.Errorf("%s: the answer holds %q", what, want.secret)
		}
		if want.status == "500" && (!strings.Contains(log.String(), want.secret) || !strings.Contains(log.String(), p.TraceID)) {
			t.Errorf("%s: the log does not explain it: %s", what, log.String())
		}
	}
	w := do(newAPI(t, io.Discard), "GET", "/v1/open/about", "", "")
	if p := problemOf(t, w); p.About == nil {
		t.Error("a conflict lost the record it is about")
	}
}

func TestAPI_AnswersWithHardHeadersAndNoLinks(t *testing.T) {
	w := do(newAPI(t, io.Discard), "POST", "/v1/seals/a", "alice", `{"text":"x"}`)
	if got := strings.TrimSpace(w.Body.String()); w.Code != 201 || got != `{"text":"x","by":"usr_alice","tags":[]}` {
		t.Errorf("%d %s", w.Code, got)
	}
	for h, v := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "strict-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		"Strict-Transport-Security": "max-age=31536000", "Cache-Control": "no-store", "Link": "", "Content-Type": "application/json"} {
		if got := w.Header().Get(h); got != v {
			t.Errorf("%s: %q, not %q", h, got, v)
		}
	}
}

func TestAPI_BodyOfExactlyTheLimitPasses(t *testing.T) {
	w := do(newAPI(t, io.Discard), "PUT", "/v1/small/a", "alice", `{"text":"x"        }`)
	if w.Code != 200 {
		t.Errorf("20 bytes of 20: %d %s", w.Code, w.Body)
	}
}

func TestAPI_Correlation(t *testing.T) {
	api := newAPI(t, io.Discard)
	for name, c := range map[string]struct{ header, value, want string }{
		"a trace of the caller goes on":    {"Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "4bf92f3577b34da6a3ce929d0e0e4736"},
		"a request id of the caller stays": {"X-Request-Id", "job-7.attempt_2", "job-7.attempt_2"},
		"an id with a line break does not": {"X-Request-Id", "job-7\nlevel=error", ""},
		"an endless id does not":           {"X-Request-Id", strings.Repeat("a", 65), ""},
		"a trace of zeros does not":        {"Traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := do(api, "GET", "/v1/open/notFound", "", "", c.header, c.value).Header().Get("X-Request-Id")
			if c.want == "" && (len(got) != 32 || got == c.value) || c.want != "" && got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAPI_DocumentIsCompleteAndTheSameEachTime(t *testing.T) {
	one, err := newAPI(t, io.Discard).OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	two, err := newAPI(t, io.Discard).OpenAPI()
	if err != nil || !bytes.Equal(one, two) {
		t.Fatalf("two documents differ (%v)", err)
	}
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]map[string]any
		Components struct {
			Schemas         map[string]any
			SecuritySchemes map[string]any
		}
		Tags []any
	}
	if err := json.Unmarshal(one, &doc); err != nil {
		t.Fatal(err)
	}
	put := doc.Paths["/v1/notes/{id}"]["put"]
	if doc.OpenAPI != "3.1.0" || put["operationId"] != "put-note" || put["security"] == nil || doc.Components.SecuritySchemes["session"] == nil ||
		doc.Components.Schemas["Problem"] == nil || len(doc.Tags) != 2 || doc.Paths["/v1/open/{what}"]["get"]["security"] != nil {
		t.Errorf("incomplete document: %s", one)
	}
	if strings.Contains(string(one), "$schema") || len(doc.Paths) != 4 {
		t.Errorf("the document holds more than the routes: %s", one)
	}
	if _, ok := put["responses"].(map[string]any)["404"]; !ok {
		t.Error("problems are not documented")
	}
}

func TestAPI_HeadAnswersWithoutABody(t *testing.T) {
	w := do(newAPI(t, io.Discard), http.MethodHead, "/v1/nothing", "", "")
	if w.Code != 404 || w.Body.Len() != 0 {
		t.Errorf("%d with %d bytes", w.Code, w.Body.Len())
	}
}

type hiddenPart struct {
	ID string `path:"id"`
}

func TestHandle_AnInputThatWouldStayEmptyIsRefusedAtTheStart(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "hiddenPart") || !strings.Contains(said, "export it") {
			t.Errorf("said %q", said)
		}
	}()
	httpapi.Handle(newAPI(t, io.Discard), httpapi.Route{Method: "GET", Path: "/v1/x/{id}", ID: "x", Tag: "x"},
		func(context.Context, *struct{ hiddenPart }) (*struct{}, error) { return nil, nil })
}
