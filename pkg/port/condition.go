package port

import (
	"encoding/json"

	"github.com/proagentstore/pags/pkg/pags"
)

// checked returns a copy with values as the table keeps them; nil stays nil.
func (c *Cond) checked() (*Cond, error) { return c.checkedTo(maxDepth) }

func (c *Cond) checkedTo(depth int) (*Cond, error) {
	if c == nil {
		return nil, nil
	}
	if depth < 0 {
		return nil, pags.Errorf(pags.Invalid, "conditions nest deeper than %d", maxDepth)
	}
	out := &Cond{Op: c.Op, Attr: c.Attr}
	switch c.Op {
	case OpExists, OpNotExists:
		return out, nil
	case OpAnd, OpOr:
		if len(c.Args) == 0 {
			return nil, pags.Errorf(pags.Invalid, "%q of no conditions", c.Op)
		}
		for _, a := range c.Args {
			if a == nil {
				return nil, pags.Errorf(pags.Invalid, "%q of a missing condition", c.Op)
			}
			arg, err := a.checkedTo(depth - 1)
			if err != nil {
				return nil, err
			}
			out.Args = append(out.Args, arg)
		}
		return out, nil
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe, OpBegins:
	default:
		return nil, pags.Errorf(pags.Invalid, "unknown condition %.20q", string(c.Op))
	}
	if c.Attr == "" {
		return nil, pags.Errorf(pags.Invalid, "a comparison %q without an attribute", c.Op)
	}
	v, err := Value(c.Value)
	if err != nil {
		return nil, err
	}
	if !orders(c.Op, v) {
		return nil, pags.Errorf(pags.Invalid, "%q does not compare a value of type %T", c.Op, c.Value)
	}
	out.Value = v
	return out, nil
}

// orders: order is defined on texts, numbers and bytes, prefixes on texts; anything can be equal.
func orders(op CondOp, v any) bool {
	switch v.(type) {
	case string:
		return true
	case json.Number, []byte:
		return op != OpBegins
	default:
		return op == OpEq || op == OpNe
	}
}

// eachAttr visits every attribute the condition looks at.
func (c *Cond) eachAttr(visit func(attr string) error) error {
	if c == nil {
		return nil
	}
	if c.Op != OpAnd && c.Op != OpOr && c.Attr != "" {
		if err := visit(c.Attr); err != nil {
			return err
		}
	}
	for _, a := range c.Args {
		if err := a.eachAttr(visit); err != nil {
			return err
		}
	}
	return nil
}
