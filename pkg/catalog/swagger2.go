package catalog

// operation2 reads what Swagger 2.0 says of an operation.
func (d *document) operation2(op *operation, n *node, params []*node) {
	consumes := n.get("consumes")
	if consumes == nil {
		consumes = d.root.get("consumes")
	}
	produces := n.get("produces")
	if produces == nil {
		produces = d.root.get("produces")
	}
	op.produces = produces.strings()
	if s := n.get("schemes").strings(); len(s) > 0 {
		if own := d.servers2(s); len(own) > 0 && (len(d.root.get("schemes").strings()) == 0 || own[0].URL != d.servers2(nil)[0].URL) {
			op.servers = own
		}
	}
	var form []*node
	for _, p := range params {
		switch p.string("in") {
		case "body":
			op.body = &payload{required: p.isTrue("required"), description: clip(p.string("description"), maxText)}
			types := consumes.strings()
			if len(types) == 0 {
				types = []string{"application/json"}
			}
			for _, t := range types {
				op.body.media = append(op.body.media, payloadMedia{Media: Media{Type: concrete(t), Kind: mediaKind(t)}, schema: p.get("schema")})
			}
		case "formData":
			form = append(form, p)
		default:
			d.add(op, p, parameter2(p))
		}
	}
	if len(form) > 0 {
		op.body = form2(form, consumes.strings())
	}
}

// collection gives each list format of 2.0 its style; csv is the default.
func collection(n *node, in string) (style string, explode bool) {
	switch n.string("collectionFormat") {
	case "multi":
		explode = true
	case "ssv":
		return "spaceDelimited", false
	case "pipes":
		return "pipeDelimited", false
	case "tsv":
		return "tabDelimited", false
	}
	if in == inPath || in == inHeader {
		return "simple", false
	}
	return "form", explode
}

// parameter2 reads a parameter, which in 2.0 is its own schema.
func parameter2(n *node) *parameter {
	p := &parameter{schema: n}
	p.Style, p.Explode = collection(n, places[n.string("in")])
	return p
}

// form2 makes one body of the form fields. A file, or a declared type, makes it multipart.
func form2(fields []*node, consumes []string) *payload {
	schema := &node{kind: object, keys: []string{"type", "properties", "required"}}
	props, required := &node{kind: object}, &node{kind: list}
	m := payloadMedia{Media: Media{Type: "application/x-www-form-urlencoded", Kind: bodyForm, Encoding: map[string]Encoding{}}, schema: schema}
	out := &payload{}
	for _, t := range consumes {
		if k := mediaKind(t); k == bodyForm || k == bodyMultipart {
			m.Type, m.Kind = concrete(t), k
			break
		}
	}
	for _, f := range fields {
		name := f.get("name").word()
		if name == "" {
			continue
		}
		props.keys, props.vals = append(props.keys, name), append(props.vals, f)
		if f.isTrue("required") {
			required.vals = append(required.vals, &node{kind: text, str: name})
			out.required = true
		}
		if f.string("type") == "file" {
			m.Type, m.Kind = "multipart/form-data", bodyMultipart
		}
		style, explode := collection(f, inQuery)
		if f.string("type") == "array" {
			m.Encoding[name] = Encoding{Style: style, Explode: explode}
		}
	}
	schema.vals = []*node{{kind: text, str: "object"}, props, required}
	out.media = []payloadMedia{m}
	return out
}
