package catalog

import (
	"bytes"
	"sort"
	"strings"
)

// maxText is how much of a description a schema keeps.
const maxText = 1000

// schema writes a schema of the document as JSON Schema 2020-12 and names the definitions it uses. about replaces its
// description if there is one.
func (d *document) schema(n *node, about string) (out []byte, uses []string) {
	outer := d.uses
	d.uses = nil
	d.scratch = d.appendSchema(d.scratch[:0], n, about, 0)
	uses, d.uses = sortedSet(d.uses), outer
	return bytes.Clone(d.scratch), uses
}

func sortedSet(in []string) []string {
	sort.Strings(in)
	out := in[:0]
	for i, s := range in {
		if i == 0 || s != in[i-1] {
			out = append(out, s)
		}
	}
	return out
}

func (d *document) appendSchema(b []byte, n *node, about string, depth int) []byte {
	if n.is(boolean) {
		return append(b, n.str...)
	}
	if !n.is(object) || depth > maxDepth {
		return appendMember(b, "description", about)
	}
	d.breakLoops(n)
	if about == "" {
		about = clip(n.string("description"), maxText)
	}
	if d.version != 31 && (n.isTrue("nullable") || n.isTrue("x-nullable")) && (n.get("$ref") != nil || n.get("type") == nil) {
		w := &schemaWriter{d: d, b: append(b, `{"anyOf":[`...), depth: depth}
		w.b = d.appendPlain(w.b, n, "", depth+1)
		w.b = append(w.b, `,{"type":"null"}]`...)
		w.any = true
		w.text("description", about)
		return append(w.b, '}')
	}
	return d.appendPlain(b, n, about, depth)
}

func appendMember(b []byte, key, value string) []byte {
	if value == "" {
		return append(b, "{}"...)
	}
	b = append(appendQuoted(append(b, '{'), key), ':')
	return append(appendQuoted(b, value), '}')
}

// appendPlain writes the keywords of a schema. Only those that mean something in JSON Schema are kept, and only with values
// that are legal there: one slip in a large description must not cost a tool.
func (d *document) appendPlain(b []byte, n *node, about string, depth int) []byte {
	w := &schemaWriter{d: d, b: append(b, '{'), depth: depth}
	if ref := n.get("$ref"); ref.is(text) {
		w.reference(n, ref)
		w.text("description", about)
		if d.version != 31 { // beside a reference only 3.1 gives other keywords a meaning
			return append(w.b, '}')
		}
	} else {
		w.text("description", about)
	}
	types := schemaTypes(n, d.version)
	if len(types) == 1 && types[0] == "file" {
		d.uses = append(d.uses, fileType)
		w.key("$ref")
		w.b = append(appendQuoted(w.b, "#/$defs/"+fileType), '}')
		return w.b
	}
	w.types(types)
	w.text("title", clip(n.string("title"), 200))
	w.text("format", clip(n.string("format"), 60))
	w.values(n, types)
	w.bounds(n)
	w.structure(n)
	for _, word := range []string{"readOnly", "writeOnly", "deprecated", "uniqueItems"} {
		if n.isTrue(word) {
			w.key(word)
			w.b = append(w.b, "true"...)
		}
	}
	return append(w.b, '}')
}

// typeWords are the slips that people make when naming types.
var typeWords = map[string]string{"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number",
	"decimal": "number", "bool": "boolean", "str": "string", "text": "string", "uuid": "string", "date": "string", "datetime": "string", "dict": "object", "map": "object", "list": "array"}

// schemaTypes returns the JSON types of a schema, or none when any is fine.
func schemaTypes(n *node, version int) []string {
	t := n.get("type")
	words := t.strings()
	if len(words) == 0 && t.word() != "" {
		words = []string{t.word()}
	}
	var out []string
	for _, word := range words {
		word = strings.ToLower(word)
		if other, ok := typeWords[word]; ok {
			word = other
		}
		switch word {
		case "string", "number", "integer", "boolean", "array", "object", "null":
			out = append(out, word)
		case "file":
			return []string{"file"}
		default:
			return nil
		}
	}
	if len(out) == 0 && t == nil && n.get("properties").is(object) && n.get("$ref") == nil {
		out = append(out, "object")
	}
	if len(out) > 0 && version != 31 && (n.isTrue("nullable") || n.isTrue("x-nullable")) {
		out = append(out, "null")
	}
	return out
}

// textOnly reports whether every value of such a schema is a text.
func textOnly(types []string) bool {
	for _, t := range types {
		if t != "string" && t != "null" {
			return false
		}
	}
	return len(types) > 0
}
