package stories

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// badCall is one row: what is asked, what is answered. Nothing may be half done by it.
type badCall struct {
	input        string
	method, path string
	body         any    // text goes as it is
	status       int    // an answer below 300 is an execution or a list of findings that says what is wrong
	says         string // in its text
}

// documents are descriptions that cannot be used, in the way that the row says.
func badDocuments() []badCall {
	add := func(input, document string, status int, says string) badCall {
		return badCall{input, http.MethodPost, "/v1/sources", map[string]any{"document": document}, status, says}
	}
	return []badCall{
		add("JSON that breaks off", "{\n\"openapi\": \"3.0.0\",\n\"info\": {", 400, "line 3"),
		add("YAML that breaks", "openapi: 3.0.0\ninfo:\n  title: a\n version: 1\n\tx: 1\n", 400, "line 4"),
		add("a web page", "<!doctype html><title>API</title>", 400, "web page"),
		add("a text", "hello", 422, ""),
		add("nothing but a version", "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths: {}\n", 422, "no operations"),
		add("a version that is none", "openapi: 9.1.0\ninfo: {title: a, version: '1'}\npaths: {/a: {get: {responses: {}}}}\n", 422, "9.1.0"),
		add("another kind of description", `{"asyncapi":"3.0.0","info":{"title":"a","version":"1"}}`, 422, ""),
		add("a reference to another document", "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths: {/a: {$ref: 'https://elsewhere.test/x.yaml'}}\n", 422, ""),
		add("aliases that grow without end", bomb(), 400, "aliases"),
		add("too large a document", strings.Repeat(" ", 5<<20), 413, "bytes"),
		{"no document at all", http.MethodPost, "/v1/sources", map[string]any{}, 422, "url"},
		{"both url and document", http.MethodPost, "/v1/sources", map[string]any{"url": "https://a.test/x", "document": "x"}, 422, "not both"},
		{"a slug that is a word of ours", http.MethodPost, "/v1/sources", map[string]any{"document": tiny, "slug": "search"}, 422, "reserved"},
		{"a slug that cannot be written", http.MethodPost, "/v1/sources", map[string]any{"document": tiny, "slug": "a.b"}, 422, "slug"},
		{"a slug that is taken", http.MethodPost, "/v1/sources", map[string]any{"document": tiny, "slug": "stub"}, 409, "stub"},
	}
}

const tiny = `{"openapi":"3.0.0","info":{"title":"Tiny","version":"1"},"servers":[{"url":"https://tiny.test"}],"paths":{"/a":{"get":{"responses":{"200":{"description":"ok"}}}}}}`

// bomb is a short YAML text that stands for 10^9 words.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String() + "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths: {/a: {get: {x-a: *a8, responses: {}}}}\n"
}

// badAddresses name what may not be reached. The host of this story allows one address of the loopback only.
func badAddresses(page string) []badCall {
	source := func(input, url string, status int, says string) badCall {
		return badCall{input, http.MethodPost, "/v1/sources", map[string]any{"url": url}, status, says}
	}
	rows := []badCall{
		source("a page that is no description", page+"/html", 422, ""),
		source("an address without an answer", page+"/missing", 0, "404"),
		source("a file", "file:///etc/passwd", 422, "absolute address"),
		source("words", "petstore", 422, "absolute address"),
		source("no host", "https://", 422, "absolute address"),
	}
	for _, private := range []string{"http://127.0.0.1:9/x", "http://localhost/x", "http://10.0.0.1/x", "http://169.254.169.254/latest/meta-data/", "http://[::1]/x", "http://0x7f000001/x",
		"http://2130706433/x", "http://127.1/x", "http://[::ffff:127.0.0.1]/x", "http://100.64.0.1/x"} {
		rows = append(rows, source("SE-01 "+private, private, 0, "not allowed"))
	}
	return append(rows, source("a redirect to a private address", page+"/to-private", 0, "not allowed"))
}

func badConnections() []badCall {
	add := func(input string, body map[string]any, status int, says string) badCall {
		if body["source"] == nil {
			body["source"] = "stub"
		}
		return badCall{input, http.MethodPost, "/v1/connections", body, status, says}
	}
	return []badCall{
		add("no such source", map[string]any{"source": "ghost", "method": "none"}, 404, "no such source"),
		add("no such method", map[string]any{"method": "magic", "name": "b"}, 422, "no method"),
		add("a value that is missing", map[string]any{"method": "login", "name": "b", "values": map[string]any{"password": "long-enough"}}, 422, "username is needed"),
		add("a value too many", map[string]any{"method": "token", "name": "b", "values": map[string]any{"token": "long-enough", "extra": "long-enough"}}, 422, "extra"),
		add("a value too short to hide", map[string]any{"method": "token", "name": "b", "values": map[string]any{"token": "abc"}}, 422, "fewer than"),
		add("a value with a line break", map[string]any{"method": "token", "name": "b", "values": map[string]any{"token": "abcdef\nX-Admin: 1"}}, 422, "line break"),
		add("a name that cannot be written", map[string]any{"method": "none", "name": "a b"}, 422, "name"),
		add("a name that is taken", map[string]any{"method": "none", "name": "main"}, 409, "main"),
		add("a base URL with a query", map[string]any{"method": "none", "name": "b", "baseUrl": "https://a.test/?x=1"}, 422, "baseUrl"),
		add("a private base URL", map[string]any{"method": "none", "name": "b", "baseUrl": "http://10.0.0.1"}, 400, "not allowed"),
		{"a connection that is not there", http.MethodPost, "/v1/connections/stub/ghost/test", nil, 404, "no such connection"},
		{"a policy without a pattern", http.MethodPost, "/v1/policies", map[string]any{"pattern": "", "action": "block"}, 422, "pattern"},
		{"a pattern that is none", http.MethodPost, "/v1/policies", map[string]any{"pattern": "a.**.b", "action": "block"}, 422, ""},
		{"an action that is none", http.MethodPost, "/v1/policies", map[string]any{"pattern": "stub.*", "action": "maybe"}, 422, "action"},
	}
}

func badCalls() []badCall {
	call := func(input, path string, args any, says string) badCall {
		return badCall{input, http.MethodPost, "/v1/tools/call", map[string]any{"path": path, "args": args}, 200, says}
	}
	return []badCall{
		call("a tool that is nearly there", "stub.main.items.getItm", map[string]any{"id": "1"}, "stub.main.items.getItem"),
		call("a source that is not there", "ghost.main.a.b", map[string]any{}, `"code":"tool_not_found"`),
		call("a group", "stub.main.items", map[string]any{}, `"code":"tool_not_found"`),
		call("an unknown argument", "stub.main.items.getItem", map[string]any{"id": "1", "verbose": true}, "verbose"),
		call("a missing argument", "stub.main.items.getItem", map[string]any{}, "id"),
		call("a wrong type", "stub.main.items.listItems", map[string]any{"limit": "many"}, "limit"),
		call("a wrong type inside the body", "stub.main.orders.placeOrder", map[string]any{"body": map[string]any{"item": 7}}, "item"),
		call("an unknown member of the body", "stub.main.orders.placeOrder", map[string]any{"body": map[string]any{"item": "x", "colour": "red"}}, "colour"),
		{"arguments that are no object", http.MethodPost, "/v1/tools/call", map[string]any{"path": "stub.main.items.getItem", "args": []int{1}}, 0, "object"},
		{"no path", http.MethodPost, "/v1/tools/call", map[string]any{"args": map[string]any{}}, 422, "path"},
		{"a body that is no JSON", http.MethodPost, "/v1/tools/call", `{"path":`, 400, "JSON"},
		{"a tool to describe that is not there", http.MethodGet, "/v1/tools/describe?path=stub.main.items.getItm", nil, 404, "getItem"},
	}
}

// badPrograms end as failures that say where and what to do; the host refuses what it cannot even begin.
func badPrograms() []badCall {
	run := func(input, code, says string) badCall {
		return badCall{input, http.MethodPost, "/v1/executions", map[string]any{"code": code, "waitSeconds": 20}, 200, says}
	}
	return []badCall{
		run("a program that cannot be read", "const a = 1;\nreturn a +", `"line":2`),
		run("an import", "import fs from \"fs\"; return 1", "import"),
		run("a name that is nobody's", "return fetch(\"https://a.test\")", "fetch"),
		run("an error that it throws", "const f = () => { throw new TypeError(\"no luck\") };\nf()", `"line":1`),
		run("a result too large", `return "x".repeat(2e6)`, "larger than 1000000"),
		run("a program without end", "for (;;) {}", `"kind":"time"`),
		run("output without end", `for (let i = 0; ; i++) console.log("y".repeat(1000), i)`, "were dropped"),
		run("a promise that nobody settles", "await new Promise(() => {})", "nothing left to run"),
		run("too much memory", "const a = []; for (;;) a.push(new Array(1e5).fill(1))", "limit"),
		{"no program", http.MethodPost, "/v1/executions", map[string]any{"code": "  "}, 422, "code is empty"},
		{"too large a program", http.MethodPost, "/v1/executions", map[string]any{"code": strings.Repeat("x", 200_001)}, 422, "200000"},
		{"too long a wait", http.MethodPost, "/v1/executions", map[string]any{"code": "return 1", "waitSeconds": 21}, 422, "waitSeconds"},
		{"a program that is not there", http.MethodGet, "/v1/executions/run_0", nil, 404, "no"},
		{"steps of a program that is not there", http.MethodGet, "/v1/executions/run_0/steps", nil, 404, "no"},
		{"a cursor of another list", http.MethodGet, "/v1/executions?cursor=nonsense", nil, 400, "cursor"},
		{"an answer for nobody", http.MethodPost, "/v1/executions/run_0/resume", map[string]any{"action": "accept"}, 404, "no"},
	}
}

func TestBadInput_OfTheToolRuntimeIsAnsweredAndLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()
	b := newToolbox(t, "--compute", "1s")
	b.host.Stop()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/html":
			_, _ = io.WriteString(w, "<!doctype html><title>Docs</title>")
		case "/to-private":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(page.Close)
	bare := strings.TrimPrefix(page.URL, "http://")
	b.host = b.serve(nil, "--compute", "1s", "--allow-host", bare, "--allow-host", strings.TrimPrefix(b.up.URL, "http://"))
	before := b.all()
	for _, rows := range [][]badCall{badDocuments(), badAddresses(page.URL), badConnections(), badCalls(), badPrograms()} {
		for _, r := range rows {
			t.Run(r.input, func(t *testing.T) { b.refused(t, r) })
		}
	}
	if after := b.all(); after != before {
		t.Errorf("something was left behind: before %s, after %s", before, after)
	}
	if done := b.up.Effects(); len(done) != 0 {
		t.Errorf("something happened upstream: %v", done)
	}
	if x := b.exec(`return (await tools.stub.items.getItem({ id: "7" })).data.name`); x.Result != "item 7" {
		t.Errorf("after all that a program gives %+v", x)
	}
}

// all is what there is: sources, connections, policies and open questions.
func (b *toolbox) all() string {
	b.t.Helper()
	var text strings.Builder
	for _, path := range []string{"/v1/sources", "/v1/connections", "/v1/policies", "/v1/interactions?status=open"} {
		var page struct{ Items []map[string]any }
		b.get(path, &page)
		for _, x := range page.Items {
			fmt.Fprint(&text, path, " ", x["slug"], x["source"], x["name"], x["pattern"], x["revision"], x["tools"], x["connections"], "; ")
		}
	}
	return text.String()
}

// refused sends the row and checks its answer.
func (b *toolbox) refused(t *testing.T, r badCall) {
	t.Helper()
	var body io.Reader = strings.NewReader("")
	if text, ok := r.body.(string); ok {
		body = strings.NewReader(text)
	} else if r.body != nil {
		raw, err := json.Marshal(r.body)
		b.must(err)
		body = strings.NewReader(string(raw))
	}
	status, said, kind := b.raw(r.method, r.path, body)
	if r.status != 0 && status != r.status || status >= 500 && !strings.Contains(said, `"code":"up`) && !strings.Contains(said, `"code":"unavailable"`) || !strings.Contains(said, r.says) {
		t.Errorf("answered %d, not %d with %q: %.600s", status, r.status, r.says, said)
	}
	if status >= 300 {
		if p := (struct{ Detail, Code, TraceID string }{}); kind != "application/problem+json" || json.Unmarshal([]byte(said), &p) != nil || p.Detail == "" || p.Code == "" || p.TraceID == "" {
			t.Errorf("the refusal (%s) has no detail, code or trace: %s", kind, said)
		}
	} else if !strings.Contains(said, `"ok":false`) && !strings.Contains(said, `"status":"failed"`) {
		t.Errorf("it is taken for well: %.600s", said)
	}
	for _, inside := range []string{"goroutine ", ".go:", "panic", "/work/", "pkg/"} {
		if strings.Contains(said, inside) {
			t.Errorf("it shows its insides (%s): %.600s", inside, said)
		}
	}
}

func (b *toolbox) raw(method, path string, body io.Reader) (status int, said, kind string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.ctx, method, b.URL()+path, body)
	b.must(err)
	req.Header.Set("Authorization", "Bearer "+b.token())
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	b.must(err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	b.must(err)
	return res.StatusCode, string(raw), res.Header.Get("Content-Type")
}

func TestBadInput_AnswersThatDoNotFitTheirQuestion(t *testing.T) {
	t.Parallel()
	b := newToolbox(t)
	form := b.exec(`return await tools.person.ask({ message: "Which city?", schema: { type: "object", properties: { city: { type: "string", minLength: 2 } }, required: ["city"], additionalProperties: false } })`)
	pair := b.exec(`return await Promise.all(["x", "y"].map((item) => tools.stub.main.orders.placeOrder({ body: { item } })))`)
	if len(form.Interactions) != 1 || len(pair.Interactions) != 2 {
		t.Fatalf("%+v %+v", form, pair)
	}
	id, resume := string(form.Interactions[0].ID), form.path()+"/resume"
	for _, r := range []badCall{
		{"a question of another program", http.MethodPost, pair.path() + "/resume", map[string]any{"interactionId": id}, 404, id},
		{"a question that is not there", http.MethodPost, resume, map[string]any{"interactionId": "int_0"}, 404, "int_0"},
		{"one of two, without a name", http.MethodPost, pair.path() + "/resume", map[string]any{"action": "accept"}, 409, string(pair.Interactions[1].ID)},
		{"a form without what it asks for", http.MethodPost, resume, map[string]any{"action": "accept"}, 422, "city"},
		{"a form with a wrong value", http.MethodPost, resume, map[string]any{"action": "accept", "content": map[string]any{"city": 7}}, 422, "city"},
		{"a form with something else", http.MethodPost, resume, map[string]any{"action": "accept", "content": map[string]any{"city": "Bern", "land": "CH"}}, 422, "land"},
		{"an action that is none", http.MethodPost, resume, map[string]any{"action": "maybe"}, 422, "accept"},
		{"retry where all is known", http.MethodPost, pair.path() + "/resume", map[string]any{"action": "retry", "interactionId": pair.Interactions[0].ID}, 422, "accept"},
	} {
		t.Run(r.input, func(t *testing.T) { b.refused(t, r) })
	}
	for range 2 { // the second time is no failure, and changes nothing
		var x execution
		status, said := b.asks(b.token(), http.MethodPost, resume, map[string]any{"content": map[string]any{"city": "Bern"}, "waitSeconds": 20}, &x)
		if status != 200 || x.Status != "completed" {
			t.Errorf("filled in: %d %s", status, said)
		}
	}
	if done := b.up.Effects(); len(done) != 0 {
		t.Errorf("something happened: %v", done)
	}
}
