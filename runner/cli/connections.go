package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// connection is one account at a source as the host shows it: never the values themselves.
type connection struct {
	Source    string            `json:"source"`
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Method    string            `json:"method"`
	Kind      string            `json:"kind"`
	Inputs    []string          `json:"inputs"`
	Hints     map[string]string `json:"hints"`
	BaseURL   string            `json:"baseUrl"`
	Enabled   bool              `json:"enabled"`
	Status    string            `json:"status"`
	CheckedAt time.Time         `json:"checkedAt"`
	CreatedAt time.Time         `json:"createdAt"`
}

func connectionsCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "connections", Short: "Your accounts at sources", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listConnections(c, "") }}
	one := func(use, short string, run func(c *cobra.Command, path string) error) *cobra.Command {
		return &cobra.Command{Use: use + " SOURCE [NAME]", Short: short, Args: cobra.RangeArgs(1, 2), RunE: func(c *cobra.Command, args []string) error {
			return run(c, connectionPath(args))
		}}
	}
	var of string
	list := &cobra.Command{Use: "list", Short: "List connections", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listConnections(c, of) }}
	list.Flags().StringVar(&of, "source", "", "only of this source")
	c.AddCommand(connectionAddCommand(a), list,
		one("show", "Show a connection, without its values", a.showConnection),
		connectionSetCommand(a),
		one("test", "Ask the source whether it lets this connection in", a.testConnection),
		one("remove", "Remove a connection and its values", a.removeConnection),
	)
	return c
}

// connectionPath takes "source name", "source.name" or "source" alone, which means its connection main.
func connectionPath(args []string) string {
	source, name, _ := strings.Cut(args[0], ".")
	if len(args) > 1 {
		source, name = args[0], args[1]
	}
	return "/v1/connections/" + url.PathEscape(source) + "/" + url.PathEscape(firstOf(name, "main"))
}

func (a *app) listConnections(c *cobra.Command, of string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	q := url.Values{}
	if of != "" {
		q.Set("source", of)
	}
	all, err := list[connection](c.Context(), cl, "/v1/connections", q, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("No connections yet. Make one: pags connections add SOURCE")
	}
	rows := make([][]string, len(all))
	for i, x := range all {
		rows[i] = []string{x.v.Source + "." + x.v.Name, x.v.stands(), x.v.Method, x.v.values(), a.ago(x.v.CreatedAt)}
	}
	return a.table([]string{"CONNECTION", "STATUS", "METHOD", "VALUES", "MADE"}, rows)
}

func (x connection) stands() string {
	if !x.Enabled {
		return "off"
	}
	return firstOf(x.Status, "not tested")
}

// values names what is stored, with the last characters by which its owner knows it again.
func (x connection) values() string {
	names := append([]string(nil), x.Inputs...)
	for i, name := range names {
		if hint := x.Hints[name]; hint != "" {
			names[i] = name + " …" + hint
		}
	}
	return orDash(strings.Join(names, ", "))
}

func (a *app) showConnection(c *cobra.Command, path string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	x, err := fetch[connection](c.Context(), cl, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(x)
	}
	status := x.v.stands()
	if !x.v.CheckedAt.IsZero() {
		status += ", tested " + a.ago(x.v.CheckedAt)
	}
	return a.pairs([][2]string{{"Connection", x.v.Source + "." + x.v.Name}, {"Status", status}, {"Method", x.v.Method + " (" + x.v.Kind + ")"},
		{"Values", x.v.values()}, {"Calls go to", x.v.BaseURL}, {"Made", a.ago(x.v.CreatedAt)}, {"Tools", "pags call " + x.v.Source + " " + x.v.Name + " --help"}})
}

func (a *app) testConnection(c *cobra.Command, path string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	out, err := fetch[struct {
		Status     string `json:"status"`
		Detail     string `json:"detail"`
		HTTPStatus int    `json:"httpStatus"`
		Millis     int64  `json:"millis"`
	}](c.Context(), cl, http.MethodPost, path+"/test", nil)
	if err != nil {
		return err
	}
	good := slices.Contains([]string{"healthy", "unknown"}, out.v.Status)
	switch {
	case a.json:
		err = a.printJSON(out)
	case good:
		text := out.v.Status
		if out.v.HTTPStatus > 0 {
			text += fmt.Sprintf(": HTTP %d in %d ms", out.v.HTTPStatus, out.v.Millis)
		}
		err = a.pairs([][2]string{{"Test", text}, {"Detail", out.v.Detail}})
	}
	if err != nil || good {
		return err
	}
	if a.json {
		return &exitError{code: exitFailed}
	}
	text := opened(errors.New(out.v.Status+": "+out.v.Detail), "").Error()
	if out.v.Status == "expired" {
		text += "\nGive it a new one: pags connections set " + strings.ReplaceAll(strings.TrimPrefix(path, "/v1/connections/"), "/", " ") + " --value NAME=-"
	}
	return &exitError{code: exitFailed, text: text}
}

func (a *app) removeConnection(c *cobra.Command, path string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	if err := cl.Do(c.Context(), http.MethodDelete, path, nil, nil); err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(path, "/v1/connections/"), "/", ".")
	if a.json {
		return a.printJSON(map[string]any{"removed": name})
	}
	return a.say("%s removed", name)
}
