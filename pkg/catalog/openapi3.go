package catalog

import "strings"

// operation3 reads what OpenAPI 3 says of an operation.
func (d *document) operation3(op *operation, item, n *node, params []*node) {
	for _, p := range params {
		d.add(op, p, d.parameter3(p))
	}
	op.body = d.body3(n.get("requestBody"))
	for _, at := range []*node{n, item} {
		if s := at.get("servers"); s.is(list) && len(s.vals) > 0 {
			op.servers = d.servers(at, op)
			break
		}
	}
}

// styles allowed in each place; the first is the default (OpenAPI 3.0.3, Style Values).
var styles = map[string][]string{
	inPath:   {"simple", "label", "matrix"},
	inQuery:  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	inHeader: {"simple"},
	inCookie: {"form", "cookie"},
}

func (d *document) parameter3(n *node) *parameter {
	in := places[n.string("in")]
	p := &parameter{schema: n.get("schema")}
	if c := n.get("content"); p.schema == nil && c.is(object) && len(c.vals) > 0 {
		p.schema, p.JSON = c.vals[0].get("schema"), mediaKind(c.keys[0]) == bodyJSON
	}
	allowed := styles[in]
	p.Style = n.string("style")
	if !contains(allowed, p.Style) {
		if len(allowed) > 0 {
			p.Style = allowed[0]
		}
	}
	p.Explode = p.Style == "form" || p.Style == "deepObject" || p.Style == "cookie"
	if e := n.get("explode"); e.is(boolean) {
		p.Explode = e.str == "true"
	}
	p.AllowReserved = n.isTrue("allowReserved")
	return p
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

func (d *document) body3(n *node) *payload {
	if n = d.follow(n); !n.is(object) {
		return nil
	}
	content := n.get("content")
	if !content.is(object) || len(content.keys) == 0 {
		return nil
	}
	out := &payload{required: n.isTrue("required"), description: clip(n.string("description"), maxText)}
	for i, name := range content.keys {
		media := d.follow(content.vals[i])
		m := payloadMedia{Media: Media{Type: concrete(name), Kind: mediaKind(name)}, schema: media.get("schema")}
		if m.schema == nil && m.Kind == bodyLines {
			if each := media.get("itemSchema"); each != nil { // OpenAPI 3.2
				m.schema = &node{kind: object, keys: []string{"type", "items"}, vals: []*node{{kind: text, str: "array"}, each}}
			}
		}
		if enc := media.get("encoding"); enc.is(object) {
			m.Encoding = map[string]Encoding{}
			for j, prop := range enc.keys {
				m.Encoding[prop] = encoding3(enc.vals[j])
			}
		}
		out.media = append(out.media, m)
	}
	return out
}

// encoding3 reads an encoding. Without style, explode or allowReserved its content type decides, and Style stays empty.
func encoding3(n *node) Encoding {
	e := Encoding{ContentType: n.string("contentType"), Style: n.string("style"), AllowReserved: n.isTrue("allowReserved")}
	if e.Style == "" && (n.get("explode") != nil || e.AllowReserved) {
		e.Style = "form"
	}
	if !contains(styles[inQuery], e.Style) {
		e.Style = ""
	}
	e.Explode = e.Style == "form" || e.Style == "deepObject"
	if x := n.get("explode"); x.is(boolean) {
		e.Explode = x.str == "true"
	}
	return e
}

// essence is a media type without parameters, lower-cased.
func essence(mediaType string) string {
	t, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// concrete replaces a range of media types by one that can be sent.
func concrete(mediaType string) string {
	switch t := essence(mediaType); {
	case t == "*/*" || t == "application/*" || t == "":
		return "application/json"
	case t == "text/*":
		return "text/plain"
	case strings.HasSuffix(t, "/*"):
		return "application/octet-stream"
	}
	return strings.TrimSpace(mediaType)
}

// mediaKind says how a body of a media type is written.
func mediaKind(mediaType string) string {
	t := essence(concrete(mediaType))
	switch {
	case t == "application/x-ndjson" || t == "application/ndjson" || t == "application/jsonl" || t == "application/x-jsonlines" || t == "application/json-seq":
		return bodyLines
	case t == "application/json" || strings.HasSuffix(t, "+json") || strings.HasSuffix(t, "/json") || strings.HasSuffix(t, "yaml"):
		return bodyJSON // JSON is YAML too
	case t == "application/x-www-form-urlencoded":
		return bodyForm
	case strings.HasPrefix(t, "multipart/"):
		return bodyMultipart
	case strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "xml") || t == "application/graphql" || t == "application/javascript" || t == "application/jose" || t == "application/jwt":
		return bodyText
	}
	return bodyBinary
}
