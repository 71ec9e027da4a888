package cli

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
)

// programToken is a token for a program as the API shows it; Token is there once, when it is made.
type programToken struct {
	ID        pags.TokenID `json:"id"`
	Name      string       `json:"name"`
	Scopes    []string     `json:"scopes"`
	CreatedAt time.Time    `json:"createdAt"`
	LastUsed  time.Time    `json:"lastUsedAt"`
	ExpiresAt time.Time    `json:"expiresAt"`
	Token     string       `json:"token"`
}

func tokensCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "tokens", Short: "Access tokens for programs, such as MCP clients", Args: cobra.NoArgs, RunE: a.listTokens}
	var name string
	var scopes []string
	var days int
	create := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Make a token; it is printed this once",
		Example: `  pags tokens create --name "Claude Code"
  pags tokens create --name nightly --scope interactions:answer --days 7`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.createToken(c, name, scopes, days) },
	}
	create.Flags().StringVar(&name, "name", "", "what you call the program")
	create.Flags().StringArrayVar(&scopes, "scope", nil, "what it may do beside tools: interactions:answer lets it answer approvals in your place")
	create.Flags().IntVar(&days, "days", 90, "how long it lives, 1 to 365")
	_ = create.MarkFlagRequired("name") // fails only for a flag that is not there
	c.AddCommand(create,
		&cobra.Command{Use: "list", Short: "List tokens: who, what, how long", Args: cobra.NoArgs, RunE: a.listTokens},
		&cobra.Command{Use: "revoke ID", Short: "End a token at once", Args: cobra.ExactArgs(1), RunE: a.revokeToken},
	)
	return c
}

func (a *app) createToken(c *cobra.Command, name string, scopes []string, days int) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	body := map[string]any{"name": name, "scopes": append([]string{"tools"}, scopes...), "days": days}
	t, err := fetch[programToken](c.Context(), cl, http.MethodPost, "/v1/auth/tokens", body)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(t)
	}
	if err := a.say("%s", t.v.Token); err != nil {
		return err
	}
	a.note("Keep it now: it is not shown again. It ends in %s.", a.until(t.v.ExpiresAt))
	a.note("It may: %s", strings.Join(t.v.Scopes, ", "))
	a.note("MCP clients send it as a bearer token to %s/mcp", cl.Server())
	return nil
}

func (a *app) listTokens(c *cobra.Command, _ []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	all, err := list[programToken](c.Context(), cl, "/v1/auth/tokens", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("No tokens yet. Make one: pags tokens create --name NAME")
	}
	rows := make([][]string, len(all))
	for i, t := range all {
		rows[i] = []string{string(t.v.ID), "in " + a.until(t.v.ExpiresAt), a.ago(t.v.LastUsed), t.v.Name, strings.Join(t.v.Scopes, " ")}
	}
	return a.table([]string{"TOKEN", "ENDS", "USED", "NAME", "MAY"}, rows)
}

func (a *app) revokeToken(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	if err := cl.Do(c.Context(), http.MethodDelete, "/v1/auth/tokens/"+url.PathEscape(args[0]), nil, nil); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"revoked": args[0]})
	}
	return a.say("%s revoked", args[0])
}

// until says how long a token lives; one that was made just now for 90 days has 90 days.
func (a *app) until(t time.Time) string { return short(t.Sub(a.now()) + time.Minute) }
