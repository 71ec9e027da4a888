package asl

import (
	"encoding/json"
	"strings"
	"time"
)

// comparison is one operator of a choice rule: what its own value must be when the definition is loaded, and whether a
// variable meets it. With a …Path operator the wanted value comes from the input.
type comparison struct {
	valid func(want any) bool
	holds func(have, want any) bool
}

func isText(v any) bool   { _, ok := v.(string); return ok }
func isBool(v any) bool   { _, ok := v.(bool); return ok }
func isNumber(v any) bool { _, ok := v.(json.Number); return ok }
func isMoment(v any) bool { _, ok := moment(v); return ok }

// moment reads a timestamp as the States Language has it: RFC 3339 with capital T and Z.
func moment(v any) (time.Time, bool) {
	s, ok := v.(string)
	if !ok || strings.ContainsAny(s, "tz ") {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil
}

func ordered(want func(c int) bool, compare func(a, b any) (int, bool)) func(a, b any) bool {
	return func(a, b any) bool {
		c, ok := compare(a, b)
		return ok && want(c)
	}
}

func compareText(a, b any) (int, bool) {
	x, okX := a.(string)
	y, okY := b.(string)
	return strings.Compare(x, y), okX && okY
}

func compareNumber(a, b any) (int, bool) {
	x, okX := a.(json.Number)
	y, okY := b.(json.Number)
	if !okX || !okY {
		return 0, false
	}
	return compareNumbers(x, y)
}

func compareMoment(a, b any) (int, bool) {
	x, okX := moment(a)
	y, okY := moment(b)
	return x.Compare(y), okX && okY
}

// comparisons holds every operator by name, without And, Or, Not and IsPresent, which are read apart.
var comparisons = func() map[string]comparison {
	all := map[string]comparison{
		"StringMatches": {isText, func(have, want any) bool {
			s, ok := have.(string)
			return ok && wildcard(want.(string), s)
		}},
		"BooleanEquals": {isBool, func(have, want any) bool { return isBool(have) && have == want }},
	}
	all["BooleanEqualsPath"] = comparison{nil, all["BooleanEquals"].holds}
	orders := map[string]func(c int) bool{
		"Equals":            func(c int) bool { return c == 0 },
		"LessThan":          func(c int) bool { return c < 0 },
		"LessThanEquals":    func(c int) bool { return c <= 0 },
		"GreaterThan":       func(c int) bool { return c > 0 },
		"GreaterThanEquals": func(c int) bool { return c >= 0 },
	}
	for name, order := range orders {
		for kind, c := range map[string]struct {
			valid   func(any) bool
			compare func(a, b any) (int, bool)
		}{
			"String": {isText, compareText}, "Numeric": {isNumber, compareNumber}, "Timestamp": {isMoment, compareMoment},
		} {
			holds := ordered(order, c.compare)
			all[kind+name] = comparison{c.valid, holds}
			all[kind+name+"Path"] = comparison{nil, holds}
		}
	}
	for name, is := range map[string]func(any) bool{
		"IsNull": func(v any) bool { return v == nil }, "IsString": isText, "IsNumeric": isNumber,
		"IsBoolean": isBool, "IsTimestamp": isMoment,
	} {
		all[name] = comparison{isBool, func(have, want any) bool { return is(have) == want }}
	}
	return all
}()

// wildcard matches * against any run of characters; \* is a star and \\ a backslash. It looks at each text position at
// most once per star.
func wildcard(pattern, s string) bool {
	type token struct {
		c    byte
		star bool
	}
	tokens := make([]token, 0, len(pattern))
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c == '\\' && i+1 < len(pattern) {
			i++
			tokens = append(tokens, token{c: pattern[i]})
			continue
		}
		tokens = append(tokens, token{c, c == '*'})
	}
	p, at, star, resume := 0, 0, -1, 0
	for at < len(s) {
		switch {
		case p < len(tokens) && tokens[p].star:
			star, resume = p, at
			p++
		case p < len(tokens) && tokens[p].c == s[at]:
			p++
			at++
		case star >= 0:
			resume++
			p, at = star+1, resume
		default:
			return false
		}
	}
	for p < len(tokens) && tokens[p].star {
		p++
	}
	return p == len(tokens)
}
