package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Bounds of texts; the structured copy is whole (spec tool-runtime 1f).
const (
	maxResultText = 30_000
	maxLogText    = 8_000
	maxArgsText   = 4_000
)

// outcome is the structured copy of an execution.
type outcome struct {
	Status        string          `json:"status"`
	ExecutionID   pags.RunID      `json:"executionId,omitempty"`
	Note          string          `json:"note,omitempty"`
	Result        json.RawMessage `json:"result,omitempty"`
	Error         *problem        `json:"error,omitempty"`
	Logs          []codemode.Line `json:"logs,omitempty"`
	Calls         int             `json:"calls"`
	Interactions  []question      `json:"interactions,omitempty"`
	ResumePayload *payload        `json:"resumePayload,omitempty"`
	URL           string          `json:"url,omitempty"`
}

type problem struct {
	Kind    string `json:"kind"`
	Name    string `json:"name,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// question is an open interaction as an agent needs it.
type question struct {
	ID        pags.InteractionID `json:"interactionId"`
	Kind      string             `json:"kind"` // form or approval
	Message   string             `json:"message"`
	Detail    string             `json:"detail,omitempty"`
	Path      any                `json:"path,omitempty"`
	Args      any                `json:"arguments,omitempty"`
	Schema    any                `json:"schema,omitempty"`
	ExpiresAt time.Time          `json:"expiresAt,omitzero"`
}

// payload are arguments of resume, ready to send.
type payload struct {
	ExecutionID   pags.RunID         `json:"executionId"`
	Action        string             `json:"action"`
	InteractionID pags.InteractionID `json:"interactionId,omitempty"`
	Content       map[string]any     `json:"content,omitempty"`
}

// present shows how a program stands, as text and as structure. note comes first; code, where it is at hand, shows the line
// of an error.
func (s *service) present(caller httpapi.Caller, x Execution, code, note string) *mcp.CallToolResult {
	out := outcome{Status: x.Status, ExecutionID: x.ID, Note: note, Logs: x.Logs, Calls: x.Calls}
	var b strings.Builder
	if note != "" {
		b.WriteString(note + "\n\n")
	}
	bad := false
	switch x.Status {
	case "completed":
		out.Result = x.Result
		b.WriteString(resultText(x.Result))
	case "failed", "cancelled":
		bad = true
		out.Error = failure(x)
		b.WriteString(failureText(x, code))
	case "waiting_for_interaction":
		out.URL = x.URL
		s.questions(&b, &out, caller, x)
	default:
		out.URL = x.URL
		out.ResumePayload = &payload{ExecutionID: x.ID, Action: "wait"}
		fmt.Fprintf(&b, "Still %s. See what became of it: resume with %s", x.Status, compact(out.ResumePayload))
	}
	writeLogs(&b, x.Logs)
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(b.String())}, StructuredContent: out, IsError: bad}
}

// resultText is the value for reading: a text as it is, anything else as JSON, what is too long with a note of it.
func resultText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "Done; the program returned no value."
	}
	text := string(raw)
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		text = plain
	}
	return clip(text, maxResultText, "return less, such as only the fields you need")
}

// clip cuts a text at n characters and says so.
func clip(s string, n int, advice string) string {
	total := utf8.RuneCountInString(s)
	if total <= n {
		return s
	}
	return fmt.Sprintf("%s\n[cut: %d of %d characters are shown; %s]", string([]rune(s)[:n]), n, total, advice)
}

func failure(x Execution) *problem {
	f := x.Error
	if f == nil {
		return &problem{Kind: x.Status, Message: x.Detail}
	}
	return &problem{Kind: string(f.Kind), Name: f.Name, Code: f.Code, Message: f.Message, Line: f.Line, Column: f.Column}
}

func failureText(x Execution, code string) string {
	f := x.Error
	if f == nil {
		return "The program was " + x.Status + ". " + x.Detail
	}
	var b strings.Builder
	b.WriteString(f.Error())
	if lines := strings.Split(code, "\n"); code != "" && f.Line > 0 && f.Line <= len(lines) {
		fmt.Fprintf(&b, "\n  %d | %s", f.Line, oneLine(lines[f.Line-1], 160))
	}
	for i, frame := range f.Stack {
		if i == 8 {
			break
		}
		fmt.Fprintf(&b, "\n  at %s line %d, column %d", or(frame.Function, "the program"), frame.Line, frame.Column)
	}
	if f.Cause != "" {
		b.WriteString("\n  caused by: " + f.Cause)
	}
	if f.Expected != "" || f.Actual != "" {
		fmt.Fprintf(&b, "\n  call %d was %s and is now %s", f.Step, f.Expected, f.Actual)
	}
	return b.String()
}

// questions says what is asked, who can answer, and how.
func (s *service) questions(b *strings.Builder, out *outcome, caller httpapi.Caller, x Execution) {
	b.WriteString("Waiting for an answer; nothing goes on until it comes.\n")
	for _, i := range x.Interactions {
		q := question{ID: i.ID, Kind: "approval", Message: i.Title, Detail: i.Detail, Path: i.Request["path"], Args: i.Request["args"], ExpiresAt: i.ExpiresAt}
		if q.Args == nil { // they are long; a person is shown their beginning, and so is an agent
			q.Args = i.Request["shown"]
		}
		answerable := mayApprove(caller)
		p := payload{ExecutionID: x.ID, InteractionID: i.ID, Action: "accept"}
		if form(i) {
			q.Kind, q.Schema, p.Content = "form", i.Request["schema"], map[string]any{}
			answerable = answerable || !i.Personal
		}
		if !answerable {
			p = payload{ExecutionID: x.ID, Action: "wait"}
		}
		out.Interactions = append(out.Interactions, q)
		if out.ResumePayload == nil {
			out.ResumePayload = &p
		}
		fmt.Fprintf(b, "\n%s: %s\n", i.ID, oneLine(i.Title, 400))
		for _, line := range []struct{ name, text string }{
			{"Why", oneLine(i.Detail, 600)}, {"Tool", compact(q.Path)}, {"Arguments", clip(compact(q.Args), maxArgsText, "the rest is in the console")}, {"Fields", compact(q.Schema)},
		} {
			if line.text != "" && line.text != "null" {
				fmt.Fprintf(b, "%s: %s\n", line.name, line.text)
			}
		}
		switch {
		case q.Kind == "form" && answerable:
			fmt.Fprintf(b, "Answer: resume with %s, content filled in\n", compact(p))
		case answerable:
			fmt.Fprintf(b, "Approve: resume with %s\n", compact(p))
		case q.Kind == "form":
			fmt.Fprintf(b, "A person has to fill this in%s, since a person started the program. Tell the user, then: resume with %s\n", at(x.URL), compact(p))
		default:
			fmt.Fprintf(b, "A person has to approve this%s. Tell the user, then: resume with %s\n", at(x.URL), compact(p))
		}
	}
	if len(x.Interactions) == 0 {
		out.ResumePayload = &payload{ExecutionID: x.ID, Action: "wait"}
		fmt.Fprintf(b, "%s Look again: resume with %s\n", x.Detail, compact(out.ResumePayload))
	}
}

func at(url string) string {
	if url == "" {
		return " in the console"
	}
	return " at " + url
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// compact is a value as one line of JSON; a plain text stays as it is.
func compact(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if v == nil || enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func writeLogs(b *strings.Builder, logs []codemode.Line) {
	if len(logs) == 0 {
		return
	}
	var l strings.Builder
	for _, line := range logs {
		fmt.Fprintf(&l, "[%s] %s\n", line.Level, line.Text)
	}
	b.WriteString("\n\nConsole:\n" + strings.TrimRight(clip(l.String(), maxLogText, "the rest is in the console of the person"), "\n"))
}
