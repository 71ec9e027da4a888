package catalog

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// document is a description while it is being read.
type document struct {
	ctx      context.Context
	options  Options
	url      *url.URL // where it came from, or nil
	root     *node
	version  int // 20, 30, 31
	source   *Source
	schemas  *definitions
	warnings warnings
	guessed  []Placement // parameters that look like credentials
	uses     []string    // definitions that the schema being written refers to
	scratch  []byte      // where it is written
}

const (
	maxWarnings = 200
	maxHops     = 32 // references to references
)

type warnings struct {
	all     []Warning
	seen    map[string]bool
	dropped int
}

func (w *warnings) list() []Warning {
	if w.dropped > 0 {
		return append(w.all, Warning{Code: "more", Message: fmt.Sprintf("%d more warnings are not listed", w.dropped)})
	}
	return w.all
}

// warn notes something once.
func (d *document) warn(code string, line int, format string, args ...any) {
	w := &d.warnings
	text := clip(fmt.Sprintf(format, args...), 300)
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	if key := code + text; w.seen[key] && code != "yamlRepaired" {
		return
	} else if w.seen[key] = true; len(w.all) >= maxWarnings {
		w.dropped++
		return
	}
	w.all = append(w.all, Warning{code, line, text})
}

// local turns a reference into a pointer of this document. A reference elsewhere is refused: following it would let a
// document fetch from, or read files of, whoever imports it.
func (d *document) local(ref string) (pointer string, ok bool) {
	if strings.HasPrefix(ref, "#") {
		return ref[1:], true
	}
	file, fragment, hasFragment := strings.Cut(ref, "#")
	if !hasFragment && !strings.ContainsAny(ref, "./:") { // a bare name, as Swagger 1.2 wrote it
		for _, at := range []string{"/definitions/", "/components/schemas/"} {
			if d.lookup(at+escapePointer(ref)) != nil {
				return at + escapePointer(ref), true
			}
		}
	}
	if d.url != nil {
		if to, err := d.url.Parse(file); err == nil && to.String() == d.url.String() {
			return fragment, true
		}
	}
	if self := d.root.string("$self"); self != "" && file == self {
		return fragment, true
	}
	return "", false
}

// lookup follows a JSON pointer (RFC 6901), also one that is percent-encoded as part of a URL.
func (d *document) lookup(pointer string) *node {
	n := d.root
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		key := unescapePointer(part)
		switch {
		case n.is(list):
			var i int
			if _, err := fmt.Sscanf(key, "%d", &i); err != nil || i < 0 || i >= len(n.vals) {
				return nil
			}
			n = n.vals[i]
		default:
			next := n.get(key)
			if next == nil {
				if plain, err := url.PathUnescape(part); err == nil {
					next = n.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(plain))
				}
			}
			n = next
		}
		if n == nil {
			return nil
		}
	}
	return n
}

func unescapePointer(s string) string {
	if !strings.Contains(s, "~") {
		return s
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
}

func escapePointer(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }

// follow resolves a reference to anything but a schema. Nil, with a warning, when it leads nowhere.
func (d *document) follow(n *node) *node {
	for hop := 0; n.is(object); hop++ {
		ref := n.get("$ref")
		if !ref.is(text) {
			return n
		}
		if hop == maxHops {
			d.warn("referenceLoop", n.lineNumber(), "reference %q only leads to itself", ref.str)
			return nil
		}
		to := d.resolve(ref.str, n.lineNumber())
		if to == nil {
			return nil
		}
		n = to
	}
	return n
}

// resolve finds what a reference points to, or warns.
func (d *document) resolve(ref string, line int) *node {
	pointer, ok := d.local(ref)
	if !ok {
		d.warn("externalReference", line, "reference %q leads outside of this document and is not followed", ref)
		return nil
	}
	n := d.lookup(pointer)
	if n == nil {
		d.warn("missingReference", line, "reference %q points to nothing", ref)
	}
	return n
}
