package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	v2 "github.com/pb33f/libopenapi/datamodel/high/v2"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

// The descriptions that libopenapi tests itself with lie beside its source.
var specs = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pb33f/libopenapi").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "test_specs"), err
})

func spec(t testing.TB, name string) []byte {
	t.Helper()
	dir, err := specs()
	if err != nil {
		t.Fatalf("find libopenapi: %v", err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// seen is what an API got.
type seen struct {
	Method, Path string
	Query        url.Values
	Headers      http.Header
	Type         string
	Body         any
}

// echo is a server that notes the last request.
type echo struct {
	*httptest.Server
	last seen
}

func newEcho(t testing.TB) *echo {
	e := &echo{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, query, _ := strings.Cut(r.RequestURI, "?")
		e.last = seen{Method: r.Method, Path: path, Headers: http.Header{}}
		e.last.Query, _ = url.ParseQuery(query)
		for name, v := range r.Header {
			switch name {
			case "Accept", "Accept-Encoding", "User-Agent", "Content-Length", "Content-Type":
			default:
				e.last.Headers[name] = v
			}
		}
		e.last.Type, e.last.Body = content(r)
		_, _ = io.WriteString(w, `{"ok":1}`)
	}))
	t.Cleanup(e.Close)
	return e
}

// content reads a body so that two ways of writing the same one are equal.
func content(r *http.Request) (string, any) {
	raw, _ := io.ReadAll(r.Body)
	t, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case t == "multipart/form-data":
		var parts []string
		reader := multipart.NewReader(bytes.NewReader(raw), params["boundary"])
		for {
			p, err := reader.NextPart()
			if err != nil {
				return t, parts
			}
			body, _ := io.ReadAll(p)
			parts = append(parts, fmt.Sprintf("%s|%s|%s|%x", p.FormName(), p.FileName(), p.Header.Get("Content-Type"), body))
		}
	case t == "application/x-www-form-urlencoded":
		v, _ := url.ParseQuery(string(raw))
		return t, v
	}
	if v, ok := parseJSON(string(raw)); ok {
		return t, v
	}
	return t, string(raw)
}

func (e *echo) send(t testing.TB, req *http.Request) seen {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := ReadResponse(resp.StatusCode, resp.Header, resp.Body); !got.OK {
		t.Fatalf("%+v", got)
	}
	_ = resp.Body.Close()
	return e.last
}

// wanted is an operation as libopenapi reads it.
type wanted struct {
	method, path string
	params       []wantedParam
	bodyType     string
	encoding     map[string]*v3.Encoding
	form         map[string]bool // 2.0: names of form fields
}

type wantedParam struct {
	name, in, style string
	explode         bool
}

func readWith(t testing.TB, raw []byte) map[string]wanted {
	t.Helper()
	doc, err := libopenapi.NewDocumentWithConfiguration(raw, &datamodel.DocumentConfiguration{SkipCircularReferenceCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]wanted{}
	if strings.HasPrefix(doc.GetVersion(), "2") {
		m, err := doc.BuildV2Model()
		if m == nil {
			t.Fatal(err)
		}
		for path, item := range m.Model.Paths.PathItems.FromOldest() {
			for method, op := range item.GetOperations().FromOldest() {
				w := wanted{method: strings.ToUpper(method), path: path, form: map[string]bool{}}
				for _, p := range append(append([]*v2.Parameter(nil), op.Parameters...), item.Parameters...) {
					switch {
					case p.In == "body":
						w.bodyType = first(op.Consumes, m.Model.Consumes)
					case p.In == "formData":
						w.form[p.Name] = true
					default:
						w.params = append(w.params, wantedParam{p.Name, p.In, map[string]string{"": "csv"}[p.CollectionFormat] + p.CollectionFormat, p.CollectionFormat == "multi"})
					}
				}
				out[w.method+" "+path] = w
			}
		}
		return out
	}
	m, err := doc.BuildV3Model()
	if m == nil {
		t.Fatal(err)
	}
	for path, item := range m.Model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			w := wanted{method: strings.ToUpper(method), path: path}
			own := map[string]bool{}
			for _, p := range op.Parameters {
				own[p.In+p.Name] = true
			}
			all := append([]*v3.Parameter(nil), op.Parameters...)
			for _, p := range item.Parameters {
				if !own[p.In+p.Name] {
					all = append(all, p)
				}
			}
			for _, p := range all {
				w.params = append(w.params, wantedParam{p.Name, p.In, p.EffectiveStyle(), p.EffectiveExplode()})
			}
			if op.RequestBody != nil && op.RequestBody.Content != nil {
				for name, media := range op.RequestBody.Content.FromOldest() {
					w.bodyType, w.encoding = name, map[string]*v3.Encoding{}
					if media.Encoding != nil {
						for prop, e := range media.Encoding.FromOldest() {
							w.encoding[prop] = e
						}
					}
					break
				}
			}
			out[w.method+" "+path] = w
		}
	}
	return out
}

func first(lists ...[]string) string {
	for _, l := range lists {
		if len(l) > 0 {
			return l[0]
		}
	}
	return "application/json"
}

// request makes the request with net/url alone.
func (w wanted) request(t testing.TB, base string, a map[string]any) *http.Request {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	path, q, h := w.path, url.Values{}, http.Header{}
	for _, p := range w.params {
		v, ok := a[p.name]
		if group, nested := a[map[string]string{"path": "path", "query": "query", "header": "headers", "cookie": "cookies"}[p.in]].(map[string]any); !ok && nested {
			v, ok = group[p.name]
		}
		if !ok {
			continue
		}
		switch p.in {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.name+"}", url.PathEscape(flat(v, ",")))
		case "header":
			h.Set(p.name, flat(v, ","))
		case "query":
			spread(q, p.name, p.style, p.explode, v)
		}
	}
	path = u.Path + path
	u.Path, err = url.PathUnescape(path)
	if err != nil {
		t.Fatal(err)
	}
	u.RawPath, u.RawQuery = path, q.Encode()
	var body io.Reader
	if chosen, ok := a["contentType"].(string); ok {
		w.bodyType, w.encoding = chosen, nil
	}
	if v, ok := a["body"]; ok {
		switch {
		case strings.HasPrefix(w.bodyType, "application/x-www-form-urlencoded"):
			f := url.Values{}
			for name, each := range v.(map[string]any) {
				e := w.encoding[name]
				_, object := each.(map[string]any)
				switch {
				case e != nil && e.Style != "":
					spread(f, name, e.Style, e.Explode == nil && e.Style != "spaceDelimited" && e.Style != "pipeDelimited" || e.Explode != nil && *e.Explode, each)
				case object:
					raw, _ := json.Marshal(each)
					f.Set(name, string(raw))
				default:
					spread(f, name, "form", true, each)
				}
			}
			body = strings.NewReader(f.Encode())
		case strings.HasPrefix(w.bodyType, "multipart/"), mediaKind(w.bodyType) == bodyBinary:
			t.Fatalf("%s %s: the test does not write %s", w.method, w.path, w.bodyType)
		default:
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			body = bytes.NewReader(raw)
		}
	}
	req, err := http.NewRequest(w.method, u.String(), body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	if body != nil {
		h.Set("Content-Type", map[bool]string{true: "application/json", false: w.bodyType}[w.bodyType == "*/*"])
	}
	return req
}

func flat(v any, sep string) string {
	if list, ok := v.([]any); ok {
		var out []string
		for _, e := range list {
			out = append(out, flat(e, sep))
		}
		return strings.Join(out, sep)
	}
	return fmt.Sprint(v)
}

func spread(q url.Values, name, style string, explode bool, v any) {
	switch v := v.(type) {
	case []any:
		switch {
		case style == "deepObject":
			for i, e := range v {
				if _, object := e.(map[string]any); object {
					spread(q, fmt.Sprintf("%s[%d]", name, i), style, true, e)
				} else {
					q.Add(name+"[]", fmt.Sprint(e))
				}
			}
		case explode:
			for _, e := range v {
				q.Add(name, fmt.Sprint(e))
			}
		default:
			q.Add(name, flat(v, map[string]string{"spaceDelimited": " ", "ssv": " ", "pipeDelimited": "|", "pipes": "|", "tsv": "\t"}[style]+map[string]string{"form": ",", "csv": ","}[style]))
		}
	case map[string]any:
		for k, e := range v {
			if style == "deepObject" {
				spread(q, name+"["+k+"]", style, true, e)
			} else {
				q.Add(k, fmt.Sprint(e))
			}
		}
	default:
		q.Add(name, fmt.Sprint(v))
	}
}

// maker makes arguments that a schema accepts.
type maker struct {
	*rand.Rand
	defs map[string]any
	bare bool // only what is required
}

func (m *maker) make(schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return "any"
	}
	if ref, ok := s["$ref"].(string); ok {
		return m.make(m.defs[strings.TrimPrefix(ref, "#/$defs/")], depth+1)
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[m.Intn(len(enum))]
	}
	kind := s["type"]
	if list, ok := kind.([]any); ok {
		kind = list[0]
	}
	if all, ok := s["allOf"].([]any); ok {
		out := map[string]any{}
		for _, c := range all {
			v := m.make(c, depth+1)
			part, ok := v.(map[string]any)
			if !ok {
				return v
			}
			for k, e := range part {
				out[k] = e
			}
		}
		return out
	}
	if any, ok := s["anyOf"].([]any); ok && kind == nil {
		return m.make(any[m.Intn(len(any))], depth+1)
	}
	switch kind {
	case "boolean":
		return m.Intn(2) == 1
	case "integer":
		return json.Number(fmt.Sprint(int64(bound(s, m.Int63n(50)+1))))
	case "number":
		return json.Number(fmt.Sprint(bound(s, m.Int63n(50)+1)))
	case "array":
		var out = []any{}
		n := 1 + m.Intn(2)
		if min, ok := s["minItems"].(json.Number); ok {
			i, _ := min.Int64()
			n = max(n, int(i))
		}
		if depth > 6 {
			n = 0
		}
		for range n {
			out = append(out, m.make(s["items"], depth+1))
		}
		return out
	case "object":
		out := map[string]any{}
		required := map[string]bool{}
		if list, ok := s["required"].([]any); ok {
			for _, r := range list {
				required[fmt.Sprint(r)] = true
			}
		}
		props, _ := s["properties"].(map[string]any)
		for _, name := range sortedKeys(props) {
			if required[name] || !m.bare && depth < 4 && m.Intn(3) == 0 {
				out[name] = m.make(props[name], depth+1)
			}
		}
		return out
	case nil, "string":
		texts := []string{"plain", "a b", "x&y=z", "é/ü?", "100%", "c+d;e,f", "[g]"}
		v := texts[m.Intn(len(texts))]
		if most, ok := s["maxLength"].(json.Number); ok {
			if i, _ := most.Int64(); int(i) < len([]rune(v)) {
				v = strings.Repeat("x", int(i))
			}
		}
		return v
	}
	return nil
}

func bound(s map[string]any, v int64) int64 {
	for key, pick := range map[string]func(a, b int64) int64{"minimum": func(a, b int64) int64 { return max(a, b) }, "maximum": func(a, b int64) int64 { return min(a, b) }} {
		if n, ok := s[key].(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				v = pick(v, int64(f))
			}
		}
	}
	return v
}

// arguments makes some that the tool accepts, or nil.
func arguments(t testing.TB, tl *Tool, r *rand.Rand) map[string]any {
	t.Helper()
	v, ok := parseJSON(string(tl.InputSchema()))
	if !ok {
		t.Fatalf("%s: schema is no JSON", tl.Name)
	}
	schema := v.(map[string]any)
	defs, _ := schema["$defs"].(map[string]any)
	for try := range 10 {
		m := &maker{r, defs, try > 6}
		a := m.make(schema, 0).(map[string]any)
		if len(tl.Check(a)) == 0 {
			return a
		}
	}
	return nil
}

func TestImport_RealDescriptionsBecomeLegalToolsWithExactRequests(t *testing.T) {
	for _, c := range []struct {
		file       string
		operations int
	}{{"stripe.yaml", 494}, {"docusignv3.1.json", 402}, {"k8s.json", 853}} {
		t.Run(c.file, func(t *testing.T) {
			raw := spec(t, c.file)
			start := time.Now()
			s := imported(t, string(raw), Options{SourceURL: "https://specs.example.test/" + c.file})
			t.Logf("%s: %d tools, %d definitions, %d warnings in %v", c.file, len(s.Tools), len(s.Definitions), len(s.Warnings), time.Since(start))
			for i, w := range s.Warnings {
				if i < 5 {
					t.Logf("warning: %+v", w)
				}
			}
			model := readWith(t, raw)
			if len(s.Tools) != len(model) || len(s.Tools) != c.operations {
				t.Errorf("%d tools of %d operations, expected %d", len(s.Tools), len(model), c.operations)
			}
			checkNames(t, s)
			for i := range s.Tools {
				tl := &s.Tools[i]
				if _, ok := model[tl.Request.Method+" "+tl.Request.Path]; !ok {
					t.Errorf("%s %s is not in the description", tl.Request.Method, tl.Request.Path)
				}
				if !json.Valid(tl.InputSchema()) || tl.Output != nil && !json.Valid(tl.OutputSchema()) {
					t.Errorf("%s: a schema is no JSON", tl.Name)
				}
				if i%25 == 0 {
					if _, err := tl.compile(); err != nil {
						t.Errorf("%s: %v", tl.Name, err)
					}
				}
			}
			e := newEcho(t)
			r := rand.New(rand.NewSource(7))
			called := 0
			for _, i := range r.Perm(len(s.Tools)) {
				tl := &s.Tools[i]
				w := model[tl.Request.Method+" "+tl.Request.Path]
				if tl.Request.Body != nil && (tl.Request.Body.Media[0].Kind == bodyMultipart || tl.Request.Body.Media[0].Kind == bodyBinary) {
					continue
				}
				a := arguments(t, tl, r)
				if a == nil {
					t.Logf("%s: no arguments found", tl.Name)
					continue
				}
				ours, err := tl.Build(a, Target{Base: e.URL + "/base"})
				if err != nil {
					t.Fatalf("%s: %v", tl.Name, err)
				}
				req, err := ours.HTTP(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				got, want := e.send(t, req), e.send(t, w.request(t, e.URL+"/base", a))
				if gotPath, err := url.PathUnescape(got.Path); err != nil || gotPath != mustUnescape(want.Path) || strings.Count(got.Path, "/") != strings.Count(want.Path, "/") {
					t.Errorf("%s: path %s, want %s", tl.Name, got.Path, want.Path)
				}
				got.Path, want.Path = "", ""
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s with %s:\ngot  %+v\nwant %+v", tl.Name, jsonText(a), got, want)
				}
				if called++; called == 30 {
					break
				}
			}
			if called != 30 {
				t.Errorf("only %d operations could be called", called)
			}
		})
	}
}

func mustUnescape(s string) string {
	out, err := url.PathUnescape(s)
	if err != nil {
		return err.Error()
	}
	return out
}

// Everything else that lies there is read too, or refused with a reason: nothing may panic or hang.
func TestImport_TheOtherDescriptionsOfTheTestData(t *testing.T) {
	dir, err := specs()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	usable := 0
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || info.IsDir() || info.Size() > 1<<20 {
			continue
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Import(context.Background(), raw, Options{})
		if err != nil {
			t.Logf("%s: %v", filepath.Base(f), err)
			continue
		}
		usable++
		checkNames(t, s)
		for i := range s.Tools {
			if _, err := s.Tools[i].compile(); err != nil {
				t.Errorf("%s %s: %v", filepath.Base(f), s.Tools[i].Name, err)
			}
		}
	}
	if usable < 12 {
		t.Errorf("only %d were usable", usable)
	}
}

// What stays in memory of three large descriptions and the index over them; the whole server has 120 MB for 1,400 tools.
func TestImport_ThousandsOfToolsStaySmall(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var all []*Source
	var entries []Entry
	for _, name := range []string{"docusignv3.1.json", "k8s.json"} {
		s := imported(t, string(spec(t, name)), Options{})
		all, entries = append(all, s), append(entries, s.Entries("")...)
	}
	x := NewIndex(entries)
	kept := heap() - before
	t.Logf("%d tools and their index: %d KB", len(entries), kept>>10)
	if kept > 32<<20 {
		t.Errorf("%d tools keep %d MB", len(entries), kept>>20)
	}
	runtime.KeepAlive(all)
	runtime.KeepAlive(x)
}

func BenchmarkImportReal(b *testing.B) {
	for _, name := range []string{"stripe.yaml", "docusignv3.1.json", "k8s.json"} {
		raw := spec(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			start := cpu()
			defer func() { b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op") }()
			for b.Loop() {
				if _, err := Import(context.Background(), raw, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
