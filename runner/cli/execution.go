package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

// execution is a program's run, or one call of a tool, as the host shows it.
type execution struct {
	ID           pags.RunID         `json:"id"`
	Status       string             `json:"status"`
	Title        string             `json:"title"`
	Tool         string             `json:"tool"`
	Code         string             `json:"code"`
	Result       json.RawMessage    `json:"result"`
	Error        *programError      `json:"error"`
	Logs         []consoleLine      `json:"logs"`
	Interactions []pags.Interaction `json:"interactions"`
	Calls        int                `json:"calls"`
	Detail       string             `json:"detail"`
	URL          string             `json:"url"`
}

type consoleLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// Statuses of an execution.
const (
	executionWaiting   = "waiting_for_interaction"
	executionCompleted = "completed"
	executionFailed    = "failed"
	executionCancelled = "cancelled"
)

// longest is how long the host is asked to wait by itself before it answers how things stand.
const longest = 20

func executionPath(id pags.RunID) string { return "/v1/executions/" + url.PathEscape(string(id)) }

// follower follows an execution to its end, or to the person it needs.
type follower struct {
	*app
	cl    *client.Client
	code  string // the program's text, where it is at hand
	call  bool   // one call of a tool: its {ok: false} is a failure
	shown int    // console lines that were printed
}

// start begins an execution and follows it.
func (f *follower) start(ctx context.Context, key, path string, body map[string]any) error {
	if key == "" {
		key = pags.NewToken()
	}
	body["waitSeconds"] = longest
	var x got[execution]
	if err := f.cl.DoOnce(ctx, key, http.MethodPost, path, body, &x); err != nil {
		return err
	}
	return f.follow(ctx, x)
}

func (f *follower) follow(ctx context.Context, x got[execution]) error {
	for quiet := 0; ; quiet++ {
		f.console(x.v.Logs)
		var err error
		switch {
		case x.v.Status == executionCompleted:
			return f.completed(x)
		case x.v.Status == executionFailed || x.v.Status == executionCancelled:
			return f.failed(x)
		case x.v.Status == executionWaiting && len(x.v.Interactions) > 0 && !f.interactive():
			return f.suspended(x)
		case x.v.Status == executionWaiting && len(x.v.Interactions) > 0:
			quiet = 0
			x, err = f.attend(ctx, x)
		default:
			select {
			case <-ctx.Done():
				return f.left(ctx, x.v.ID, ctx.Err())
			case <-time.After(pause(nil, quiet)):
			}
			var next got[execution]
			if next, err = fetch[execution](ctx, f.cl, http.MethodGet, executionPath(x.v.ID), nil); err == nil {
				x = next
			} else if passing(err) {
				err = nil
			}
		}
		if err != nil {
			return f.left(ctx, x.v.ID, err)
		}
	}
}

// console prints what the program said since the last look, beside the result.
func (f *follower) console(lines []consoleLine) {
	if f.json { // the lines are in the record
		return
	}
	for _, l := range lines[min(f.shown, len(lines)):] {
		text := cleanLines(l.Text)
		if l.Level != "log" && l.Level != "info" {
			text = f.paint("2", "["+clean(l.Level)+"]") + " " + text
		}
		f.note("%s", text)
	}
	f.shown = max(f.shown, len(lines))
}

func (f *follower) completed(x got[execution]) error {
	var result struct {
		OK    *bool `json:"ok"`
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	bad := f.call && json.Unmarshal(x.v.Result, &result) == nil && result.OK != nil && !*result.OK
	var err error
	if f.json {
		err = f.printJSON(x)
	} else {
		err = f.printResult(x.v.Result)
	}
	switch {
	case err != nil || !bad:
		return err
	case f.json:
		return &exitError{code: exitFailed}
	}
	return &exitError{code: exitFailed, text: result.Error.Code + ": " + result.Error.Message}
}

// printResult prints the value alone; a program without one gave null, as JSON says it.
func (a *app) printResult(raw json.RawMessage) error {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return fmt.Errorf("the host's result is not JSON: %w", err)
	}
	b.WriteByte('\n')
	_, err := a.out.Write(visible(b.Bytes()))
	return err
}

func (f *follower) failed(x got[execution]) error {
	if f.json {
		return errors.Join(f.printJSON(x), &exitError{code: exitFailed})
	}
	f.showFailure(x.v, firstOf(f.code, x.v.Code))
	return &exitError{code: exitFailed}
}

// suspended prints one JSON object that says what is needed and the exact commands that go on.
func (f *follower) suspended(x got[execution]) error {
	i := x.v.Interactions[0]
	commands := map[string]string{}
	for _, action := range []string{"accept", "decline", "retry", "cancel"} {
		if action != "retry" || slices.Contains(i.Allowed, pags.AnswerRetry) {
			commands[action] = resumeCommand(x.v.ID, i, action)
		}
	}
	out := map[string]any{"status": x.v.Status, "id": x.v.ID, "interactions": x.v.Interactions, "resume": commands["accept"], "commands": commands}
	if x.v.URL != "" {
		out["url"] = x.v.URL
	}
	if x.v.Title != "" {
		out["title"] = x.v.Title
	}
	return errors.Join(f.printJSON(out), &exitError{code: exitPaused})
}

// resumeCommand is a command that can be pasted; a form's has a template of its content.
func resumeCommand(id pags.RunID, i pags.Interaction, action string) string {
	cmd := fmt.Sprintf("pags resume %s --interaction %s --action %s", id, i.ID, action)
	if action == "accept" && isForm(i) {
		raw, err := json.Marshal(template(schemaOf(i)))
		if err == nil {
			cmd += " --content " + quote(string(raw))
		}
	}
	return cmd
}
