package catalog

import (
	"strings"
)

// schemaWriter writes the members of one schema object.
type schemaWriter struct {
	d     *document
	b     []byte
	any   bool
	depth int
}

func (w *schemaWriter) key(k string) {
	if w.any {
		w.b = append(w.b, ',')
	}
	w.any = true
	w.b = append(appendQuoted(w.b, k), ':')
}

func (w *schemaWriter) text(k, v string) {
	if v != "" {
		w.key(k)
		w.b = appendQuoted(w.b, v)
	}
}

func (w *schemaWriter) schema(k string, n *node) {
	w.key(k)
	w.b = w.d.appendSchema(w.b, n, "", w.depth+1)
}

// reference writes a $ref into the shared definitions; one that leads nowhere allows anything.
func (w *schemaWriter) reference(n, ref *node) {
	if w.d.schemas.broken[n] {
		return
	}
	to := w.d.resolve(ref.str, n.lineNumber())
	if to == nil || !to.is(object) {
		return
	}
	pointer, _ := w.d.local(ref.str)
	def := w.d.schemas.named(pointer, to)
	w.d.uses = append(w.d.uses, def.name)
	w.text("$ref", "#/$defs/"+def.name)
}

func (w *schemaWriter) types(types []string) {
	switch len(types) {
	case 0:
	case 1:
		w.text("type", types[0])
	default:
		w.key("type")
		w.b = appendStrings(w.b, types)
	}
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, s)
	}
	return append(b, ']')
}

// value writes a constant. Where the schema takes only texts, an unquoted 1.0 or 2020-01-01 is the text its author typed.
func (w *schemaWriter) value(n *node, types []string) {
	if textOnly(types) && (n.is(number) || n.is(boolean)) {
		w.b = appendQuoted(w.b, n.word())
		return
	}
	w.b = n.appendJSON(w.b, 40)
}

func (w *schemaWriter) values(n *node, types []string) {
	if enum := n.get("enum"); enum.is(list) && len(enum.vals) > 0 {
		w.key("enum")
		w.b = append(w.b, '[')
		hasNull := false
		for i, v := range enum.vals {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			hasNull = hasNull || v.is(null)
			w.value(v, types)
		}
		if len(types) > 1 && types[len(types)-1] == "null" && !hasNull {
			w.b = append(w.b, ",null"...)
		}
		w.b = append(w.b, ']')
	}
	if c := n.get("const"); c != nil {
		w.key("const")
		w.value(c, types)
	}
	if def := n.get("default"); def != nil && !def.is(null) {
		w.key("default")
		w.value(def, types)
	}
	example := n.get("example")
	if ex := n.get("examples").items(); len(ex) > 0 {
		example = ex[0]
	}
	if example != nil && example.kind != list && example.kind != object && example.kind != null && len(example.str) <= 200 {
		w.key("examples")
		w.b = append(w.b, '[')
		w.value(example, types)
		w.b = append(w.b, ']')
	}
}

// bounds writes the limits on numbers and lengths.
func (w *schemaWriter) bounds(n *node) {
	for _, pair := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		word, strict := pair[0], pair[1]
		bound, exclusive := n.get(word), n.get(strict)
		if bound.is(number) {
			if exclusive.is(boolean) && exclusive.str == "true" { // 3.0: a boolean beside the bound
				w.key(strict)
			} else {
				w.key(word)
			}
			w.b = append(w.b, bound.str...)
		}
		if exclusive.is(number) {
			w.key(strict)
			w.b = append(w.b, exclusive.str...)
		}
	}
	if m := n.get("multipleOf"); m.is(number) && strings.Trim(m.str, "0.") != "" && m.str[0] != '-' {
		w.key("multipleOf")
		w.b = append(w.b, m.str...)
	}
	for _, word := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"} {
		if v := n.get(word); v != nil {
			if _, ok := v.integer(); ok {
				w.key(word)
				w.b = append(w.b, v.str...)
			}
		}
	}
	for _, word := range []string{"pattern", "contentEncoding", "contentMediaType"} {
		if v := n.get(word); v.is(text) {
			w.text(word, v.str)
		}
	}
}

// structure writes the keywords that hold schemas.
func (w *schemaWriter) structure(n *node) {
	for _, word := range []string{"properties", "patternProperties", "dependentSchemas"} {
		if props := n.get(word); props.is(object) && len(props.keys) > 0 {
			w.key(word)
			w.b = append(w.b, '{')
			first := true
			for i, k := range props.keys {
				if props.get(k) != props.vals[i] {
					continue
				}
				if !first {
					w.b = append(w.b, ',')
				}
				first = false
				w.b = append(appendQuoted(w.b, k), ':')
				w.b = w.d.appendSchema(w.b, props.vals[i], "", w.depth+1)
			}
			w.b = append(w.b, '}')
		}
	}
	if req := w.d.required(n); len(req) > 0 {
		w.key("required")
		w.b = appendStrings(w.b, req)
	}
	for _, word := range []string{"additionalProperties", "unevaluatedProperties", "propertyNames", "contains", "unevaluatedItems", "not", "if", "then", "else"} {
		if v := n.get(word); v.is(object) || v.is(boolean) {
			w.schema(word, v)
		}
	}
	items := n.get("items")
	prefix := n.get("prefixItems").items()
	if items.is(list) { // a tuple, as older drafts wrote it
		prefix, items = items.vals, nil
	}
	w.schemas("prefixItems", prefix)
	if items.is(object) || items.is(boolean) {
		w.schema("items", items)
	}
	w.schemas("allOf", n.get("allOf").items())
	// oneOf becomes anyOf: alternatives of real descriptions overlap, and what the API accepts must not be refused here.
	one, any := n.get("oneOf").items(), n.get("anyOf").items()
	switch {
	case len(one) > 0 && len(any) > 0:
		w.schemas("anyOf", any)
		w.schemas("oneOf", one)
	default:
		w.schemas("anyOf", append(any[:len(any):len(any)], one...))
	}
}

func (w *schemaWriter) schemas(word string, all []*node) {
	if len(all) == 0 {
		return
	}
	w.key(word)
	w.b = append(w.b, '[')
	for i, v := range all {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = w.d.appendSchema(w.b, v, "", w.depth+1)
	}
	w.b = append(w.b, ']')
}

// required lists the properties that must be there in both directions: one that only the server sets, or only the client
// sends, is left out.
func (d *document) required(n *node) []string {
	var out []string
	seen := map[string]bool{}
	props := n.get("properties")
	for _, name := range n.get("required").strings() {
		p := props.get(name)
		if p.isTrue("readOnly") || p.isTrue("writeOnly") || seen[name] {
			continue
		}
		if ref := p.get("$ref"); ref.is(text) {
			if pointer, ok := d.local(ref.str); ok {
				if to := d.lookup(pointer); to.isTrue("readOnly") || to.isTrue("writeOnly") {
					continue
				}
			}
		}
		seen[name] = true
		out = append(out, name)
	}
	return out
}
