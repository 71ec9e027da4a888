package codemode

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// Forms of a program, as prelude/boot.js knows them.
const (
	formBody   = "body"   // statements, with await and return
	formExpr   = "expr"   // one function (or one expression), called
	formModule = "module" // export default
)

// scriptName marks the author's code in stacks; nothing else there is shown.
const scriptName = "program.ts"

// maxSource bounds what we parse: 256 KB is far beyond what a person or a model writes, and bounds the parser's recursion.
const maxSource = 256 << 10

// source is a program ready to run: JavaScript, and the way back to the author's lines.
type source struct {
	js    string
	form  string
	lines *lineMap
	above int // lines that we put above the author's text
}

// read accepts a program in any of its forms: statements, a fenced block, an arrow function, a named function, or a module
// with export default.
func read(text string) (*source, *Failure) {
	if len(text) > maxSource {
		return nil, failf(FailSyntax, "the program has %d bytes; at most %d are read", len(text), maxSource)
	}
	text = unfenced(text)
	if f := nesting(text); f != nil {
		return nil, f
	}
	if s := asFunction(text); s != nil {
		return s, nil
	}
	body, fail := transform(formBody, "(async () => {\n", text, "\n})", 1)
	if fail == nil {
		return body, nil
	}
	module, modFail := transform(formModule, "", text, "", 0)
	if modFail == nil {
		if f := imports(text); f != nil {
			return nil, f
		}
		return module, nil
	}
	if f := importBesideReturn(text); f != nil {
		return nil, f
	}
	if moduleWord.MatchString(fail.Message) {
		return nil, modFail
	}
	return nil, fail
}

var staticImport = regexp.MustCompile(`(?m)^[ \t]*import\s+(?:[\pL_$*{][^'"\n;]*\sfrom\s+)?(['"])([^'"\n]+)['"]`)

// importBesideReturn finds an import in a text that is neither a module, since it returns, nor statements, since it imports.
func importBesideReturn(text string) *Failure {
	m := staticImport.FindStringSubmatchIndex(text)
	if m == nil {
		return nil
	}
	line := strings.LastIndexByte(text[:m[2]], '\n') + 1
	f := failf(FailImport, "%s", refusal(text[m[4]:m[5]]))
	f.Line, f.Column = strings.Count(text[:m[2]], "\n")+1, utf8.RuneCountInString(text[line:m[2]])+1
	return f
}

func refusal(module string) string {
	return "import of " + strconv.Quote(module) + " is refused: modules cannot be loaded; what a program may use is built in or a tool"
}

var moduleWord = regexp.MustCompile(`Unexpected "(export|import)"|"(export|import)"`)

var (
	fenceOpen  = regexp.MustCompile("^\\s*(```+|~~~+)[^\\n`]*\\n")
	fenceClose = regexp.MustCompile("\\n[ \\t]*(```+|~~~+)\\s*$")
)

// unfenced takes a Markdown fence off; the lines keep their numbers.
func unfenced(text string) string {
	open := fenceOpen.FindString(text)
	if open == "" {
		return text
	}
	rest := text[len(open):]
	if end := fenceClose.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	} else if end := fenceClose.FindStringIndex("\n" + rest); end != nil {
		rest = ""
	}
	return strings.Repeat("\n", strings.Count(open, "\n")) + rest
}

var (
	comment       = regexp.MustCompile(`^(\s+|//[^\n]*(\n|$)|/\*(?s:.*?)\*/)`)
	functionStart = regexp.MustCompile(`^(\(|async\b|function\b|[\pL_$][\pL\pN_$]*\s*=>)`)
)

// asFunction reads a text that is one expression and starts like a function; nil if it is not.
func asFunction(text string) *source {
	start := text
	for c := comment.FindString(start); c != ""; c = comment.FindString(start) {
		start = start[len(c):]
	}
	if !functionStart.MatchString(start) {
		return nil
	}
	s, fail := transform(formExpr, "(async () => { return [(\n", strings.TrimRight(text, "; \t\r\n"), "\n)] })", 1)
	if fail != nil {
		return nil
	}
	return s
}

// transform strips types. Positions in what it refuses, and later in stacks, are the author's.
func transform(form, before, text, after string, above int) (*source, *Failure) {
	r := api.Transform(before+text+after, api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ES2022, Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		Sourcefile: scriptName, LogLevel: api.LogLevelSilent, LogLimit: 1, LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
	})
	if len(r.Errors) > 0 {
		return nil, located(r.Errors[0], text, above)
	}
	lines, err := readMap(r.Map)
	if err != nil {
		return nil, failf(FailSyntax, "the positions of the program cannot be read: %v", err)
	}
	js := string(r.Code)
	if form != formModule {
		js = strings.TrimRight(js, ";\n ") // an expression, whose value is the program
	}
	return &source{js: js, form: form, lines: lines, above: above}, nil
}

func located(m api.Message, text string, above int) *Failure {
	f := &Failure{Kind: FailSyntax, Name: "SyntaxError", Message: m.Text}
	if l := m.Location; l != nil {
		last := strings.Count(text, "\n") + 1
		f.Line, f.Column = l.Line-above, len([]rune(l.LineText[:min(l.Column, len(l.LineText))]))+1
		if f.Line > last { // the text ends where more was expected
			f.Line, f.Column = last, len([]rune(text[strings.LastIndexByte(text, '\n')+1:]))+1
			f.Message = "Unexpected end of the program"
		}
		f.Line = max(f.Line, 1)
	}
	return f
}

// imports refuses the first module that a program wants, at its place. Imports of types only are gone by then.
func imports(text string) *Failure {
	r := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: text, Sourcefile: scriptName, Loader: api.LoaderTS},
		Bundle: true, Write: false, Format: api.FormatESModule, Target: api.ES2022, LogLevel: api.LogLevelSilent, Outfile: "out.js",
		Plugins: []api.Plugin{{Name: "refuse", Setup: func(b api.PluginBuild) {
			b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
				if a.Kind == api.ResolveEntryPoint {
					return api.OnResolveResult{}, nil
				}
				return api.OnResolveResult{Errors: []api.Message{{Text: refusal(a.Path)}}}, nil
			})
		}}},
	})
	for _, m := range r.Errors {
		f := located(m, text, 0)
		f.Kind, f.Name = FailImport, ""
		return f
	}
	return nil
}

// errorText is an error as prelude/values.js describes it.
type errorText struct{ Name, Message, Stack, Cause, Code string }

func (c *source) failure(raw []byte) *Failure {
	var e errorText
	if err := json.Unmarshal(raw, &e); err != nil {
		e.Message = "the error cannot be read"
	}
	return c.told(e)
}

// told makes a failure of an error, with places in the author's text and no others.
func (c *source) told(e errorText) *Failure {
	f := &Failure{Kind: FailThrown, Name: e.Name, Message: e.Message, Cause: e.Cause, Code: e.Code, Stack: c.frames(e.Stack)}
	switch {
	case e.Name == "InternalError" && strings.Contains(e.Message, "out of memory"):
		*f = *failf(FailMemory, "memory limit: the program needs more memory than it may have")
	case e.Name == "RangeError" && strings.HasPrefix(e.Message, "the result is larger"):
		f.Kind = FailLimit
	case e.Name == "TypeError" && strings.HasPrefix(e.Message, "import of "):
		f.Kind, f.Name = FailImport, ""
	}
	if len(f.Stack) > 0 {
		f.Line, f.Column = f.Stack[0].Line, f.Stack[0].Column
	}
	return f
}

var place = regexp.MustCompile(`^\s*at (?:(.*) \()?` + regexp.QuoteMeta(scriptName) + `:(\d+):(\d+)\)?$`)

func (c *source) frames(stack string) []Frame {
	var out []Frame
	for line := range strings.Lines(stack) {
		m := place.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || len(out) == 10 {
			continue
		}
		l, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		at, ok := c.lines.find(l, col)
		if !ok || at.Line <= c.above {
			continue
		}
		at.Line -= c.above
		if m[1] != "<anonymous>" {
			at.Function = m[1]
		}
		out = append(out, at)
	}
	return out
}
