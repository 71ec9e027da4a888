package catalog

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// body writes the body in the chosen media type.
func (t *Tool) body(r *Request, args map[string]any, to Target) error {
	b := t.Request.Body
	if b == nil {
		return nil
	}
	v, given := args["body"]
	if !given {
		return nil
	}
	media := &b.Media[0]
	if chosen, ok := args["contentType"].(string); ok && len(b.Media) > 1 {
		for i := range b.Media {
			if b.Media[i].Type == chosen {
				media = &b.Media[i]
				break
			}
		}
	}
	contentType := media.Type
	switch media.Kind {
	case bodyJSON:
		r.Body = jsonText(v)
	case bodyLines:
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		r.Body = []byte{}
		for _, e := range list {
			r.Body = append(append(r.Body, jsonText(e)...), '\n')
		}
	case bodyForm:
		m, ok := v.(map[string]any)
		if !ok {
			return invalidArguments([]Problem{{"/body", "must be an object: it is sent as form fields"}}, t.accepted())
		}
		r.Body = media.form(m)
	case bodyMultipart:
		m, ok := v.(map[string]any)
		if !ok {
			return invalidArguments([]Problem{{"/body", "must be an object: it is sent as form fields"}}, t.accepted())
		}
		body, boundary, problems := media.multipart(m, to)
		if len(problems) > 0 {
			return invalidArguments(problems, t.accepted())
		}
		r.Body, contentType = body, essence(media.Type)+"; boundary="+boundary
	case bodyText:
		r.Body = []byte(scalarText(v))
		if essence(contentType) == contentType && strings.HasPrefix(contentType, "text/") {
			contentType += "; charset=utf-8"
		}
	default:
		f, problem := openFile(v, "/body", to)
		if problem != nil {
			return invalidArguments([]Problem{*problem}, t.accepted())
		}
		r.Body = f.data
		if f.contentType != "" {
			contentType = f.contentType
		}
	}
	r.Header.Set("Content-Type", contentType)
	return nil
}

// form writes application/x-www-form-urlencoded, in the order of names. Spaces are %20, which every reader takes; "+" not.
func (m *Media) form(fields map[string]any) []byte {
	var out []string
	for _, name := range sortedKeys(fields) {
		v := fields[name]
		if v == nil {
			continue
		}
		e, stated := m.Encoding[name]
		esc := escape
		if e.AllowReserved {
			esc = escapeReserved
		}
		_, isObject := v.(map[string]any)
		switch {
		case stated && e.Style != "":
			out = append(out, pairs(name, e.Style, e.Explode, v, esc)...)
		case isObject || stated && mediaKind(e.ContentType) == bodyJSON && e.ContentType != "":
			out = append(out, escape(name)+"="+escape(string(jsonText(v))))
		default:
			out = append(out, pairs(name, "form", true, v, esc)...)
		}
	}
	return []byte(strings.Join(out, "&"))
}

// file is the content of a file argument.
type file struct {
	name, contentType string
	data              []byte
}

// openFile reads a file argument: {filename, contentType, data (base64) | blob}.
func openFile(v any, at string, to Target) (file, *Problem) {
	m, ok := v.(map[string]any)
	if !ok {
		return file{}, &Problem{at, "must be a file: {filename, contentType, data} with data in base64, or {blob}"}
	}
	f := file{}
	f.name, _ = m["filename"].(string)
	f.contentType, _ = m["contentType"].(string)
	if strings.ContainsAny(f.contentType, "\r\n") || f.contentType != "" && !strings.Contains(f.contentType, "/") {
		return file{}, &Problem{at + "/contentType", "is not a media type"}
	}
	if id, ok := m["blob"].(string); ok {
		if to.Open == nil {
			return file{}, &Problem{at + "/blob", "stored files cannot be used here"}
		}
		data, err := to.Open(id)
		if err != nil {
			return file{}, &Problem{at + "/blob", "no such stored file"}
		}
		f.data = data
		return f, nil
	}
	text, _ := m["data"].(string)
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == ' ' {
			return -1
		}
		return r
	}, text)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if data, err := enc.DecodeString(text); err == nil {
			f.data = data
			if f.data == nil {
				f.data = []byte{}
			}
			return f, nil
		}
	}
	return file{}, &Problem{at + "/data", "is not base64"}
}

// looksLikeFile reports whether a value has the shape of a file argument.
func looksLikeFile(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for k := range m {
		switch k {
		case "filename", "contentType", "data", "blob", "size":
		default:
			return false
		}
	}
	_, data := m["data"].(string)
	_, blob := m["blob"].(string)
	return data || blob
}

var newline = []byte("\r\n")

// joinLines writes header lines of a part.
func joinLines(b *bytes.Buffer, lines ...string) {
	for _, l := range lines {
		b.WriteString(l)
		b.Write(newline)
	}
}
