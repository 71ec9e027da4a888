package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func instancesCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "instances", Short: "Your private copies of agents", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listInstances(c, false) }}
	var name string
	subscribe := &cobra.Command{Use: "subscribe AGENT", Short: "Get a copy of an agent", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		return a.subscribe(c, args[0], name)
	}}
	subscribe.Flags().StringVar(&name, "name", "", "display name, at most 60 characters")
	var canceled bool
	list := &cobra.Command{Use: "list", Short: "List instances", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listInstances(c, canceled) }}
	list.Flags().BoolVar(&canceled, "canceled", false, "also the cancelled ones")
	c.AddCommand(list, subscribe,
		&cobra.Command{Use: "show INSTANCE", Short: "Show one instance", Args: cobra.ExactArgs(1), RunE: a.showInstance},
		&cobra.Command{Use: "rename INSTANCE NAME", Short: "Give it another name", Args: cobra.ExactArgs(2), RunE: func(c *cobra.Command, args []string) error {
			return a.changeInstance(c, args[0], http.MethodPut, "/name", map[string]any{"name": args[1]})
		}},
		&cobra.Command{Use: "set INSTANCE KEY VALUE", Short: "Change one setting", Long: "Change one setting. VALUE is JSON or text; null removes the setting.", Args: cobra.ExactArgs(3), RunE: func(c *cobra.Command, args []string) error {
			return a.changeInstance(c, args[0], http.MethodPatch, "/config", map[string]any{"key": args[1], "value": jsonOrText(args[2])})
		}},
		&cobra.Command{Use: "cancel INSTANCE", Short: "End the subscription", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
			return a.changeInstance(c, args[0], http.MethodPost, "/cancel", nil)
		}},
	)
	return c
}

func jsonOrText(s string) any {
	var v any
	if json.Unmarshal([]byte(s), &v) == nil {
		return v
	}
	return s
}

func (a *app) listInstances(c *cobra.Command, canceled bool) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	q := url.Values{}
	if canceled {
		q.Set("includeCanceled", "true")
	}
	all, err := client.List[pags.Instance](c.Context(), cl, "/v1/instances/my/instances", q, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("No instances yet. Get one: pags instances subscribe browser")
	}
	rows := make([][]string, len(all))
	for i, n := range all {
		rows[i] = []string{string(n.ID), string(n.AgentID), n.Status, n.DisplayName}
	}
	return a.table([]string{"INSTANCE", "AGENT", "STATUS", "NAME"}, rows)
}

func (a *app) subscribe(c *cobra.Command, agent, name string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	body := map[string]any{}
	if name != "" {
		body["displayName"] = name
	}
	var out struct {
		InstanceID  pags.InstanceID `json:"instanceId"`
		AgentID     pags.AgentID    `json:"agentId"`
		Status      string          `json:"status"`
		DisplayName string          `json:"displayName"`
	}
	if err := cl.DoOnce(c.Context(), pags.NewToken(), http.MethodPost, "/v1/instances/"+url.PathEscape(agent)+"/subscribe", body, &out); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	if err := a.say("%s", out.InstanceID); err != nil {
		return err
	}
	a.note("It is called %q. Give it a task:\n  pags browse %q --url URL --objective TEXT --wait", out.DisplayName, out.DisplayName)
	return nil
}

func (a *app) showInstance(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	n, err := findInstance(c.Context(), cl, args[0])
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(n)
	}
	cfg, err := json.Marshal(n.Config)
	if err != nil {
		return err
	}
	return a.pairs([][2]string{{"Instance", string(n.ID)}, {"Name", n.DisplayName}, {"Agent", string(n.AgentID)}, {"Status", n.Status}, {"Config", string(cfg)}, {"Last used", a.ago(n.LastActivityAt)}})
}

func (a *app) changeInstance(c *cobra.Command, ref, method, path string, body any) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	n, err := findInstance(c.Context(), cl, ref)
	if err != nil {
		return err
	}
	if err := cl.Do(c.Context(), method, "/v1/instances/"+string(n.ID)+path, body, nil); err != nil {
		return err
	}
	return a.showInstance(c, []string{string(n.ID)})
}

// findInstance takes an id, a display name, or the agent of which there is one copy; what fits several is refused with their ids.
func findInstance(ctx context.Context, cl *client.Client, ref string) (pags.Instance, error) {
	var n pags.Instance
	if strings.HasPrefix(ref, "ins_") {
		err := cl.Do(ctx, http.MethodGet, "/v1/instances/"+url.PathEscape(ref), nil, &n)
		return n, err
	}
	all, err := client.List[pags.Instance](ctx, cl, "/v1/instances/my/instances", nil, 0)
	if err != nil {
		return n, err
	}
	if len(all) == 0 {
		return n, usagef("no instance is called %q, and you have none yet; get one: pags instances subscribe browser", ref)
	}
	called := func(x pags.Instance) bool { return strings.EqualFold(x.DisplayName, ref) }
	copies := func(x pags.Instance) bool { return strings.EqualFold(string(x.AgentID), ref) }
	for _, fits := range []func(pags.Instance) bool{called, copies} {
		var ids []string
		for _, x := range all {
			if fits(x) {
				n = x
				ids = append(ids, string(x.ID))
			}
		}
		switch len(ids) {
		case 0:
		case 1:
			return n, nil
		default:
			return n, usagef("%q fits %d instances; name one by its id: %s", ref, len(ids), strings.Join(ids, ", "))
		}
	}
	return n, usagef("no instance is called %q; see: pags instances list", ref)
}
