package rule

import (
	"fmt"
	"strings"
)

// Any is the segment that stands for others: at the end for everything below and the place itself, in the middle for exactly
// one segment, alone for every address (spec tool-runtime 1d).
const Any = "*"

// Limits of a pattern. The longest address has 4 parts of at most 80 characters (pkg/catalog).
const (
	maxPattern  = 400
	maxSegments = 16
)

// CheckPattern says what is wrong with a pattern, with an example of what is meant, or nil.
func CheckPattern(p string) error {
	switch {
	case p == "":
		return fmt.Errorf("a pattern is empty; write an address such as github.main.issues.create, or * for all")
	case p == Any:
		return nil
	case len(p) > maxPattern:
		return fmt.Errorf("a pattern has at most %d characters", maxPattern)
	case strings.HasPrefix(p, "tools."):
		return fmt.Errorf("addresses in policies begin with the source: write %s", strings.TrimPrefix(p, "tools."))
	}
	segments := strings.Split(p, ".")
	if len(segments) > maxSegments {
		return fmt.Errorf("a pattern has at most %d parts", maxSegments)
	}
	for i, s := range segments {
		switch {
		case s == "":
			return fmt.Errorf("part %d of the pattern is empty: write one dot between parts, as in github.main.*", i+1)
		case s == Any && i == 0:
			return fmt.Errorf("a pattern cannot begin with *: name the source, as in github.*.issues.create, or write * alone for all")
		case s == Any:
		case strings.Contains(s, Any):
			return fmt.Errorf("part %d, %q, mixes * with letters: * stands for a whole part, as in github.main.*", i+1, s)
		case strings.ContainsFunc(s, func(r rune) bool { return !partOf(r) }):
			return fmt.Errorf("part %d, %q, holds a character that no address has: letters, digits, _ and - are possible, as in github.main.issues.create", i+1, s)
		}
	}
	return nil
}

func partOf(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// Match reports whether an address is one that the pattern is about. Capitals count. What is no pattern matches nothing.
func Match(pattern, address string) bool {
	if CheckPattern(pattern) != nil {
		return false
	}
	return Matcher(pattern)(address)
}

// Matcher is Match made ready for many addresses; the pattern has to be a good one.
func Matcher(pattern string) func(address string) bool {
	if pattern == Any {
		return func(address string) bool { return address != "" }
	}
	segments := strings.Split(pattern, ".")
	subtree := segments[len(segments)-1] == Any
	if subtree {
		segments = segments[:len(segments)-1]
	}
	return func(address string) bool {
		rest, more := address, address != ""
		for _, s := range segments {
			if !more {
				return false
			}
			var part string
			part, rest, more = strings.Cut(rest, ".")
			if s != Any && s != part || part == "" {
				return false
			}
		}
		return subtree || !more
	}
}

// Literal is how every address begins that the pattern matches: the segments before the first *.
func Literal(pattern string) string {
	if pattern == Any {
		return ""
	}
	head, _, _ := strings.Cut(pattern, "."+Any)
	return head
}

// within reports whether every address of p is one of q, for good patterns.
func within(p, q string) bool {
	if q == Any || p == q {
		return true
	}
	if p == Any {
		return false
	}
	ps, qs := strings.Split(p, "."), strings.Split(q, ".")
	pTree, qTree := ps[len(ps)-1] == Any, qs[len(qs)-1] == Any
	if pTree {
		ps = ps[:len(ps)-1]
	}
	if qTree {
		qs = qs[:len(qs)-1]
	}
	if len(ps) < len(qs) || !qTree && (pTree || len(ps) != len(qs)) {
		return false
	}
	for i, s := range qs {
		if s != Any && s != ps[i] {
			return false
		}
	}
	return true
}
