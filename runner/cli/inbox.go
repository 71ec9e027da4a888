package cli

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func inboxCommand(a *app) *cobra.Command {
	var status string
	c := &cobra.Command{Use: "inbox", Short: "What your agents and programs need from you", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		cl, err := a.client()
		if err != nil {
			return err
		}
		all, err := client.List[pags.Interaction](c.Context(), cl, "/v1/interactions", url.Values{"status": {status}}, 0)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(nonNil(all))
		}
		if len(all) == 0 {
			return a.say("Nothing needs you.")
		}
		for i, x := range all {
			if i > 0 {
				if err := a.say(""); err != nil {
					return err
				}
			}
			if err := a.printInteraction(x); err != nil {
				return err
			}
		}
		return nil
	}}
	c.Flags().StringVar(&status, "status", "open", "open, answered, expired or cancelled")
	return c
}

// printInteraction shows a question, the exact stored request and the commands that answer it.
func (a *app) printInteraction(x pags.Interaction) error {
	if err := a.printQuestion(x); err != nil {
		return err
	}
	if x.Status != pags.InteractionOpen {
		return a.pairs([][2]string{{"Status   ", string(x.Status)}})
	}
	rows := [][2]string{{"Run", string(x.RunID)}, {"Expires in", short(x.ExpiresAt.Sub(a.now()))}}
	for i, cmd := range answers(x) {
		name := ""
		if i == 0 {
			name = "Answer"
		}
		rows = append(rows, [2]string{name, cmd})
	}
	return a.pairs(rows)
}

// printQuestion shows what is asked. The arguments of a call come character by character, nothing wrapped or left out: they
// are what a yes sends.
func (a *app) printQuestion(x pags.Interaction) error {
	rows := [][2]string{{"Needs you ", a.paint("33", string(x.Reason))}, {"Question", x.Title}, {"Why", x.Detail}}
	shown, exact := x.Request["shown"].(string)
	for _, k := range sortedKeys(x.Request) {
		if exact && machinery[k] || isForm(x) && !exact && repeated[k] {
			continue
		}
		text := plain(x.Request[k])
		switch k {
		case "schema":
			if isForm(x) {
				text = describeFields(schemaOf(x))
			}
		case "args":
			text = compact(x.Request[k])
		case "policy":
			if p, ok := x.Request[k].(map[string]any); ok {
				text = firstOf(plain(p["reason"]), text)
			}
		}
		name := k
		if k == "schema" && isForm(x) {
			name = "form"
		}
		rows = append(rows, [2]string{"  " + name, text})
	}
	if err := a.pairs(rows); err != nil || !exact {
		return err
	}
	if err := a.say("  arguments"); err != nil {
		return err
	}
	return a.exactly(shown)
}

// machinery is what a call's question holds for programs, and the arguments in another form; --json shows it.
var machinery = map[string]bool{"digest": true, "argsDigest": true, "argsSize": true, "args": true, "shown": true}

// repeated is what a program's form holds beside its fields: the title says it, or it is for programs.
var repeated = map[string]bool{"digest": true, "message": true, "path": true}

// exactly prints a text as it is, below its name: lines that are too long go on in the next one.
func (a *app) exactly(text string) error {
	const lead = "    "
	for _, line := range strings.Split(text, "\n") {
		line = clean(line)
		for {
			part, rest := line, ""
			for i, used := 0, 0; i < len(line); {
				r, n := utf8.DecodeRuneInString(line[i:])
				if used += cell(r); used > a.width()-len(lead) && i > 0 {
					part, rest = line[:i], line[i:]
					break
				}
				i += n
			}
			if err := a.say("%s", strings.TrimRight(lead+part, " ")); err != nil {
				return err
			}
			if rest == "" {
				break
			}
			line = rest
		}
	}
	return nil
}

// describeFields says one field a line: its name, type, and whether it can be left out.
func describeFields(schema map[string]any) string {
	var lines []string
	for _, f := range fieldsOf(schema) {
		line := f.name + ": " + f.typ()
		if !f.required {
			line += ", optional"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// answers lists the commands that answer an interaction.
func answers(x pags.Interaction) []string {
	base := "pags answer " + string(x.ID)
	var out []string
	for _, k := range x.Allowed {
		switch k {
		case pags.AnswerAccept:
			out = append(out, base+" --accept")
		case pags.AnswerRetry:
			out = append(out, base+" --retry")
		case pags.AnswerDecline:
			out = append(out, base+" --decline")
		case pags.AnswerValue:
			out = append(out, base+" --value TEXT")
		case pags.AnswerForm:
			if raw, err := json.Marshal(template(schemaOf(x))); err == nil {
				out = append(out, base+" --content "+quote(string(raw)))
			}
		case pags.AnswerSecret:
			out = append(out, base+" --secret-stdin")
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// plain prints a stored value for people: lists line by line, objects as name: value.
func plain(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = plain(e)
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		if label, ok := x["label"].(string); ok && label != "" {
			return label + ": " + plain(x["value"])
		}
		if name, ok := x["name"].(string); ok && len(x) <= 3 {
			return name + ": " + plain(x["value"])
		}
		var parts []string
		for _, k := range sortedKeys(x) {
			parts = append(parts, k+": "+plain(x[k]))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}
