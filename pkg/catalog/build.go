package catalog

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// Target is where a tool is called, which its connection knows.
type Target struct {
	Base      string            // wins over every address of the description
	Variables map[string]string // values for variables of the description's addresses
	// Open reads a stored blob that a file argument names. Nil: blobs are refused.
	Open func(blob string) ([]byte, error)
}

// Request is a call ready to be sent. The same arguments always make the same bytes.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte // nil: none
}

// HTTP makes the request of net/http. It may be sent again: the body is in memory.
func (r *Request) HTTP(ctx context.Context) (*http.Request, error) {
	var body *bytes.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	if body == nil {
		req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
		if err == nil {
			req.Header = r.Header.Clone()
		}
		return req, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err == nil {
		req.Header = r.Header.Clone()
	}
	return req, err
}

// userAgent is sent where the caller sets none: several public APIs refuse requests without one.
const userAgent = "pags"

// Build checks arguments and makes the request. Errors are *Failure with code invalid_tool_arguments (the caller's to
// repair; every problem is listed) or binding_error (the connection's: no address).
func (t *Tool) Build(args map[string]any, to Target) (*Request, error) {
	arranged, problems := t.examine(args)
	if len(problems) > 0 {
		return nil, invalidArguments(problems, t.accepted())
	}
	base, err := t.base(arranged, to)
	if err != nil {
		return nil, &Failure{Code: CodeBinding, Message: outward(err)}
	}
	r := &Request{Method: t.Request.Method, Header: http.Header{}}
	path, query, err := t.fill(arranged, r.Header)
	if err != nil {
		return nil, err
	}
	if r.URL, err = join(base, path, query); err != nil {
		return nil, &Failure{Code: CodeBinding, Message: "the address of this API cannot be used: " + clip(base, 200)}
	}
	if t.Request.Accept != "" {
		r.Header.Set("Accept", t.Request.Accept)
	}
	r.Header.Set("User-Agent", userAgent)
	if err := t.body(r, arranged, to); err != nil {
		return nil, err
	}
	return r, nil
}

// base picks the address: the connection's, else the one the caller chose, else the first that is complete.
func (t *Tool) base(args map[string]any, to Target) (string, error) {
	if to.Base != "" {
		return checkBase(to.Base)
	}
	all := t.Request.Servers
	if len(all) == 0 {
		all = t.source.Servers
	}
	values := map[string]string{}
	if own, ok := args["serverVariables"].(map[string]any); ok {
		for _, name := range t.Request.ServerChoices {
			if s, ok := own[name].(string); ok {
				values[name] = s
			}
		}
	}
	for name, v := range to.Variables {
		values[name] = v
	}
	chosen := ""
	if t.Request.ChooseServer {
		chosen, _ = args["server"].(string)
	}
	var last error = errNeedsBase
	for _, s := range all {
		if chosen != "" && s.URL != chosen {
			continue
		}
		base, err := s.Resolve(values)
		if err == nil {
			return base, nil
		}
		last = err
	}
	return "", last
}

// fill writes the parameters into path, query and headers.
func (t *Tool) fill(args map[string]any, header http.Header) (path string, query []string, err error) {
	tpl := &t.Request
	path, literal, _ := strings.Cut(tpl.Path, "?")
	if literal != "" {
		query = append(query, literal)
	}
	var cookies []string
	var problems []Problem
	wrong := func(p *Param, text string) { problems = append(problems, Problem{"/" + p.Name, text}) }
	values := map[string]string{}
	for i := range tpl.Params {
		p := &tpl.Params[i]
		v, ok := p.given(args)
		if !ok {
			if p.Required {
				wrong(p, "is required")
			}
			continue
		}
		if p.JSON {
			v = string(jsonText(v))
		}
		switch p.In {
		case inPath:
			s := p.pathText(v, strings.Contains(tpl.Path, "{+"+p.Name+"}") || strings.Contains(tpl.Path, "{"+p.Name+"+}") || strings.Contains(tpl.Path, "{"+p.Name+"*}"))
			if s == "" {
				wrong(p, "must not be empty: it is part of the path")
			}
			values[p.Name] = s
		case inQuery:
			esc := escape
			if p.AllowReserved {
				esc = escapeReserved
			}
			query = append(query, pairs(p.Name, p.Style, p.Explode, v, esc)...)
		case inHeader:
			s, some, err := p.headerText(v)
			if err != nil {
				wrong(p, err.Error())
			} else if some {
				header.Set(p.Name, s)
			}
		case inCookie:
			all, err := p.cookiePairs(v)
			if err != nil {
				wrong(p, err.Error())
			}
			cookies = append(cookies, all...)
		}
	}
	if len(cookies) > 0 {
		header.Set("Cookie", strings.Join(cookies, "; "))
	}
	path, p := expand(path, values)
	problems = append(problems, p...)
	if len(problems) > 0 {
		return "", nil, invalidArguments(problems, t.accepted())
	}
	return path, query, nil
}

// expand puts values into the path. A segment that would become "." or ".." is refused: servers resolve those, and the
// call would reach another operation. Many servers take an encoded slash for one, and some drop what follows a semicolon.
func expand(path string, values map[string]string) (string, []Problem) {
	var b strings.Builder
	for rest := path; rest != ""; {
		before, after, ok := strings.Cut(rest, "{")
		name, tail, closed := strings.Cut(after, "}")
		if !ok || !closed {
			b.WriteString(escapeLiteral(rest))
			break
		}
		b.WriteString(escapeLiteral(before))
		b.WriteString(values[strings.Trim(name, "+*")])
		rest = tail
	}
	literal := map[string]bool{}
	for _, s := range strings.Split(path, "/") {
		literal[s] = true
	}
	var problems []Problem
	for _, s := range strings.Split(resolved.Replace(b.String()), "/") {
		if plain, _, _ := strings.Cut(s, ";"); (plain == "." || plain == "..") && !literal[s] {
			problems = append(problems, Problem{"", `a part of the path must not be "." or ".."`})
		}
	}
	return b.String(), problems
}

// resolved reads a path as the most lenient server would.
var resolved = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/", "\\", "/")

// escapeLiteral encodes what a description writes into its paths but URLs cannot hold.
func escapeLiteral(s string) string { return escapeExcept(s, ":/?@!$&'()*+,;=") }

// join puts path and query behind the base, with one slash between them; a query of the base stays.
func join(base, path string, query []string) (string, error) {
	base, own, _ := strings.Cut(base, "?")
	if own != "" {
		query = append([]string{own}, query...)
	}
	out := strings.TrimRight(base, "/") + "/" + strings.TrimLeft(path, "/")
	if len(query) > 0 {
		out += "?" + strings.Join(query, "&")
	}
	_, err := url.Parse(out)
	return out, err
}

// outward is the outward text of an error.
func outward(err error) string {
	if e, ok := err.(*pags.Error); ok {
		return e.Message
	}
	return err.Error()
}
