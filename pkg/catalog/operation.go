package catalog

import (
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// operation is one operation while it is being read, in the same form for every format.
type operation struct {
	method, path             string
	key                      string // the path as the document has it: with the method it is unique
	id, summary, description string
	override                 string // address given by the document
	tags                     []string
	deprecated               bool
	params                   []*parameter
	body                     *payload
	answers                  *node // responses
	produces                 []string
	servers                  []Server // nil: the document's
	security                 []map[string][]string

	address []string // below the namespace; see name.go
	name    string
}

// parameter is a parameter with its schema.
type parameter struct {
	Param
	description string
	schema      *node // nil: any
}

// payload is a body with a schema for each media type.
type payload struct {
	required    bool
	description string
	media       []payloadMedia
}

type payloadMedia struct {
	Media
	schema *node
}

// methods of an operation (OpenAPI 3.2 adds query), in the order they are listed in.
var methods = []string{"get", "head", "options", "trace", "query", "post", "put", "patch", "delete"}

// operations reads every operation, in the order of the document.
func (d *document) operations() ([]*operation, error) {
	limit := orDefault(d.options.MaxOperations, defaultMaxOperations)
	var out []*operation
	paths := d.root.get("paths")
	if !paths.is(object) {
		return nil, nil
	}
	for i, path := range paths.keys {
		if strings.HasPrefix(path, "x-") || paths.get(path) != paths.vals[i] {
			continue
		}
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		item := d.follow(paths.vals[i])
		if !item.is(object) {
			continue
		}
		for _, method := range methods {
			n := item.get(method)
			if !n.is(object) {
				continue
			}
			if len(out) == limit {
				return nil, pags.Errorf(pags.TooLarge, "the description has more than %d operations", limit)
			}
			out = append(out, d.operation(method, path, item, n))
		}
	}
	return out, nil
}

func (d *document) operation(method, path string, item, n *node) *operation {
	op := &operation{method: strings.ToUpper(method), path: path, key: path, id: n.string("operationId"), deprecated: n.isTrue("deprecated"),
		override: n.string("x-executor-toolPath"), summary: oneLine(n.string("summary")), description: n.string("description"),
		tags: n.get("tags").strings(), answers: n.get("responses")}
	if op.summary == "" {
		op.summary = oneLine(item.string("summary"))
	}
	if !strings.HasPrefix(op.path, "/") {
		op.path = "/" + op.path
	}
	op.path, _, _ = strings.Cut(op.path, "#") // used to tell apart operations of the same path; never sent
	if s := n.get("security"); s.is(list) {
		op.security = requirements(s)
	}
	list := d.merged(item, n)
	if d.version == 20 {
		d.operation2(op, n, list)
	} else {
		d.operation3(op, item, n, list)
	}
	d.completePath(op)
	return op
}

// merged overlays the parameters of the operation on those of its path; the key is location and name.
func (d *document) merged(item, n *node) []*node {
	var out []*node
	at := map[string]int{}
	for _, from := range []*node{item.get("parameters"), n.get("parameters")} {
		for _, p := range from.items() {
			p = d.follow(p)
			if !p.is(object) {
				continue
			}
			name := p.string("name")
			if p.string("in") == "header" {
				name = strings.ToLower(name)
			}
			key := p.string("in") + " " + name
			if i, ok := at[key]; ok {
				out[i] = p
				continue
			}
			at[key] = len(out)
			out = append(out, p)
		}
	}
	return out
}

// ownHeaders are set by the transport, the body or the connection and are no arguments (OpenAPI 3.0.3, Parameter Object,
// names the first three).
var ownHeaders = map[string]bool{"accept": true, "content-type": true, "authorization": true, "host": true, "content-length": true, "connection": true,
	"transfer-encoding": true, "te": true, "trailer": true, "upgrade": true, "keep-alive": true, "proxy-authorization": true, "proxy-connection": true,
	"cookie": true, "expect": true, "accept-encoding": true}

var places = map[string]string{"path": inPath, "query": inQuery, "header": inHeader, "cookie": inCookie}

// add takes a parameter in, unless it is not the caller's to give.
func (d *document) add(op *operation, n *node, p *parameter) {
	in := n.string("in")
	p.Name, p.In, p.description = n.get("name").word(), places[in], clip(n.string("description"), maxText)
	where := op.method + " " + op.path
	switch {
	case p.In == "" || p.Name == "":
		d.warn("parameterIgnored", n.lineNumber(), "%s: a parameter with name %q in %q is not understood", where, p.Name, in)
		return
	case p.In == inHeader && ownHeaders[strings.ToLower(p.Name)]:
		if strings.EqualFold(p.Name, "Authorization") && d.schemes() == nil {
			d.guessed = append(d.guessed, bearer...)
		}
		return
	case (p.In == inHeader || p.In == inCookie) && !token(p.Name):
		d.warn("parameterIgnored", n.lineNumber(), "%s: %q cannot be the name of a %s", where, p.Name, in)
		return
	case d.isCredential(in, p.Name):
		return // the connection sends it
	case p.In == inPath && !placeholders(op.path)[p.Name]:
		if strings.Contains(op.path+"/", "/:"+p.Name+"/") {
			op.path = strings.TrimSuffix(strings.Replace(op.path+"/", "/:"+p.Name+"/", "/{"+p.Name+"}/", 1), "/")
			break
		}
		d.warn("parameterIgnored", n.lineNumber(), "%s: the path has no place for the parameter %q", where, p.Name)
		return
	}
	p.Required = n.isTrue("required") || p.In == inPath
	if p.Required {
		p.Default = d.defaultOf(p.schema)
	}
	op.params = append(op.params, p)
}

// defaultOf returns the value that a required parameter has when nobody gives one: its default, or its only choice.
func (d *document) defaultOf(schema *node) []byte {
	n := d.follow(schema)
	value := n.get("default")
	if value == nil || value.is(null) {
		value = n.get("const")
	}
	if enum := n.get("enum").items(); value == nil && len(enum) == 1 {
		value = enum[0]
	}
	if value == nil || value.is(null) || value.is(list) && len(value.vals) == 0 {
		return nil
	}
	w := &schemaWriter{d: d}
	w.value(value, schemaTypes(n, d.version))
	return w.b
}

// completePath adds the placeholders that the description forgot to describe.
func (d *document) completePath(op *operation) {
	known := map[string]bool{}
	for _, p := range op.params {
		if p.In == inPath {
			known[p.Name] = true
		}
	}
	for _, name := range placeholderNames(op.path) {
		if !known[name] {
			known[name] = true
			d.warn("parameterGuessed", 0, "%s %s: the path parameter %q is not described and is taken as a text", op.method, op.path, name)
			op.params = append(op.params, &parameter{Param: Param{Name: name, In: inPath, Required: true, Style: "simple"},
				schema: &node{kind: object, keys: []string{"type"}, vals: []*node{{kind: text, str: "string"}}}})
		}
	}
}

// requirements reads alternatives of schemes that must come together.
func requirements(n *node) []map[string][]string {
	out := []map[string][]string{}
	for _, r := range n.items() {
		if !r.is(object) {
			continue
		}
		all := map[string][]string{}
		for i, scheme := range r.keys {
			all[scheme] = r.vals[i].strings()
		}
		out = append(out, all)
	}
	return out
}

// token reports whether a name is one that headers and cookies can have (RFC 9110, section 5.6.2).
func token(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// placeholderNames lists the names in braces, in order. "{+name}", "{name+}" and "{name*}" are the ways in which
// descriptions mark one that may hold slashes.
func placeholderNames(path string) []string {
	var out []string
	for rest := path; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return out
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok {
			return out
		}
		if name = strings.Trim(name, "+*"); name != "" {
			out = append(out, name)
		}
		rest = tail
	}
}

func placeholders(path string) map[string]bool {
	out := map[string]bool{}
	for _, name := range placeholderNames(path) {
		out[name] = true
	}
	return out
}

// describe makes the text a model reads: the description, else the summary, else what is called.
func (op *operation) describe() string {
	switch {
	case op.description != "":
		return clip(op.description, 4000)
	case op.summary != "":
		return clip(op.summary, 4000)
	}
	return fmt.Sprintf("%s %s", op.method, op.path)
}
