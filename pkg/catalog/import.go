package catalog

import (
	"context"
	"net/url"
	"runtime"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// Options say where a document comes from and what is too much.
type Options struct {
	SourceURL     string // where it was fetched; empty when it was pasted
	BaseURL       string // used instead of the servers of the document
	Namespace     string // empty: made from the title
	MaxBytes      int    // 0 = 64 MB
	MaxOperations int    // 0 = 25,000 (the largest public description known to us has 16,500)
}

const (
	defaultMaxBytes      = 64 << 20
	defaultMaxOperations = 25_000
)

// SyntaxDetail is the detail of the error for a document that cannot be read.
type SyntaxDetail struct {
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
	Reason string `json:"reason"`
}

// slots lets imports take at most half of the processors, so that a large one delays nobody else.
var slots = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// Import reads a description and makes its tools. What it cannot use it leaves out with a warning. Errors: Invalid with
// SyntaxDetail (not a document), Unprocessable (not a description of an API we read), TooLarge.
func Import(ctx context.Context, raw []byte, o Options) (*Source, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if limit := orDefault(o.MaxBytes, defaultMaxBytes); len(raw) > limit {
		return nil, pags.Errorf(pags.TooLarge, "the description has %d bytes; at most %d are read", len(raw), limit)
	}
	d := &document{ctx: ctx, options: o, source: &Source{}, schemas: newDefinitions()}
	if u, err := url.Parse(strings.TrimSpace(o.SourceURL)); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
		u.Fragment = ""
		d.url = u
	}
	if err := d.read(raw); err != nil {
		return nil, err
	}
	if err := d.identify(); err != nil {
		return nil, err
	}
	if err := d.extract(); err != nil {
		return nil, err
	}
	return d.source, nil
}

func orDefault(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

// read finds out whether the text is JSON or YAML and reads it.
func (d *document) read(raw []byte) error {
	s := strings.TrimPrefix(string(raw), "\ufeff")
	s = strings.ToValidUTF8(s, "\ufffd")
	start := strings.TrimSpace(s)
	var first error
	if start != "" && (start[0] == '{' || start[0] == '[') {
		if d.root, first = readJSON(s); first == nil {
			return nil
		}
	} else if strings.HasPrefix(start, "<") {
		first = &syntaxError{line: 1, column: 1, reason: "this is a web page or XML, not an API description; give the address of the JSON or YAML document itself"}
		return unreadable(first)
	}
	root, warnings, err := readLenientYAML(s)
	if err != nil {
		if first != nil {
			err = first // it looked like JSON, so that is what its author wants to repair
		}
		return unreadable(err)
	}
	d.root = root
	for _, w := range warnings {
		d.warn(w.Code, w.Line, "%s", w.Message)
	}
	return nil
}

func unreadable(err error) error {
	at, ok := err.(*syntaxError)
	if !ok {
		at = &syntaxError{line: 1, column: 1, reason: err.Error()}
	}
	return pags.Errorf(pags.Invalid, "the description cannot be read: line %d: %s", at.line, at.reason).
		With(SyntaxDetail{at.line, at.column, at.reason})
}

// identify checks that the document describes an API in a format we read.
func (d *document) identify() error {
	r := d.root
	if !r.is(object) {
		return pags.Errorf(pags.Unprocessable, "this is not an API description: the document is not an object")
	}
	v3, v2 := r.string("openapi"), r.string("swagger")
	switch {
	case v3 == "3" || strings.HasPrefix(v3, "3."):
		d.version, d.source.Format = 30, "openapi "+clip(v3, 20)
		if v3 != "3" && !strings.HasPrefix(v3, "3.0") {
			d.version = 31
		}
	case strings.HasPrefix(v2, "2"):
		d.version, d.source.Format = 20, "swagger "+clip(v2, 20)
	case v3 != "" || v2 != "":
		return pags.Errorf(pags.Unprocessable, "version %q is not read; OpenAPI 3.0 to 3.2 and Swagger 2.0 are", clip(v3+v2, 20))
	default:
		return pags.Errorf(pags.Unprocessable, "this is not an API description: neither openapi nor swagger names a version")
	}
	if p := r.get("paths"); !p.is(object) && (d.version < 31 || !p.is(null) && p != nil || r.get("webhooks") == nil && r.get("components") == nil) {
		return pags.Errorf(pags.Unprocessable, "the description has no paths, so there is nothing to call")
	}
	info := r.get("info")
	s := d.source
	s.Name = clip(oneLine(info.string("title")), 120)
	if s.Name == "" && d.url != nil {
		s.Name = d.url.Hostname()
	}
	if s.Name == "" {
		s.Name = "Untitled API"
	}
	s.Version, s.Description = clip(info.string("version"), 60), clip(info.string("description"), 4000)
	if s.Namespace = Namespace(d.options.Namespace); d.options.Namespace == "" {
		s.Namespace = Namespace(s.Name)
	}
	return nil
}

func (d *document) extract() error {
	ops, err := d.operations()
	if err != nil {
		return err
	}
	d.source.Servers = d.servers(d.root, nil)
	d.source.Auth = d.authMethods(ops)
	nameTools(d.source.Namespace, ops)
	d.schemas.plan(d)
	d.source.Tools = make([]Tool, 0, len(ops))
	for _, op := range ops {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		d.source.Tools = append(d.source.Tools, d.tool(op))
	}
	if err := d.schemas.finish(d); err != nil {
		return err
	}
	if len(ops) == 0 {
		d.warn("noOperations", 0, "the description has no operations")
	}
	d.askForBase()
	d.source.Warnings = d.warnings.list()
	d.source.link()
	return nil
}

// oneLine folds white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
