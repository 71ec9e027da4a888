package cli

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

// policy is a rule about tools as the API shows it.
type policy struct {
	ID      string `json:"id"`
	Pattern string `json:"pattern"`
	Action  string `json:"action"`
	Enabled bool   `json:"enabled"`
	Note    string `json:"note"`
	Matches int    `json:"matches"`
	Warning string `json:"warning"`
}

// actions of policies, from the mildest.
var actions = []string{"approve", "require_approval", "block"}

func policiesCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "policies", Short: "Which tools run by themselves, ask first, or never run", Args: cobra.NoArgs, RunE: a.listPolicies}
	var note string
	add := &cobra.Command{
		Use:   "add PATTERN ACTION",
		Short: "Add a policy",
		Long: `Add a policy. PATTERN is a tool's address or a part of it: a.b.* is all below
a.b, and * in the middle stands for one word. ACTION is approve (run without
asking), require_approval (ask first) or block (never). The most specific
pattern counts.`,
		Example: `  pags policies add "petstore.main.pets.*" approve
  pags policies add "petstore.*.pets.delete" block --note "never"`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return a.addPolicy(c, args[0], args[1], note) },
	}
	add.Flags().StringVar(&note, "note", "", "why")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List policies", Args: cobra.NoArgs, RunE: a.listPolicies},
		add,
		&cobra.Command{Use: "remove PATTERN", Short: "Remove a policy", Args: cobra.ExactArgs(1), RunE: a.removePolicy},
		&cobra.Command{Use: "enable PATTERN", Short: "Let a policy count again", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return a.switchPolicy(c, args[0], true)
		}},
		&cobra.Command{Use: "disable PATTERN", Short: "Keep a policy but do not let it count", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return a.switchPolicy(c, args[0], false)
		}},
		&cobra.Command{Use: "check PATTERN", Short: "Which tools a pattern would match", Args: cobra.ExactArgs(1), RunE: a.checkPolicy},
	)
	return c
}

func (a *app) listPolicies(c *cobra.Command, _ []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	all, err := list[policy](c.Context(), cl, "/v1/policies", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("No policies: tools that only read run by themselves, all others ask first.")
	}
	rows := make([][]string, len(all))
	for i, p := range all {
		rows[i] = []string{p.v.Pattern, p.v.Action, strconv.Itoa(p.v.Matches), state(p.v)}
	}
	return a.table([]string{"PATTERN", "ACTION", "TOOLS", "NOTE"}, rows)
}

func state(p policy) string {
	text := p.Note
	if p.Warning != "" {
		text = strings.TrimPrefix(text+"; "+p.Warning, "; ")
	}
	if !p.Enabled {
		text = strings.TrimSuffix("disabled; "+text, "; ")
	}
	return text
}

func (a *app) addPolicy(c *cobra.Command, pattern, action, note string) error {
	action = strings.ReplaceAll(action, "-", "_")
	if !slices.Contains(actions, action) {
		return usagef("%q is no action; it is one of: %s", action, strings.Join(actions, ", "))
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	body := map[string]any{"pattern": pattern, "action": action}
	if note != "" {
		body["note"] = note
	}
	p, err := fetch[policy](c.Context(), cl, http.MethodPost, "/v1/policies", body)
	if err != nil {
		return err
	}
	return a.showPolicy(p)
}

func (a *app) showPolicy(p got[policy]) error {
	if a.json {
		return a.printJSON(p)
	}
	if err := a.say("%s  %s  %s (%s)%s", p.v.ID, p.v.Action, clean(p.v.Pattern), count(p.v.Matches, "tool"), disabled(p.v.Enabled)); err != nil {
		return err
	}
	if p.v.Warning != "" {
		a.complain(p.v.Warning)
	}
	return nil
}

func disabled(enabled bool) string {
	if enabled {
		return ""
	}
	return "  disabled"
}

// policyOf finds the policy that a pattern, or an id, names.
func policyOf(ctx context.Context, cl *client.Client, name string) (string, error) {
	if strings.HasPrefix(name, "pol_") {
		return name, nil
	}
	all, err := list[policy](ctx, cl, "/v1/policies", nil, 0)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, p := range all {
		if p.v.Pattern == name {
			ids = append(ids, p.v.ID)
		}
	}
	switch len(ids) {
	case 0:
		return "", pags.Errorf(pags.NotFound, "there is no policy with the pattern %s; list them with: pags policies", name)
	case 1:
		return ids[0], nil
	}
	return "", pags.Errorf(pags.Conflict, "%d policies have that pattern; name one by its id: %s", len(ids), strings.Join(ids, ", "))
}

func (a *app) removePolicy(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	id, err := policyOf(c.Context(), cl, args[0])
	if err != nil {
		return err
	}
	if err := cl.Do(c.Context(), http.MethodDelete, "/v1/policies/"+url.PathEscape(id), nil, nil); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"removed": args[0]})
	}
	return a.say("%s removed", args[0])
}

func (a *app) switchPolicy(c *cobra.Command, name string, on bool) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	id, err := policyOf(c.Context(), cl, name)
	if err != nil {
		return err
	}
	p, err := fetch[policy](c.Context(), cl, http.MethodPatch, "/v1/policies/"+url.PathEscape(id), map[string]any{"enabled": on})
	if err != nil {
		return err
	}
	return a.showPolicy(p)
}

func (a *app) checkPolicy(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	out, err := fetch[struct {
		Matches  int      `json:"matches"`
		Examples []string `json:"examples"`
		Warning  string   `json:"warning"`
	}](c.Context(), cl, http.MethodPost, "/v1/policies/check", map[string]any{"pattern": args[0]})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	if err := a.say("%s match", count(out.v.Matches, "tool")); err != nil {
		return err
	}
	for _, e := range out.v.Examples {
		if err := a.say("  %s", clean(e)); err != nil {
			return err
		}
	}
	if out.v.Warning != "" {
		a.complain(out.v.Warning)
	}
	return nil
}
