package catalog

import "strings"

// What a reader is spared.
const (
	maxTypeText = 24_000 // of all definitions together
	maxUnion    = 24
	maxTypeDeep = 10
	maxComment  = 160
)

// typeWriter writes JSON Schemas as TypeScript types.
type typeWriter struct {
	source *Source
	queue  []string
	known  map[string]bool
}

func (w *typeWriter) text(schema []byte) string {
	n, err := readJSON(string(schema))
	if err != nil {
		return "unknown"
	}
	return w.write(n, 0)
}

// definitions writes what was referred to, nearest first; recursion ends because each is written once.
func (w *typeWriter) definitions() map[string]string {
	out := map[string]string{}
	size := 0
	for len(w.queue) > 0 {
		name := w.queue[0]
		w.queue = w.queue[1:]
		if size > maxTypeText {
			out[name] = "unknown /* left out here; the JSON Schema has it */"
			continue
		}
		text := w.text(w.source.Definitions[name].Schema)
		out[name] = text
		size += len(text)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (w *typeWriter) write(n *node, depth int) string {
	if n.is(boolean) && n.str == "false" {
		return "never"
	}
	if !n.is(object) || depth > maxTypeDeep {
		return "unknown"
	}
	var parts []string
	if ref := n.get("$ref"); ref.is(text) {
		name := strings.TrimPrefix(ref.str, "#/$defs/")
		if !w.known[name] {
			w.known[name] = true
			w.queue = append(w.queue, name)
		}
		parts = append(parts, name)
	}
	switch {
	case n.get("const") != nil:
		parts = append(parts, literal(n.get("const")))
	case n.get("enum").is(list):
		var all []string
		for _, v := range n.get("enum").vals {
			all = append(all, literal(v))
		}
		parts = append(parts, union(all))
	default:
		if t := w.types(n, depth); t != "" {
			parts = append(parts, t)
		}
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		var all []string
		for _, c := range n.get(word).items() {
			t := w.write(c, depth+1)
			if t == "unknown" && len(parts) > 0 { // alternatives that only say which fields are required
				continue
			}
			all = append(all, t)
		}
		if u := union(all); u != "" {
			parts = append(parts, u)
		}
	}
	for _, c := range n.get("allOf").items() {
		if t := w.write(c, depth+1); t != "unknown" {
			parts = append(parts, t)
		}
	}
	parts = distinct(parts)
	switch len(parts) {
	case 0:
		return "unknown"
	case 1:
		return parts[0]
	}
	for i, p := range parts {
		if strings.Contains(p, " | ") && p[0] != '{' && p[0] != '(' {
			parts[i] = "(" + p + ")"
		}
	}
	return strings.Join(parts, " & ")
}

// types writes what the type keyword, or else the other keywords, say of the shape.
func (w *typeWriter) types(n *node, depth int) string {
	words := n.get("type").strings()
	if len(words) == 0 {
		words = []string{n.get("type").word()}
	}
	var all []string
	for _, word := range words {
		switch word {
		case "string", "boolean", "null":
			all = append(all, word)
		case "integer", "number":
			all = append(all, "number")
		case "array":
			all = append(all, w.array(n, depth))
		case "object":
			all = append(all, w.object(n, depth))
		case "":
			if n.get("properties") != nil || n.get("additionalProperties").is(object) {
				all = append(all, w.object(n, depth))
			} else if n.get("items") != nil || n.get("prefixItems") != nil {
				all = append(all, w.array(n, depth))
			}
		}
	}
	return union(all)
}

func (w *typeWriter) array(n *node, depth int) string {
	item := w.write(n.get("items"), depth+1)
	if first := n.get("prefixItems").items(); len(first) > 0 {
		var all []string
		for _, c := range first {
			all = append(all, w.write(c, depth+1))
		}
		if n.get("items").is(object) {
			all = append(all, "..."+group(item)+"[]")
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return group(item) + "[]"
}

func group(t string) string {
	if strings.ContainsAny(t, " ") && !balanced(t) {
		return "(" + t + ")"
	}
	return t
}

// balanced reports whether a type is one pair of braces.
func balanced(t string) bool {
	if t[0] != '{' {
		return false
	}
	open := 0
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 && i < len(t)-1 {
				return false
			}
		}
	}
	return true
}

func (w *typeWriter) object(n *node, depth int) string {
	props := n.get("properties")
	more := n.get("additionalProperties")
	if !props.is(object) || len(props.keys) == 0 {
		if more.is(object) {
			return "Record<string, " + w.write(more, depth+1) + ">"
		}
		if more.is(boolean) && more.str == "false" && props != nil {
			return "{}"
		}
		return "Record<string, unknown>"
	}
	required := map[string]bool{}
	for _, name := range n.get("required").strings() {
		required[name] = true
	}
	var b strings.Builder
	b.WriteString("{ ")
	for i, name := range props.keys {
		p := props.vals[i]
		if about := oneLine(p.string("description")); about != "" {
			b.WriteString("/** " + strings.ReplaceAll(clip(about, maxComment), "*/", "* /") + " */ ")
		}
		b.WriteString(property(name))
		if !required[name] {
			b.WriteByte('?')
		}
		b.WriteString(": " + w.write(p, depth+1) + "; ")
	}
	switch {
	case more.is(object):
		b.WriteString("[key: string]: unknown; ")
	case more.is(boolean) && more.str == "true":
		b.WriteString("[key: string]: unknown; ")
	}
	b.WriteByte('}')
	return b.String()
}

// property writes a name as TypeScript allows it.
func property(name string) string {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !(c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return string(appendQuoted(nil, name))
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

func literal(n *node) string {
	switch {
	case n.is(text):
		return string(appendQuoted(nil, n.str))
	case n.is(number) || n.is(boolean):
		return n.str
	case n.is(null):
		return "null"
	}
	return "unknown"
}

// union joins alternatives; of very many only the first are shown.
func union(all []string) string {
	all = distinct(all)
	for _, t := range all {
		if t == "unknown" {
			return t
		}
	}
	if len(all) > maxUnion {
		rest := "unknown"
		if strings.HasPrefix(all[0], `"`) {
			rest = "string"
		}
		return strings.Join(all[:maxUnion], " | ") + " | " + rest + " /* and more */"
	}
	return strings.Join(all, " | ")
}
