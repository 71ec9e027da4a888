package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

// terminal reports whether a person types at standard input.
func (a *app) terminal() bool {
	if a.typing != nil {
		return *a.typing
	}
	f, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// interactive reports whether a person sits before the command: both ends are a terminal and nobody asked for JSON.
func (a *app) interactive() bool {
	if a.json || !a.terminal() {
		return false
	}
	if a.typing != nil {
		return true
	}
	f, ok := a.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// readLine asks and reads one line. The end of input is io.EOF; ctrl-C ends the wait.
func (a *app) readLine(ctx context.Context, prompt string) (string, error) {
	_, _ = fmt.Fprint(a.err, prompt)
	if a.lines == nil {
		a.lines = bufio.NewReader(a.in)
	}
	type typed struct {
		text string
		err  error
	}
	done := make(chan typed, 1)
	go func() {
		text, err := a.lines.ReadString('\n')
		done <- typed{text, err}
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(a.err)
		return "", ctx.Err()
	case t := <-done:
		if t.err != nil && (t.text == "" || !errors.Is(t.err, io.EOF)) {
			_, _ = fmt.Fprintln(a.err)
			return "", t.err
		}
		return strings.TrimSpace(t.text), nil
	}
}

// attend puts the first open question to the person and sends the answer. It gives how the execution stands then.
func (f *follower) attend(ctx context.Context, x got[execution]) (got[execution], error) {
	i := x.v.Interactions[0]
	aside := *f.app // questions go beside the result
	aside.out = f.err
	if err := aside.printQuestion(i); err != nil {
		return x, err
	}
	body, err := f.answer(ctx, i)
	if errors.Is(err, io.EOF) {
		f.note("It waits. Go on: %s", resumeCommand(x.v.ID, i, "accept"))
		return x, &exitError{code: exitPaused}
	}
	if err != nil {
		return x, err
	}
	body["interactionId"], body["waitSeconds"] = i.ID, longest
	next, err := fetch[execution](ctx, f.cl, http.MethodPost, executionPath(x.v.ID)+"/resume", body)
	var p *client.Problem
	if !errors.As(err, &p) {
		return next, err
	}
	f.complain(p.Error())
	switch p.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity: // what was typed is not right; ask again
		return x, nil
	case http.StatusConflict, http.StatusGone: // someone answered elsewhere, or it is over
		return fetch[execution](ctx, f.cl, http.MethodGet, executionPath(x.v.ID), nil)
	}
	return x, &exitError{code: exitFailed}
}

// answer asks y/N, or field by field what a form wants.
func (f *follower) answer(ctx context.Context, i pags.Interaction) (map[string]any, error) {
	fields := fieldsOf(schemaOf(i))
	if !isForm(i) || len(fields) == 0 {
		prompt, again := "Go on? [y/N] ", slices.Contains(i.Allowed, pags.AnswerRetry)
		if again {
			prompt = "Did it happen? [y: yes, go on / r: no, do it again / N: stop] "
		}
		text, err := f.readLine(ctx, prompt)
		said := strings.ToLower(text)
		switch {
		case err != nil:
			return nil, err
		case again && (said == "r" || said == "retry"):
			return map[string]any{"action": "retry"}, nil
		case said != "y" && said != "yes":
			return map[string]any{"action": "decline"}, nil
		case isForm(i):
			return map[string]any{"action": "accept", "content": map[string]any{}}, nil
		}
		return map[string]any{"action": "accept"}, nil
	}
	content := map[string]any{}
	for _, x := range fields {
		v, given, err := f.askField(ctx, x)
		if err != nil {
			return nil, err
		}
		if given {
			content[x.name] = v
		}
	}
	return map[string]any{"action": "accept", "content": content}, nil
}

// askField asks until the text fits. An empty line takes the default, or leaves out what is not required.
func (a *app) askField(ctx context.Context, x field) (v any, given bool, err error) {
	prompt := clean(x.name) + " (" + clean(x.typ()) + ")"
	def, hasDefault := x.schema["default"]
	switch {
	case hasDefault:
		prompt += " [" + clean(compact(def)) + "]"
	case !x.required:
		prompt += " [none]"
	}
	if x.about != "" {
		a.note("%s", strings.Join(wrap(x.about, a.width()), "\n"))
	}
	for {
		text, err := a.readLine(ctx, prompt+": ")
		if err != nil {
			return nil, false, err
		}
		if text == "" {
			if hasDefault {
				return def, true, nil
			}
			if !x.required {
				return nil, false, nil
			}
			a.note("It is needed; ctrl-D stops here and lets the run wait.")
			continue
		}
		v, err := x.value(text)
		if err == nil {
			return v, true, nil
		}
		a.complain(err.Error())
	}
}

// isForm reports whether an object that fits a schema is asked for.
func isForm(i pags.Interaction) bool { return slices.Contains(i.Allowed, pags.AnswerForm) }

// schemaOf is the schema of what a form asks for; empty if it asks for nothing.
func schemaOf(i pags.Interaction) map[string]any {
	s, _ := i.Request["schema"].(map[string]any)
	return s
}
