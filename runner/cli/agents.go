package cli

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func agentsCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "Agents you can subscribe to", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listAgents(c) }}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List agents", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listAgents(c) }},
		&cobra.Command{Use: "show AGENT", Short: "Show one agent", Args: cobra.ExactArgs(1), RunE: a.showAgent},
	)
	return c
}

func (a *app) listAgents(c *cobra.Command) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	agents, err := client.List[pags.Agent](c.Context(), cl, "/v1/agents", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(agents))
	}
	rows := make([][]string, len(agents))
	for i, g := range agents {
		rows[i] = []string{g.Slug, g.Name, g.Description}
	}
	if err := a.table([]string{"AGENT", "NAME", "DESCRIPTION"}, rows); err != nil {
		return err
	}
	a.note("\nSubscribe: pags instances subscribe AGENT")
	return nil
}

func (a *app) showAgent(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	var g pags.Agent
	if err := cl.Do(c.Context(), http.MethodGet, "/v1/agents/"+url.PathEscape(args[0]), nil, &g); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(g)
	}
	mode := "may act on pages"
	if g.ReadOnly {
		mode = "read only: never commits anything"
	}
	return a.pairs([][2]string{{"Name", g.Name}, {"Agent", g.Slug}, {"Does", g.Description}, {"Browser", mode}, {"Instructions", g.Instructions}})
}

// nonNil makes an empty list print as [] and not as null.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
