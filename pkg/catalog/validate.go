package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	reason "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const (
	maxProblems = 20
	maxCompiled = 64 // schemas that a source keeps ready
	// maxParts bounds the objects of a schema that is made ready: the work grows with their square, 15,000 are about two seconds.
	maxParts = 15_000
)

// Problem is one thing wrong with arguments, at a JSON pointer.
type Problem struct {
	At      string `json:"at"`
	Message string `json:"message"`
}

// checker is a compiled input schema. It is nil inside when the schema could not be compiled; then anything passes, and so does
// what takes too long to check: upstream judges it.
type checker struct{ schema *bounded }

// Check judges arguments against the input schema and lists everything that is wrong, or nothing.
func (t *Tool) Check(args map[string]any) []Problem {
	_, problems := t.examine(args)
	return problems
}

// examine arranges arguments and lists everything that is wrong with them: what is no argument, and what breaks the schema.
func (t *Tool) examine(args map[string]any) (map[string]any, []Problem) {
	arranged, problems := t.arrange(plainMap(args))
	problems = append(problems, t.check(arranged)...)
	return arranged, problems[:min(len(problems), maxProblems)]
}

func (t *Tool) check(arranged map[string]any) []Problem {
	c := t.checker()
	if c.schema == nil {
		return nil
	}
	err := c.schema.Validate(arranged)
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		return nil
	}
	var out []Problem
	collect(bad, &out)
	return out
}

var printer = message.NewPrinter(language.English)

// collect lists the innermost failures; of alternatives that all fail, those of the one that came closest.
func collect(e *jsonschema.ValidationError, out *[]Problem) {
	if len(*out) >= maxProblems {
		return
	}
	switch e.ErrorKind.(type) {
	case *reason.AnyOf, *reason.OneOf:
		if best := closest(e.Causes); best != nil && deepest(best) > len(e.InstanceLocation) {
			collect(best, out)
			return
		}
		add(out, e, fmt.Sprintf("matches none of the %d alternatives", max(1, len(e.Causes))))
		return
	}
	if len(e.Causes) == 0 {
		add(out, e, e.ErrorKind.LocalizedString(printer))
		return
	}
	for _, c := range e.Causes {
		collect(c, out)
	}
}

func add(out *[]Problem, e *jsonschema.ValidationError, text string) {
	at := ""
	for _, part := range e.InstanceLocation {
		at += "/" + escapePointer(part)
	}
	p := Problem{at, clip(text, 300)}
	for _, known := range *out {
		if known == p {
			return
		}
	}
	*out = append(*out, p)
}

func closest(all []*jsonschema.ValidationError) (best *jsonschema.ValidationError) {
	for _, c := range all {
		if best == nil || deepest(c) > deepest(best) {
			best = c
		}
	}
	return best
}

func deepest(e *jsonschema.ValidationError) int {
	d := len(e.InstanceLocation)
	for _, c := range e.Causes {
		d = max(d, deepest(c))
	}
	return d
}

// checker compiles the input schema of a tool on first use and keeps it for a while.
func (t *Tool) checker() *checker {
	s := t.source
	s.mu.Lock()
	c := s.compiled[t.Name]
	s.mu.Unlock()
	if c != nil {
		return c
	}
	c = &checker{}
	c.schema, _ = t.compile()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled == nil || len(s.compiled) >= maxCompiled {
		s.compiled = map[string]*checker{}
	}
	s.compiled[t.Name] = c
	return c
}

func (t *Tool) compile() (*bounded, error) {
	raw := t.InputSchema()
	if n := bytes.Count(raw, []byte("{")); n > maxParts {
		return nil, fmt.Errorf("input schema of %s: %d parts are too many to check arguments against", t.Name, n)
	}
	out, err := compile(raw)
	if err != nil {
		return nil, fmt.Errorf("input schema of %s: %w", t.Name, err)
	}
	return out, nil
}

// compile makes a JSON Schema ready. It fetches nothing.
func compile(raw []byte) (*bounded, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	b, c := &bounded{}, jsonschema.NewCompiler()
	b.count(c)
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuse{})
	c.UseRegexpEngine(lenient)
	const at = "tool:///input"
	if err := c.AddResource(at, doc); err != nil {
		return nil, fmt.Errorf("add: %w", err)
	}
	if b.schema, err = c.Compile(at); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	return b, nil
}

// refuse loads nothing: a schema must not make us fetch.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference %s leads outside of the schema", url)
}

// lenient compiles a pattern. One that uses what Go's expressions do not know (look-ahead, back references) matches anything.
func lenient(s string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(s); err == nil {
		return re, nil
	}
	return anything(s), nil
}

type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// InputSchema is the complete input schema with the definitions it reaches.
func (t *Tool) InputSchema() json.RawMessage { return t.complete(t.Input, t.InputUses) }

// OutputSchema is the complete schema of the data of a success, or nil.
func (t *Tool) OutputSchema() json.RawMessage {
	if len(t.Output) == 0 {
		return nil
	}
	return t.complete(t.Output, t.OutputUses)
}

func (t *Tool) complete(schema []byte, uses []string) json.RawMessage {
	if len(uses) == 0 || !bytes.HasPrefix(schema, []byte("{")) {
		return schema
	}
	out := append([]byte(nil), schema[:len(schema)-1]...)
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(out, `"$defs":{`...)
	first := true
	for _, name := range t.source.reachable(uses...) {
		def, ok := t.source.Definitions[name]
		if !ok {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(append(appendQuoted(out, name), ':'), def.Schema...)
	}
	return append(out, "}}"...)
}

// plainMap brings arguments of Go programs into the types that JSON has.
func plainMap(args map[string]any) map[string]any {
	if isPlain(args, 0) {
		return args
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return args
	}
	out, err := Arguments(raw)
	if err != nil {
		return args
	}
	return out
}

func isPlain(v any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v := v.(type) {
	case nil, bool, string, json.Number, float64:
		return true
	case map[string]any:
		for _, c := range v {
			if !isPlain(c, depth+1) {
				return false
			}
		}
		return true
	case []any:
		for _, c := range v {
			if !isPlain(c, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// invalidArguments is the failure that names every problem and what the tool takes.
func invalidArguments(problems []Problem, accepted []string) *Failure {
	var b strings.Builder
	b.WriteString("the arguments are not valid")
	for i, p := range problems {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		at := strings.ReplaceAll(strings.TrimPrefix(p.At, "/"), "/", ".")
		if at != "" {
			at += ": "
		}
		b.WriteString(sep + at + p.Message)
	}
	if len(accepted) > 0 {
		b.WriteString(". Accepted: " + clip(strings.Join(accepted, ", "), 600))
	} else {
		b.WriteString(". The tool takes no arguments")
	}
	return &Failure{Code: CodeInvalidArguments, Message: b.String(), Details: ArgumentDetails{problems, accepted}}
}

// ArgumentDetails are the details of a failure with code invalid_tool_arguments.
type ArgumentDetails struct {
	Problems []Problem `json:"problems"`
	Accepted []string  `json:"accepted,omitempty"`
}
