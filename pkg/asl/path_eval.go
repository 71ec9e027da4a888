package asl

import (
	"maps"
	"slices"
)

// find returns what the path selects in root. A path that points at one place and finds nothing reports false; one that
// may select many answers a list, empty if need be.
func (p Path) find(root any) (any, bool) {
	if !p.many {
		v := root
		for _, s := range p.steps {
			var ok bool
			if s.kind == stepName {
				var m map[string]any
				if m, ok = v.(map[string]any); ok {
					v, ok = m[s.names[0]]
				}
			} else {
				v, ok = at(v, s.indexes[0])
			}
			if !ok {
				return nil, false
			}
		}
		return v, true
	}
	set := []any{root}
	for _, s := range p.steps {
		var next []any
		for _, v := range set {
			next = s.apply(next, v)
		}
		set = next
	}
	if set == nil {
		set = []any{}
	}
	return set, true
}

func at(v any, i int) (any, bool) {
	list, ok := v.([]any)
	if i < 0 {
		i += len(list)
	}
	if !ok || i < 0 || i >= len(list) {
		return nil, false
	}
	return list[i], true
}

func (s step) apply(out []any, v any) []any {
	switch s.kind {
	case stepName:
		m, _ := v.(map[string]any)
		for _, name := range s.names {
			if x, ok := m[name]; ok {
				out = append(out, x)
			}
		}
	case stepIndex:
		for _, i := range s.indexes {
			if x, ok := at(v, i); ok {
				out = append(out, x)
			}
		}
	case stepSlice:
		list, _ := v.([]any)
		from, to := bound(s.from, 0, len(list)), bound(s.to, len(list), len(list))
		for i := from; i < to; i += s.by {
			out = append(out, list[i])
		}
	case stepAll:
		out = append(out, children(v)...)
	case stepDescend:
		out = s.descend(out, v)
	}
	return out
}

func (s step) descend(out []any, v any) []any {
	if s.names == nil {
		out = append(out, children(v)...)
	} else if m, ok := v.(map[string]any); ok {
		if x, ok := m[s.names[0]]; ok {
			out = append(out, x)
		}
	}
	for _, c := range children(v) {
		out = s.descend(out, c)
	}
	return out
}

func bound(at *int, without, size int) int {
	if at == nil {
		return without
	}
	n := *at
	if n < 0 {
		n += size
	}
	return min(max(n, 0), size)
}

// children lists values in a fixed order: of an object by key.
func children(v any) []any {
	switch x := v.(type) {
	case []any:
		return x
	case map[string]any:
		out := make([]any, 0, len(x))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, x[k])
		}
		return out
	}
	return nil
}

// put returns root with value at the place; objects on the way are made where nothing is. False if something else than an
// object or an existing array element stands in the way.
func (p Path) put(root, value any) (any, bool) { return put(root, p.steps, value) }

func put(root any, steps []step, value any) (any, bool) {
	if len(steps) == 0 {
		return value, true
	}
	s := steps[0]
	if s.kind == stepIndex {
		list, ok := root.([]any)
		i := s.indexes[0]
		if i < 0 {
			i += len(list)
		}
		if !ok || i < 0 || i >= len(list) {
			return nil, false
		}
		inner, ok := put(list[i], steps[1:], value)
		if !ok {
			return nil, false
		}
		out := slices.Clone(list)
		out[i] = inner
		return out, true
	}
	m, ok := root.(map[string]any)
	if !ok && root != nil {
		return nil, false
	}
	inner, ok := put(m[s.names[0]], steps[1:], value)
	if !ok {
		return nil, false
	}
	out := make(map[string]any, len(m)+1)
	maps.Copy(out, m)
	out[s.names[0]] = inner
	return out, true
}
