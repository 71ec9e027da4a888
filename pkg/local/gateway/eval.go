package gateway

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Facts is what a template does not know by itself.
type Facts struct {
	// Parameters override the template's defaults.
	Parameters map[string]string
	// Resource says what !Ref ("" as attr) and !GetAtt of a resource are. Where it is nil or answers "", !Ref and the ARN
	// of a function are the logical name, and another attribute is "<logical name>.<attr>".
	Resource func(logical, attr string) string
	// Pseudo overrides pseudo parameters such as "AWS::StackName".
	Pseudo map[string]string
}

// pseudo parameters of a stack that is not in a cloud. The account is one that cannot exist.
var pseudo = map[string]string{
	"AWS::AccountId": "000000000000", "AWS::Partition": "aws", "AWS::Region": "local",
	"AWS::StackName": "pags", "AWS::URLSuffix": "localhost",
}

type noValue struct{}

// evaluator turns nodes into plain values: string, json.Number, bool, nil, []any, map[string]any.
type evaluator struct {
	facts      Facts
	parameters *node
	conditions *node
	resources  *node
}

func (e *evaluator) value(n *node) (any, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.fn != "":
		return e.call(n)
	case n.isMap:
		out := make(map[string]any, len(n.keys))
		for _, k := range n.keys {
			v, err := e.value(n.fields[k])
			if err != nil {
				return nil, err
			}
			if _, drop := v.(noValue); !drop {
				out[k] = v
			}
		}
		return out, nil
	case n.isList:
		out := make([]any, 0, len(n.list))
		for _, c := range n.list {
			v, err := e.value(c)
			if err != nil {
				return nil, err
			}
			if _, drop := v.(noValue); !drop {
				out = append(out, v)
			}
		}
		return out, nil
	}
	return n.scalar, nil
}

// text evaluates to a string; an absent node is "".
func (e *evaluator) text(n *node) (string, error) {
	v, err := e.value(n)
	if err != nil {
		return "", err
	}
	switch t := v.(type) {
	case string:
		return t, nil
	case json.Number:
		return t.String(), nil
	case bool:
		if t {
			return "true", nil
		}
		return "false", nil
	case nil, noValue:
		return "", nil
	}
	return "", refusal(n.line, "a text is expected")
}

func (e *evaluator) call(n *node) (any, error) {
	args := n.list
	want := map[string]int{"Ref": 1, "Sub": 1, "If": 3, "Equals": 2, "Not": 1}
	if w, ok := want[n.fn]; ok && len(args) != w {
		return nil, refusal(n.line, "!%s takes %d argument(s) here", n.fn, w)
	}
	switch n.fn {
	case "Ref":
		name, _ := args[0].scalar.(string)
		return e.reference(n.line, name)
	case "Sub":
		s, ok := args[0].scalar.(string)
		if !ok {
			return nil, refusal(n.line, "!Sub takes one text here")
		}
		return e.substitute(n.line, s)
	case "GetAtt":
		path := make([]string, 0, 2)
		for _, a := range args {
			s, _ := a.scalar.(string)
			path = append(path, s)
		}
		return e.attribute(n.line, strings.Join(path, "."))
	case "If":
		name, _ := args[0].scalar.(string)
		yes, err := e.condition(n.line, name)
		if err != nil {
			return nil, err
		}
		if yes {
			return e.value(args[1])
		}
		return e.value(args[2])
	case "Equals":
		a, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		b, err := e.text(args[1])
		return a == b, err
	case "Not":
		v, err := e.value(args[0])
		if err != nil {
			return nil, err
		}
		b, ok := v.(bool)
		if !ok {
			return nil, refusal(n.line, "!Not takes a condition")
		}
		return !b, nil
	}
	return nil, refusal(n.line, "!%s is outside the subset that the local host reads", n.fn)
}

func (e *evaluator) reference(line int, name string) (any, error) {
	if name == "AWS::NoValue" {
		return noValue{}, nil
	}
	if v, ok := e.facts.Pseudo[name]; ok {
		return v, nil
	}
	if v, ok := pseudo[name]; ok {
		return v, nil
	}
	if p := e.parameters.at(name); p != nil {
		if v, ok := e.facts.Parameters[name]; ok {
			return v, nil
		}
		return e.text(p.at("Default"))
	}
	if e.resources.at(name) == nil {
		return nil, refusal(line, "%s is neither a parameter nor a resource", name)
	}
	return e.resource(name, ""), nil
}

func (e *evaluator) attribute(line int, path string) (any, error) {
	name, attr, ok := strings.Cut(path, ".")
	if !ok || e.resources.at(name) == nil {
		return nil, refusal(line, "%s is not an attribute of a resource", path)
	}
	return e.resource(name, attr), nil
}

func (e *evaluator) resource(name, attr string) string {
	if e.facts.Resource != nil {
		if v := e.facts.Resource(name, attr); v != "" {
			return v
		}
	}
	if attr == "" || attr == "Arn" && e.resources.at(name, "Type").is(typeFunction) {
		return name
	}
	return name + "." + attr
}

// is reports whether a scalar is this text.
func (n *node) is(s string) bool { return n != nil && n.scalar == any(s) }

var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

func (e *evaluator) substitute(line int, s string) (any, error) {
	var failed error
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		name := strings.TrimSpace(m[2 : len(m)-1])
		if lit, ok := strings.CutPrefix(name, "!"); ok {
			return "${" + lit + "}"
		}
		var v any
		var err error
		if strings.Contains(name, ".") {
			v, err = e.attribute(line, name)
		} else {
			v, err = e.reference(line, name)
		}
		if err != nil && failed == nil {
			failed = err
		}
		t, _ := v.(string)
		return t
	})
	return out, failed
}

func (e *evaluator) condition(line int, name string) (bool, error) {
	c := e.conditions.at(name)
	if c == nil {
		return false, refusal(line, "there is no condition %s", name)
	}
	v, err := e.value(c)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, refusal(c.line, "condition %s is not a yes or no", name)
	}
	return b, nil
}
