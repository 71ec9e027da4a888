package cli

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// table prints columns that fit the width. The last column gives way first, then the widest; the first, which holds what
// other commands take, stays whole.
func (a *app) table(head []string, rows [][]string) error {
	widths := make([]int, len(head))
	total := 2 * (len(head) - 1)
	for _, r := range append([][]string{head}, rows...) {
		for i, c := range r {
			widths[i] = max(widths[i], cells(clean(c)))
		}
	}
	for _, w := range widths {
		total += w
	}
	const least = 10 // columns narrower than this say nothing
	give := func(i, atLeast int) {
		less := max(0, min(total-a.width(), widths[i]-atLeast))
		widths[i] -= less
		total -= less
	}
	give(len(widths)-1, 2*least)
	for total > a.width() {
		widest := 1
		for i := 1; i < len(widths); i++ {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= least {
			break
		}
		give(widest, max(least, widths[widest]-1))
	}
	line := func(row []string, style string) error {
		var b strings.Builder
		for i, c := range row {
			c = cut(clean(c), widths[i])
			if i < len(row)-1 {
				c += strings.Repeat(" ", widths[i]-cells(c)+2)
			}
			b.WriteString(c)
		}
		text := strings.TrimRight(b.String(), " ")
		if style != "" {
			text = a.paint(style, text)
		}
		return a.say("%s", text)
	}
	if err := line(head, "2"); err != nil {
		return err
	}
	for _, r := range rows {
		if err := line(r, ""); err != nil {
			return err
		}
	}
	return nil
}

// clean makes a text one line without control characters, so that nothing stored can move the cursor.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// cells is how many columns a terminal gives to a text: two for each East Asian wide character and emoji, none for what
// combines with the character before it.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += cell(r)
	}
	return n
}

func cell(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens a text to w columns; the mark at its end says so.
func cut(s string, w int) string {
	if cells(s) <= w {
		return s
	}
	used, end := 0, 0
	for i, r := range s {
		if used+cell(r) > w-1 {
			break
		}
		used += cell(r)
		end = i + len(string(r))
	}
	return s[:end] + "…"
}
