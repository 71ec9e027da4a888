package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func statusCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "status", Short: "How things stand: host, machines, runs, questions", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		cl, err := a.client()
		if err != nil {
			return err
		}
		ctx := c.Context()
		var host map[string]any
		if err := cl.Do(ctx, http.MethodGet, "/v1/status", nil, &host); err != nil {
			return err
		}
		machines, err := client.List[pags.Machine](ctx, cl, "/v1/machines", nil, 0)
		if err != nil {
			return err
		}
		open, err := client.List[pags.Interaction](ctx, cl, "/v1/interactions", url.Values{"status": {"open"}}, 0)
		if err != nil {
			return err
		}
		var active []pags.Run
		for _, s := range pags.RunStatuses {
			if s.Over() {
				continue
			}
			runs, err := client.List[pags.Run](ctx, cl, "/v1/runs", url.Values{"status": {string(s)}}, 50)
			if err != nil {
				return err
			}
			active = append(active, runs...)
		}
		if a.json {
			return a.printJSON(map[string]any{"server": cl.Server(), "host": host, "machines": nonNil(machines), "runs": nonNil(active), "inbox": nonNil(open)})
		}
		rows := [][2]string{{"Host", cl.Server() + "  version " + plain(host["version"])}}
		var up []string
		for _, m := range machines {
			if m.Online {
				up = append(up, m.Node)
			}
		}
		switch {
		case len(machines) == 0:
			rows = append(rows, [2]string{"Machines", "none yet; start one with: pags up"})
		case len(up) == 0:
			rows = append(rows, [2]string{"Machines", "all offline; start one with: pags up"})
		default:
			rows = append(rows, [2]string{"Machines", "online: " + strings.Join(up, ", ")})
		}
		runs := "none under way"
		if len(active) > 0 {
			lines := make([]string, len(active))
			for i, r := range active {
				lines[i] = fmt.Sprintf("%s %s", r.ID, standing(r))
			}
			runs = strings.Join(lines, "\n")
		}
		inbox := "nothing needs you"
		if len(open) > 0 {
			inbox = fmt.Sprintf("%d waiting for you; see: pags inbox", len(open))
		}
		return a.pairs(append(rows, [2]string{"Runs", runs}, [2]string{"Inbox", inbox}))
	}}
}
