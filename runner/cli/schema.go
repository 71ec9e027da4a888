package cli

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// field is one member of an object schema as people fill it in.
type field struct {
	name     string
	about    string
	required bool
	schema   map[string]any
	doc      map[string]any // the whole schema, for its definitions
}

// fieldsOf lists the members of an object schema, the required ones first. A schema that is no object has none.
func fieldsOf(schema map[string]any) []field { return members(schema, schema) }

func members(of, doc map[string]any) []field {
	of = resolve(of, doc)
	props, _ := of["properties"].(map[string]any)
	must := map[string]bool{}
	if list, ok := of["required"].([]any); ok {
		for _, name := range list {
			must[fmt.Sprint(name)] = true
		}
	}
	out := make([]field, 0, len(props))
	for name, p := range props {
		s, _ := p.(map[string]any)
		s = resolve(s, doc)
		about, _ := s["description"].(string)
		if about == "" {
			about, _ = s["title"].(string)
		}
		out = append(out, field{name, about, must[name], s, doc})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].required != out[j].required {
			return out[i].required
		}
		return out[i].name < out[j].name
	})
	return out
}

// maxRefs bounds how many references are followed in a row; a loop of them means nothing.
const maxRefs = 8

func resolve(s, doc map[string]any) map[string]any {
	for range maxRefs {
		ref, ok := s["$ref"].(string)
		name, local := strings.CutPrefix(ref, "#/$defs/")
		if !ok || !local {
			return s
		}
		defs, _ := doc["$defs"].(map[string]any)
		next, ok := defs[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
		if !ok {
			return s
		}
		s = next
	}
	return s
}

// kinds lists the types that a value may have; none means any.
func (f field) kinds() []string { return kindsOf(f.schema, f.doc) }

func kindsOf(s, doc map[string]any) []string {
	s = resolve(s, doc)
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, k := range t {
			out = append(out, fmt.Sprint(k))
		}
		return out
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		var out []string
		alternatives, _ := s[key].([]any)
		for _, alt := range alternatives {
			if m, ok := alt.(map[string]any); ok {
				out = append(out, kindsOf(m, doc)...)
			}
		}
		if len(out) > 0 {
			return distinct(out)
		}
	}
	return nil
}

// options are the values of an enumeration.
func (f field) options() []any {
	if v, ok := f.schema["const"]; ok {
		return []any{v}
	}
	list, _ := f.schema["enum"].([]any)
	return list
}

// typ names the type for people.
func (f field) typ() string { return typeName(f.schema, f.doc, 0) }

func typeName(s, doc map[string]any, depth int) string {
	s = resolve(s, doc)
	if list := (field{schema: s}).options(); len(list) > 0 {
		var texts []string
		for i, v := range list {
			if i == 8 {
				texts = append(texts, "…")
				break
			}
			texts = append(texts, compact(v))
		}
		return strings.Join(texts, " | ")
	}
	kinds := kindsOf(s, doc)
	for i, k := range kinds {
		if items, ok := s["items"].(map[string]any); ok && k == "array" && depth < 3 {
			kinds[i] = "array of " + typeName(items, doc, depth+1)
		}
		if format, ok := s["format"].(string); ok && k == "string" {
			kinds[i] = "string (" + format + ")"
		}
	}
	if len(kinds) == 0 {
		return "any"
	}
	return strings.Join(kinds, " or ")
}

// compact is a value in one line of JSON; a plain text stays as it is.
func compact(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// template is an example value of a schema: its required members, each by its default, first choice or a mark for its type.
func template(schema map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range fieldsOf(schema) {
		if f.required {
			out[f.name] = f.example(0)
		}
	}
	return out
}

func (f field) example(depth int) any {
	for _, key := range []string{"default", "example"} {
		if v, ok := f.schema[key]; ok {
			return v
		}
	}
	if list := f.options(); len(list) > 0 {
		return list[0]
	}
	kinds := f.kinds()
	if len(kinds) == 0 {
		return "…"
	}
	switch kinds[0] {
	case "boolean":
		return false
	case "integer", "number":
		return 0
	case "array":
		return []any{}
	case "null":
		return nil
	case "object":
		out := map[string]any{}
		if depth < 3 {
			for _, m := range members(f.schema, f.doc) {
				if m.required {
					out[m.name] = m.example(depth + 1)
				}
			}
		}
		return out
	}
	return "…"
}

// value turns typed text into what the schema takes. Text stays text where the schema does not ask for more.
func (f field) value(text string) (any, error) {
	for _, v := range f.options() {
		if compact(v) == text {
			return v, nil
		}
	}
	if list := f.options(); len(list) > 0 {
		return nil, fmt.Errorf("it is one of: %s", f.typ())
	}
	kinds := f.kinds()
	for _, k := range kinds {
		switch k {
		case "string":
			return text, nil
		case "boolean":
			switch strings.ToLower(text) {
			case "y", "yes", "true":
				return true, nil
			case "n", "no", "false":
				return false, nil
			}
		case "null":
			if text == "null" {
				return nil, nil
			}
		default: // integer, number, array, object
			v, err := decodeJSON(text)
			if err == nil && fits(k, v) {
				return v, nil
			}
		}
	}
	if len(kinds) == 0 {
		return text, nil
	}
	return nil, fmt.Errorf("%q is not %s", text, f.typ())
}

func fits(kind string, v any) bool {
	switch x := v.(type) {
	case json.Number:
		_, err := x.Int64()
		return kind == "number" || kind == "integer" && err == nil
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// decodeJSON reads one JSON value and keeps the digits of its numbers.
func decodeJSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("there is more behind the JSON value")
	}
	return v, nil
}

func distinct(in []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
