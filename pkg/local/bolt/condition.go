package bolt

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/proagentstore/pags/pkg/port"
)

// holds evaluates a checked condition on a live item; it is nil where there is none or it has expired.
func holds(c *port.Cond, it port.Item) bool {
	switch c.Op {
	case port.OpAnd:
		for _, a := range c.Args {
			if !holds(a, it) {
				return false
			}
		}
		return true
	case port.OpOr:
		for _, a := range c.Args {
			if holds(a, it) {
				return true
			}
		}
		return false
	}
	have, there := it[c.Attr]
	if c.Attr == "" {
		there = it != nil
	}
	switch c.Op {
	case port.OpExists:
		return there
	case port.OpNotExists:
		return !there
	}
	return there && compares(c.Op, have, c.Value)
}

// compares: only values of the same type compare.
func compares(op port.CondOp, have, want any) bool {
	var order int
	switch w := want.(type) {
	case string:
		h, ok := have.(string)
		if !ok {
			return false
		}
		if op == port.OpBegins {
			return strings.HasPrefix(h, w)
		}
		order = strings.Compare(h, w)
	case json.Number:
		h, ok := have.(json.Number)
		if !ok {
			return false
		}
		order = port.CompareNumbers(h, w)
	case []byte:
		h, ok := have.([]byte)
		if !ok {
			return false
		}
		order = bytes.Compare(h, w)
	default:
		if !sameKind(have, want) {
			return false
		}
		if !equal(have, want) {
			order = 1
		}
	}
	switch op {
	case port.OpEq:
		return order == 0
	case port.OpNe:
		return order != 0
	case port.OpLt:
		return order < 0
	case port.OpLe:
		return order <= 0
	case port.OpGt:
		return order > 0
	case port.OpGe:
		return order >= 0
	}
	return false
}

func sameKind(a, b any) bool {
	ok := false
	switch a.(type) {
	case nil:
		ok = b == nil
	case bool:
		_, ok = b.(bool)
	case []any:
		_, ok = b.([]any)
	case map[string]any:
		_, ok = b.(map[string]any)
	}
	return ok
}

// equal compares whole values; numbers are written one way, so their texts compare.
func equal(a, b any) bool {
	switch x := a.(type) {
	case []byte:
		y, ok := b.([]byte)
		return ok && bytes.Equal(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if other, there := y[k]; !there || !equal(x[k], other) {
				return false
			}
		}
		return true
	}
	if _, list := b.([]any); list {
		return false
	}
	switch b.(type) {
	case []byte, map[string]any:
		return false
	}
	return a == b
}
