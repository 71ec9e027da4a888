package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/runner/client"
)

// hit is a tool in a listing.
type hit struct {
	Path        string   `json:"path"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	ReadOnly    bool     `json:"readOnly"`
	Destructive bool     `json:"destructive"`
	Deprecated  bool     `json:"deprecated"`
	Held        string   `json:"held"`
	Policy      decision `json:"policy"`
}

// decision is what the policies say about a tool.
type decision struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
}

// toolPage is one part of a listing of tools.
type toolPage struct {
	Items      []got[hit] `json:"items"`
	Total      int        `json:"total"`
	HasMore    bool       `json:"hasMore"`
	NextOffset int        `json:"nextOffset"`
}

// description is a tool for someone who is about to call it.
type description struct {
	Path             string            `json:"path"`
	Description      string            `json:"description"`
	Deprecated       bool              `json:"deprecated"`
	ReadOnly         bool              `json:"readOnly"`
	Destructive      bool              `json:"destructive"`
	InputTypeScript  string            `json:"inputTypeScript"`
	OutputTypeScript string            `json:"outputTypeScript"`
	Definitions      map[string]string `json:"typeScriptDefinitions"`
	InputSchema      map[string]any    `json:"inputSchema"`
	Policy           decision          `json:"policy"`
	Held             string            `json:"held"`
	Source           string            `json:"source"`
	Connection       string            `json:"connection"`
}

func toolsCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "tools", Short: "Find tools and see how they are called", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listTools(c, "", "", 0) }}
	var in string
	var limit int
	search := &cobra.Command{
		Use:     "search QUERY...",
		Short:   "Find tools by what they do",
		Example: "  pags tools search create an issue --namespace github",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.listTools(c, strings.Join(args, " "), in, limit)
		},
	}
	search.Flags().StringVar(&in, "namespace", "", "only below this part of an address")
	search.Flags().IntVar(&limit, "limit", 12, "how many at most")
	list := &cobra.Command{Use: "list", Short: "List tools by address", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return a.listTools(c, "", in, 0)
	}}
	list.Flags().StringVar(&in, "namespace", "", "only below this part of an address")
	describe := &cobra.Command{
		Use:     "describe PATH",
		Short:   "Show a tool: what it does, what it takes and gives",
		Example: "  pags tools describe petstore.main.pets.list",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			d, err := describeTool(c.Context(), cl, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(d)
			}
			return a.showTool(d.v, strings.ReplaceAll(d.v.Path, ".", " "), true)
		},
	}
	c.AddCommand(search, list, describe)
	return c
}

// pageOfTools is how many tools are asked for at once.
const pageOfTools = 200

// findTools reads pages of tools until it has limit of them (0: all).
func findTools(ctx context.Context, cl *client.Client, query, namespace string, limit int) (all []got[hit], total int, err error) {
	for offset := 0; ; {
		q := url.Values{"limit": {fmt.Sprint(pageOfTools)}, "includeBlocked": {"true"}} // who types here is the owner
		if limit > 0 {
			q.Set("limit", fmt.Sprint(min(limit-len(all), pageOfTools)))
		}
		if offset > 0 {
			q.Set("offset", fmt.Sprint(offset))
		}
		if query != "" {
			q.Set("query", query)
		}
		if namespace != "" {
			q.Set("namespace", namespace)
		}
		var page toolPage
		if err := cl.Do(ctx, http.MethodGet, "/v1/tools?"+q.Encode(), nil, &page); err != nil {
			return nil, 0, err
		}
		all = append(all, page.Items...)
		if !page.HasMore || page.NextOffset <= offset || limit > 0 && len(all) >= limit {
			return all, page.Total, nil
		}
		offset = page.NextOffset
	}
}

func (a *app) listTools(c *cobra.Command, query, namespace string, limit int) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	all, total, err := findTools(c.Context(), cl, query, namespace, limit)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"items": nonNil(all), "total": total})
	}
	switch {
	case len(all) > 0:
	case query != "":
		return a.say("No tool fits. See what there is: pags tools list; add a source: pags sources add https://…/openapi.json")
	case namespace != "":
		return a.say("There are no tools below %s. See: pags call --help", clean(namespace))
	default:
		return a.say("No tools yet. Add a source: pags sources add https://…/openapi.json")
	}
	rows := make([][]string, len(all))
	for i, t := range all {
		rows[i] = []string{t.v.Path, t.v.asks(), t.v.Description}
	}
	if err := a.table([]string{"TOOL", "RUNS", "WHAT IT DOES"}, rows); err != nil {
		return err
	}
	if total > len(all) {
		a.note("%d more fit; see them with --limit %d", total-len(all), total)
	}
	return nil
}

// asks says in a word whether a tool runs by itself.
func (h hit) asks() string {
	switch {
	case h.Held != "":
		return "held"
	case h.Policy.Action == "block":
		return "never"
	case h.Policy.Action == "require_approval":
		return "asks"
	}
	return "freely"
}

// about is what a tool does, and that nothing calls it if so.
func (h hit) about() string {
	if h.Policy.Action != "block" {
		return h.Description
	}
	return strings.TrimSpace("(blocked) " + h.Description)
}

// describeTool asks for a tool with its schemas. What is not there comes back with what it may have meant.
func describeTool(ctx context.Context, cl *client.Client, path string) (got[description], error) {
	q := url.Values{"path": {strings.TrimPrefix(path, "tools.")}, "includeSchemas": {"true"}, "includeBlocked": {"true"}}
	return fetch[description](ctx, cl, http.MethodGet, "/v1/tools/describe?"+q.Encode(), nil)
}

func notFound(err error) bool {
	var p *client.Problem
	return errors.As(err, &p) && p.Status == http.StatusNotFound
}

// showTool shows a tool: words are the ones that call it. types adds TypeScript.
func (a *app) showTool(d description, words string, types bool) error {
	var marks []string
	for _, m := range []struct {
		is   bool
		text string
	}{{d.ReadOnly, "only reads"}, {d.Destructive, "may remove or overwrite"}, {d.Deprecated, "deprecated"}, {d.Held != "", "held: " + d.Held}} {
		if m.is {
			marks = append(marks, m.text)
		}
	}
	policy := d.Policy.Action
	if d.Policy.Reason != "" {
		policy += ": " + d.Policy.Reason
	}
	if err := a.pairs([][2]string{{"Tool", d.Path}, {"About", d.Description}, {"Kind", strings.Join(marks, ", ")}, {"Policy", policy}}); err != nil {
		return err
	}
	if err := a.showArguments(d.InputSchema); err != nil {
		return err
	}
	if types {
		if err := a.showTypes(d); err != nil {
			return err
		}
	}
	example := template(d.InputSchema)
	call := "pags call " + words
	if len(example) > 0 {
		raw, err := json.Marshal(example)
		if err != nil {
			return err
		}
		call += " " + quote(string(raw))
	}
	return a.say("\nCall it:\n  %s", clean(call))
}

// showArguments lists what a tool takes, members of an object one level deep.
func (a *app) showArguments(schema map[string]any) error {
	var rows [][]string
	add := func(prefix string, f field) {
		need := ""
		if f.required {
			need = "yes"
		}
		rows = append(rows, []string{prefix + f.name, f.typ(), need, f.about})
	}
	for _, f := range fieldsOf(schema) {
		add("", f)
		for _, m := range members(f.schema, f.doc) {
			add(f.name+".", m)
		}
	}
	if err := a.say(""); err != nil {
		return err
	}
	if len(rows) == 0 {
		return a.say("It takes no arguments.")
	}
	return a.table([]string{"ARGUMENT", "TYPE", "NEEDED", "ABOUT"}, rows)
}

func (a *app) showTypes(d description) error {
	var b strings.Builder
	names := make(map[string]any, len(d.Definitions))
	for name := range d.Definitions {
		names[name] = nil
	}
	for _, name := range sortedKeys(names) {
		fmt.Fprintf(&b, "\ntype %s = %s", name, d.Definitions[name])
	}
	fmt.Fprintf(&b, "\ntype Input = %s\ntype Output = %s", d.InputTypeScript, d.OutputTypeScript)
	for _, line := range strings.Split(b.String(), "\n") {
		for i, part := range wrap(line, a.width()-4) {
			if i > 0 {
				part = "    " + part
			}
			if err := a.say("%s", part); err != nil {
				return err
			}
		}
	}
	return nil
}
