package catalog

import "strings"

// mediaSchema writes the schema of a body in one media type and notes which of its fields are files.
func (d *document) mediaSchema(m *payloadMedia, about string) ([]byte, []string) {
	switch m.Kind {
	case bodyText:
		if about == "" {
			about = "The body as " + essence(m.Type) + " text"
		}
		return d.schema(&node{kind: object, keys: []string{"type"}, vals: []*node{{kind: text, str: "string"}}}, about)
	case bodyBinary:
		return []byte(`{"$ref":"#/$defs/` + fileType + `"}`), []string{fileType}
	case bodyMultipart:
		return d.multipartSchema(m, about)
	}
	return d.schema(m.schema, about)
}

// multipartSchema writes the schema of a form in which texts that are binary, or have a media type of their own that is,
// are files.
func (d *document) multipartSchema(m *payloadMedia, about string) ([]byte, []string) {
	f := &fields{d: d, required: map[string]bool{}}
	f.gather(m.schema, true, 0)
	if len(f.names) == 0 {
		m.Open = true
		return d.schema(m.schema, about)
	}
	for i, name := range f.names {
		if d.fileKind(f.schemas[i], m.Encoding[name].ContentType) != "" {
			m.Files = append(m.Files, name)
		}
	}
	if len(m.Files) == 0 {
		return d.schema(m.schema, about)
	}
	out := &node{kind: object, keys: []string{"type", "properties", "required"}}
	props, required := &node{kind: object}, &node{kind: list}
	for i, name := range f.names {
		p := f.schemas[i]
		switch d.fileKind(p, m.Encoding[name].ContentType) {
		case "file":
			p = fileNode
		case "files":
			p = &node{kind: object, keys: []string{"type", "items"}, vals: []*node{{kind: text, str: "array"}, fileNode}}
		}
		props.keys, props.vals = append(props.keys, name), append(props.vals, p)
		if f.required[name] {
			required.vals = append(required.vals, &node{kind: text, str: name})
		}
	}
	out.vals = []*node{{kind: text, str: "object"}, props, required}
	if more := m.schema.get("additionalProperties"); more != nil {
		out.keys, out.vals = append(out.keys, "additionalProperties"), append(out.vals, more)
	}
	return d.schema(out, about)
}

var fileNode = &node{kind: object, keys: []string{"type"}, vals: []*node{{kind: text, str: "file"}}}

// fileKind reports whether a field is a file, a list of files, or neither ("").
func (d *document) fileKind(p *node, contentType string) string {
	p = d.target(p)
	if p.string("type") == "array" || p.get("items") != nil {
		if d.fileKind(p.get("items"), contentType) == "file" {
			return "files"
		}
		return ""
	}
	types := schemaTypes(p, d.version)
	if len(types) == 1 && types[0] == "file" {
		return "file"
	}
	if len(types) > 0 && !textOnly(types) {
		return ""
	}
	if len(types) > 0 && p.string("format") == "binary" {
		return "file"
	}
	if own := p.string("contentMediaType"); own != "" && p.get("contentEncoding") == nil {
		contentType = own
	}
	if contentType != "" && p.get("enum") == nil && p.get("properties") == nil && p.get("allOf") == nil && p.get("anyOf") == nil && p.get("oneOf") == nil {
		first, _, _ := strings.Cut(contentType, ",")
		if k := mediaKind(first); (k == bodyBinary || strings.HasSuffix(essence(first), "/*") && !strings.HasPrefix(first, "text/") && essence(first) != "*/*") && p.string("format") != "byte" {
			return "file"
		}
	}
	return ""
}

// target follows references of schemas without warnings; those come when the schema is written.
func (d *document) target(n *node) *node {
	for hop := 0; hop < maxHops && n.is(object); hop++ {
		ref := n.get("$ref")
		if !ref.is(text) {
			return n
		}
		pointer, ok := d.local(ref.str)
		if !ok {
			return nil
		}
		n = d.lookup(pointer)
	}
	return n
}

// fields are the properties of an object schema and of what it is made of.
type fields struct {
	d        *document
	names    []string
	schemas  []*node
	required map[string]bool
}

const maxFields = 500

func (f *fields) gather(n *node, must bool, depth int) {
	n = f.d.target(n)
	if !n.is(object) || depth > 8 || len(f.names) > maxFields {
		return
	}
	if props := n.get("properties"); props.is(object) {
	next:
		for i, name := range props.keys {
			for j := range f.names {
				if f.names[j] == name {
					f.schemas[j] = props.vals[i]
					continue next
				}
			}
			f.names, f.schemas = append(f.names, name), append(f.schemas, props.vals[i])
		}
	}
	if must {
		for _, name := range f.d.required(n) {
			f.required[name] = true
		}
	}
	for _, c := range n.get("allOf").items() {
		f.gather(c, must, depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		for _, c := range n.get(word).items() {
			f.gather(c, false, depth+1)
		}
	}
}

// maxTerms bounds the names that search knows of one tool.
const maxTerms = 48

// terms lists the names of what the caller can give.
func (d *document) terms(op *operation) []string {
	var out []string
	for _, p := range op.params {
		out = append(out, p.Name)
	}
	if op.body != nil && len(op.body.media) > 0 {
		f := &fields{d: d, required: map[string]bool{}}
		f.gather(op.body.media[0].schema, false, 0)
		out = append(out, f.names...)
	}
	if len(out) > maxTerms {
		out = out[:maxTerms]
	}
	return distinct(out)
}
