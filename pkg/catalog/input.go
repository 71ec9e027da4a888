package catalog

import (
	"sort"
	"strings"
)

// tool makes the tool of an operation.
func (d *document) tool(op *operation) Tool {
	t := Tool{Name: op.name, Path: op.address, Title: clip(op.summary, 200), Description: op.describe(), Deprecated: op.deprecated, Security: op.security}
	t.ReadOnly, t.Destructive, t.Idempotent = hints(op)
	t.Request = Template{Method: op.method, Path: op.path, Servers: op.servers}
	d.chooseServer(op, &t.Request)
	nest(op, t.Request)

	in := &inputWriter{d: d, schemaWriter: schemaWriter{d: d, b: []byte(`{"type":"object","properties":{`)}}
	in.parameters(op)
	in.payload(op.body)
	in.server(&t.Request, d.source.Servers)
	t.Input, t.InputUses = in.close()
	t.Terms = d.terms(op)

	for _, p := range op.params {
		t.Request.Params = append(t.Request.Params, p.Param)
	}
	if op.body != nil {
		body := &Body{Required: op.body.required}
		for _, m := range op.body.media {
			body.Media = append(body.Media, m.Media)
		}
		t.Request.Body = body
	}
	a := d.answer(op)
	t.Request.Accept, t.Output, t.OutputUses = a.accept, a.schema, a.uses
	return t
}

// nest decides which parameters lie in a container named after their place: those whose name occurs in several places, and
// those named like something else of the same input. All others lie flat.
func nest(op *operation, tpl Template) {
	taken := map[string]int{}
	for _, p := range op.params {
		taken[p.Name]++
	}
	if op.body != nil {
		taken["body"]++
		if len(op.body.media) > 1 {
			taken["contentType"]++
		}
	}
	if tpl.ChooseServer {
		taken["server"]++
	}
	if len(tpl.ServerChoices) > 0 {
		taken["serverVariables"]++
	}
	containers := map[string]bool{}
	for again := true; again; {
		again = false
		for _, p := range op.params {
			if !p.Nested && taken[p.Name] > 1 {
				p.Nested, again = true, true
				containers[p.In] = true
			}
			if !p.Nested && containers[p.Name] {
				p.Nested, again = true, true
				containers[p.In] = true
			}
		}
	}
}

// chooseServer says what the caller may choose of the address.
func (d *document) chooseServer(op *operation, tpl *Template) {
	all := op.servers
	if len(all) == 0 {
		all = d.source.Servers
	}
	tpl.ChooseServer = len(all) > 1
	choices := map[string]bool{}
	for _, s := range all {
		for name, v := range s.Variables {
			if len(v.Enum) > 1 {
				choices[name] = true
			}
		}
	}
	for name := range choices {
		tpl.ServerChoices = append(tpl.ServerChoices, name)
	}
	sort.Strings(tpl.ServerChoices)
}

// inputWriter writes the input schema of one tool.
type inputWriter struct {
	d *document
	schemaWriter
	uses     []string
	required []string
}

func (in *inputWriter) write(b []byte, uses []string) {
	in.b = append(in.b, b...)
	in.uses = append(in.uses, uses...)
}

func (in *inputWriter) close() ([]byte, []string) {
	in.b = append(in.b, '}')
	if len(in.required) > 0 {
		in.b = append(in.b, `,"required":`...)
		in.b = appendStrings(in.b, in.required)
	}
	return append(in.b, `,"additionalProperties":false}`...), sortedSet(in.uses)
}

func (in *inputWriter) parameters(op *operation) {
	for _, p := range op.params {
		if !p.Nested {
			in.key(p.Name)
			in.write(in.d.schema(p.schema, p.description))
			if p.Required && p.Default == nil {
				in.required = append(in.required, p.Name)
			}
		}
	}
	for _, place := range []string{inPath, inQuery, inHeader, inCookie} {
		inner := &inputWriter{d: in.d, schemaWriter: schemaWriter{d: in.d, b: []byte(`{"type":"object","properties":{`)}}
		for _, p := range op.params {
			if p.Nested && p.In == place {
				inner.key(p.Name)
				inner.write(in.d.schema(p.schema, p.description))
				if p.Required && p.Default == nil {
					inner.required = append(inner.required, p.Name)
				}
			}
		}
		if inner.any {
			in.key(place)
			in.write(inner.close())
			if len(inner.required) > 0 {
				in.required = append(in.required, place)
			}
		}
	}
}

func (in *inputWriter) payload(p *payload) {
	if p == nil {
		return
	}
	var all []string
	seen := map[string]bool{}
	for i := range p.media {
		b, uses := in.d.mediaSchema(&p.media[i], p.description)
		in.uses = append(in.uses, uses...)
		if !seen[string(b)] {
			seen[string(b)] = true
			all = append(all, string(b))
		}
	}
	in.key("body")
	if len(all) == 1 {
		in.b = append(in.b, all[0]...)
	} else {
		in.b = append(in.b, `{"anyOf":[`+strings.Join(all, ",")+`]}`...)
	}
	if p.required {
		in.required = append(in.required, "body")
	}
	if len(p.media) > 1 {
		var types []string
		for _, m := range p.media {
			types = append(types, m.Type)
		}
		in.key("contentType")
		in.b = append(in.b, `{"type":"string","enum":`...)
		in.b = append(appendStrings(in.b, distinct(types)), `,"default":`...)
		in.b = append(appendQuoted(in.b, types[0]), '}')
	}
}

// distinct drops doubles and keeps the order.
func distinct(in []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func (in *inputWriter) server(tpl *Template, document []Server) {
	all := tpl.Servers
	if len(all) == 0 {
		all = document
	}
	if tpl.ChooseServer {
		in.key("server")
		var urls []string
		for _, s := range all {
			urls = append(urls, s.URL)
		}
		in.b = append(in.b, `{"type":"string","description":"Which address to call","enum":`...)
		in.b = append(appendStrings(in.b, distinct(urls)), '}')
	}
	if len(tpl.ServerChoices) > 0 {
		in.key("serverVariables")
		vars := &inputWriter{d: in.d, schemaWriter: schemaWriter{d: in.d, b: []byte(`{"type":"object","properties":{`)}}
		for _, name := range tpl.ServerChoices {
			for _, s := range all {
				if v, ok := s.Variables[name]; ok && len(v.Enum) > 1 {
					vars.key(name)
					vars.b = append(appendStrings(append(vars.b, `{"type":"string","enum":`...), v.Enum), '}')
					break
				}
			}
		}
		in.write(vars.close())
	}
}

// removing are first words of operations that remove something whatever their method says.
var removing = map[string]bool{"delete": true, "remove": true, "destroy": true, "purge": true, "drop": true, "erase": true, "cancel": true, "revoke": true, "reset": true, "wipe": true}

// hints judges an operation by its method, and more strictly by a name that says it removes something.
func hints(op *operation) (readOnly, destructive, idempotent bool) {
	switch op.method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		readOnly, idempotent = true, true
	case "PUT", "DELETE":
		destructive, idempotent = true, true
	case "PATCH":
		destructive = true
	}
	first := splitWords(op.address[len(op.address)-1])
	if len(first) > 0 && removing[first[0]] {
		readOnly, destructive, idempotent = false, true, idempotent && !readOnly // that reads may be repeated says nothing of it
	}
	return readOnly, destructive, idempotent
}
