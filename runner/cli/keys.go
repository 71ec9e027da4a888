package cli

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/runner/client"
)

// modelKey is a stored key as the API shows it: never the key itself.
type modelKey struct {
	Provider  string    `json:"provider"`
	Last4     string    `json:"last4"`
	BaseURL   string    `json:"baseUrl,omitempty"`
	Model     string    `json:"model,omitempty"`
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
}

// providers are those that the host speaks to.
var providers = []string{"anthropic", "openai"}

func keysCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "Your model keys", Args: cobra.NoArgs, RunE: a.listKeys}
	var baseURL, model string
	set := &cobra.Command{
		Use:     "set PROVIDER",
		Short:   "Store a key, read from standard input",
		Long:    "Store a key, read from standard input. PROVIDER is anthropic or openai.",
		Example: `  printf %s "$ANTHROPIC_API_KEY" | pags keys set anthropic`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(providers, args[0]) {
				return usagef("%q is no provider; it is one of: %s", args[0], strings.Join(providers, ", "))
			}
			secret, err := a.readSecret(c.Context(), "Key: ")
			if err != nil {
				return err
			}
			return a.putKey(c, args[0], map[string]any{"key": secret, "baseUrl": baseURL, "model": model})
		},
	}
	set.Flags().StringVar(&baseURL, "base-url", "", "another server that speaks the provider's API")
	set.Flags().StringVar(&model, "model", "", "model to use")
	c.AddCommand(set,
		&cobra.Command{Use: "list", Short: "List keys: provider and last four characters", Args: cobra.NoArgs, RunE: a.listKeys},
		&cobra.Command{Use: "test PROVIDER", Short: "Ask the model for one word", Args: cobra.ExactArgs(1), RunE: a.testKey},
		&cobra.Command{Use: "remove PROVIDER", Short: "Forget a key", Args: cobra.ExactArgs(1), RunE: a.removeKey},
	)
	return c
}

func (a *app) putKey(c *cobra.Command, provider string, body map[string]any) error {
	for _, k := range []string{"baseUrl", "model"} {
		if body[k] == "" {
			delete(body, k)
		}
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	var k modelKey
	if err := cl.Do(c.Context(), http.MethodPut, "/v1/keys/"+url.PathEscape(provider), body, &k); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(k)
	}
	return a.say("%s key stored, ends in %s", k.Provider, k.Last4)
}

func (a *app) listKeys(c *cobra.Command, _ []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	keys, err := client.List[modelKey](c.Context(), cl, "/v1/keys", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(keys))
	}
	if len(keys) == 0 {
		return a.say("No keys yet. Store one: printf %%s \"$ANTHROPIC_API_KEY\" | pags keys set anthropic")
	}
	rows := make([][]string, len(keys))
	for i, k := range keys {
		rows[i] = []string{k.Provider, "…" + k.Last4, orDash(k.Model), a.ago(k.UpdatedAt), orDash(k.BaseURL)}
	}
	return a.table([]string{"PROVIDER", "KEY", "MODEL", "SET", "SERVER"}, rows)
}

func (a *app) testKey(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	var out struct {
		OK     bool   `json:"ok"`
		Model  string `json:"model"`
		Detail string `json:"detail"`
		Millis int64  `json:"millis"`
	}
	if err := cl.Do(c.Context(), http.MethodPost, "/v1/keys/"+url.PathEscape(args[0])+"/test", nil, &out); err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(out); err != nil {
			return err
		}
	} else if out.OK {
		return a.say("ok: %s answered in %d ms", out.Model, out.Millis)
	}
	if !out.OK {
		return &exitError{code: exitFailed, text: out.Detail}
	}
	return nil
}

func (a *app) removeKey(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	if err := cl.Do(c.Context(), http.MethodDelete, "/v1/keys/"+url.PathEscape(args[0]), nil, nil); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"removed": args[0]})
	}
	return a.say("%s key removed", args[0])
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
