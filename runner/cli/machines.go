package cli

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func machinesCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "machines", Short: "Your machines that run pags up", Args: cobra.NoArgs, RunE: a.listMachines}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List machines", Args: cobra.NoArgs, RunE: a.listMachines},
		&cobra.Command{Use: "forget MACHINE", Short: "Forget a machine that is offline", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			if err := cl.Do(c.Context(), http.MethodDelete, "/v1/machines/"+url.PathEscape(args[0]), nil, nil); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"forgotten": args[0]})
			}
			return a.say("%s forgotten", args[0])
		}},
	)
	return c
}

func (a *app) listMachines(c *cobra.Command, _ []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	all, err := client.List[pags.Machine](c.Context(), cl, "/v1/machines", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("No machines yet. On the machine that shall work for you: pags up")
	}
	rows := make([][]string, len(all))
	for i, m := range all {
		state := "offline"
		if m.Online {
			state = "online"
		}
		rows[i] = []string{string(m.ID), state, a.ago(m.LastSeenAt), m.Node, m.Version}
	}
	return a.table([]string{"MACHINE", "STATE", "SEEN", "NAME", "VERSION"}, rows)
}
