package cli

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func inboxCommand(a *app) *cobra.Command {
	var status string
	c := &cobra.Command{Use: "inbox", Short: "What your agents need from you", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
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
	rows := a.question(x)
	if x.Status == pags.InteractionOpen {
		rows = append(rows, [2]string{"Expires in", short(x.ExpiresAt.Sub(a.now()))})
		for i, cmd := range answers(x) {
			name := ""
			if i == 0 {
				name = "Answer"
			}
			rows = append(rows, [2]string{name, cmd})
		}
	} else {
		rows = append(rows, [2]string{"Status", string(x.Status)})
	}
	return a.pairs(rows)
}

// printQuestion shows a question to someone who answers it right here.
func (a *app) printQuestion(x pags.Interaction) error { return a.pairs(a.question(x)) }

func (a *app) question(x pags.Interaction) [][2]string {
	rows := [][2]string{{"Needs you", a.paint("33", string(x.Reason))}, {"Question", x.Title}, {"Why", x.Detail}}
	for _, k := range sortedKeys(x.Request) {
		text := plain(x.Request[k])
		switch {
		case k == "schema" && isForm(x):
			text = describeFields(schemaOf(x))
		case k == "args":
			text = compact(x.Request[k])
		}
		rows = append(rows, [2]string{"  " + k, text})
	}
	return rows
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
