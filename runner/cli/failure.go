package cli

import (
	"fmt"
	"strings"
)

// programError is how a program ended that did not complete, with places in its author's text.
type programError struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Stack   []struct {
		Function string `json:"function"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
	} `json:"stack"`
	Step     int    `json:"step"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
}

// shownFrames is how much of a stack helps.
const shownFrames = 6

// showFailure says how a program ended: the error, the author's line with a mark under the place, the way there.
func (a *app) showFailure(x execution, code string) {
	e := x.Error
	if e == nil {
		a.complain(firstOf(x.Detail, "the execution was "+x.Status))
		return
	}
	head := firstOf(e.Message, e.Kind)
	if e.Name != "" && e.Code != "" { // an error of a call begins with its code, which its name says as well
		head = strings.TrimPrefix(head, e.Code+": ")
	}
	if e.Name != "" && !strings.HasPrefix(head, e.Name) {
		head = e.Name + ": " + head
	}
	a.complain(head)
	if e.Line > 0 {
		for _, l := range a.excerpt(code, e.Line, e.Column) {
			a.note("%s", l)
		}
	}
	for i, s := range e.Stack {
		if i == shownFrames {
			a.note("      and %d more", len(e.Stack)-i)
			break
		}
		if i == 0 && s.Function == "" && s.Line == e.Line { // the line above says it
			continue
		}
		a.note("      at %s line %d, column %d", firstOf(clean(s.Function), "the program"), s.Line, s.Column)
	}
	if e.Cause != "" {
		a.note("      caused by: %s", clean(e.Cause))
	}
	if e.Expected != "" || e.Actual != "" {
		a.note("      call %d was %s and is now %s", e.Step, clean(e.Expected), clean(e.Actual))
	}
	if x.ID != "" {
		a.note("See it whole: pags runs show %s", x.ID)
	}
}

// excerpt is the author's line and a mark below the column, both counted from 1. What is too wide is cut around the mark.
func (a *app) excerpt(code string, line, column int) []string {
	lines := strings.Split(code, "\n")
	if line > len(lines) || code == "" {
		return []string{fmt.Sprintf("      line %d, column %d", line, column)}
	}
	text := []rune(strings.TrimRight(lines[line-1], "\r"))
	at := max(0, min(column-1, len(text)))
	before, after := clean(string(text[:at])), clean(string(text[at:])) // clean makes a tab one space, on both lines alike
	head := fmt.Sprintf("%5d | ", line)
	room := a.width() - len(head)
	if over := cells(before) - room*2/3; over > 0 {
		r := []rune(before)
		cutAt := 0
		for gone := 0; gone < over+1 && cutAt < len(r); cutAt++ {
			gone += cell(r[cutAt])
		}
		before = "…" + string(r[cutAt:])
	}
	shown := strings.TrimRight(cut(before+after, room), " ")
	if column < 1 {
		return []string{head + shown}
	}
	return []string{head + shown, strings.Repeat(" ", len(head)-2) + "| " + strings.Repeat(" ", cells(before)) + a.paint("31", "^")}
}

// cleanLines is clean for a text whose line ends stay.
func cleanLines(s string) string {
	parts := strings.Split(s, "\n")
	for i, p := range parts {
		parts[i] = clean(p)
	}
	return strings.Join(parts, "\n")
}

// quote makes a text one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
