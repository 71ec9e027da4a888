package catalog

import (
	"sort"
	"strconv"
	"strings"
)

// fileType is the definition of a file as an argument or result.
const fileType = "ToolFile"

var fileSchema = Definition{Schema: []byte(`{"title":"file","description":"A file: its bytes in base64 as data, or the id of a stored blob.","type":"object",` +
	`"properties":{"filename":{"type":"string"},"contentType":{"type":"string"},"data":{"type":"string","contentEncoding":"base64"},"blob":{"type":"string"},"size":{"type":"integer"}},` +
	`"additionalProperties":false,"anyOf":[{"required":["data"]},{"required":["blob"]}]}`)}

// definitions are the schemas of a document that others refer to, written once each.
type definitions struct {
	byNode  map[*node]*definition
	byName  map[string]bool // lower-cased
	short   map[string]string
	queue   []*definition
	done    []*definition
	broken  map[*node]bool  // references that close a loop
	visited map[*node]uint8 // see loop.go
}

type definition struct {
	name string
	node *node
	def  Definition
}

func newDefinitions() *definitions {
	return &definitions{byNode: map[*node]*definition{}, byName: map[string]bool{strings.ToLower(fileType): true}, short: map[string]string{},
		broken: map[*node]bool{}, visited: map[*node]uint8{}}
}

func (d *document) components() (*node, string) {
	if d.version == 20 {
		return d.root.get("definitions"), "/definitions/"
	}
	return d.root.at("components", "schemas"), "/components/schemas/"
}

// plan names the schemas of the document before any is used: the last part of a dotted name if that is enough.
func (ds *definitions) plan(d *document) {
	all, at := d.components()
	count := map[string]int{}
	if !all.is(object) {
		return
	}
	for _, k := range all.keys {
		count[strings.ToLower(typeName(k[strings.LastIndexAny(k, "./")+1:]))]++
	}
	for _, k := range all.keys {
		name := typeName(k[strings.LastIndexAny(k, "./")+1:])
		if count[strings.ToLower(name)] > 1 {
			name = typeName(k)
		}
		ds.short[at+escapePointer(k)] = name
	}
}

// typeName makes a TypeScript identifier.
func typeName(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 128 && (r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			b.WriteRune(r)
		} else if b.Len() > 0 {
			b.WriteByte('_')
		}
	}
	name := strings.Trim(clip(b.String(), 80), "_…")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "T" + name
	}
	return name
}

// named returns the definition for what a pointer leads to, making it on first use.
func (ds *definitions) named(pointer string, n *node) *definition {
	if def := ds.byNode[n]; def != nil {
		return def
	}
	name := ds.short[pointer]
	if name == "" {
		parts := strings.Split(pointer, "/")
		name = typeName(unescapePointer(strings.Join(parts[max(0, len(parts)-3):], "_")))
	}
	unique := name
	for i := 2; ds.byName[strings.ToLower(unique)]; i++ {
		unique = name + "_" + strconv.Itoa(i)
	}
	ds.byName[strings.ToLower(unique)] = true
	def := &definition{name: unique, node: n}
	ds.byNode[n] = def
	ds.queue = append(ds.queue, def)
	return def
}

// finish writes every definition that a tool reaches. The other schemas of the document are looked at too, for warnings.
func (ds *definitions) finish(d *document) error {
	if err := ds.drain(d); err != nil {
		return err
	}
	s := d.source
	s.Definitions = make(map[string]Definition, len(ds.done)+1)
	s.Definitions[fileType] = fileSchema
	for _, def := range ds.done {
		s.Definitions[def.name] = def.def
	}
	all, at := d.components()
	if all.is(object) {
		for i, k := range all.keys {
			if all.vals[i].is(object) {
				ds.named(at+escapePointer(k), all.vals[i])
			}
		}
	}
	return ds.drain(d)
}

func (ds *definitions) drain(d *document) error {
	for len(ds.queue) > 0 {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		def := ds.queue[0]
		ds.queue = ds.queue[1:]
		def.def.Schema, def.def.Uses = d.schema(def.node, "")
		ds.done = append(ds.done, def)
	}
	return nil
}

// reachable returns the definitions that the given ones lead to, sorted.
func (s *Source) reachable(from ...string) []string {
	seen := map[string]bool{}
	queue := append([]string(nil), from...)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		queue = append(queue, s.Definitions[name].Uses...)
	}
	out := make([]string, 0, len(seen))
	for name := range seen {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
