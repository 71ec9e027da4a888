package guard

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marker finds what could be taken for the edge of a fence, also in look-alike brackets.
var marker = regexp.MustCompile(`(?i)[<＜‹〈﹤⟨]\s*/?\s*untrusted`)

// Fence marks text that is not ours (a page, a mail, a file, the output of a tool) so that a model can tell it from its
// instructions. Inside, hidden characters are shown and anything that looks like the edge of a fence is taken apart.
// Equal arguments give equal text: what a brain was shown can be computed again.
func Fence(source, text string) string {
	source = strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\"&\r\n\t", r) {
			return ' '
		}
		return r
	}, Visible(source))
	if len(source) > 200 {
		cut := 200
		for !utf8.RuneStart(source[cut]) {
			cut--
		}
		source = source[:cut] + "…"
	}
	inner := marker.ReplaceAllStringFunc(Visible(text), func(m string) string {
		_, size := utf8.DecodeRuneInString(m)
		return "(" + m[size:]
	})
	return "<untrusted source=\"" + source + "\">\n" + inner + "\n</untrusted>"
}

// Visible shows characters that a person would not see or that turn the reading direction, as <U+202E>. Line breaks and
// tabs stay, and joiners where a script or an emoji needs them.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == '\n' || r == '\t' || r == '\r' && i+1 < len(runes) && runes[i+1] == '\n':
			b.WriteRune(r)
		case (r == 0x200C || r == 0x200D) && i > 0 && i+1 < len(runes) && joins(runes[i-1]) && joins(runes[i+1]):
			b.WriteRune(r)
		case selects(r) && i > 0 && selected(runes[i-1]):
			b.WriteRune(r)
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < 0x20 && c != '\n' && c != '\t' || c == 0x7F {
			return false
		}
	}
	return true
}

func hidden(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F, r == 0x2800, r == 0x3164, r == 0xFFA0, r == 0x1D159:
		return true // soft hyphen, joiners, fillers, blanks that are no spaces
	case selects(r):
		return true // a run of them can spell a hidden text
	case r >= 0x2028 && r <= 0x202E, r >= 0x200B && r <= 0x200F, r >= 0x2060 && r <= 0x206F, r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB:
		return true // separators, bidirectional controls, zero width, annotations
	case r >= 0xE0000 && r <= 0xE0FFF:
		return true // tags and variation selectors that can spell a hidden text
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// selects: a variation selector, which chooses how the character before it looks.
func selects(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F }

// selected: a character that a selector has a meaning for: symbols, digits of keycaps, letters of scripts with variants.
func selected(r rune) bool {
	return joins(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sm, r) && r > 0x7F || unicode.Is(unicode.Po, r) && r > 0x7F || r == '#' || r == '*' || r >= '0' && r <= '9'
}

// joins: a neighbour that gives a joiner a meaning; never a Latin letter or another invisible character.
func joins(r rune) bool {
	return r > 0x2FF && !hidden(r) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r))
}
