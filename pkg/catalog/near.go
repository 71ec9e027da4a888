package catalog

import "strings"

// distance is the number of edits (insert, drop, replace, swap neighbours) that turn a into b, or most+1 when it is larger.
func distance(a, b string, most int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > most || len(b) > 64 {
		return most + 1
	}
	var rows [3][65]int
	before, last, now := &rows[0], &rows[1], &rows[2]
	for j := 0; j <= len(a); j++ {
		last[j] = j
	}
	for i := 1; i <= len(b); i++ {
		now[0] = i
		smallest := i
		for j := 1; j <= len(a); j++ {
			cost := 1
			if b[i-1] == a[j-1] {
				cost = 0
			}
			d := min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && b[i-1] == a[j-2] && b[i-2] == a[j-1] {
				d = min(d, before[j-2]+1)
			}
			now[j] = d
			smallest = min(smallest, d)
		}
		if smallest > most {
			return most + 1
		}
		before, last, now = last, now, before
	}
	return min(last[len(a)], most+1)
}

// tolerance is how many edits a word of that length forgives.
func tolerance(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// letters is the set of letters of a word. Words that are d edits apart differ in at most 2d of them.
func letters(w string) uint32 {
	var set uint32
	for i := 0; i < len(w); i++ {
		c := w[i]
		switch {
		case c >= 'a' && c <= 'z':
			set |= 1 << (c - 'a')
		case c >= '0' && c <= '9':
			set |= 1 << 26
		default:
			set |= 1 << 27
		}
	}
	return set
}

// nearest returns the word that is meant by a misspelt one, or "".
func nearest(s string, all []string) string {
	best, bestAt := "", 3
	for _, w := range all {
		last := w[strings.LastIndexByte(w, '.')+1:]
		if d := distance(strings.ToLower(s), strings.ToLower(last), 2); d < bestAt && d <= max(1, tolerance(len(s))) {
			best, bestAt = w, d
		}
	}
	return best
}
