package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// node is one value of a template: a call of an intrinsic function, a map, a list or a scalar. It knows its line, so that
// whatever is refused is named by line.
type node struct {
	line   int
	fn     string // intrinsic: "Ref", "Sub", "GetAtt", "If", "Equals", "Not"; its arguments are in list
	keys   []string
	fields map[string]*node
	list   []*node
	scalar any // string, json.Number, bool; nil is null
	isMap  bool
	isList bool
}

// intrinsics that we read. SAM's other functions are refused: each would need a second implementation here.
var intrinsics = map[string]bool{"Ref": true, "Sub": true, "GetAtt": true, "If": true, "Equals": true, "Not": true}

// refusal says what we do not read, and where.
func refusal(line int, format string, args ...any) error {
	return refusalIn("template.yaml", line, format, args...)
}

func refusalIn(file string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))
}

// parse reads YAML into nodes and refuses what CloudFormation does not know (anchors, merge keys, tags of our own) or
// what is outside the subset of intrinsics.
func parse(template []byte) (*node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(template, &doc); err != nil {
		return nil, fmt.Errorf("template.yaml: %w", err)
	}
	if len(doc.Content) != 1 {
		return nil, refusal(1, "one document is expected")
	}
	return fromYAML(doc.Content[0])
}

func fromYAML(y *yaml.Node) (*node, error) {
	if y.Anchor != "" || y.Kind == yaml.AliasNode {
		return nil, refusal(y.Line, "anchors and aliases are not part of a template")
	}
	if strings.HasPrefix(y.Tag, "!") && !strings.HasPrefix(y.Tag, "!!") {
		return callFromYAML(y)
	}
	n := &node{line: y.Line}
	switch y.Kind {
	case yaml.MappingNode:
		n.isMap, n.fields = true, make(map[string]*node, len(y.Content)/2)
		for i := 0; i+1 < len(y.Content); i += 2 {
			k := y.Content[i].Value
			if strings.HasPrefix(k, "Fn::") || k == "Ref" || k == "<<" {
				return nil, refusal(y.Content[i].Line, "%s: write functions in their short form (!Sub), and no merge keys", k)
			}
			if n.fields[k] != nil {
				return nil, refusal(y.Content[i].Line, "%s is there twice", k)
			}
			v, err := fromYAML(y.Content[i+1])
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, k)
			n.fields[k] = v
		}
	case yaml.SequenceNode:
		n.isList = true
		for _, c := range y.Content {
			v, err := fromYAML(c)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, v)
		}
	default:
		n.scalar = scalarOf(y)
	}
	return n, nil
}

func callFromYAML(y *yaml.Node) (*node, error) {
	fn := strings.TrimPrefix(y.Tag, "!")
	if !intrinsics[fn] {
		return nil, refusal(y.Line, "!%s is outside the subset that the local host reads", fn)
	}
	bare := *y
	bare.Tag = ""
	if y.Kind == yaml.ScalarNode {
		bare.Tag = "!!str"
	}
	arg, err := fromYAML(&bare)
	if err != nil {
		return nil, err
	}
	n := &node{line: y.Line, fn: fn, list: []*node{arg}}
	if arg.isList {
		n.list = arg.list
	}
	return n, nil
}

func scalarOf(y *yaml.Node) any {
	switch y.ShortTag() {
	case "!!int", "!!float":
		return json.Number(y.Value)
	case "!!bool":
		return y.Value == "true"
	case "!!null":
		return nil
	}
	return y.Value
}

// at walks down a map by keys; nil where there is nothing.
func (n *node) at(path ...string) *node {
	for _, k := range path {
		if n == nil || !n.isMap {
			return nil
		}
		n = n.fields[k]
	}
	return n
}

// only refuses keys that are not listed.
func (n *node) only(what string, allowed ...string) error {
	if n == nil {
		return nil
	}
	if !n.isMap {
		return refusal(n.line, "%s must be a map", what)
	}
	for _, k := range n.keys {
		if !contains(allowed, k) {
			return refusal(n.fields[k].line, "%s: %s is outside the subset that the local host reads", what, k)
		}
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
