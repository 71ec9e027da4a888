package asl

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/pags"
)

// Limits of a definition (AWS: 1 MB, names of 80 characters).
const (
	maxDefinition = 1 << 20
	maxStateName  = 80
	maxSeconds    = 99_999_999
)

// Definition is a state machine, read and checked. It never changes.
type Definition struct {
	raw     json.RawMessage
	startAt string
	timeout int64 // seconds, 0 none
	states  map[string]*state
}

// Parse reads a definition. What it cannot run is pags.Invalid with a text that names state and field.
func Parse(raw []byte) (*Definition, error) {
	if len(raw) > maxDefinition {
		return nil, pags.Errorf(pags.Invalid, "the definition has %d bytes; the limit is %d", len(raw), maxDefinition)
	}
	v, err := decode(raw)
	if err != nil {
		return nil, pags.Errorf(pags.Invalid, "the definition is not JSON: %s", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, pags.Errorf(pags.Invalid, "the definition is not JSON: %s", err)
	}
	f := newFields("definition", v)
	d := &Definition{raw: compact.Bytes(), states: map[string]*state{}}
	f.skip("Comment")
	if f.has("Version") && f.text("Version", true) != "1.0" {
		f.fail("Version", "only 1.0 exists")
	}
	if f.raw["QueryLanguage"] == "JSONPath" {
		f.skip("QueryLanguage")
	}
	d.startAt = f.text("StartAt", true)
	d.timeout = f.integer("TimeoutSeconds", 0, 1, maxSeconds)
	states := f.object("States")
	f.end()
	if f.err == nil {
		d.parseStates(states)
		f.join(states)
	}
	if f.err == nil {
		d.check(f)
	}
	if f.err != nil {
		return nil, pags.Errorf(pags.Invalid, "%s", f.err)
	}
	return d, nil
}

func (d *Definition) parseStates(f *fields) {
	for _, name := range f.names() {
		where := "state " + quote(name)
		inner := newFields(where, f.raw[name])
		if n := utf8.RuneCountInString(name); n == 0 || n > maxStateName {
			inner.fail("", "a state's name has 1 to %d characters", maxStateName)
		}
		d.states[name] = parseState(name, inner)
		f.join(inner)
	}
}

// check holds what spans states: every target is there and every state can be reached.
func (d *Definition) check(f *fields) {
	if d.states[d.startAt] == nil {
		f.fail("StartAt", "there is no state %q", d.startAt)
		return
	}
	reached := map[string]bool{d.startAt: true}
	for queue := []string{d.startAt}; len(queue) > 0; queue = queue[1:] {
		s := d.states[queue[0]]
		for _, t := range s.targets() {
			if d.states[t.state] == nil {
				f.where = "state " + quote(s.name)
				f.fail(t.field, "there is no state %q", t.state)
				return
			}
			if !reached[t.state] {
				reached[t.state] = true
				queue = append(queue, t.state)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.states)) {
		if !reached[name] {
			f.where = "state " + quote(name)
			f.fail("", "no other state leads here")
			return
		}
	}
}

func quote(s string) string {
	return `"` + strings.ToValidUTF8(s, "\uFFFD") + `"`
}
