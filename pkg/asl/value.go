package asl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// Values are what encoding/json decodes with UseNumber: numbers keep their digits. They are never changed in place, so
// states share them freely.

// decode reads exactly one JSON value.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("empty text is not JSON")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return v, nil
}

// encode writes a value compactly, keys sorted, without escaping HTML.
func encode(v any) json.RawMessage { return appendValue(make([]byte, 0, 128), v) }

func appendValue(b []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if x {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case json.Number:
		return append(b, x...)
	case string:
		return appendText(b, x)
	case []any:
		b = append(b, '[')
		for i, e := range x {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, k), ':')
			b = appendValue(b, x[k])
		}
		return append(b, '}')
	default: // not reached: values come from decode and from our own functions
		return append(b, "null"...)
	}
}

const hexDigits = "0123456789abcdef"

func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}

// compareNumbers orders two JSON numbers by value; false if one is not a number we can hold.
func compareNumbers(a, b json.Number) (int, bool) {
	x, ok := rational(a)
	if !ok {
		return 0, false
	}
	y, ok := rational(b)
	if !ok {
		return 0, false
	}
	return x.Cmp(y), true
}

// rational refuses exponents that would take unbounded memory ("1e999999999").
func rational(n json.Number) (*big.Rat, bool) {
	s := string(n)
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// equal compares by JSON meaning: 1 and 1.0 are equal.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		if x == y {
			return true
		}
		c, ok := compareNumbers(x, y)
		return ok && c == 0
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, there := y[k]
			if !there || !equal(v, w) {
				return false
			}
		}
		return true
	default:
		return a == b
	}
}

// whole reads an integer; a fraction of zero counts ("3.0").
func whole(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	r, ok := rational(n)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}
