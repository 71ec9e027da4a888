package catalog

import (
	"strconv"
	"strings"
)

// kind of a value in a document.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// node is a value of a document with its place. JSON and YAML are read into the same tree, which keeps the order of keys
// (the first media type is the default one) and numbers as they are written (64 bits, exact).
type node struct {
	kind  kind
	line  int32
	str   string // text, number or boolean as JSON writes it
	raw   string // the scalar as its author wrote it, where str differs
	keys  []string
	vals  []*node
	index map[string]int
}

// get returns the member of an object, or nil; of nil it returns nil, so that chains need no checks.
func (n *node) get(key string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	if len(n.keys) <= 12 {
		for i := len(n.keys) - 1; i >= 0; i-- { // of doubled keys the last one counts
			if n.keys[i] == key {
				return n.vals[i]
			}
		}
		return nil
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.keys))
		for i, k := range n.keys {
			n.index[k] = i
		}
	}
	if i, ok := n.index[key]; ok {
		return n.vals[i]
	}
	return nil
}

// at follows several keys.
func (n *node) at(path ...string) *node {
	for _, p := range path {
		n = n.get(p)
	}
	return n
}

// word returns the text of a scalar as its author wrote it, so that an unquoted version 1.0 stays "1.0".
func (n *node) word() string {
	if n == nil || n.kind == list || n.kind == object || n.kind == null && n.raw == "" {
		return ""
	}
	if n.raw != "" {
		return n.raw
	}
	return n.str
}

// string returns the trimmed text of a scalar member.
func (n *node) string(key string) string { return strings.TrimSpace(n.get(key).word()) }

func (n *node) isTrue(key string) bool {
	v := n.get(key)
	return v != nil && (v.kind == boolean || v.kind == text) && strings.EqualFold(v.str, "true")
}

func (n *node) is(k kind) bool { return n != nil && n.kind == k }

// items returns the elements of a list, and of nothing nothing.
func (n *node) items() []*node {
	if n.is(list) {
		return n.vals
	}
	return nil
}

// strings returns the scalars of a list.
func (n *node) strings() []string {
	var out []string
	for _, v := range n.items() {
		if w := v.word(); w != "" {
			out = append(out, w)
		}
	}
	return out
}

func (n *node) lineNumber() int {
	if n == nil {
		return 0
	}
	return int(n.line)
}

// integer reads a number that counts something: whole and not negative.
func (n *node) integer() (int, bool) {
	if !n.is(number) {
		return 0, false
	}
	i, err := strconv.Atoi(n.str)
	return i, err == nil && i >= 0
}

// appendJSON writes the value as JSON, at most depth levels deep.
func (n *node) appendJSON(b []byte, depth int) []byte {
	if n == nil || depth <= 0 {
		return append(b, "null"...)
	}
	switch n.kind {
	case null:
		return append(b, "null"...)
	case boolean, number:
		return append(b, n.str...)
	case text:
		return appendQuoted(b, n.str)
	case list:
		b = append(b, '[')
		for i, v := range n.vals {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.appendJSON(b, depth-1)
		}
		return append(b, ']')
	default:
		b = append(b, '{')
		first := true
		for i, k := range n.keys {
			if n.get(k) != n.vals[i] {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendQuoted(b, k), ':')
			b = n.vals[i].appendJSON(b, depth-1)
		}
		return append(b, '}')
	}
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes a JSON string. Bytes that are not UTF-8 become the replacement character.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0
	for plain < len(s) && s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\' {
		plain++
	}
	b = append(b, s[:plain]...)
	for _, r := range s[plain:] {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// validNumber reports whether the text is a number as JSON writes it (RFC 8259, section 6).
func validNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		if !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
