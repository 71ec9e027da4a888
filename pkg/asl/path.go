package asl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSteps bounds a path; AWS has no number, ours only keeps evaluation cheap.
const maxSteps = 64

type stepKind int

const (
	stepName    stepKind = iota // .name ['name'] ['a','b']
	stepIndex                   // [0] [-1] [0,2]
	stepSlice                   // [1:3]
	stepAll                     // .* [*]
	stepDescend                 // ..name ..*
)

type step struct {
	kind     stepKind
	names    []string
	indexes  []int
	from, to *int
	by       int
}

// Path is a JSONPath: "$" the input, "$$" the context object; names, indexes, lists of both, slices, wildcards and
// descent. Filters ("?(") and functions ("length()") are refused.
type Path struct {
	text    string
	context bool
	steps   []step
	many    bool // may select any number of values, so answers a list
}

func (p Path) String() string { return p.text }

// reference reports a Reference Path: it points at exactly one place and can be written to.
func (p Path) reference() bool { return !p.many && !p.context }

// ParsePath reads a path or says what about it is not supported.
func ParsePath(text string) (Path, error) {
	p := Path{text: text}
	rest, ok := strings.CutPrefix(text, "$")
	if !ok {
		return p, fmt.Errorf("%q is not a path: it must begin with $", text)
	}
	if r, ok := strings.CutPrefix(rest, "$"); ok {
		p.context, rest = true, r
	}
	descents := 0
	for rest != "" {
		s, r, err := parseStep(rest)
		if err != nil {
			return p, fmt.Errorf("path %q: %w", text, err)
		}
		if len(p.steps) == maxSteps {
			return p, fmt.Errorf("path %q has more than %d steps", text, maxSteps)
		}
		if s.kind == stepDescend {
			descents++
		}
		if descents > 1 { // one is linear in the input, two are quadratic
			return p, fmt.Errorf("path %q descends (..) more than once", text)
		}
		p.many = p.many || s.kind != stepName && s.kind != stepIndex || len(s.names) > 1 || len(s.indexes) > 1
		p.steps, rest = append(p.steps, s), r
	}
	return p, nil
}

func parseStep(in string) (step, string, error) {
	if in[0] == '[' {
		return parseBracket(in[1:])
	}
	rest, ok := strings.CutPrefix(in, ".")
	if !ok {
		return step{}, "", fmt.Errorf("%q is not expected here", in)
	}
	kind := stepName
	if r, ok := strings.CutPrefix(rest, "."); ok {
		kind, rest = stepDescend, r
	}
	if r, ok := strings.CutPrefix(rest, "*"); ok {
		if kind == stepName {
			kind = stepAll
		}
		return step{kind: kind}, r, nil
	}
	end := strings.IndexAny(rest, ".[]()'\"*?@,$ \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return step{}, "", errors.New("a name is missing after the dot")
	}
	if end < len(rest) && rest[end] != '.' && rest[end] != '[' {
		return step{}, "", fmt.Errorf("%q is not supported in a name", rest[end:end+1])
	}
	return step{kind: kind, names: []string{rest[:end]}}, rest[end:], nil
}

func parseBracket(in string) (step, string, error) {
	in = strings.TrimLeft(in, " ")
	switch {
	case in == "":
		return step{}, "", errors.New("a bracket is not closed")
	case in[0] == '*':
		rest, ok := strings.CutPrefix(strings.TrimLeft(in[1:], " "), "]")
		if !ok {
			return step{}, "", errors.New("a bracket is not closed")
		}
		return step{kind: stepAll}, rest, nil
	case in[0] == '\'' || in[0] == '"':
		return parseNames(in)
	case in[0] == '?' || in[0] == '(':
		return step{}, "", errors.New("filters are not supported")
	}
	inner, rest, ok := strings.Cut(in, "]")
	if !ok {
		return step{}, "", errors.New("a bracket is not closed")
	}
	if strings.Contains(inner, ":") {
		s, err := parseSlice(inner)
		return s, rest, err
	}
	s := step{kind: stepIndex}
	for part := range strings.SplitSeq(inner, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return step{}, "", fmt.Errorf("%q is not an index", part)
		}
		s.indexes = append(s.indexes, n)
	}
	return s, rest, nil
}

func parseNames(in string) (step, string, error) {
	s := step{kind: stepName}
	for {
		if in == "" || in[0] != '\'' && in[0] != '"' {
			return s, "", errors.New("a quoted name is expected")
		}
		quote, name := in[0], strings.Builder{}
		i := 1
		for ; i < len(in) && in[i] != quote; i++ {
			if in[i] == '\\' && i+1 < len(in) {
				i++
			}
			name.WriteByte(in[i])
		}
		if i == len(in) {
			return s, "", errors.New("a quoted name is not closed")
		}
		s.names = append(s.names, name.String())
		in = strings.TrimLeft(in[i+1:], " ")
		if rest, ok := strings.CutPrefix(in, "]"); ok {
			return s, rest, nil
		}
		rest, ok := strings.CutPrefix(in, ",")
		if !ok {
			return s, "", errors.New("a bracket is not closed")
		}
		in = strings.TrimLeft(rest, " ")
	}
}

func parseSlice(inner string) (step, error) {
	parts := strings.Split(inner, ":")
	s := step{kind: stepSlice, by: 1}
	if len(parts) > 3 {
		return s, fmt.Errorf("%q is not a slice", inner)
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || i == 2 && n < 1 {
			return s, fmt.Errorf("%q is not a slice", inner)
		}
		switch i {
		case 0:
			s.from = &n
		case 1:
			s.to = &n
		default:
			s.by = n
		}
	}
	return s, nil
}
