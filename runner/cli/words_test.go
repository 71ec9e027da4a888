package cli

import (
	"encoding/json"
	"strings"
)

// shellWords parts a line as a POSIX shell would: spaces, and single quotes with '\” inside.
func shellWords(line string) []string {
	var words []string
	word, inside, any := "", false, false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == '\'':
			inside, any = !inside, true
		case c == '\\' && !inside && i+1 < len(runes):
			i++
			word += string(runes[i])
		case c == ' ' && !inside:
			if any || word != "" {
				words = append(words, word)
			}
			word, any = "", false
		default:
			word += string(c)
		}
	}
	if any || word != "" {
		words = append(words, word)
	}
	return words
}

func equalJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && strings.Compare(string(x), string(y)) == 0
}
