package codemode

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

// wellFormed makes a copy that is valid UTF-8: each half of a surrogate pair that stands alone becomes U+FFFD.
func wellFormed(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && len(b) >= 3 && b[0] == 0xED {
			n = 3 // a surrogate as the interpreter writes it
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return wellFormed(b)
}

// mark starts a string that stands for something else, see decode in prelude/values.js.
const mark = "\ue000"

// markIntegers finds integers that a double cannot hold exactly and replaces each by a marked string. any is false, and the
// text empty, if there are none, which is nearly always.
func markIntegers(raw json.RawMessage) (text string, any bool) {
	if !eachToken(raw, func(tok []byte, _ bool) bool { return !big(tok) }) {
		any = true
	}
	if !any {
		return "", false
	}
	var out bytes.Buffer
	last := 0
	eachToken(raw, func(tok []byte, key bool) bool {
		at := cap(raw) - cap(tok)
		switch {
		case big(tok):
			out.Write(raw[last:at])
			out.WriteString(`"` + mark + "n" + string(tok) + `"`)
			last = at + len(tok)
		case !key && (bytes.HasPrefix(tok, []byte(`"`+mark)) || len(tok) > 6 && strings.EqualFold(string(tok[:7]), `"\ue000`)):
			out.Write(raw[last:at])
			out.WriteString(`"` + mark + "s")
			last = at + 1
		}
		return true
	})
	out.Write(raw[last:])
	return out.String(), true
}

// big reports whether a token is an integer beyond ±(2^53 - 1).
func big(tok []byte) bool {
	if len(tok) < 16 || tok[0] == '"' || bytes.ContainsAny(tok, ".eE") {
		return false
	}
	n, err := strconv.ParseInt(string(tok), 10, 64)
	return err != nil || n > 1<<53-1 || n < -(1<<53-1)
}

// eachToken visits the strings and numbers of valid JSON until visit says no, and then gives false.
func eachToken(raw []byte, visit func(tok []byte, key bool) bool) bool {
	for i := 0; i < len(raw); {
		start := i
		switch c := raw[i]; {
		case c == '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(raw))
			next := bytes.TrimLeft(raw[i:], " \t\r\n")
			if !visit(raw[start:i], len(next) > 0 && next[0] == ':') {
				return false
			}
		case c == '-' || c >= '0' && c <= '9':
			for i++; i < len(raw) && strings.IndexByte("0123456789.eE+-", raw[i]) >= 0; i++ {
			}
			if !visit(raw[start:i], false) {
				return false
			}
		default:
			i++
		}
	}
	return true
}

// encodingOf gives the name of an encoding we decode, by the labels of the Encoding standard; empty if we do not.
func encodingOf(label string) string {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "utf-8", "utf8", "unicode-1-1-utf-8":
		return "utf-8"
	case "utf-16", "utf-16le", "unicode", "ucs-2":
		return "utf-16le"
	case "latin1", "iso-8859-1", "ascii", "us-ascii", "windows-1252", "l1":
		return "windows-1252"
	}
	return ""
}

func decodeText(encoding string, b []byte, fatal bool) (string, bool) {
	switch encoding {
	case "utf-8":
		if utf8.Valid(b) {
			return string(b), true
		}
		return replaceBroken(b), !fatal
	case "utf-16le":
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
		s := string(utf16.Decode(units))
		if len(b)%2 != 0 {
			s += "\ufffd"
		}
		return s, !fatal || len(b)%2 == 0 && !strings.Contains(s, "\ufffd")
	}
	var out strings.Builder
	for _, c := range b {
		if c >= 0x80 && c < 0xA0 {
			out.WriteRune(windows1252[c-0x80])
		} else {
			out.WriteRune(rune(c))
		}
	}
	return out.String(), true
}

// replaceBroken gives one U+FFFD for each broken character, as the Encoding standard counts them.
func replaceBroken(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = maximalPart(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// maximalPart is how many bytes of a broken character count as one error.
func maximalPart(b []byte) int {
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(b) && b[n] >= low && b[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n
}

// unfinished is how many bytes at the end are the start of a character whose rest may follow.
func unfinished(encoding string, b []byte) int {
	switch encoding {
	case "utf-16le":
		n := len(b) % 2
		if whole := len(b) - n; whole >= 2 && b[whole-1]&0xFC == 0xD8 {
			n += 2
		}
		return n
	case "utf-8":
		for n := 1; n <= min(3, len(b)); n++ {
			if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
				if tail[0] >= 0xC2 && !utf8.FullRune(tail) {
					return n
				}
				return 0
			}
		}
	}
	return 0
}

var windows1252 = [32]rune{0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
	0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178}
