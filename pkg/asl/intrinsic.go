package asl

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxCalls is AWS's limit of intrinsic functions in one field.
const maxCalls = 10

// intrinsic is one function: how many arguments it takes (most -1: any number) and what it does. The error of run becomes
// the cause of States.IntrinsicFailure.
type intrinsic struct {
	least, most int
	run         func(args []any, s *scope) (any, error)
}

// intrinsics lists every function of the JSONPath States Language.
var intrinsics = map[string]intrinsic{
	"States.Format":         {1, -1, format},
	"States.JsonToString":   {1, 1, jsonToString},
	"States.StringToJson":   {1, 1, stringToJSON},
	"States.JsonMerge":      {3, 3, jsonMerge},
	"States.Array":          {0, -1, array},
	"States.ArrayPartition": {2, 2, arrayPartition},
	"States.ArrayContains":  {2, 2, arrayContains},
	"States.ArrayRange":     {3, 3, arrayRange},
	"States.ArrayGetItem":   {2, 2, arrayGetItem},
	"States.ArrayLength":    {1, 1, arrayLength},
	"States.ArrayUnique":    {1, 1, arrayUnique},
	"States.Base64Encode":   {1, 1, base64Encode},
	"States.Base64Decode":   {1, 1, base64Decode},
	"States.Hash":           {2, 2, hashOf},
	"States.MathRandom":     {2, 3, mathRandom},
	"States.MathAdd":        {2, 2, mathAdd},
	"States.StringSplit":    {2, 2, stringSplit},
	"States.UUID":           {0, 0, uuid},
}

type constant struct{ v any }

func (c constant) eval(*scope, string) (any, *Failure) { return c.v, nil }

type call struct {
	name string
	fn   intrinsic
	args []expression
}

func (c call) eval(s *scope, field string) (any, *Failure) {
	args := make([]any, len(c.args))
	for i, a := range c.args {
		v, fail := a.eval(s, field)
		if fail != nil {
			return nil, fail
		}
		args[i] = v
	}
	v, err := c.fn.run(args, s)
	if err != nil {
		return nil, &Failure{Error: ErrIntrinsic, Cause: fmt.Sprintf(
			"The function '%s' specified for the field '%s' failed: %s", c.name, field, err)}
	}
	return v, nil
}

// parseIntrinsic reads "States.Name(argument, …)"; arguments are paths, 'quoted texts', numbers, true, false, null and
// further calls.
func parseIntrinsic(text string) (expression, error) {
	p := &callParser{in: text}
	p.space()
	e, err := p.call()
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if p.space(); p.at < len(p.in) {
		return nil, fmt.Errorf("%q: %q is not expected after the call", text, p.in[p.at:])
	}
	return e, nil
}

type callParser struct {
	in    string
	at    int
	calls int
}

func (p *callParser) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

func (p *callParser) eat(c byte) bool {
	if p.space(); p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *callParser) call() (expression, error) {
	name, _, ok := strings.Cut(p.in[p.at:], "(")
	if !ok {
		return nil, fmt.Errorf("a path or an intrinsic function is expected")
	}
	fn, known := intrinsics[strings.TrimSpace(name)]
	if !known {
		return nil, fmt.Errorf("function %q is not known", strings.TrimSpace(name))
	}
	if p.calls++; p.calls > maxCalls {
		return nil, fmt.Errorf("more than %d functions in one field", maxCalls)
	}
	c := call{name: strings.TrimSpace(name), fn: fn}
	p.at += len(name) + 1
	for !p.eat(')') {
		if len(c.args) > 0 && !p.eat(',') {
			return nil, fmt.Errorf("a comma or ) is missing at %q", p.in[p.at:])
		}
		p.space()
		a, err := p.argument(c.name == "States.Format" && len(c.args) == 0)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, a)
	}
	if n := len(c.args); n < fn.least || fn.most >= 0 && n > fn.most {
		return nil, fmt.Errorf("%s does not take %d arguments", c.name, n)
	}
	return c, nil
}

// argument reads one argument; in a pattern of States.Format the escapes of a quoted text stay for Format to read.
func (p *callParser) argument(pattern bool) (expression, error) {
	if p.at == len(p.in) {
		return nil, fmt.Errorf("an argument is missing")
	}
	switch c := p.in[p.at]; {
	case c == '\'':
		return p.text(pattern)
	case c == '$':
		return p.path()
	case strings.HasPrefix(p.in[p.at:], "States."):
		return p.call()
	}
	end := strings.IndexAny(p.in[p.at:], ",) \t\r\n")
	if end < 0 {
		return nil, fmt.Errorf("a call is not closed")
	}
	word := p.in[p.at : p.at+end]
	v, err := decode([]byte(word))
	if err != nil {
		return nil, fmt.Errorf("%q is not an argument", word)
	}
	switch v.(type) {
	case json.Number, bool, nil:
		p.at += end
		return constant{v}, nil
	}
	return nil, fmt.Errorf("%q is not an argument", word)
}

func (p *callParser) text(pattern bool) (expression, error) {
	var b strings.Builder
	for i := p.at + 1; i < len(p.in); i++ {
		switch c := p.in[i]; {
		case c == '\'':
			p.at = i + 1
			return constant{b.String()}, nil
		case c == '\\' && i+1 < len(p.in):
			i++
			if pattern && p.in[i] != '\'' {
				b.WriteByte('\\')
			}
			b.WriteByte(p.in[i])
		default:
			b.WriteByte(c)
		}
	}
	return nil, fmt.Errorf("a quoted text is not closed")
}

// path reads up to the comma or parenthesis that ends the argument, skipping brackets and quotes.
func (p *callParser) path() (expression, error) {
	depth, quote, end := 0, byte(0), p.at
	for ; end < len(p.in); end++ {
		c := p.in[end]
		switch {
		case quote != 0:
			if c == '\\' {
				end++
			} else if c == quote {
				quote = 0
			}
			continue
		case depth > 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
		if depth == 0 && (c == ',' || c == ')') {
			break
		}
	}
	end = min(end, len(p.in))
	e, err := ParsePath(strings.TrimSpace(p.in[p.at:end]))
	p.at = end
	return e, err
}
