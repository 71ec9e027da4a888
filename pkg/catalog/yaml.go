package catalog

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readYAML reads YAML. Anchors, aliases and merge keys are followed; an alias that would multiply the document is refused.
func readYAML(s string) (*node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(s), &doc); err != nil {
		return nil, yamlError(err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, &syntaxError{line: 1, column: 1, reason: "the document is empty", final: true}
	}
	r := &yamlReader{words: map[string]string{}, most: len(s) + spareNodes}
	return r.convert(doc.Content[0], 0)
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func yamlError(err error) error {
	out := &syntaxError{line: 1, column: 1, reason: err.Error()}
	if m := yamlLine.FindStringSubmatch(out.reason); m != nil {
		out.line, _ = strconv.Atoi(m[1])
	}
	reason := strings.TrimPrefix(strings.TrimSpace(strings.SplitN(out.reason, "\n", 2)[0]), "yaml: ")
	if i := strings.LastIndex(reason, "line "); i >= 0 {
		if j := strings.Index(reason[i:], ": "); j >= 0 {
			reason = reason[i+j+2:]
		}
	}
	out.reason = clip(reason, 200)
	return out
}

type yamlReader struct {
	words map[string]string
	nodes int
	most  int
}

var errTooMuch = errors.New("aliases make the document too large")

func (r *yamlReader) convert(y *yaml.Node, depth int) (*node, error) {
	if r.nodes++; r.nodes > r.most {
		return nil, &syntaxError{line: y.Line, column: y.Column, reason: errTooMuch.Error(), final: true}
	}
	if depth > maxDepth {
		return nil, &syntaxError{line: y.Line, column: y.Column, reason: "nested more than " + strconv.Itoa(maxDepth) + " levels deep", final: true}
	}
	n := &node{line: int32(y.Line)}
	switch y.Kind {
	case yaml.AliasNode:
		if y.Alias == nil {
			return n, nil
		}
		return r.convert(y.Alias, depth+1)
	case yaml.SequenceNode:
		n.kind = list
		n.vals = make([]*node, 0, len(y.Content))
		for _, c := range y.Content {
			v, err := r.convert(c, depth+1)
			if err != nil {
				return nil, err
			}
			n.vals = append(n.vals, v)
		}
	case yaml.MappingNode:
		n.kind = object
		return n, r.mapping(n, y, depth)
	default:
		scalar(n, y)
	}
	return n, nil
}

func (r *yamlReader) mapping(n *node, y *yaml.Node, depth int) error {
	n.keys = make([]string, 0, len(y.Content)/2)
	n.vals = make([]*node, 0, len(y.Content)/2)
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k := y.Content[i]
		if k.Kind == yaml.AliasNode && k.Alias != nil {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			return &syntaxError{line: k.Line, column: k.Column, reason: "a key must be a plain text"}
		}
		v, err := r.convert(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if k.Tag == "!!merge" || k.Value == "<<" && k.Style == 0 {
			merged = append(merged, v)
			continue
		}
		key, ok := r.words[k.Value]
		if !ok {
			key = strings.Clone(k.Value)
			r.words[key] = key
		}
		n.keys, n.vals = append(n.keys, key), append(n.vals, v)
	}
	for _, m := range merged {
		from := m.items()
		if m.is(object) {
			from = []*node{m}
		}
		for _, o := range from {
			for i, k := range o.keys {
				if r.nodes++; r.nodes > r.most {
					return &syntaxError{line: y.Line, column: y.Column, reason: errTooMuch.Error(), final: true}
				}
				if n.get(k) == nil {
					n.index = nil
					n.keys, n.vals = append(n.keys, k), append(n.vals, o.vals[i])
				}
			}
		}
	}
	return nil
}

// scalar gives a plain YAML scalar its JSON value. Dates stay texts; numbers in other notations become decimal ones.
func scalar(n *node, y *yaml.Node) {
	n.kind, n.str = text, strings.Clone(y.Value)
	switch y.Tag {
	case "!!null":
		n.kind, n.str, n.raw = null, "", strings.Clone(y.Value)
	case "!!bool":
		n.kind, n.str = boolean, strings.ToLower(y.Value)
		n.raw = strings.Clone(y.Value)
		if n.str != "true" && n.str != "false" {
			n.kind, n.str = text, n.raw
		}
	case "!!int", "!!float":
		if validNumber(y.Value) {
			n.kind = number
			return
		}
		plain := strings.ReplaceAll(strings.TrimPrefix(y.Value, "+"), "_", "")
		if i, ok := new(big.Int).SetString(plain, 0); ok && y.Tag == "!!int" {
			n.kind, n.str, n.raw = number, i.String(), strings.Clone(y.Value)
		} else if f, err := strconv.ParseFloat(plain, 64); err == nil && f-f == 0 {
			n.kind, n.str, n.raw = number, strconv.FormatFloat(f, 'f', -1, 64), strings.Clone(y.Value)
		}
	}
}
