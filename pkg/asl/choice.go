package asl

import (
	"fmt"
	"strings"
)

// maxRuleDepth bounds And, Or and Not inside each other.
const maxRuleDepth = 32

// rule is a condition of a Choice state. Exactly one of all, any, not and compare is set.
type rule struct {
	all, any []*rule
	not      *rule

	variable Path
	present  *bool // IsPresent
	compare  func(have, want any) bool
	want     any
	wantPath *Path

	next string // only of a top-level rule
}

func parseRule(f *fields, depth int) *rule {
	r := &rule{}
	if depth > maxRuleDepth {
		f.fail("", "conditions are nested more than %d deep", maxRuleDepth)
		return r
	}
	if depth == 0 {
		r.next = f.text("Next", true)
		f.skip("Comment")
	}
	switch {
	case f.has("And"):
		r.all = parseRules(f, "And", depth)
	case f.has("Or"):
		r.any = parseRules(f, "Or", depth)
	case f.has("Not"):
		if inner := f.object("Not"); inner != nil {
			r.not = parseRule(inner, depth+1)
			f.join(inner)
		}
	default:
		r.parseComparison(f)
	}
	f.end()
	return r
}

func parseRules(f *fields, name string, depth int) []*rule {
	items := f.objects(name)
	out := make([]*rule, 0, len(items))
	for _, inner := range items {
		out = append(out, parseRule(inner, depth+1))
		f.join(inner)
	}
	if len(out) == 0 {
		f.fail(name, "at least one condition is needed")
	}
	return out
}

func (r *rule) parseComparison(f *fields) {
	if p := f.path("Variable"); p != nil {
		r.variable = *p
	} else {
		f.fail("Variable", "is missing")
	}
	found := false
	for _, name := range f.names() {
		if name != "IsPresent" && comparisons[name].holds == nil {
			continue
		}
		if found {
			f.fail(name, "a condition has one operator only")
			return
		}
		found = true
		r.parseOperator(f, name)
	}
	if !found && f.err == nil {
		f.fail("", "a condition needs an operator; this has %s", strings.Join(f.names(), ", "))
	}
}

func (r *rule) parseOperator(f *fields, name string) {
	if name == "IsPresent" {
		b, ok := f.take(name).(bool)
		if !ok {
			f.fail(name, "true or false is expected")
		}
		r.present = &b
		return
	}
	op := comparisons[name]
	r.compare = op.holds
	if op.valid == nil {
		r.wantPath = f.path(name)
		return
	}
	if r.want = f.take(name); !op.valid(r.want) {
		f.fail(name, "%s is not a value for it", encode(r.want))
	}
}

// holds evaluates from left to right and stops as soon as the answer is known, so IsPresent can guard what follows.
func (r *rule) holds(s *scope) (bool, *Failure) {
	switch {
	case r.all != nil:
		for _, inner := range r.all {
			if ok, fail := inner.holds(s); !ok || fail != nil {
				return false, fail
			}
		}
		return true, nil
	case r.any != nil:
		for _, inner := range r.any {
			if ok, fail := inner.holds(s); ok || fail != nil {
				return ok, fail
			}
		}
		return false, nil
	case r.not != nil:
		ok, fail := r.not.holds(s)
		return !ok, fail
	}
	root := s.input
	if r.variable.context {
		root = s.context()
	}
	have, there := r.variable.find(root)
	if r.present != nil {
		return there == *r.present, nil
	}
	if !there {
		return false, invalidPath(r.variable)
	}
	want := r.want
	if r.wantPath != nil {
		if root = s.input; r.wantPath.context {
			root = s.context()
		}
		if want, there = r.wantPath.find(root); !there {
			return false, invalidPath(*r.wantPath)
		}
	}
	return r.compare(have, want), nil
}

func invalidPath(p Path) *Failure {
	return runtimeFailure(fmt.Sprintf("Invalid path '%s': The choice state's condition path references an invalid value.", p))
}
