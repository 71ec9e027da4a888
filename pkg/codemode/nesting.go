package codemode

import "strings"

// The parser of esbuild recurses, and Go ends the whole process when a stack passes 1 GB: 256 KB of "(" came to 1.5 GB, and
// 2,000 nested arrows took it 40 s. So depth is counted first. Nobody writes code near these numbers.
const (
	maxBrackets = 256
	maxSpine    = 2000 // operators that bind to the right, one after another
	maxArrows   = 200
)

// depthCounter counts how deep a parser would have to go.
type depthCounter struct {
	text   string
	at     int
	levels []level
	last   byte // the last significant byte before at
}

type level struct {
	close         byte
	spine, arrows int // so far on the way down to here
	base, baseArr int // where this bracket began
}

// nesting refuses a text that is nested too deeply to be parsed. It reads roughly: strings, templates and comments are known,
// regular expressions are guessed.
func nesting(text string) *Failure {
	c := &depthCounter{text: text, levels: []level{{}}}
	for c.at < len(text) {
		c.step()
		top := &c.levels[len(c.levels)-1]
		if len(c.levels) > maxBrackets || top.spine > maxSpine || top.arrows > maxArrows {
			line := 1 + strings.Count(text[:min(c.at, len(text))], "\n")
			return &Failure{Kind: FailSyntax, Name: "SyntaxError", Message: "the program is nested too deeply to be read", Line: line, Column: 1}
		}
	}
	return nil
}

func (c *depthCounter) step() {
	top := &c.levels[len(c.levels)-1]
	rest := c.text[c.at:]
	b := rest[0]
	n := 1
	switch b {
	case ' ', '\t', '\r', '\n':
		c.at++
		return
	case '(', '[', '{':
		c.open(map[byte]byte{'(': ')', '[': ']', '{': '}'}[b])
	case ')', ']', '}':
		if c.close(b) {
			return // inside a template again
		}
	case ';', ',':
		top.spine, top.arrows = top.base, top.baseArr
	case '"', '\'':
		n = quoted(rest, b)
	case '`':
		c.at++
		c.template()
		return
	case '/':
		switch {
		case strings.HasPrefix(rest, "//"):
			c.at += lineLength(rest)
			return
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				end = len(rest)
			}
			c.at += min(end+4, len(rest))
			return
		case strings.IndexByte("(,=:[!&|?{};+-*%~^<>\x00", c.last) >= 0:
			n = expression(rest)
		}
	case '=':
		top.spine++
		if strings.HasPrefix(rest, "=>") {
			top.arrows++
			n = 2
		}
	case '!', '~', '?', '+', '-', ':', '*', '<':
		top.spine++
	default:
		if word := wordLength(rest); word > 0 {
			n = word
			switch rest[:word] {
			case "typeof", "void", "await", "new", "delete", "if", "else", "for", "while", "yield", "keyof", "extends":
				top.spine++
			}
		}
	}
	c.last = rest[n-1]
	c.at += n
}

func (c *depthCounter) open(close byte) {
	top := c.levels[len(c.levels)-1]
	c.levels = append(c.levels, level{close: close, spine: top.spine, arrows: top.arrows, base: top.spine, baseArr: top.arrows})
}

// close ends a bracket and reports whether that led back into a template.
func (c *depthCounter) close(b byte) bool {
	top := c.levels[len(c.levels)-1]
	if len(c.levels) == 1 || top.close != b && !(top.close == '`' && b == '}') {
		return false
	}
	c.levels = c.levels[:len(c.levels)-1]
	if top.close == '`' {
		c.at++
		c.template()
		return true
	}
	if b == '}' {
		outer := &c.levels[len(c.levels)-1]
		outer.spine, outer.arrows = outer.base, outer.baseArr
	}
	return false
}

// template skips text of a template up to its end or its next ${.
func (c *depthCounter) template() {
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case '\\':
			c.at++
		case '`':
			c.at++
			c.last = '`'
			return
		case '$':
			if strings.HasPrefix(c.text[c.at:], "${") {
				c.at += 2
				c.last = '{'
				c.open('`')
				return
			}
		}
	}
}

// quoted is the length of a string; one that does not end on its line is no string.
func quoted(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote, '\n':
			return i + 1
		}
	}
	return len(s)
}

// expression is the length of a regular expression, or 1 if it is none.
func expression(s string) int {
	class := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		case '\n':
			return 1
		}
	}
	return 1
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

func wordLength(s string) int {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= '0' && s[i] <= '9' || s[i] == '_' || s[i] == '$' || s[i] >= 0x80) {
		i++
	}
	return i
}
