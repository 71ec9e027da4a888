package catalog

import (
	"regexp"
	"strings"
)

// maxForced is how often one more line is quoted and the document read again.
const maxForced = 8

// readLenientYAML reads YAML, and where it is not quite YAML repairs what people write by mistake, each repair a warning:
// a text with a colon and a space in it, a text that begins with a character YAML reserves, text after a closed quote or
// bracket, tabs as indentation. If that does not help, the error is the one of the document as it was given.
func readLenientYAML(s string) (*node, []Warning, error) {
	n, first := readYAML(s)
	if first == nil {
		return n, nil, nil
	}
	if at, ok := first.(*syntaxError); !ok || at.final {
		return nil, nil, first
	}
	r := &repairer{lines: strings.Split(s, "\n"), fixed: map[int]bool{}}
	r.all()
	for try := 0; ; try++ {
		n, err := readYAML(strings.Join(r.lines, "\n"))
		if err == nil {
			return n, r.warnings(), nil
		}
		at, ok := err.(*syntaxError)
		if !ok || try == maxForced || !r.force(at.line) {
			return nil, nil, first
		}
	}
}

type repairer struct {
	lines []string
	fixed map[int]bool // by index
	order []int
}

func (r *repairer) warnings() []Warning {
	var out []Warning
	for _, i := range r.order {
		out = append(out, Warning{Code: "yamlRepaired", Line: i + 1, Message: "this line is not valid YAML and was read as if its text were quoted"})
	}
	return out
}

func (r *repairer) set(i int, line string) {
	if line == r.lines[i] {
		return
	}
	r.lines[i] = line
	if !r.fixed[i] {
		r.fixed[i] = true
		r.order = append(r.order, i)
	}
}

// entry splits a line of a block mapping: indentation and dashes, key, value.
var entry = regexp.MustCompile(`^([ ]*(?:- +)*)("[^"]*"|'[^']*'|[^\s#'"{}\[\],&*!|>%@` + "`" + `-][^:]*?|-[^\s:][^:]*?)\s*:[ \t]+(\S.*?)\s*$`)

// element splits a line of a block list that holds a plain text.
var element = regexp.MustCompile(`^([ ]*(?:- +)+)([@` + "`" + `%].*?)\s*$`)

// mapping splits a line of a block list that holds a flow mapping.
var mapping = regexp.MustCompile(`^([ ]*(?:- +)+)(\{.*\})\s*$`)

// prose are the keys whose value is a sentence, never a list or an object.
var prose = map[string]bool{"description": true, "summary": true, "title": true}

func (r *repairer) all() {
	for i := 0; i < len(r.lines); i++ {
		line := r.lines[i]
		if t := strings.TrimLeft(line, " \t"); strings.Contains(line[:len(line)-len(t)], "\t") && t != "" {
			line = strings.ReplaceAll(line[:len(line)-len(t)], "\t", "  ") + t
			r.set(i, line)
		}
		if m := element.FindStringSubmatch(line); m != nil {
			r.set(i, m[1]+quote(m[2]))
			continue
		}
		if m := mapping.FindStringSubmatch(line); m != nil {
			r.set(i, m[1]+flow(m[2]))
			continue
		}
		m := entry.FindStringSubmatch(line)
		if m == nil {
			if v := strings.TrimLeft(strings.TrimSpace(line), "- "); strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") {
				i = r.blockEnd(i, len(line)-len(strings.TrimLeft(line, " ")))
			}
			continue
		}
		key, v := strings.Trim(m[2], `"'`), m[3]
		switch {
		case v[0] == '|' || v[0] == '>':
			i = r.blockEnd(i, len(m[1]))
		case v[0] == '"' || v[0] == '\'':
			end := closing(v)
			if end < 0 {
				for i+1 < len(r.lines) && !strings.Contains(r.lines[i+1], v[:1]) {
					i++
				}
				i++
			} else if rest := strings.TrimSpace(v[end+1:]); rest != "" && rest[0] != '#' {
				r.set(i, m[1]+m[2]+": "+quote(v))
			}
		case v[0] == '{' || v[0] == '[':
			if end := strings.LastIndexAny(v, "}]"); prose[key] && end != len(v)-1 {
				r.set(i, m[1]+m[2]+": "+quote(v))
			} else if v[0] == '{' && end == len(v)-1 {
				r.set(i, m[1]+m[2]+": "+flow(v))
			}
		case stumbles(v):
			if comment := strings.Index(v, " #"); comment > 0 && !stumbles(v[:comment]) {
				continue // the colon is in a comment
			}
			r.set(i, m[1]+m[2]+": "+quote(v))
		}
	}
}

// force quotes the value of the line that the reader stopped at, or of the one before.
func (r *repairer) force(line int) bool {
	for _, i := range []int{line - 1, line - 2} {
		if i < 0 || i >= len(r.lines) || r.fixed[i] {
			continue
		}
		if m := entry.FindStringSubmatch(r.lines[i]); m != nil && (prose[strings.Trim(m[2], `"'`)] || strings.IndexByte(`|>{["'&*!`, m[3][0]) < 0) {
			r.set(i, m[1]+m[2]+": "+quote(m[3]))
			return true
		}
	}
	return false
}

// blockEnd returns the last line of a block text whose key is indented by so much.
func (r *repairer) blockEnd(i, indent int) int {
	for i+1 < len(r.lines) {
		next := r.lines[i+1]
		t := strings.TrimLeft(next, " ")
		if strings.TrimSpace(next) != "" && len(next)-len(t) <= indent {
			break
		}
		i++
	}
	return i
}

// closing finds the quote that ends a quoted text, or -1.
func closing(v string) int {
	for i := 1; i < len(v); i++ {
		switch {
		case v[i] == '\\' && v[0] == '"':
			i++
		case v[i] == v[0]:
			if v[0] == '\'' && i+1 < len(v) && v[i+1] == '\'' {
				i++
				continue
			}
			return i
		}
	}
	return -1
}

// flow quotes the plain texts of a one-line flow mapping that YAML would stumble over.
func flow(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		switch c := v[i]; {
		case c == '"' || c == '\'':
			end := closing(v[i:])
			if end < 0 {
				return v
			}
			b.WriteString(v[i : i+end+1])
			i += end + 1
		case strings.HasPrefix(v[i:], ": "):
			b.WriteString(": ")
			i += 2
			for i < len(v) && v[i] == ' ' {
				i++
			}
			end := i
			for end < len(v) && strings.IndexByte(",{}[]", v[end]) < 0 {
				end++
			}
			value := strings.TrimRight(v[i:end], " ")
			if value != "" && value[0] != '"' && value[0] != '\'' && stumbles(value) {
				b.WriteString(quote(value))
				i += len(value)
			}
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// stumbles reports whether a plain text is one that YAML does not take as such.
func stumbles(v string) bool {
	switch {
	case strings.ContainsRune("@`%", rune(v[0])), strings.Contains(v, ": "), strings.HasSuffix(v, ":"):
		return true
	case v[0] == '*':
		return strings.Contains(v, " ")
	case v[0] == '&' || v[0] == '?' || v[0] == '-':
		return strings.HasPrefix(v[1:], " ")
	}
	return false
}

func quote(v string) string { return "'" + strings.ReplaceAll(v, "'", "''") + "'" }
