package asl

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scope is what expressions see.
type scope struct {
	input   any
	context func() any // the context object, made only when a path asks for it
	rand    func() float64
}

// expression is a path, or a call of an intrinsic function.
type expression interface {
	eval(s *scope, field string) (any, *Failure)
}

func (p Path) eval(s *scope, field string) (any, *Failure) {
	root := s.input
	if p.context {
		root = s.context()
	}
	v, ok := p.find(root)
	if !ok {
		return nil, runtimeFailure("The JSONPath '", p.text, "' specified for the field '", field,
			"' could not be found in the input '", string(encode(root)), "'")
	}
	return v, nil
}

// parseExpression reads the text of a field whose name ends in ".$".
func parseExpression(text string) (expression, error) {
	if strings.HasPrefix(text, "$") {
		return ParsePath(text)
	}
	return parseIntrinsic(text)
}

// template is a payload template: JSON in which fields named "x.$" are expressions.
type template struct {
	literal any
	expr    expression
	field   string
	object  []member
	array   []*template
	fixed   bool // nothing in it is an expression
}

type member struct {
	name  string
	value *template
}

func parseTemplate(v any) (*template, error) {
	switch x := v.(type) {
	case map[string]any:
		t := &template{literal: v, fixed: true, object: make([]member, 0, len(x))}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			m, err := parseMember(key, x[key])
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(t.object, func(o member) bool { return o.name == m.name }) {
				return nil, fmt.Errorf("%q is given twice, with and without .$", m.name)
			}
			t.fixed = t.fixed && m.value.fixed
			t.object = append(t.object, m)
		}
		return t, nil
	case []any:
		t := &template{literal: v, fixed: true, array: make([]*template, 0, len(x))}
		for i, e := range x {
			inner, err := parseTemplate(e)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			t.fixed = t.fixed && inner.fixed
			t.array = append(t.array, inner)
		}
		return t, nil
	}
	return &template{literal: v, fixed: true}, nil
}

func parseMember(key string, v any) (member, error) {
	name, dynamic := strings.CutSuffix(key, ".$")
	if !dynamic {
		inner, err := parseTemplate(v)
		if err != nil {
			return member{}, fmt.Errorf("%s: %w", key, err)
		}
		return member{name, inner}, nil
	}
	text, ok := v.(string)
	if !ok {
		return member{}, fmt.Errorf("%s: a path or an intrinsic function is expected", key)
	}
	expr, err := parseExpression(text)
	if err != nil {
		return member{}, fmt.Errorf("%s: %w", key, err)
	}
	return member{name, &template{expr: expr, field: key}}, nil
}

func (t *template) eval(s *scope) (any, *Failure) {
	switch {
	case t.fixed:
		return t.literal, nil
	case t.expr != nil:
		return t.expr.eval(s, t.field)
	case t.object != nil:
		out := make(map[string]any, len(t.object))
		for _, m := range t.object {
			v, fail := m.value.eval(s)
			if fail != nil {
				return nil, fail
			}
			out[m.name] = v
		}
		return out, nil
	default:
		out := make([]any, 0, len(t.array))
		for _, e := range t.array {
			v, fail := e.eval(s)
			if fail != nil {
				return nil, fail
			}
			out = append(out, v)
		}
		return out, nil
	}
}

func number(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
