package catalog

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

// Arguments decodes the JSON object of a call, keeping numbers as they are written (64 bits, exact).
func Arguments(raw []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil || dec.More() {
		return nil, invalid("the arguments are not one JSON object")
	}
	if out == nil {
		out = map[string]any{}
	}
	return out, nil
}

// containers are the names under which arguments may be grouped by place; "params" groups them without one.
var containers = map[string]string{"path": inPath, "query": inQuery, "headers": inHeader, "header": inHeader, "cookies": inCookie, "cookie": inCookie, "params": "", "parameters": ""}

// arrange brings arguments into the shape of the input schema: flat where a name is unique, else in its container. Callers
// may use containers everywhere. What is not an argument of the tool is a problem, never dropped in silence.
func (t *Tool) arrange(args map[string]any) (map[string]any, []Problem) {
	a := &arranger{t: t, out: map[string]any{}}
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		a.one(name, args[name])
	}
	return a.out, a.problems
}

type arranger struct {
	t        *Tool
	out      map[string]any
	problems []Problem
}

func (a *arranger) one(name string, v any) {
	tpl := &a.t.Request
	if p := tpl.flat(name); p != nil {
		a.set(p, v)
		return
	}
	switch {
	case name == "body" && tpl.Body != nil, name == "contentType" && tpl.Body != nil && len(tpl.Body.Media) > 1,
		name == "server" && tpl.ChooseServer, name == "serverVariables" && len(tpl.ServerChoices) > 0:
		if v != nil || name == "body" {
			a.out[name] = v
		}
		return
	case name == "input" && tpl.Body != nil:
		a.out["body"] = v
		return
	}
	place, grouped := containers[name]
	inner, isMap := v.(map[string]any)
	if grouped && (isMap || v == nil) && (place == "" && len(tpl.Params) > 0 || tpl.hasPlace(place)) {
		for _, key := range sortedKeys(inner) {
			p := tpl.find(place, key)
			if p == nil {
				a.problems = append(a.problems, Problem{"/" + name + "/" + key, "unknown argument"})
				continue
			}
			a.set(p, inner[key])
		}
		return
	}
	text := "unknown argument"
	if tpl.Body != nil && contains(a.t.Terms, name) {
		text += "; it is a field of body"
	} else if near := nearest(name, a.t.accepted()); near != "" {
		text += "; did you mean " + near + "?"
	}
	a.problems = append(a.problems, Problem{"/" + name, text})
}

func (a *arranger) set(p *Param, v any) {
	if v == nil {
		return // not given
	}
	to := a.out
	if p.Nested {
		inner, _ := a.out[p.In].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			a.out[p.In] = inner
		}
		to = inner
	}
	if _, twice := to[p.Name]; twice {
		a.problems = append(a.problems, Problem{"/" + p.Name, "given twice"})
	}
	to[p.Name] = v
}

func sortedKeys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// flat finds the parameter that lies at the top of the input under this name. Header names may be in any case.
func (tpl *Template) flat(name string) *Param {
	var header *Param
	for i := range tpl.Params {
		p := &tpl.Params[i]
		if !p.Nested && p.Name == name {
			return p
		}
		if !p.Nested && p.In == inHeader && strings.EqualFold(p.Name, name) {
			header = p
		}
	}
	return header
}

func (tpl *Template) hasPlace(place string) bool {
	for i := range tpl.Params {
		if tpl.Params[i].In == place {
			return true
		}
	}
	return false
}

// find finds a parameter by place and name; without a place its name must be unique.
func (tpl *Template) find(place, name string) *Param {
	if place == "" {
		return tpl.flat(name)
	}
	for i := range tpl.Params {
		p := &tpl.Params[i]
		if p.In == place && (p.Name == name || place == inHeader && strings.EqualFold(p.Name, name)) {
			return p
		}
	}
	return nil
}

// given returns the arranged argument of a parameter, or its default.
func (p *Param) given(args map[string]any) (any, bool) {
	from := args
	if p.Nested {
		from, _ = args[p.In].(map[string]any)
	}
	if v, ok := from[p.Name]; ok && v != nil {
		return v, true
	}
	if len(p.Default) > 0 {
		dec := json.NewDecoder(bytes.NewReader(p.Default))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) == nil && v != nil {
			return v, true
		}
	}
	return nil, false
}

// accepted lists the arguments of a tool as a caller writes them.
func (t *Tool) accepted() []string {
	var out []string
	for _, p := range t.Request.Params {
		if p.Nested {
			out = append(out, p.In+"."+p.Name)
		} else {
			out = append(out, p.Name)
		}
	}
	if b := t.Request.Body; b != nil {
		out = append(out, "body")
		if len(b.Media) > 1 {
			out = append(out, "contentType")
		}
	}
	if t.Request.ChooseServer {
		out = append(out, "server")
	}
	if len(t.Request.ServerChoices) > 0 {
		out = append(out, "serverVariables")
	}
	return out
}
