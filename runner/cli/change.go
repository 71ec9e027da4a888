package cli

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/cobra"
)

// switches are the flags with which an owner changes a source or a connection.
type switches struct {
	base    string
	on, off bool
}

func (s *switches) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.base, "base-url", "", "where calls go; empty: where the description says")
	f.BoolVar(&s.on, "enable", false, "let calls go out")
	f.BoolVar(&s.off, "disable", false, "let no call go out")
	c.MarkFlagsMutuallyExclusive("enable", "disable")
}

// body holds what was asked for and nothing else.
func (s *switches) body(c *cobra.Command) map[string]any {
	body := map[string]any{}
	if c.Flags().Changed("base-url") {
		body["baseUrl"] = s.base
	}
	if s.on || s.off {
		body["enabled"] = s.on
	}
	return body
}

func sourceSetCommand(a *app) *cobra.Command {
	var s switches
	var name string
	c := &cobra.Command{
		Use:     "set SLUG",
		Short:   "Rename a source, switch it on or off, say where its calls go",
		Example: "  pags sources set petstore --disable",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			body := s.body(c)
			if name != "" {
				body["name"] = name
			}
			if len(body) == 0 {
				return usagef("say what to change: --name, --base-url, --enable or --disable")
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			x, err := fetch[source](c.Context(), cl, http.MethodPatch, "/v1/sources/"+url.PathEscape(args[0]), body)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(x)
			}
			return a.say("%s  %s  %s", x.v.Slug, x.v.stands(), clean(x.v.Name))
		},
	}
	c.Flags().StringVar(&name, "name", "", "what people call it")
	s.flags(c)
	return c
}

func connectionSetCommand(a *app) *cobra.Command {
	var s switches
	var values []string
	c := &cobra.Command{
		Use:   "set SOURCE [NAME]",
		Short: "Give a connection new values, switch it, say where its calls go",
		Example: `  pags connections set petstore --value key=-
  pags connections set petstore work --disable`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			given, err := parseValues(values)
			if err != nil {
				return err
			}
			body := s.body(c)
			if len(body)+len(given) == 0 {
				return usagef("say what to change: --value, --base-url, --enable or --disable")
			}
			fresh := map[string]string{}
			for _, name := range slices.Sorted(maps.Keys(given)) {
				if fresh[name], err = a.readValue(c.Context(), name, given[name]); err != nil {
					return err
				}
			}
			if len(fresh) > 0 {
				body["values"] = fresh
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			x, err := fetch[connection](c.Context(), cl, http.MethodPatch, connectionPath(args), body)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(x)
			}
			return a.say("%s.%s  %s  %s", x.v.Source, x.v.Name, x.v.stands(), x.v.values())
		},
	}
	c.Flags().StringArrayVar(&values, "value", nil, "`NAME=-` reads a value from standard input, NAME=@FILE from a file, NAME=env:VAR from the environment")
	s.flags(c)
	return c
}
