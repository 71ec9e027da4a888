package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/local/clock"
)

// house serves h as function F behind /v1/f.
func house(t testing.TB, f Function, timeouts ...string) *Gateway {
	t.Helper()
	template := minimal
	if len(timeouts) > 0 {
		template = strings.Replace(template, "Properties:\n      Events", "Properties:\n      Timeout: "+timeouts[0]+"\n      Events", 1)
	}
	if len(timeouts) > 1 {
		template = strings.Replace(template, `PayloadFormatVersion: "2.0"`, `PayloadFormatVersion: "2.0", TimeoutInMillis: `+timeouts[1], 1)
	}
	template += "        Below: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: ANY, Path: \"/v1/f/{proxy+}\", PayloadFormatVersion: \"2.0\"}}\n"
	s, err := Read(fstest.MapFS{"template.yaml": {Data: []byte(template)}}, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(Options{Stack: s, Functions: map[string]Function{"F": f}, Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func do(g http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

// asProcess is the same handler behind JSON, as a bootstrap of its own would be.
func asProcess(t *testing.T, h http.Handler) Function {
	in := house(t, Function{HTTP: h})
	return Function{Event: in.functions["F"].event}
}

func TestServeHTTP_TheHandlerSeesWhatTheClientSent(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a, _ := r.Cookie("a")
		b, _ := r.Cookie("b")
		if a == nil || b == nil {
			t.Error("cookies are lost")
			return
		}
		w.Header().Add("Set-Cookie", "x=1; Path=/")
		w.Header().Add("Set-Cookie", "y=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT")
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s%s %s %s", r.Method, r.URL.Path, r.URL.Query()["q"], a.Value, b.Value, r.Header.Get("User-Agent"), r.RemoteAddr))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	})
	for name, f := range map[string]Function{"in this process": {HTTP: h}, "in a process of its own": asProcess(t, h)} {
		for kind, body := range map[string][]byte{"text/plain": []byte("grüße"), "image/png": {0x89, 'P', 'N', 'G', 0xff, 0}, "": {0xfe}, "application/json": []byte(`{"a":1}`)} {
			r := httptest.NewRequest("PUT", "/v1/f/a%20b/c?q=1&q=2%2C3", bytes.NewReader(body))
			r.Header.Set("Content-Type", kind)
			r.Header.Set("Cookie", "a=1; b=2")
			r.Header.Set("User-Agent", "one (two, three)")
			w := do(house(t, f), r)
			if w.Code != http.StatusTeapot || !bytes.Equal(w.Body.Bytes(), body) {
				t.Errorf("%s, %q: %d %q", name, kind, w.Code, w.Body)
			}
			if got, want := w.Header().Get("X-Seen"), "PUT /v1/f/a b/c [1 2,3] 12 one (two, three) 192.0.2.1"; got != want {
				t.Errorf("%s: saw %q, want %q", name, got, want)
			}
			if got := w.Header()["Set-Cookie"]; len(got) != 2 || !strings.HasPrefix(got[1], "y=2; Expires=Wed, 21 Oct") {
				t.Errorf("%s: cookies %q", name, got)
			}
		}
	}
}

func TestServeHTTP_EventsAreOfPayloadFormat2(t *testing.T) {
	var event events.APIGatewayV2HTTPRequest
	g := house(t, Function{Event: func(_ context.Context, raw []byte) ([]byte, error) {
		return []byte(`{"statusCode":200,"headers":{"X-A":"1"},"multiValueHeaders":{"X-B":["1","2"]},"cookies":["c=d"],"body":"/w==","isBase64Encoded":true}`), json.Unmarshal(raw, &event)
	}})
	r := httptest.NewRequest("POST", "http://pags.example:4788/v1/f/x/y?b=2&a=1", strings.NewReader("hi"))
	r.Header.Add("X-Many", "1")
	r.Header.Add("X-Many", "2")
	w := do(g, r)
	if w.Code != 200 || w.Body.String() != "\xff" || len(w.Header()["X-B"]) != 2 || w.Header().Get("Set-Cookie") != "c=d" || w.Header().Get("Apigw-Requestid") == "" {
		t.Errorf("response is %d %v %q", w.Code, w.Header(), w.Body)
	}
	c := event.RequestContext
	if event.Version != "2.0" || event.RouteKey != "ANY /v1/f/{proxy+}" || event.RawPath != "/v1/f/x/y" || event.RawQueryString != "b=2&a=1" ||
		event.PathParameters["proxy"] != "x/y" || event.QueryStringParameters["b"] != "2" || event.Headers["x-many"] != "1,2" ||
		event.Headers["host"] != "pags.example:4788" || !event.IsBase64Encoded || event.Body != "aGk=" {
		t.Errorf("event is %+v", event)
	}
	if c.HTTP.SourceIP != "192.0.2.1" || c.HTTP.Method != "POST" || c.Stage != "$default" || c.DomainName != "pags.example:4788" || c.RequestID == "" || c.TimeEpoch == 0 {
		t.Errorf("request context is %+v", c)
	}
	if _, err := time.Parse("02/Jan/2006:15:04:05 -0700", c.Time); err != nil {
		t.Error(err)
	}
}

func TestServeHTTP_RefusesAsAPIGatewayDoes(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	big := strings.Repeat("x", 7<<20)
	answer := func(body string) Function {
		return Function{HTTP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, body) })}
	}
	text := func(n int) *http.Request {
		r := httptest.NewRequest("POST", "/v1/f", strings.NewReader(strings.Repeat("x", n)))
		r.Header.Set("Content-Type", "text/plain")
		return r
	}
	quotes := httptest.NewRequest("POST", "/v1/f", strings.NewReader(strings.Repeat(`"`, 4<<20)))
	quotes.Header.Set("Content-Type", "application/json")
	headers := httptest.NewRequest("GET", "/v1/f", nil)
	headers.Header.Set("X-Long", strings.Repeat("h", 10300))
	almost := httptest.NewRequest("GET", "/v1/f", nil)
	almost.Header.Set("X-Long", strings.Repeat("h", 10000))
	stuck := Function{HTTP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}

	for name, c := range map[string]struct {
		g       *Gateway
		r       *http.Request
		status  int
		message string
	}{
		"a path of no route":                           {house(t, Function{HTTP: echo}), httptest.NewRequest("GET", "/v1/other", nil), 404, "Not Found"},
		"a family with nothing below the slash":        {house(t, Function{HTTP: echo}), httptest.NewRequest("GET", "/v1/f/", nil), 404, "Not Found"},
		"headers above 10,240 bytes":                   {house(t, Function{HTTP: echo}), headers, 431, "Request Header Fields Too Large"},
		"headers just below":                           {house(t, Function{HTTP: echo}), almost, 200, ""},
		"a body of 4 MB, our own limit":                {house(t, Function{HTTP: echo}), text(4 << 20), 200, ""},
		"a body above Lambda's 6 MB":                   {house(t, Function{HTTP: echo}), text(7 << 20), 413, "Request Entity Too Large"},
		"a body above the gateway's 10 MB":             {house(t, Function{HTTP: echo}), text(11 << 20), 413, "Request Entity Too Large"},
		"a body that is above 6 MB once it is escaped": {house(t, Function{HTTP: echo}), quotes, 413, "Request Entity Too Large"},
		"an answer above 6 MB":                         {house(t, answer(big)), text(1), 500, "Internal Server Error"},
		"an answer of 4 MB":                            {house(t, answer(big[:4<<20])), text(1), 200, ""},
		"a function that panics":                       {house(t, Function{HTTP: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no") })}), text(1), 500, "Internal Server Error"},
		"a function that answers nonsense":             {house(t, Function{Event: func(context.Context, []byte) ([]byte, error) { return []byte(`"?"`), nil }}), text(1), 500, "Internal Server Error"},
		"a function that answers no status":            {house(t, Function{Event: func(context.Context, []byte) ([]byte, error) { return []byte(`{}`), nil }}), text(1), 500, "Internal Server Error"},
		"a function past the gateway's patience":       {house(t, stuck, "29", "50"), text(1), 503, "Service Unavailable"},
		"a function past its own timeout":              {house(t, stuck, "1"), httptest.NewRequest("GET", "/v1/f/slow", nil), 500, "Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(c.g, c.r)
			if w.Code != c.status {
				t.Fatalf("status %d, want %d: %.100s", w.Code, c.status, w.Body)
			}
			if c.message != "" && w.Body.String() != `{"message":"`+c.message+`"}` {
				t.Errorf("body %.100s", w.Body)
			}
		})
	}
}

func TestServeHTTP_AClientThatLeavesDoesNotStopTheFunction(t *testing.T) {
	finished := make(chan error, 1)
	ctx, leave := context.WithCancel(context.Background())
	g := house(t, Function{HTTP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave()
		finished <- r.Context().Err()
		w.WriteHeader(http.StatusNoContent)
	})})
	do(g, httptest.NewRequest("POST", "/v1/f", nil).WithContext(ctx))
	if err := <-finished; err != nil {
		t.Errorf("the function was told %v", err)
	}
}

func TestServeHTTP_PathsOfNoRouteGoToTheOtherHandler(t *testing.T) {
	g := house(t, Function{HTTP: http.NotFoundHandler()})
	g.otherwise = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "console") })
	if w := do(g, httptest.NewRequest("GET", "/runs/x", nil)); w.Body.String() != "console" {
		t.Errorf("got %q", w.Body)
	}
	if g.Serves("/runs/x") || !g.Serves("/v1/f/x/y") {
		t.Error("Serves is wrong")
	}
}

func TestNew_CodeAndTemplateMustName_TheSameFunctions(t *testing.T) {
	s := ours(t)
	if _, err := New(Options{Stack: s}); err == nil || !strings.Contains(err.Error(), "needs code") {
		t.Errorf("no code: %v", err)
	}
	if _, err := New(Options{Stack: s, Functions: map[string]Function{"Nobody": {}}}); err == nil || !strings.Contains(err.Error(), "not in the template") {
		t.Errorf("code too many: %v", err)
	}
}

// The front may cost 100 µs a request at most (decisions of architecture section 10: reads within 1 ms).
func BenchmarkServeHTTP(b *testing.B) {
	body := strings.Repeat("x", 2000)
	g := house(b, Function{HTTP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	})})
	for b.Loop() {
		r := httptest.NewRequest("GET", "/v1/f/run_01/events?after=10", nil)
		r.Header.Set("Authorization", "Bearer "+body[:300])
		r.Header.Set("User-Agent", "pags/1.0")
		do(g, r)
	}
}
