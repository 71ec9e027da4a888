package catalog

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func imported(t testing.TB, raw string, o Options) *Source {
	t.Helper()
	s, err := Import(context.Background(), []byte(raw), o)
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return s
}

// tool finds a tool by the end of its address.
func tool(t testing.TB, s *Source, leaf string) *Tool {
	t.Helper()
	for i := range s.Tools {
		if strings.HasSuffix(s.Tools[i].Address(), "."+leaf) {
			return &s.Tools[i]
		}
	}
	var all []string
	for i := range s.Tools {
		all = append(all, s.Tools[i].Address())
	}
	t.Fatalf("no tool %s among %v", leaf, all)
	return nil
}

func args(t testing.TB, raw string) map[string]any {
	t.Helper()
	out, err := Arguments([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func build(t testing.TB, tl *Tool, raw string, to Target) *Request {
	t.Helper()
	r, err := tl.Build(args(t, raw), to)
	if err != nil {
		t.Fatalf("build %s: %v", tl.Name, err)
	}
	return r
}

func TestImport_OA01_TheSameNameInFourPlacesIsFourArguments(t *testing.T) {
	s := imported(t, string(read(t, "OA-01.yaml")), Options{})
	tl := tool(t, s, "relabelShelf")
	r := build(t, tl, `{"path":{"code":"A1"},"query":{"code":"Q"},"headers":{"code":"H"},"body":{"code":"B2","label":"Tea"}}`, Target{})
	if r.Method != "PUT" || r.URL != "https://shelves.example.test/shelves/A1?code=Q" || r.Header.Get("code") != "H" || string(r.Body) != `{"code":"B2","label":"Tea"}` {
		t.Errorf("got %s %s %v %s", r.Method, r.URL, r.Header, r.Body)
	}
	if ct := r.Header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("content type %q", ct)
	}
	r = build(t, tl, `{"path":{"code":"A1"},"body":{"code":"B2","label":"Tea"}}`, Target{})
	if r.URL != "https://shelves.example.test/shelves/A1" || r.Header["Code"] != nil {
		t.Errorf("what is not given must not be sent: %s %v", r.URL, r.Header)
	}
	if _, err := tl.Build(args(t, `{"code":"A1","body":{"code":"B2","label":"Tea"}}`), Target{}); err == nil {
		t.Error("a name that means three things must not be guessed")
	}
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
		Required   []string
	}
	if err := json.Unmarshal(tl.InputSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"path", "query", "headers", "body"} {
		if schema.Properties[place].Properties["code"] == nil {
			t.Errorf("the schema does not offer %s.code: %s", place, tl.InputSchema())
		}
	}
	sort.Strings(schema.Required)
	if fmt.Sprint(schema.Required) != "[body path]" {
		t.Errorf("required %v", schema.Required)
	}
}

// The kind of OA-01: names that meet the words of the input itself.
func TestImport_OA01_NamesOfContainersAreArgumentsToo(t *testing.T) {
	s := imported(t, `{"openapi":"3.1.0","info":{"title":"t"},"servers":[{"url":"https://a.example.test"}],"paths":{"/x/{path}":{"post":{"operationId":"mix","parameters":[
		{"name":"path","in":"path","required":true,"schema":{"type":"string"}},{"name":"query","in":"query","schema":{"type":"string"}},
		{"name":"body","in":"query","schema":{"type":"string"}},{"name":"server","in":"query","schema":{"type":"string"}},
		{"name":"a","in":"query","schema":{"type":"string"}},{"name":"a","in":"cookie","schema":{"type":"string"}}],
		"requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}}}}}}`, Options{})
	r := build(t, tool(t, s, "mix"), `{"path":"p","server":"s","query":{"query":"q","body":"b","a":"1"},"cookies":{"a":"2"},"body":{"z":1}}`, Target{})
	if r.URL != "https://a.example.test/x/p?query=q&body=b&server=s&a=1" || r.Header.Get("Cookie") != "a=2" || string(r.Body) != `{"z":1}` {
		t.Errorf("got %s %q %s", r.URL, r.Header.Get("Cookie"), r.Body)
	}
}

func TestBuild_OA02_ListsFollowTheirStyle(t *testing.T) {
	var want struct {
		Args   json.RawMessage
		Path   string
		Query  map[string][]string `json:"query_accept"`
		Header map[string]string
		Never  []string
	}
	if err := json.Unmarshal(read(t, "OA-02.expect.json"), &want); err != nil {
		t.Fatal(err)
	}
	s := imported(t, string(read(t, "OA-02.yaml")), Options{})
	tl := tool(t, s, "findSlots")
	r := build(t, tl, string(want.Args), Target{})
	u, err := url.Parse(r.URL)
	if err != nil || u.EscapedPath() != want.Path {
		t.Errorf("path %s, want %s", u.EscapedPath(), want.Path)
	}
	for name, accepted := range want.Query {
		ok := false
		for _, a := range accepted {
			ok = ok || strings.Contains("&"+u.RawQuery+"&", "&"+a+"&")
		}
		if !ok {
			t.Errorf("%s: query %s has none of %v", name, u.RawQuery, accepted)
		}
	}
	for name, v := range want.Header {
		if r.Header.Get(name) != v {
			t.Errorf("header %s: %q", name, r.Header.Get(name))
		}
	}
	for _, never := range want.Never {
		if strings.Contains(r.URL, never) {
			t.Errorf("%s contains %s", r.URL, never)
		}
	}
	r = build(t, tl, `{"bays":["b1"],"tag":[],"room":[],"X-Ids":[],"zone":null}`, Target{})
	if r.URL != "https://arrays.example.test/v1/find/b1" || r.Header["X-Ids"] != nil {
		t.Errorf("empty lists must leave their keys out: %s %v", r.URL, r.Header)
	}
	if _, err := tl.Build(args(t, `{"bays":[]}`), Target{}); err == nil {
		t.Error("an empty list in the path would reach another operation")
	}
}

func TestImport_OA04_RelativeAndTemplatedServers(t *testing.T) {
	raw := string(read(t, "OA-04.yaml"))
	s := imported(t, raw, Options{SourceURL: "https://docs.example.test/specs/v3/openapi.yaml"})
	for leaf, want := range map[string]string{
		"pingRelative":         "https://docs.example.test/specs/api/v3/ping",
		"pingTemplated":        "https://acme.example.test:8443/shop/v1/tenant",
		"pingWholeUrlVariable": "https://whole.example.test/x/whole",
	} {
		if r := build(t, tool(t, s, leaf), `{}`, Target{}); r.URL != want {
			t.Errorf("%s: %s, want %s", leaf, r.URL, want)
		}
	}
	if s.NeedsBase {
		t.Error("with its source URL nothing is missing")
	}
	if r := build(t, tool(t, s, "pingTemplated"), `{"serverVariables":{"scheme":"http"}}`, Target{Variables: map[string]string{"tenant": "zeta", "port": "1"}}); r.URL != "http://zeta.example.test:1/shop/v1/tenant" {
		t.Errorf("variables: %s", r.URL)
	}
	if _, err := tool(t, s, "pingWholeUrlVariable").Build(args(t, `{"serverVariables":{"root":"https://evil.example.test"}}`), Target{}); err == nil {
		t.Error("a caller must not send the connection's credentials elsewhere")
	}

	s = imported(t, raw, Options{})
	if !s.NeedsBase || !warned(s, "baseNeeded") {
		t.Errorf("pasted, the importer must ask for a base: %+v", s.Warnings)
	}
	_, err := tool(t, s, "pingRelative").Build(nil, Target{})
	if f, ok := err.(*Failure); !ok || f.Code != CodeBinding || !strings.Contains(f.Message, "base URL") {
		t.Errorf("without a base: %v", err)
	}
	if r := build(t, tool(t, s, "pingRelative"), `{}`, Target{Base: "https://given.example.test/base/"}); r.URL != "https://given.example.test/base/ping" {
		t.Errorf("with a base: %s", r.URL)
	}
	if r := build(t, tool(t, s, "pingTemplated"), `{}`, Target{}); r.URL != "https://acme.example.test:8443/shop/v1/tenant" {
		t.Errorf("pasted but absolute: %s", r.URL)
	}
}

func warned(s *Source, code string) bool {
	for _, w := range s.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestBuild_OA05_AFileIsAFilePart(t *testing.T) {
	s := imported(t, string(read(t, "OA-05.yaml")), Options{})
	tl := tool(t, s, "addPaper")
	content, _ := hex.DecodeString("255044462d312e370afffe00800a")
	r := build(t, tl, `{"body":{"document":{"filename":"year end – 2025.pdf","data":"`+base64.StdEncoding.EncodeToString(content)+`"},"title":"T","tags":[1,2],"meta":{"lang":"en"}}}`, Target{})
	type part struct{ file, contentType, body string }
	got := map[string][]part{}
	_, p, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(strings.NewReader(string(r.Body)), p["boundary"])
	for {
		next, err := reader.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(next)
		got[next.FormName()] = append(got[next.FormName()], part{next.FileName(), next.Header.Get("Content-Type"), string(body)})
	}
	want := map[string][]part{"document": {{"year end – 2025.pdf", "application/pdf", string(content)}}, "title": {{"", "", "T"}}, "tags": {{"", "", "1"}, {"", "", "2"}},
		"meta": {{"", "application/json", `{"lang":"en"}`}}}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("parts\n%q\nwant\n%q", got, want)
	}
	if text := tl.Describe(false).TypeScript(); !strings.Contains(text, "document: ToolFile") {
		t.Errorf("the type must say file: %s", text)
	}
	again := build(t, tl, `{"body":{"meta":{"lang":"en"},"tags":[1,2],"title":"T","document":{"data":"`+base64.StdEncoding.EncodeToString(content)+`","filename":"year end – 2025.pdf"}}}`, Target{})
	if string(again.Body) != string(r.Body) {
		t.Error("the same arguments must make the same bytes")
	}
	_, err = tl.Build(args(t, `{"body":{"document":"just text"}}`), Target{})
	if err == nil {
		t.Error("text is not a file")
	}
	r = build(t, tl, `{"body":{"document":{"blob":"b1"}}}`, Target{Open: func(id string) ([]byte, error) { return []byte("stored " + id), nil }})
	if !strings.Contains(string(r.Body), "stored b1") {
		t.Error("a stored blob is a file too")
	}
}

func TestImport_OA07_LoopsEndAndStayUsable(t *testing.T) {
	s := imported(t, string(read(t, "OA-07.yaml")), Options{})
	tl := tool(t, s, "postSearch") // an operation named like its group gets method and path
	if !json.Valid(tl.InputSchema()) || !json.Valid(tl.OutputSchema()) || !strings.Contains(string(tl.InputSchema()), `"$ref":"#/$defs/Rule"`) {
		t.Errorf("schemas: %s %s", tl.InputSchema(), tl.OutputSchema())
	}
	if p := tl.Check(args(t, `{"body":{"all":[{"all":[{"field":"a"}]}]}}`)); len(p) > 0 {
		t.Errorf("nested rules: %v", p)
	}
	if p := tl.Check(args(t, `{"body":{"all":[{"all":[{"fild":"a"}]}]}}`)); len(p) == 0 {
		t.Error("a wrong rule two levels deep must be found")
	}
	if !warned(s, "schemaLoop") || !warned(s, "missingReference") {
		t.Errorf("warnings: %+v", s.Warnings)
	}
	if text := tl.Describe(false).TypeScript(); !strings.Contains(text, "type Rule = ") || !strings.Contains(text, "Folder") {
		t.Errorf("types: %s", text)
	}
}

func TestImport_OA08_NamesAreLegalDistinctAndStable(t *testing.T) {
	raw := string(read(t, "OA-08.yaml"))
	s := imported(t, raw, Options{})
	if len(s.Tools) != 10 {
		t.Fatalf("%d tools", len(s.Tools))
	}
	checkNames(t, s)
	names := map[string]string{}
	for i := range s.Tools {
		tl := &s.Tools[i]
		names[tl.Request.Path] = tl.Name
		r := build(t, tl, map[bool]string{true: `{"id":"7"}`, false: `{}`}[strings.Contains(tl.Request.Path, "{id}")], Target{})
		if want := "https://names.example.test" + strings.Replace(tl.Request.Path, "{id}", "7", 1); r.URL != want {
			t.Errorf("%s reaches %s, want %s", tl.Name, r.URL, want)
		}
	}
	for i, again := range []string{raw, turned(raw)} {
		other := imported(t, again, Options{})
		if len(other.Tools) != 10 {
			t.Fatalf("%d tools after turning", len(other.Tools))
		}
		for _, tl := range other.Tools {
			if names[tl.Request.Path] != tl.Name {
				t.Errorf("import %d: %s was %s and is %s", i, tl.Request.Path, names[tl.Request.Path], tl.Name)
			}
		}
	}
}

// The kind of OA-08: everything in one group, ids that differ in nothing that a name can hold, and a title that is long.
func TestImport_OA08_CollisionsInOneGroupEndForEveryMember(t *testing.T) {
	var b strings.Builder
	b.WriteString("openapi: 3.0.3\ninfo: {title: " + strings.Repeat("Very long title ", 20) + "}\nservers: [{url: 'https://n.example.test'}]\npaths:\n")
	long := strings.Repeat("recalculateReservedQuantityForRegion", 5)
	for i, id := range []string{"get item", "get-item", "Get_Item", "getItem", "GETITEM", "getItemGet", long + "1", long + "2", "数量", "数量を", "then", "__proto__", "toString", ""} {
		fmt.Fprintf(&b, "  /p%d/{x}:\n    get: {tags: [All], operationId: %q}\n    delete: {tags: [all], operationId: %q}\n", i, id, id)
	}
	for _, v := range []string{"v1", "v2"} {
		fmt.Fprintf(&b, "  /%s/pets:\n    get: {tags: [All], operationId: listPets}\n", v)
	}
	s := imported(t, b.String(), Options{})
	if len(s.Tools) != 30 {
		t.Fatalf("%d tools", len(s.Tools))
	}
	checkNames(t, s)
	tool(t, s, "v1.listPets")
	tool(t, s, "v2.listPets")
}

var legal = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkNames fails on a name or address that a client would stumble over.
func checkNames(t testing.TB, s *Source) {
	t.Helper()
	seen := map[string]bool{}
	word := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
	for i := range s.Tools {
		tl := &s.Tools[i]
		if !legal.MatchString(tl.Name) {
			t.Errorf("name %q", tl.Name)
		}
		for _, key := range []string{"name " + strings.ToLower(tl.Name), "address " + strings.ToLower(tl.Address())} {
			if seen[key] {
				t.Errorf("%s twice", key)
			}
			seen[key] = true
		}
		for _, p := range tl.Path {
			if !word.MatchString(p) || unsafe[strings.ToLower(p)] {
				t.Errorf("address %s", tl.Address())
			}
		}
	}
}

// turned lists the paths of OA-08 in the opposite order.
func turned(raw string) string {
	head, rest, _ := strings.Cut(raw, "paths:\n")
	paths, tail, _ := strings.Cut(rest, "# wanted")
	lines := strings.Split(strings.TrimRight(paths, "\n"), "\n")
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return head + "paths:\n" + strings.Join(lines, "\n") + "\n# wanted" + tail
}

func TestReadResponse_OA09_AnAnswerWithoutBodyIsASuccess(t *testing.T) {
	var calls int
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		switch r.URL.Path {
		case "/x/1":
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(204)
		case "/x/2":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "  ")
		case "/x/3":
			w.Header()["Content-Type"] = nil
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(202)
		}
	}))
	defer srv.Close()
	s := imported(t, `{"openapi":"3.0.0","info":{"title":"x"},"paths":{"/x/{id}":{"delete":{"operationId":"drop","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}],
		"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"object"}}}}}}}}}`, Options{})
	for id, status := range map[int]int{1: 204, 2: 200, 3: 202} {
		calls = 0
		r := build(t, tool(t, s, "drop"), fmt.Sprintf(`{"id":%d}`, id), Target{Base: srv.URL})
		req, err := r.HTTP(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got := ReadResponse(resp.StatusCode, resp.Header, resp.Body)
		_ = resp.Body.Close()
		if !got.OK || got.Error != nil || got.Data != nil || got.HTTP.Status != status || calls != 1 {
			t.Errorf("%d: %+v after %d calls", status, got, calls)
		}
	}
}

func TestImport_OA12_SwaggerFormsAndListFormats(t *testing.T) {
	s := imported(t, string(read(t, "OA-12.yaml")), Options{})
	r := build(t, tool(t, s, "makeToken"), `{"body":{"client":"web","scope":["read","write"]}}`, Target{})
	if r.Method+" "+r.URL != "POST https://old.example.test:8443/rest/token" || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || string(r.Body) != "client=web&scope=read%20write" {
		t.Errorf("token: %s %s %v %s", r.Method, r.URL, r.Header, r.Body)
	}
	r = build(t, tool(t, s, "addPhoto"), `{"body":{"image":{"filename":"a.png","data":"iVBORw0KGgo="},"album":"x"}}`, Target{})
	req, err := r.HTTP(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := req.ParseMultipartForm(1 << 20); err != nil {
		t.Fatal(err)
	}
	if f := req.MultipartForm.File["image"]; len(f) != 1 || f[0].Filename != "a.png" || f[0].Size != 8 || f[0].Header.Get("Content-Type") != "image/png" || req.MultipartForm.Value["album"][0] != "x" {
		t.Errorf("photo: %+v", req.MultipartForm)
	}
	r = build(t, tool(t, s, "listThings"), `{"ids":[1,2],"cols":["a","b"]}`, Target{})
	if r.URL != "https://old.example.test:8443/rest/list?ids=1&ids=2&cols=a,b" {
		t.Errorf("list: %s", r.URL)
	}
}
