package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a document's shape, so that a small hostile one cannot become a large tree.
const (
	maxDepth   = 200
	spareNodes = 100_000 // values beyond one per byte that aliases may add
)

// syntaxError says where a document stops being one.
type syntaxError struct {
	line, column int
	reason       string
	final        bool // reading it otherwise would not help
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

// readJSON reads JSON strictly, in one pass, keeping lines. Doubled keys are kept: node.get takes the last.
func readJSON(s string) (*node, error) {
	r := &jsonReader{s: s, line: 1, words: map[string]string{}}
	n, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if r.space(); r.i < len(s) {
		return nil, r.fail("there is more text after the end of the document")
	}
	return n, nil
}

type jsonReader struct {
	s         string
	i         int
	line      int
	lineStart int
	words     map[string]string // keys repeat: one copy of each
}

func (r *jsonReader) fail(format string, args ...any) error {
	return &syntaxError{line: r.line, column: r.i - r.lineStart + 1, reason: fmt.Sprintf(format, args...)}
}

func (r *jsonReader) space() {
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case '\n':
			r.line++
			r.i++
			r.lineStart = r.i
		case ' ', '\t', '\r':
			r.i++
		default:
			return
		}
	}
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, r.fail("nested more than %d levels deep", maxDepth)
	}
	r.space()
	if r.i >= len(r.s) {
		return nil, r.fail("the document ends in the middle")
	}
	n := &node{line: int32(r.line)}
	switch c := r.s[r.i]; c {
	case '{':
		n.kind = object
		return n, r.members(n, depth)
	case '[':
		n.kind = list
		return n, r.elements(n, depth)
	case '"':
		s, err := r.quoted()
		n.kind, n.str = text, s
		return n, err
	default:
		end := r.i
		for end < len(r.s) && strings.IndexByte(" \t\r\n,]}:", r.s[end]) < 0 {
			end++
		}
		word := r.s[r.i:end]
		switch {
		case word == "null":
		case word == "true" || word == "false":
			n.kind, n.str = boolean, strings.Clone(word)
		case validNumber(word):
			n.kind, n.str = number, strings.Clone(word)
		default:
			return nil, r.fail("%q is not a JSON value", clip(r.s[r.i:max(end, min(r.i+1, len(r.s)))], 20))
		}
		r.i = end
		return n, nil
	}
}

func (r *jsonReader) members(n *node, depth int) error {
	r.i++
	for first := true; ; first = false {
		r.space()
		if r.i < len(r.s) && r.s[r.i] == '}' && first {
			r.i++
			return nil
		}
		if r.i >= len(r.s) || r.s[r.i] != '"' {
			return r.fail("expected a quoted key")
		}
		key, err := r.quoted()
		if err != nil {
			return err
		}
		if known, ok := r.words[key]; ok {
			key = known
		} else {
			r.words[key] = key
		}
		if r.space(); r.i >= len(r.s) || r.s[r.i] != ':' {
			return r.fail("expected a colon after %q", clip(key, 40))
		}
		r.i++
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.keys, n.vals = append(n.keys, key), append(n.vals, v)
		if done, err := r.next('}'); done || err != nil {
			return err
		}
	}
}

func (r *jsonReader) elements(n *node, depth int) error {
	r.i++
	if r.space(); r.i < len(r.s) && r.s[r.i] == ']' {
		r.i++
		return nil
	}
	for {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.vals = append(n.vals, v)
		if done, err := r.next(']'); done || err != nil {
			return err
		}
	}
}

// next passes a comma, or the closing bracket.
func (r *jsonReader) next(end byte) (done bool, err error) {
	r.space()
	if r.i < len(r.s) && (r.s[r.i] == ',' || r.s[r.i] == end) {
		r.i++
		return r.s[r.i-1] == end, nil
	}
	return false, r.fail("expected a comma or %q", string(end))
}

func (r *jsonReader) quoted() (string, error) {
	start := r.i + 1
	escaped := false
	for i := start; i < len(r.s); i++ {
		switch c := r.s[i]; {
		case c == '\\':
			escaped = true
			i++
		case c < 0x20:
			return "", r.fail("a line break or control character inside a text")
		case c == '"':
			body := r.s[start:i]
			if !escaped && utf8.ValidString(body) {
				r.i = i + 1
				return strings.Clone(body), nil
			}
			var s string
			if err := json.Unmarshal([]byte(r.s[start-1:i+1]), &s); err != nil {
				return "", r.fail("a broken escape inside a text")
			}
			r.i = i + 1
			return s, nil
		}
	}
	return "", r.fail("a text is not closed")
}

// clip shortens a text to so many bytes, on a character's edge.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
