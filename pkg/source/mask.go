package source

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
)

// mask replaces the secrets of a connection in whatever comes back: as they are, and in every form that an upstream may echo
// them in (percent-encoded, base64 also within a longer text, hexadecimal, escaped for JSON or HTML). Capitals count. A nil mask
// replaces nothing.
type mask struct{ words *strings.Replacer }

// newMask knows what was sent with a method and its values.
func newMask(m catalog.AuthMethod, values map[string]string) *mask {
	words := map[string]bool{}
	for _, name := range secrets(m, values) {
		if v := values[name]; v != "" {
			forms(v, words)
			forms(strings.TrimSpace(v), words)
			for _, part := range withoutScheme(v) {
				forms(part, words)
			}
		}
	}
	for _, p := range m.Placements {
		if p.Basic && len(p.Inputs) == 2 {
			forms(values[p.Inputs[0]]+":"+values[p.Inputs[1]], words)
		}
	}
	var all []string
	for w := range words {
		if len(w) >= minValue {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return nil
	}
	sort.Slice(all, func(i, j int) bool { return len(all[i]) > len(all[j]) || len(all[i]) == len(all[j]) && all[i] < all[j] })
	pairs := make([]string, 0, 2*len(all))
	for _, w := range all { // of two that begin at the same place the first in this order wins
		pairs = append(pairs, w, guard.Mask)
	}
	return &mask{strings.NewReplacer(pairs...)}
}

// withoutScheme gives what of a value is the secret where it was pasted as a whole header: scheme and credential, and of Basic the
// password.
func withoutScheme(v string) []string {
	part := strings.Fields(v)
	if len(part) != 2 || !schemeShape.MatchString(part[0]) {
		return nil
	}
	out := part[1:]
	if strings.EqualFold(part[0], "Basic") {
		if raw, err := base64.StdEncoding.DecodeString(part[1]); err == nil {
			_, password, _ := strings.Cut(string(raw), ":")
			out = append(out, string(raw), password)
		}
	}
	return out
}

// schemeShape is how authentication schemes look (RFC 9110, section 11.1), as far as people use them.
var schemeShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{1,30}$`)

// forms adds the ways in which a value is written.
func forms(v string, to map[string]bool) {
	if v == "" {
		return
	}
	strict := percent(v)
	quoted, _ := json.Marshal(v) // a text always has JSON
	slashed := strings.ReplaceAll(strings.Trim(string(quoted), `"`), "/", `\/`)
	for _, w := range []string{v, url.QueryEscape(v), url.PathEscape(v), strict, lowerHex(strict), lowerHex(url.QueryEscape(v)), lowerHex(url.PathEscape(v)),
		html.EscapeString(v), string(quoted[1 : len(quoted)-1]), slashed, hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v)))} {
		to[w] = true
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		to[enc.EncodeToString([]byte(v))] = true
		for shift := range 3 {
			to[within(enc, v, shift)] = true
		}
	}
}

// within is the part of a base64 text that a value decides alone when shift bytes stand before it.
func within(enc *base64.Encoding, v string, shift int) string {
	text := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), v...))
	return text[(shift*8+5)/6 : (shift+len(v))*8/6]
}

// percent encodes everything but what RFC 3986 calls unreserved.
func percent(v string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(v) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}

// lowerHex writes the digits of percent-encoding in small letters.
func lowerHex(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			b.WriteString(strings.ToLower(s[i : i+3]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (m *mask) text(s string) string {
	if m == nil || len(s) < minValue {
		return s
	}
	return m.words.Replace(s)
}

func (m *mask) bytes(b []byte) []byte {
	if m == nil || len(b) < minValue {
		return b
	}
	s := string(b)
	if out := m.words.Replace(s); out != s {
		return []byte(out)
	}
	return b
}

// header gives a copy with masked values.
func (m *mask) header(h http.Header) http.Header {
	out := h.Clone()
	for _, values := range out {
		for i := range values {
			values[i] = m.text(values[i])
		}
	}
	return out
}

// result masks everything of a result. The result's own data is changed.
func (m *mask) result(r catalog.Result) catalog.Result {
	if m == nil {
		return r
	}
	r.Data = m.value(r.Data)
	if r.Error != nil {
		f := *r.Error
		f.Message, f.Details = m.text(f.Message), m.value(f.Details)
		r.Error = &f
	}
	if r.HTTP != nil {
		h := *r.HTTP
		h.Headers = map[string]string{}
		for name, v := range r.HTTP.Headers {
			h.Headers[name] = m.text(v)
		}
		r.HTTP = &h
	}
	return r
}

func (m *mask) value(v any) any {
	switch x := v.(type) {
	case string:
		return m.text(x)
	case json.Number:
		if s := m.text(string(x)); s != string(x) {
			return s
		}
	case []any:
		for i := range x {
			x[i] = m.value(x[i])
		}
	case map[string]any:
		for name, inner := range x {
			masked := m.value(inner)
			if clean := m.text(name); clean != name {
				delete(x, name)
				name = clean
			}
			x[name] = masked
		}
	case catalog.File:
		x.Filename, x.ContentType, x.Data = m.text(x.Filename), m.text(x.ContentType), m.bytes(x.Data)
		x.Size = len(x.Data)
		return x
	}
	return v
}
