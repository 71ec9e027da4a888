package catalog

import "strings"

// answer is what a successful call hands back.
type answer struct {
	accept string
	schema []byte
	uses   []string
}

// answer picks the response that describes success: the lowest exact 2xx, then 2XX, then default; JSON types first.
func (d *document) answer(op *operation) answer {
	n := d.success(op.answers)
	if d.version == 20 {
		return d.answer2(op, n)
	}
	content := n.get("content")
	if !content.is(object) || len(content.keys) == 0 {
		return answer{accept: d.accepts(op)}
	}
	best := -1
	rank := map[string]int{bodyJSON: 4, bodyLines: 3, bodyText: 2, bodyBinary: 1}
	for i, t := range content.keys {
		if best < 0 || rank[mediaKind(t)] > rank[mediaKind(content.keys[best])] {
			best = i
		}
	}
	media := d.follow(content.vals[best])
	a := answer{accept: accept(content.keys, best)}
	a.schema, a.uses = d.answerSchema(content.keys[best], media)
	return a
}

func (d *document) success(responses *node) *node {
	if !responses.is(object) {
		return nil
	}
	best, bestCode := -1, "3"
	for i, code := range responses.keys {
		c := strings.ToUpper(code)
		if strings.HasPrefix(c, "2") && c < bestCode || best < 0 && c == "DEFAULT" {
			best = i
			if c != "DEFAULT" {
				bestCode = c // digits sort before X
			}
		}
	}
	if best < 0 {
		return nil
	}
	return d.follow(responses.vals[best])
}

func (d *document) answerSchema(mediaType string, media *node) ([]byte, []string) {
	schema := media.get("schema")
	switch mediaKind(mediaType) {
	case bodyLines:
		if each := media.get("itemSchema"); each != nil {
			schema = each
		}
		if schema.string("type") == "array" {
			return d.schema(schema, "")
		}
		b, uses := d.schema(schema, "")
		return append(append([]byte(`{"type":"array","items":`), b...), '}'), uses
	case bodyText:
		return []byte(`{"type":"string"}`), nil
	case bodyBinary, bodyForm, bodyMultipart:
		return []byte(`{"$ref":"#/$defs/` + fileType + `"}`), []string{fileType}
	}
	if schema == nil {
		return nil, nil
	}
	return d.schema(schema, "")
}

func (d *document) answer2(op *operation, n *node) answer {
	a := answer{accept: d.accepts(op)}
	schema := n.get("schema")
	if schema == nil {
		return a
	}
	t := "application/json"
	for i, p := range op.produces {
		if i == 0 || mediaKind(p) == bodyJSON && mediaKind(t) != bodyJSON {
			t = p
		}
	}
	if schema.string("type") == "file" {
		t = "application/octet-stream"
	}
	media := &node{kind: object, keys: []string{"schema"}, vals: []*node{schema}}
	a.schema, a.uses = d.answerSchema(t, media)
	return a
}

// accepts is the Accept header of an operation whose success is not described.
func (d *document) accepts(op *operation) string {
	if len(op.produces) > 0 {
		best := 0
		for i, p := range op.produces {
			if mediaKind(p) == bodyJSON {
				best = i
				break
			}
		}
		return accept(op.produces, best)
	}
	return "application/json, */*;q=0.5"
}

// accept asks for the described types, the preferred one first, and for anything after that.
func accept(types []string, best int) string {
	first := essence(types[best])
	if first == "*/*" || first == "" {
		return "application/json, */*;q=0.5"
	}
	return first + ", */*;q=0.5"
}
