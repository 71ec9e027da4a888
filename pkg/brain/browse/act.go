package browse

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Act turns the model's reply into the next move. Anything but exactly one valid tool call is fed back; after three such
// replies in a row a person is asked.
func Act(s State, r port.Reply) (State, Move) {
	s = s.copy()
	s.RoundSteps++
	s.Hint = "" // shown once
	if len(r.Calls) != 1 {
		return s.nonsense(fmt.Sprintf("reply with %d tool calls", len(r.Calls)), "Your reply had %d tool calls. Nothing was done. Reply with exactly one.", len(r.Calls))
	}
	call := r.Calls[0]
	if !slices.ContainsFunc(Tools(s.Start), func(t port.ToolSpec) bool { return t.Name == call.Name }) {
		return s.nonsense("call of "+cut(call.Name, 40), "There is no tool %q.", cut(call.Name, 40))
	}
	a, err := readArguments(call.Input)
	if err != nil {
		return s.nonsense("call of "+call.Name, "The call of %s was not done: %v.", call.Name, err)
	}
	switch call.Name {
	case toolFinish:
		return s.finish(a)
	case toolAsk:
		return s.request(a)
	}
	cmd, wrong := s.command(call.Name, a)
	if wrong != "" {
		return s.nonsense("call of "+call.Name, "The call of %s was not done: %s.", call.Name, wrong)
	}
	s.Nonsense = 0
	return s.try(cmd)
}

// try sends a command unless the guard or repetition speaks against it.
func (s State) try(cmd relay.Command) (State, Move) {
	node := Find(s.Seen.Snapshot, cmd.Ref)
	text := describe(cmd, node)
	sig := signature(cmd)
	if why, final := s.guard(cmd, node); why != "" {
		if final && s.Start.DryRun && !s.Start.ReadOnly {
			return s.end(pags.OutcomeReady, fmt.Sprintf("Dry run: everything is ready; the last step %q was not done.", cut(orElse(node.Name, cmd.Element), 80)))
		}
		s.log(text, "refused: "+why)
		if why := s.failed(sig); why != "" {
			return s.ask(s.stuckQuestion(why), pags.OutcomeStuck)
		}
		return s.again("refused: " + text)
	}
	if why := s.repeated(sig); why != "" {
		s.log(text, "not done: "+why)
		return s.ask(s.stuckQuestion(why), pags.OutcomeStuck)
	}
	s.LastKey = ""
	if cmd.Action == relay.ActKey {
		s.LastKey = cmd.Key
	}
	s.log(text, "")
	return s.call(cmd, text)
}

func (s State) nonsense(did, format string, args ...any) (State, Move) {
	s.log(did, fmt.Sprintf(format, args...))
	s.Nonsense++
	if s.Nonsense >= maxNonsense {
		return s.ask(s.stuckQuestion(fmt.Sprintf("the model gave %d unusable replies in a row", s.Nonsense)), pags.OutcomeStuck)
	}
	return s.again("unusable reply: " + did)
}

func (s State) finish(a arguments) (State, Move) {
	summary := cut(a.Summary, 500)
	switch {
	case a.Outcome == "blocked":
		return s.end(pags.OutcomeBlocked, orElse(summary, "The objective could not be reached."))
	case a.Outcome != "done":
		return s.nonsense("call of finish", "finish needs outcome done or blocked, not %q.", cut(a.Outcome, 40))
	case s.Start.DryRun && !s.Start.ReadOnly:
		return s.end(pags.OutcomeReady, orElse(summary, "Dry run: everything is ready."))
	}
	return s.end(pags.OutcomeDone, orElse(summary, "Done."))
}

func (s State) request(a arguments) (State, Move) {
	question := guard.Visible(cut(a.Question, 500)) // compared with what was declined
	if question == "" {
		return s.nonsense("call of "+toolAsk, "The question is empty.")
	}
	s.Nonsense = 0
	if s.said(question) {
		return s.end(pags.OutcomeNeedsInput, "The owner did not want to give what was needed: "+question)
	}
	q := Question{
		Reason: pags.WaitValue, Title: question,
		Detail:  "The agent needs this to go on with " + hostOf(s.Seen.URL) + ". Decline and it tries without.",
		Request: map[string]any{"question": question, "secret": a.Secret, "field": cut(a.Field, 100), "url": s.Seen.URL, "origin": originOf(s.Seen.URL)},
		Allowed: []string{pags.AnswerValue, pags.AnswerSecret, pags.AnswerDecline}, Wait: PersonWait,
	}
	if a.Secret {
		q.Allowed = []string{pags.AnswerSecret, pags.AnswerDecline}
		q.Detail = "It is sealed at once: the agent gets a handle, and the text is typed only on " + originOf(s.Seen.URL) + "."
	}
	return s.ask(q, pags.OutcomeNeedsInput)
}

var handleShape = regexp.MustCompile(`^\s*\{\{secret:(sec_[0-9A-Za-z]+)\}\}\s*$`)

// command checks a tool's arguments and makes the command; wrong says what to do better.
func (s State) command(name string, a arguments) (cmd relay.Command, wrong string) {
	cmd = relay.Command{Element: cut(a.Element, 200)}
	switch name {
	case toolClick, toolType, toolSelect, toolCheck, toolUpload:
		if !refShape.MatchString(a.Ref) {
			return cmd, "ref must be one from the latest snapshot, such as e12"
		}
		if s.Seen.Snapshot != "" && !s.Seen.Truncated && !Find(s.Seen.Snapshot, a.Ref).Found {
			return cmd, "there is no " + a.Ref + " in the latest snapshot"
		}
		cmd.Ref = a.Ref
	}
	switch name {
	case toolClick:
		cmd.Action = relay.ActClick
	case toolType:
		if a.Text == nil || len(*a.Text) > 20_000 {
			return cmd, "text is missing or longer than 20,000 bytes"
		}
		cmd.Action, cmd.Text, cmd.Enter = relay.ActType, *a.Text, a.Enter
		return s.withSecret(cmd)
	case toolSelect:
		if a.Option == nil {
			return cmd, "option is missing"
		}
		cmd.Action, cmd.Text = relay.ActSelect, *a.Option
	case toolCheck:
		if a.Checked == nil {
			return cmd, "checked is missing"
		}
		cmd.Action, cmd.Checked = relay.ActCheck, a.Checked
	case toolUpload:
		i := slices.IndexFunc(s.Start.Files, func(f pags.File) bool { return f.Name == a.File })
		if i < 0 {
			return cmd, "there is no such file; the files are listed above"
		}
		f := s.Start.Files[i] // the URL is signed when the call is sent
		cmd.Action, cmd.File = relay.ActUpload, &relay.FileRef{Name: f.Name, ContentType: f.ContentType, Size: f.Size, SHA256: f.SHA256}
	case toolNavigate:
		u, err := url.Parse(strings.TrimSpace(a.URL))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return cmd, "url must be a whole http or https address"
		}
		cmd.Action, cmd.URL = relay.ActNavigate, u.String()
	case toolScroll:
		if a.Direction != "up" && a.Direction != "down" {
			return cmd, "direction must be up or down"
		}
		cmd.Action, cmd.Direction = relay.ActScroll, a.Direction
	case toolPressKey:
		if a.Key == "" || len(a.Key) > 40 {
			return cmd, "key is missing or too long"
		}
		cmd.Action, cmd.Key = relay.ActKey, a.Key
	case toolWait:
		cmd.Action, cmd.Seconds = relay.ActWait, min(max(a.Seconds, 0.1), 5)
	case toolLook:
		cmd.Action = relay.ActSnapshot
	case toolTab:
		if a.Tab == nil {
			return cmd, "tab is missing"
		}
		cmd.Action, cmd.Tab = relay.ActTab, *a.Tab
	}
	if strings.Contains(cmd.URL+cmd.Text+cmd.Element, "secret:sec_") {
		return cmd, "a secret's handle may only be the whole text of type"
	}
	return cmd, ""
}

// withSecret turns a handle into a reference. A handle inside other text, or one that this run does not hold, is refused.
func (s State) withSecret(cmd relay.Command) (relay.Command, string) {
	m := handleShape.FindStringSubmatch(cmd.Text)
	if m == nil {
		if strings.Contains(cmd.Text+cmd.Element, "{{secret:") {
			return cmd, "a secret's handle must be the whole text"
		}
		return cmd, ""
	}
	id := pags.SecretID(m[1])
	if !slices.ContainsFunc(s.Secrets, func(n SecretNote) bool { return n.ID == id }) {
		return cmd, "there is no such secret; ask with " + toolAsk
	}
	cmd.Text, cmd.Secret = "", id
	return cmd, ""
}

// signature is what makes two actions the same: everything but the model's words for the target.
func signature(c relay.Command) string {
	checked, file := "", ""
	if c.Checked != nil {
		checked = fmt.Sprint(*c.Checked)
	}
	if c.File != nil {
		file = c.File.Name
	}
	return cut(strings.Join([]string{c.Action, c.Ref, c.URL, c.Text, string(c.Secret), c.Key, c.Direction, checked, file, fmt.Sprint(c.Tab)}, "|"), 200)
}

// describe says an action in one line. What is typed as a secret is never in it; it is not here.
func describe(c relay.Command, n Node) string {
	name := cut(orElse(n.Name, c.Element), 80)
	on := c.Ref
	if name != "" {
		on = fmt.Sprintf("%q (%s)", name, c.Ref)
	}
	switch c.Action {
	case relay.ActType:
		what := fmt.Sprintf("%q", cut(c.Text, 120))
		if c.Secret != "" {
			what = "a secret"
		}
		if c.Enter {
			on += " and press Enter"
		}
		return "type " + what + " into " + on
	case relay.ActSelect:
		return fmt.Sprintf("select %q in %s", cut(c.Text, 80), on)
	case relay.ActCheck:
		if !*c.Checked {
			return "uncheck " + on
		}
		return "check " + on
	case relay.ActUpload:
		return fmt.Sprintf("upload %q to %s", c.File.Name, on)
	case relay.ActNavigate:
		return "open " + cut(c.URL, 200)
	case relay.ActScroll:
		return "scroll " + c.Direction
	case relay.ActKey:
		return "press " + c.Key
	case relay.ActWait:
		return fmt.Sprintf("wait %.1f s", c.Seconds)
	case relay.ActSnapshot:
		return "look"
	case relay.ActTab:
		return fmt.Sprintf("switch to tab %d", c.Tab)
	}
	return c.Action + " " + on
}
