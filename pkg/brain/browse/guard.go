package browse

import (
	"strings"

	"github.com/proagentstore/pags/pkg/relay"
)

// GuardOf is the guard mode of every command of a task. The agent's readOnly outranks dryRun (spec 5.4); without either the
// owner is asked before a commit, unless the owner's own session waived it.
func GuardOf(s Start) string {
	switch {
	case s.ReadOnly:
		return relay.GuardReadOnly
	case s.DryRun:
		return relay.GuardDryRun
	case s.Approve != "never":
		return relay.GuardApprove
	}
	return relay.GuardNone
}

// guard is the cloud's half of the commit guard: it tests names, the runner probes the page. It returns why a command is
// refused, or "". final tells that it was the last step of a form.
func (s State) guard(c relay.Command, node Node) (why string, final bool) {
	mode := GuardOf(s.Start)
	if mode == relay.GuardNone {
		return "", false
	}
	strict := !s.Seen.GuardSupported // a runner that does not probe: the words decide alone
	switch c.Action {
	case relay.ActClick:
		named := node.Name != "" || formRoles[node.Role]
		if !node.Found && c.Element == "" || node.Found && !named && (strict || mode != relay.GuardApprove) {
			return "the target has no name, so nobody can tell what it would do; choose a named element", false
		}
		if mode == relay.GuardApprove && !strict {
			return "", false // the runner stops before a commit and reports exactly what it is
		}
		for _, name := range []string{node.Name, c.Element} {
			if relay.CommitWord(name, mode) {
				return "this looks like a step that commits something (" + cut(name, 60) + "), which is not allowed: " + modeText[mode], relay.FinalWord(name)
			}
		}
	case relay.ActKey, relay.ActType:
		if strict && pressesCommit(c) && !strings.HasPrefix(s.LastKey, "Arrow") {
			return "Enter and Space could send the form, which is not allowed: " + modeText[mode], false
		}
	}
	return "", false
}

var modeText = map[string]string{
	relay.GuardReadOnly: "this agent only reads",
	relay.GuardDryRun:   "this is a dry run",
	relay.GuardApprove:  "the machine cannot show the owner what it would be; pags there needs an update",
}

// formRoles are targets whose click changes only a form, named or not.
var formRoles = map[string]bool{"textbox": true, "searchbox": true, "checkbox": true, "radio": true, "combobox": true,
	"option": true, "spinbutton": true, "slider": true, "switch": true, "listbox": true}

// pressesCommit reports whether a command presses a key that can send a form.
func pressesCommit(c relay.Command) bool {
	if c.Action == relay.ActType {
		return c.Enter
	}
	switch strings.ToLower(strings.TrimSpace(c.Key)) {
	case "enter", "numpadenter", "return", "space", "\n", "":
		return true
	}
	return strings.HasSuffix(strings.ToLower(c.Key), "+enter")
}

// MayCommit reports whether a command, as it was sent, could have committed something. Under a guard and without an
// approval the runner does not do commits.
func MayCommit(c relay.Command) bool {
	if c.Guard != relay.GuardNone && c.Approved == nil {
		return false
	}
	switch c.Action {
	case relay.ActClick, relay.ActUpload:
		return true
	case relay.ActKey, relay.ActType:
		return pressesCommit(c)
	}
	return false
}

// FinalCommit reports whether what the runner recorded is a form's last step.
func FinalCommit(c relay.Commit) bool {
	return relay.FinalWord(c.Name) || strings.EqualFold(c.FormMethod, "post")
}
