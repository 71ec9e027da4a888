package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

func TestImport_ReadsYAMLThatIsAlmostYAML(t *testing.T) {
	head := "openapi: 3.0.3\ninfo:\n  title: Slips\nservers:\n  - url: https://s.example.test\npaths:\n  /x:\n    get:\n      operationId: getX\n"
	for name, c := range map[string]struct{ slip, want string }{
		"a colon and a space in a description":       {"      description: Do it: now, please\n", "Do it: now, please"},
		"a description that ends with a colon":       {"      description: Returns this:\n", "Returns this:"},
		"a description that begins with an at sign":  {"      description: \"@me\" is you\n", `"@me" is you`},
		"a description that begins with a backquote": {"      description: `id` of it\n", "`id` of it"},
		"a description that begins with a bracket":   {"      description: [beta] Gets it\n", "[beta] Gets it"},
		"a description that begins with a star":      {"      description: *new* thing\n", "*new* thing"},
		"text after a closed quote":                  {"      description: \"Quoted\" and more\n", `"Quoted" and more`},
		"a tab as indentation":                       {"\t\t\tdescription: tabbed\n", "tabbed"},
		"an apostrophe beside a colon":               {"      description: it's: fine\n", "it's: fine"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Import(context.Background(), []byte(head+c.slip+"      responses:\n        200: {description: ok}\n"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Tools[0].Description; got != c.want {
				t.Errorf("description %q, want %q", got, c.want)
			}
			if !warned(s, "yamlRepaired") || s.Warnings[0].Line != 10 {
				t.Errorf("warnings %+v", s.Warnings)
			}
		})
	}
	s := imported(t, head+"      parameters:\n        - {name: a, in: query, description: Really perform it: yes, schema: {type: string}}\n        - {name: b, in: query, description: \"x: y\", schema: {type: string}}\n"+
		"      description: |\n        kept: as: it is\n        @so\n      summary: a: b: c\n", Options{})
	if tl := s.Tools[0]; tl.Description != "kept: as: it is\n@so" || tl.Title != "a: b: c" || len(tl.Request.Params) != 2 {
		t.Errorf("block texts must stay as they are: %+v", tl)
	}
}

func TestImport_SaysWhereAndWhyADocumentCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		raw    string
		code   pags.Code
		line   int
		reason string
	}{
		"JSON without a comma":           {"{\n \"openapi\": \"3.0.0\"\n \"paths\": {}\n}", pags.Invalid, 3, "expected a comma"},
		"JSON that ends in the middle":   {"{\"openapi\": \"3.0.0\",\n\"paths\": {", pags.Invalid, 2, "quoted key"},
		"YAML with a broken bracket":     {"openapi: 3.0.0\npaths:\n  /x: {get: {\n", pags.Invalid, 0, ""},
		"a web page":                     {"<!DOCTYPE html><html>", pags.Invalid, 1, "web page"},
		"nothing":                        {"  ", pags.Invalid, 1, "empty"},
		"deeper than anyone writes":      {strings.Repeat("[", 5000), pags.Invalid, 1, ""},
		"a list":                         {"[1]", pags.Unprocessable, 0, "not an object"},
		"another kind of document":       {"{\"asyncapi\":\"2.0.0\"}", pags.Unprocessable, 0, "neither openapi nor swagger"},
		"a version from the future":      {"{\"openapi\":\"4.0.0\",\"paths\":{}}", pags.Unprocessable, 0, "4.0.0"},
		"Swagger 1.2":                    {"{\"swaggerVersion\":\"1.2\"}", pags.Unprocessable, 0, "neither"},
		"no paths":                       {"openapi: 3.0.0\ninfo: {title: x}\n", pags.Unprocessable, 0, "no paths"},
		"more operations than are taken": {"{\"openapi\":\"3.0.0\",\"paths\":{\"/a\":{\"get\":{},\"post\":{},\"put\":{}}}}", pags.TooLarge, 0, "more than 2 operations"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Import(context.Background(), []byte(c.raw), Options{MaxOperations: 2})
			var e *pags.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.reason) {
				t.Fatalf("got %v", err)
			}
			if d, ok := e.Detail.(SyntaxDetail); c.code == pags.Invalid && (!ok || c.line > 0 && d.Line != c.line || d.Line < 1 || d.Reason == "") {
				t.Errorf("detail %+v", e.Detail)
			}
		})
	}
	if _, err := Import(context.Background(), []byte("{}  "), Options{MaxBytes: 3}); !pags.Is(err, pags.TooLarge) {
		t.Errorf("too many bytes: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Import(ctx, large(50), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestImport_AliasesCannotMultiplyADocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("openapi: 3.0.0\ninfo: {title: bomb}\nx0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "x%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	b.WriteString("paths: {}\n")
	start := time.Now()
	if _, err := Import(context.Background(), []byte(b.String()), Options{}); !pags.Is(err, pags.Invalid) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
	s := imported(t, "openapi: 3.1.0\ninfo: {title: anchors}\nx: &q {name: q, in: query, schema: {type: string}}\npaths:\n  /x:\n    get: &g {operationId: a, parameters: [*q]}\n    post: {<<: *g, operationId: b}\n", Options{})
	if r := build(t, tool(t, s, "b"), `{"q":"1"}`, Target{Base: "https://a.example.test"}); r.URL != "https://a.example.test/x?q=1" {
		t.Errorf("anchors and merge keys: %s", r.URL)
	}
}

func TestImport_FollowsOnlyReferencesOfTheSameDocument(t *testing.T) {
	raw := `{"openapi":"3.0.3","info":{"title":"refs"},"servers":[{"url":"https://r.example.test"}],"paths":{
		"/own":{"get":{"operationId":"own","parameters":[{"$ref":"spec.json#/components/parameters/a~1b"},{"$ref":"#/components/parameters/c%20d"}]}},
		"/file":{"get":{"operationId":"file","parameters":[{"$ref":"file:///etc/passwd"},{"name":"q","in":"query","schema":{"$ref":"http://169.254.169.254/latest#/x"}}]}},
		"/item":{"$ref":"#/paths/~1own"},
		"/self":{"$ref":"#/paths/~1self"}},
		"components":{"parameters":{"a/b":{"name":"x","in":"query","schema":{"type":"string"}},"c d":{"name":"y","in":"query","schema":{"type":"string"}}}}}`
	s := imported(t, raw, Options{SourceURL: "https://docs.example.test/v1/spec.json"})
	if r := build(t, tool(t, s, "own.getOwn"), `{"x":"1","y":"2"}`, Target{}); r.URL != "https://r.example.test/own?x=1&y=2" {
		t.Errorf("own: %s", r.URL)
	}
	if r := build(t, tool(t, s, "file.getFile"), `{"q":[1]}`, Target{}); !strings.Contains(r.URL, "/file?q=1") {
		t.Errorf("a schema elsewhere allows anything: %s", r.URL)
	}
	external := 0
	for _, w := range s.Warnings {
		if w.Code == "externalReference" {
			external++
		}
	}
	if external != 2 || !warned(s, "referenceLoop") || len(s.Tools) != 3 {
		t.Errorf("%d tools, warnings %+v", len(s.Tools), s.Warnings)
	}
}

func TestImport_SchemasBecomeDraft2020(t *testing.T) {
	s := imported(t, `
openapi: 3.0.3
info: {title: schemas}
servers: [{url: https://s.example.test}]
paths:
  /x:
    post:
      operationId: send
      parameters:
        - {name: version, in: query, required: true, schema: {type: string, enum: [1.0]}}
        - {name: day, in: query, schema: {type: string, enum: [2020-01-01, on, 0x10, null]}}
        - {name: page, in: query, required: true, schema: {type: integer, default: 1}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [id, name, secret, ref]
              properties:
                id: {type: integer, readOnly: true}
                name: {type: string, nullable: true, pattern: '^(?!x).*$'}
                secret: {type: string, writeOnly: true}
                score: {type: number, minimum: 0, exclusiveMinimum: true, maximum: "5"}
                ref: {$ref: '#/components/schemas/Kind', nullable: true}
                odd: {type: whatever, required: true, minLength: -1, items: [{type: int}]}
components:
  schemas:
    Kind: {type: string, enum: [a, b]}
`, Options{})
	tl := tool(t, s, "send")
	for raw, want := range map[string]string{
		`{"body":{"name":null,"ref":null}}`:                          "",
		`{"body":{"name":"n","ref":"a","score":0.1,"odd":[1]}}`:      "",
		`{"body":{"name":"n","ref":"c"}}`:                            "/body/ref",
		`{"body":{"name":"n","ref":"a","score":0}}`:                  "/body/score",
		`{"body":{"ref":"a"}}`:                                       "/body",
		`{"day":"2020-01-01","body":{"name":"n","ref":"a"}}`:         "",
		`{"day":"on","version":"1.0","body":{"name":"n","ref":"a"}}`: "",
		`{"day":"16","body":{"name":"n","ref":"a"}}`:                 "/day",
		`{}`: "",
	} {
		problems := tl.Check(args(t, raw))
		if raw == `{}` {
			if len(problems) != 1 {
				t.Errorf("a body is required: %v", problems)
			}
			continue
		}
		if want == "" && len(problems) > 0 || want != "" && (len(problems) == 0 || problems[0].At != want) {
			t.Errorf("%s: %v, want a problem at %q", raw, problems, want)
		}
	}
	if r := build(t, tl, `{"body":{"name":"n","ref":"a"}}`, Target{}); r.URL != "https://s.example.test/x?version=1.0&page=1" {
		t.Errorf("what is required and has one value, or a default, is sent: %s", r.URL)
	}
}

func TestImport_ListsEveryProblemAndWhatIsAccepted(t *testing.T) {
	s := imported(t, string(read(t, "OA-01.yaml")), Options{})
	_, err := tool(t, s, "relabelShelf").Build(args(t, `{"path":{"code":1},"query":{"code":true},"body":{"label":2}}`), Target{})
	var f *Failure
	if !errors.As(err, &f) || f.Code != CodeInvalidArguments || !pags.Is(err, pags.Invalid) {
		t.Fatalf("got %v", err)
	}
	d := f.Details.(ArgumentDetails)
	if len(d.Problems) != 4 || strings.Join(d.Accepted, " ") != "path.code query.code headers.code body" {
		t.Errorf("details %+v", d)
	}
	for _, part := range []string{"path.code: ", "query.code: ", "body.label: ", "Accepted: path.code"} {
		if !strings.Contains(f.Message, part) {
			t.Errorf("message %q lacks %q", f.Message, part)
		}
	}
	s = imported(t, string(read(t, "OA-02.yaml")), Options{})
	for raw, want := range map[string]string{`{"bays":["a"],"tga":[]}`: "did you mean tag?", `{"bays":["a"],"query":{"nope":1}}`: "query.nope: unknown", `{"bays":["a"],"params":{"tag":["x"]},"tag":["y"]}`: "given twice"} {
		if _, err := tool(t, s, "findSlots").Build(args(t, raw), Target{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestSource_SurvivesItsJSONForm(t *testing.T) {
	s := imported(t, string(read(t, "OA-07.yaml")), Options{})
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	a, b := tool(t, s, "postSearch"), tool(t, again, "postSearch")
	if a.Describe(true).TypeScript() != b.Describe(true).TypeScript() || string(a.InputSchema()) != string(b.InputSchema()) {
		t.Error("a restored source differs")
	}
	if len(b.Check(args(t, `{"body":{"fild":1}}`))) == 0 {
		t.Error("a restored source must check arguments")
	}
}

func TestImport_HintsFollowTheMethodAndTheName(t *testing.T) {
	s := imported(t, `{"openapi":"3.0.0","info":{"title":"h"},"paths":{"/a":{"get":{"operationId":"listA"},"put":{"operationId":"putA"},"post":{"operationId":"createA"},"delete":{"operationId":"zapA"}},
		"/b":{"get":{"operationId":"deleteEverything"},"post":{"operationId":"removeB"},"patch":{"operationId":"patchB"}}}}`, Options{})
	for leaf, want := range map[string][3]bool{"listA": {true, false, true}, "putA": {false, true, true}, "createA": {false, false, false}, "zapA": {false, true, true},
		"deleteEverything": {false, true, false}, "removeB": {false, true, false}, "patchB": {false, true, false}} {
		if tl := tool(t, s, leaf); [3]bool{tl.ReadOnly, tl.Destructive, tl.Idempotent} != want {
			t.Errorf("%s: read-only %v destructive %v idempotent %v", leaf, tl.ReadOnly, tl.Destructive, tl.Idempotent)
		}
	}
}

// large writes a description of n operations with bodies, parameters and shared schemas.
func large(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.3","info":{"title":"Big"},"servers":[{"url":"https://big.example.test"}],"paths":{`)
	for i := 0; i < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"/v1/%s%d/{id}":{"post":{"operationId":"%s%d","tags":["%s"],"summary":"%s one of many","description":"Changes the %s with that id. %s","parameters":[
			{"name":"id","in":"path","required":true,"schema":{"type":"string"}},{"name":"expand","in":"query","schema":{"type":"array","items":{"type":"string"}},"description":"Fields to expand"},
			{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":100,"default":20}},{"name":"X-Trace","in":"header","schema":{"type":"string"}}],
			"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"amount":{"type":"integer","format":"int64"},"owner":{"$ref":"#/components/schemas/Thing%d"}}}}}},
			"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing%d"}}}},"400":{"description":"bad"}}}}`,
			nouns[i%len(nouns)], i, "update"+nouns[i%len(nouns)], i, nouns[i%len(nouns)], nouns[i%len(nouns)], nouns[i%len(nouns)], strings.Repeat("Some more words about it. ", 5), i%200, (i+1)%200)
	}
	b.WriteString(`},"components":{"schemas":{`)
	for i := 0; i < 200; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"Thing%d":{"type":"object","properties":{"id":{"type":"string"},"created":{"type":"string","format":"date-time"},"next":{"$ref":"#/components/schemas/Thing%d"},"tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]}}}}`, i, (i+1)%200)
	}
	b.WriteString("}}}")
	return []byte(b.String())
}

var nouns = []string{"invoice", "customer", "shipment", "warehouse", "ticket", "message", "channel", "payment", "refund", "subscription", "calendar", "meeting", "document", "folder", "label", "project"}

// cpu is the processor time that this process has used. Wall time says little on a machine that others use too.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkImport1000(b *testing.B) {
	raw := large(1000)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	start := cpu()
	defer func() { b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op") }()
	for b.Loop() {
		s, err := Import(context.Background(), raw, Options{})
		if err != nil || len(s.Tools) != 1000 {
			b.Fatal(err)
		}
	}
}

func FuzzImport(f *testing.F) {
	for _, name := range []string{"OA-01.yaml", "OA-02.yaml", "OA-04.yaml", "OA-05.yaml", "OA-07.yaml", "OA-08.yaml", "OA-12.yaml"} {
		f.Add(read(f, name))
	}
	f.Add(large(2))
	f.Add([]byte("openapi: 3.0.0\npaths:\n  /a: {get: {description: a: b? }}\n"))
	f.Fuzz(survives)
}

// survives imports whatever it is given: what comes out must be usable in every part.
func survives(t *testing.T, raw []byte) {
	s, err := Import(context.Background(), raw, Options{})
	if err != nil {
		return
	}
	checkNames(t, s)
	for i := range s.Tools {
		tl := &s.Tools[i]
		if !json.Valid(tl.InputSchema()) || tl.Output != nil && !json.Valid(tl.OutputSchema()) {
			t.Fatalf("%s: schema is no JSON: %s", tl.Name, tl.InputSchema())
		}
		_, _ = tl.Build(map[string]any{}, Target{Base: "https://f.example.test"})
		if i < 3 {
			_ = tl.Describe(true).TypeScript()
			if _, err := tl.compile(); err != nil {
				t.Fatalf("%s: %v\nof %s", tl.Name, err, raw)
			}
		}
	}
}

func TestImport_DamagedDocumentsNeitherPanicNorMakeBadTools(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	words := []string{"$ref", "null", "true", "[]", "{}", "\"", "'", ":", "- ", "\n", "  ", "#/components/schemas/Rule", "type: ", "array", "-1", "1e400", "\x00", "*a", "&a ", "|", "{", "}", "in: path", "allOf", "items", "enum: "}
	for _, name := range []string{"OA-01.yaml", "OA-02.yaml", "OA-04.yaml", "OA-05.yaml", "OA-07.yaml", "OA-08.yaml", "OA-12.yaml"} {
		whole := read(t, name)
		for range 150 {
			raw := append([]byte(nil), whole...)
			for range 1 + r.Intn(4) {
				at := r.Intn(len(raw))
				switch r.Intn(4) {
				case 0:
					raw = append(raw[:at:at], raw[min(len(raw), at+1+r.Intn(8)):]...)
				case 1:
					raw = append(raw[:at:at], append([]byte(words[r.Intn(len(words))]), raw[at:]...)...)
				case 2:
					raw[at] = byte(r.Intn(256))
				default:
					from := r.Intn(len(raw))
					raw = append(raw[:at:at], append(append([]byte(nil), raw[from:min(len(raw), from+r.Intn(60))]...), raw[at:]...)...)
				}
				if len(raw) == 0 {
					break
				}
			}
			survives(t, raw)
		}
	}
}
