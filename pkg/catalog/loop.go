package catalog

// inPlace are the keywords whose schemas apply to the same value as the one they stand in.
var inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

const (
	entered = 1
	left    = 2
)

// breakLoops marks references that lead back to where they stand without a step into the value: A is all of B, B is all of
// A. No value could ever be judged against those. Recursion through a property or an element is fine and stays.
func (d *document) breakLoops(n *node) {
	if d.schemas.visited[n] == 0 {
		d.visit(n)
	}
}

// visit reports whether n is on the way that is being walked.
func (d *document) visit(n *node) bool {
	ds := d.schemas
	switch ds.visited[n] {
	case entered:
		return true
	case left:
		return false
	}
	ds.visited[n] = entered
	if ref := n.get("$ref"); ref.is(text) {
		if pointer, ok := d.local(ref.str); ok {
			if to := d.lookup(pointer); to.is(object) && d.visit(to) {
				ds.broken[n] = true
				d.warn("schemaLoop", n.lineNumber(), "schema %q refers to itself without a step into the value; the reference is ignored", ref.str)
			}
		}
	}
	for _, word := range inPlace {
		for _, c := range branches(n.get(word)) {
			if c.is(object) {
				d.visit(c)
			}
		}
	}
	ds.visited[n] = left
	return false
}

// branches returns the schemas of a keyword that takes one or several.
func branches(n *node) []*node {
	if n.is(list) {
		return n.vals
	}
	if n.is(object) {
		return []*node{n}
	}
	return nil
}
