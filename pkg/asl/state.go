package asl

import (
	"fmt"
	"time"
)

// state is one state of a definition, of any type: what its type does not have stays zero.
type state struct {
	name, kind string
	next       string // empty: the execution ends here

	inputPath, outputPath, resultPath *Path // nil: null in the definition
	parameters, resultSelector        *template

	result    any // Pass
	hasResult bool

	rules    []*rule // Choice
	fallback string

	seconds     int64 // Wait: exactly one of the four
	until       time.Time
	secondsPath *Path
	untilPath   *Path

	errorName, cause         string // Fail
	errorNamePath, causePath expression

	task  *task // Task
	retry []retrier
	catch []catcher
}

type target struct{ field, state string }

func (s *state) targets() []target {
	var out []target
	if s.next != "" {
		out = append(out, target{"Next", s.next})
	}
	for i, r := range s.rules {
		out = append(out, target{fmt.Sprintf("Choices[%d].Next", i), r.next})
	}
	if s.fallback != "" {
		out = append(out, target{"Default", s.fallback})
	}
	for i, c := range s.catch {
		out = append(out, target{fmt.Sprintf("Catch[%d].Next", i), c.next})
	}
	return out
}

func parseState(name string, f *fields) *state {
	s := &state{name: name, kind: f.text("Type", true)}
	f.skip("Comment")
	if f.raw["QueryLanguage"] == "JSONPath" {
		f.skip("QueryLanguage")
	}
	if s.kind != "Fail" {
		s.inputPath, s.outputPath = f.pathOrNull("InputPath"), f.pathOrNull("OutputPath")
	}
	switch s.kind {
	case "Task":
		s.parseTask(f)
	case "Choice":
		s.parseChoice(f)
	case "Wait":
		s.parseWait(f)
	case "Pass":
		s.parameters, s.resultPath = f.template("Parameters"), f.resultPath()
		if s.hasResult = f.has("Result"); s.hasResult {
			s.result = f.take("Result")
		}
	case "Fail":
		s.parseFail(f)
	case "Succeed":
	case "Map", "Parallel":
		f.fail("Type", "%s is not supported", s.kind)
	default:
		f.fail("Type", "%q is not a type of state", s.kind)
	}
	if s.kind == "Task" || s.kind == "Wait" || s.kind == "Pass" {
		s.parseNext(f)
	}
	f.end()
	return s
}

func (s *state) parseNext(f *fields) {
	if f.flag("End") == f.has("Next") {
		f.fail("Next", "either Next or End is needed")
	}
	s.next = f.text("Next", false)
}

func (s *state) parseChoice(f *fields) {
	s.fallback = f.text("Default", false)
	for _, inner := range f.objects("Choices") {
		s.rules = append(s.rules, parseRule(inner, 0))
		f.join(inner)
	}
	if len(s.rules) == 0 {
		f.fail("Choices", "at least one rule is needed")
	}
}

func (s *state) parseWait(f *fields) {
	given := 0
	for _, name := range []string{"Seconds", "SecondsPath", "Timestamp", "TimestampPath"} {
		if f.has(name) {
			given++
		}
	}
	if given != 1 {
		f.fail("Seconds", "exactly one of Seconds, SecondsPath, Timestamp, TimestampPath is needed")
	}
	s.seconds = f.integer("Seconds", 0, 0, maxSeconds)
	s.secondsPath, s.untilPath = f.path("SecondsPath"), f.path("TimestampPath")
	if f.has("Timestamp") {
		var ok bool
		if s.until, ok = moment(f.take("Timestamp")); !ok {
			f.fail("Timestamp", "a time such as 2030-01-31T10:00:00Z is expected")
		}
	}
}

func (s *state) parseFail(f *fields) {
	s.errorName, s.errorNamePath = textOrExpression(f, "Error")
	s.cause, s.causePath = textOrExpression(f, "Cause")
}

func textOrExpression(f *fields, name string) (string, expression) {
	if !f.has(name + "Path") {
		return f.text(name, false), nil
	}
	if f.has(name) {
		f.fail(name, "not together with %sPath", name)
	}
	e, err := parseExpression(f.text(name+"Path", true))
	if err != nil {
		f.fail(name+"Path", "%s", err)
	}
	return "", e
}
