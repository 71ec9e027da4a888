package weburl

import (
	"encoding/json"
	"net/url"
	"strings"
)

// The percent-encode sets of the standard, each the one before and more.
const (
	inControl      = ""
	inFragment     = " \"<>`"
	inQuery        = " \"#<>"
	inSpecialQuery = inQuery + "'"
	inPath         = inQuery + "?^`{}"
	inUser         = inPath + "/:;=@[\\]|"
)

const upperHex = "0123456789ABCDEF"

func escape(s, set string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || strings.IndexByte(set, c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape leaves what is no escape as it is.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := strings.IndexByte(upperHex, upper(s[i+1])), strings.IndexByte(upperHex, upper(s[i+2]))
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'f' {
		return c - 32
	}
	return c
}

// Query reads application/x-www-form-urlencoded text into pairs of name and value, as JSON.
func Query(text string) string {
	pairs := [][2]string{}
	for field := range strings.SplitSeq(strings.TrimPrefix(text, "?"), "&") {
		if field == "" {
			continue
		}
		k, v, _ := strings.Cut(strings.ReplaceAll(field, "+", " "), "=")
		pairs = append(pairs, [2]string{strings.ToValidUTF8(unescape(k), "\ufffd"), strings.ToValidUTF8(unescape(v), "\ufffd")})
	}
	out, _ := json.Marshal(pairs)
	return string(out)
}

// Form writes pairs as such text.
func Form(pairs string) string {
	var list [][2]string
	_ = json.Unmarshal([]byte(pairs), &list)
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(formText(p[0]) + "=" + formText(p[1]))
	}
	return b.String()
}

// formText keeps ASCII letters, digits and * - . _ as they are; QueryEscape differs in two signs.
func formText(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}
