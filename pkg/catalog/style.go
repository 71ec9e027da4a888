package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// scalarText writes a value as text. What is nested deeper than a style can express becomes JSON.
func scalarText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return string(jsonText(v))
}

// jsonText writes JSON without the escapes that only matter inside HTML.
func jsonText(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// escape percent-encodes all but unreserved characters (RFC 3986, section 2.3), the same in paths, queries and forms.
func escape(s string) string { return escapeExcept(s, "") }

// escapeReserved leaves reserved characters as they are, and triplets that are already encoded, as allowReserved asks. Those
// that would end the value or the query are encoded all the same.
func escapeReserved(s string) string { return escapeExcept(s, ":/?@!$'()*,;=") }

// escapeReservedPath is that for paths, which a question mark would end: what follows in the query would be read as part of it.
func escapeReservedPath(s string) string { return escapeExcept(s, ":/@!$'()*,;=") }

func escapeExcept(s, keep string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '~', strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		case c == '%' && keep != "" && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteString(s[i : i+3])
			i += 2
		default:
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// texts writes the elements of a list; those that are null are left out (RFC 6570, section 2.3).
func texts(list []any, esc func(string) string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		if v != nil {
			out = append(out, esc(scalarText(v)))
		}
	}
	return out
}

// members writes an object as pairs, in the order of names.
func members(m map[string]any, between string, esc func(string) string) []string {
	var out []string
	for _, k := range sortedKeys(m) {
		if m[k] != nil {
			out = append(out, esc(k)+between+esc(scalarText(m[k])))
		}
	}
	return out
}

// delimiters of lists that are one value, as they look in a URL.
var delimiters = map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}

func delimiter(style string) string {
	if d, ok := delimiters[style]; ok {
		return d
	}
	return ","
}

// pairs writes a value as query or form pairs. An empty list or object leaves the key out.
func pairs(name, style string, explode bool, v any, esc func(string) string) []string {
	key := escape(name) + "="
	switch v := v.(type) {
	case []any:
		all := texts(v, esc)
		switch {
		case len(all) == 0:
			return nil
		case style == "deepObject":
			return deep(name, v, esc, 0)
		case explode:
			for i := range all {
				all[i] = key + all[i]
			}
			return all
		}
		return []string{key + strings.Join(all, delimiter(style))}
	case map[string]any:
		switch {
		case len(members(v, "=", esc)) == 0:
			return nil
		case style == "deepObject":
			return deep(name, v, esc, 0)
		case explode:
			return members(v, "=", esc)
		}
		d := delimiter(style)
		return []string{key + strings.Join(members(v, d, esc), d)}
	}
	return []string{key + esc(scalarText(v))}
}

// deep writes a value with its path in brackets: filter[a][b]=c. Lists of plain values use empty brackets, lists of
// objects numbers, which is what PHP, Rails, qs and Stripe read alike.
func deep(name string, v any, esc func(string) string, depth int) []string {
	var out []string
	if depth > 20 {
		return []string{escape(name) + "=" + esc(scalarText(v))}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(v) {
			out = append(out, deep(name+"["+k+"]", v[k], esc, depth+1)...)
		}
	case []any:
		for i, e := range v {
			index := ""
			switch e.(type) {
			case map[string]any, []any:
				index = strconv.Itoa(i)
			}
			out = append(out, deep(name+"["+index+"]", e, esc, depth+1)...)
		}
	case nil:
	default:
		out = append(out, escape(name)+"="+esc(scalarText(v)))
	}
	return out
}

// pathText writes a path parameter (OpenAPI 3.0.3, Style Examples).
func (p *Param) pathText(v any, reserved bool) string {
	esc := escape
	if reserved || p.AllowReserved {
		esc = escapeReservedPath
	}
	key := escape(p.Name)
	switch v := v.(type) {
	case []any:
		all := texts(v, esc)
		if len(all) == 0 {
			return ""
		}
		switch {
		case p.Style == "label" && p.Explode:
			return "." + strings.Join(all, ".")
		case p.Style == "label":
			return "." + strings.Join(all, ",")
		case p.Style == "matrix" && p.Explode:
			return ";" + key + "=" + strings.Join(all, ";"+key+"=")
		case p.Style == "matrix":
			return ";" + key + "=" + strings.Join(all, ",")
		}
		return strings.Join(all, delimiter(p.Style))
	case map[string]any:
		between := ","
		if p.Explode {
			between = "="
		}
		all := members(v, between, esc)
		if len(all) == 0 {
			return ""
		}
		switch {
		case p.Style == "label" && p.Explode:
			return "." + strings.Join(all, ".")
		case p.Style == "label":
			return "." + strings.Join(all, ",")
		case p.Style == "matrix" && p.Explode:
			return ";" + strings.Join(all, ";")
		case p.Style == "matrix":
			return ";" + key + "=" + strings.Join(all, ",")
		}
		return strings.Join(all, ",")
	}
	s := esc(scalarText(v))
	if s == "" {
		return ""
	}
	switch p.Style {
	case "label":
		return "." + s
	case "matrix":
		return ";" + key + "=" + s
	}
	return s
}

// headerText writes a header parameter; headers are not percent-encoded. ok is false when there is nothing to send.
func (p *Param) headerText(v any) (s string, ok bool, err error) {
	plain := func(s string) string { return s }
	switch v := v.(type) {
	case []any:
		all := texts(v, plain)
		d := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}[p.Style]
		if d == "" {
			d = ","
		}
		s, ok = strings.Join(all, d), len(all) > 0
	case map[string]any:
		between := ","
		if p.Explode {
			between = "="
		}
		all := members(v, between, plain)
		s, ok = strings.Join(all, ","), len(all) > 0
	default:
		s, ok = scalarText(v), true
	}
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 && s[i] != '\t' || s[i] == 0x7f {
			return "", false, fmt.Errorf("has a line break or control character, which a header cannot hold")
		}
	}
	return s, ok, nil
}

// cookiePairs writes a cookie parameter. Several pairs are several cookies.
func (p *Param) cookiePairs(v any) ([]string, error) {
	if p.Style != "cookie" {
		return pairs(p.Name, "form", p.Explode, v, escape), nil
	}
	out := pairs(p.Name, "form", p.Explode, v, func(s string) string { return s })
	for _, s := range out {
		if strings.ContainsAny(s, "; \t\r\n\",\\") || strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
			return nil, fmt.Errorf("has a character that a cookie cannot hold")
		}
	}
	return out, nil
}
