package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

// multipart writes the parts of a form (RFC 7578). The boundary is made from the content, so that the same arguments make
// the same bytes and no content can hold it by design.
func (m *Media) multipart(fields map[string]any, to Target) (body []byte, boundary string, problems []Problem) {
	var parts [][]byte
	for _, name := range sortedKeys(fields) {
		v := fields[name]
		if v == nil {
			continue
		}
		list, isList := v.([]any)
		if !isList {
			list = []any{v}
		}
		if e, ok := m.Encoding[name]; isList && ok && (e.Style != "" && !e.Explode || e.ContentType != "" && mediaKind(e.ContentType) == bodyJSON) && !contains(m.Files, name) {
			list = []any{v} // the list is one part
		}
		for _, e := range list {
			if e == nil {
				continue
			}
			p, problem := m.part(name, e, to)
			if problem != nil {
				problems = append(problems, *problem)
				continue
			}
			parts = append(parts, p)
		}
	}
	hash := sha256.New()
	for _, p := range parts {
		hash.Write(p)
	}
	boundary = "pags-" + hex.EncodeToString(hash.Sum(nil))[:40]
	var b bytes.Buffer
	for _, p := range parts {
		joinLines(&b, "--"+boundary)
		b.Write(p)
		b.Write(newline)
	}
	joinLines(&b, "--"+boundary+"--")
	return b.Bytes(), boundary, problems
}

// part writes one part: a file with its name and type, an object as JSON, anything else as text.
func (m *Media) part(name string, v any, to Target) ([]byte, *Problem) {
	var b bytes.Buffer
	enc := m.Encoding[name]
	stated := enc.ContentType
	if first, _, several := strings.Cut(stated, ","); several || strings.Contains(first, "*") {
		stated = "" // a list of what is allowed, not a type
	}
	disposition := `Content-Disposition: form-data; name="` + quoteParam(name) + `"`
	if contains(m.Files, name) || m.Open && looksLikeFile(v) {
		f, problem := openFile(v, "/body/"+name, to)
		if problem != nil {
			return nil, problem
		}
		if f.contentType == "" {
			f.contentType = fileMediaType(f, stated)
		}
		if f.name == "" {
			f.name = name + extensionOf(f.contentType)
		}
		joinLines(&b, disposition+`; filename="`+quoteParam(path.Base(strings.ReplaceAll(f.name, `\`, "/")))+`"`, "Content-Type: "+f.contentType, "")
		b.Write(f.data)
		return b.Bytes(), nil
	}
	var data []byte
	switch v := v.(type) {
	case map[string]any:
		data = jsonText(v)
		if stated == "" {
			stated = "application/json"
		}
	case []any:
		if enc.Style != "" {
			data = []byte(strings.Join(texts(v, func(s string) string { return s }), map[string]string{"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}[enc.Style]+comma(enc.Style)))
			break
		}
		data = jsonText(v)
		if stated == "" {
			stated = "application/json"
		}
	default:
		data = []byte(scalarText(v))
	}
	if stated != "" {
		joinLines(&b, disposition, "Content-Type: "+stated, "")
	} else {
		joinLines(&b, disposition, "")
	}
	b.Write(data)
	return b.Bytes(), nil
}

func comma(style string) string {
	if style == "form" || style == "deepObject" {
		return ","
	}
	return ""
}

// quoteParam escapes what would end a quoted parameter, as browsers do (WHATWG HTML, multipart/form-data encoding).
func quoteParam(s string) string {
	return strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(s)
}

// extensions that forms see most; a table of our own, so that the type does not depend on the machine.
var extensions = map[string]string{".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".svg": "image/svg+xml", ".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".html": "text/html", ".json": "application/json",
	".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml", ".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".doc": "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".eml": "message/rfc822", ".ics": "text/calendar"}

// fileMediaType decides the type of a file that does not state one: by its name, the description, its first bytes.
func fileMediaType(f file, stated string) string {
	if t := extensions[strings.ToLower(path.Ext(f.name))]; t != "" {
		return t
	}
	if stated != "" {
		return stated
	}
	t := http.DetectContentType(f.data)
	if strings.HasPrefix(t, "text/plain") && len(f.data) == 0 {
		return "application/octet-stream"
	}
	return t
}

func extensionOf(contentType string) string {
	best := ""
	for ext, t := range extensions {
		if t == essence(contentType) && (best == "" || len(ext) < len(best) || len(ext) == len(best) && ext < best) {
			best = ext
		}
	}
	return best
}
