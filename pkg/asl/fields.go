package asl

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// fields reads a JSON object of a definition one field at a time. It keeps the first complaint; what nobody read is
// refused by end, so a field we do not know is never ignored.
type fields struct {
	where string // such as `state "Decide"` or `state "Decide": Retry[0]`
	raw   map[string]any
	err   error
}

func newFields(where string, v any) *fields {
	f := &fields{where: where}
	raw, ok := v.(map[string]any)
	if !ok {
		f.err = fmt.Errorf("%s: an object is expected", where)
	}
	f.raw = maps.Clone(raw)
	return f
}

func (f *fields) fail(name, format string, args ...any) {
	if f.err != nil {
		return
	}
	where := f.where
	if name != "" {
		where += fmt.Sprintf(": field %q", name)
	}
	f.err = errors.New(where + ": " + fmt.Sprintf(format, args...))
}

// join keeps an inner object's complaint.
func (f *fields) join(inner *fields) {
	if f.err == nil {
		f.err = inner.err
	}
}

func (f *fields) has(name string) bool { _, ok := f.raw[name]; return ok }

func (f *fields) names() []string { return slices.Sorted(maps.Keys(f.raw)) }

func (f *fields) take(name string) any {
	v := f.raw[name]
	delete(f.raw, name)
	return v
}

func (f *fields) skip(names ...string) {
	for _, n := range names {
		delete(f.raw, n)
	}
}

// end refuses what is left.
func (f *fields) end() {
	for _, name := range f.names() {
		if why, ok := unsupported[name]; ok {
			f.fail(name, "%s", why)
		} else {
			f.fail(name, "is not supported here")
		}
	}
}

// unsupported says more about fields that exist on AWS and that we do not run.
var unsupported = map[string]string{
	"QueryLanguage": "only JSONPath is supported", "Assign": "variables are not supported",
	"Output": "JSONata is not supported", "Arguments": "JSONata is not supported", "Items": "JSONata is not supported",
	"Condition": "JSONata is not supported", "Credentials": "tasks run with the host's own rights",
	"Branches": "Parallel is not supported", "Iterator": "Map is not supported", "ItemProcessor": "Map is not supported",
}

func (f *fields) text(name string, needed bool) string {
	if !f.has(name) {
		if needed {
			f.fail(name, "is missing")
		}
		return ""
	}
	s, ok := f.take(name).(string)
	if !ok || needed && s == "" {
		f.fail(name, "a text is expected")
	}
	return s
}

func (f *fields) flag(name string) bool {
	if !f.has(name) {
		return false
	}
	b, ok := f.take(name).(bool)
	if !ok {
		f.fail(name, "true or false is expected")
	}
	return b
}

// integer reads a whole number from least to most; without the field it is the default.
func (f *fields) integer(name string, without, least, most int64) int64 {
	if !f.has(name) {
		return without
	}
	n, ok := whole(f.take(name))
	if !ok || n < least || n > most {
		f.fail(name, "a whole number from %d to %d is expected", least, most)
	}
	return n
}

// real reads a number of at least the least.
func (f *fields) real(name string, without, least float64) float64 {
	if !f.has(name) {
		return without
	}
	n, _ := f.take(name).(json.Number)
	x, err := n.Float64()
	if err != nil || x < least {
		f.fail(name, "a number of at least %v is expected", least)
	}
	return x
}

// path reads a path; nil without the field.
func (f *fields) path(name string) *Path {
	if !f.has(name) {
		return nil
	}
	s, ok := f.take(name).(string)
	if !ok {
		f.fail(name, "a path is expected")
		return nil
	}
	p, err := ParsePath(s)
	if err != nil {
		f.fail(name, "%s", err)
	}
	return &p
}

// pathOrNull reads InputPath, OutputPath and the like: none is "$", null says that there is nothing.
func (f *fields) pathOrNull(name string) *Path {
	if !f.has(name) {
		return &Path{text: "$"}
	}
	if f.raw[name] == nil {
		f.take(name)
		return nil
	}
	return f.path(name)
}

func (f *fields) resultPath() *Path {
	p := f.pathOrNull("ResultPath")
	if p != nil && !p.reference() {
		f.fail("ResultPath", "%q does not point at one place", p.text)
	}
	return p
}

func (f *fields) template(name string) *template {
	if !f.has(name) {
		return nil
	}
	t, err := parseTemplate(f.take(name))
	if err != nil {
		f.fail(name, "%s", err)
	}
	return t
}

func (f *fields) object(name string) *fields {
	inner := newFields(f.where+": "+name, f.take(name))
	f.join(inner)
	return inner
}

// objects reads a list of objects; none without the field.
func (f *fields) objects(name string) []*fields {
	if !f.has(name) {
		return nil
	}
	l, ok := f.take(name).([]any)
	if !ok {
		f.fail(name, "a list is expected")
	}
	out := make([]*fields, len(l))
	for i, v := range l {
		out[i] = newFields(fmt.Sprintf("%s: %s[%d]", f.where, name, i), v)
		f.join(out[i])
	}
	return out
}

func (f *fields) texts(name string) []string {
	l, ok := f.take(name).([]any)
	if !ok || len(l) == 0 {
		f.fail(name, "a list of texts is expected")
	}
	out := make([]string, 0, len(l))
	for _, v := range l {
		s, ok := v.(string)
		if !ok {
			f.fail(name, "a list of texts is expected")
		}
		out = append(out, s)
	}
	return out
}
