package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func connectionAddCommand(a *app) *cobra.Command {
	var name, method, base string
	var values, variables []string
	c := &cobra.Command{
		Use:   "add SOURCE",
		Short: "Connect an account; its values are read hidden and sealed",
		Example: `  pags connections add petstore
  pags connections add github --name work --value token=env:GITHUB_TOKEN
  printf %s "$KEY" | pags connections add shop --value key=-`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.addConnection(c, args[0], name, method, base, values, variables)
		},
	}
	f := c.Flags()
	f.StringVar(&name, "name", "main", "what to call it")
	f.StringVar(&method, "method", "", "how to be let in, by `id` (default: the first that can be used)")
	f.StringArrayVar(&values, "value", nil, "`NAME=-` reads a value from standard input, NAME=@FILE from a file, NAME=env:VAR from the environment")
	f.StringVar(&base, "base-url", "", "where calls of this connection go")
	f.StringArrayVar(&variables, "variable", nil, "`NAME=VALUE` of the server's address, not secret")
	return c
}

func (a *app) addConnection(c *cobra.Command, slug, name, method, base string, values, variables []string) error {
	given, err := parseValues(values)
	if err != nil {
		return err
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	s, err := fetch[source](c.Context(), cl, http.MethodGet, "/v1/sources/"+url.PathEscape(slug), nil)
	if err != nil {
		return err
	}
	m, err := chooseMethod(s.v, method)
	if err != nil {
		return err
	}
	body := map[string]any{"source": s.v.Slug, "name": name, "method": m.ID, "values": map[string]string{}}
	if body["values"], err = a.collect(c.Context(), s.v, m, given); err != nil {
		return err
	}
	if base != "" {
		body["baseUrl"] = base
	}
	if len(variables) > 0 {
		vars := map[string]string{}
		for _, v := range variables {
			name, value, ok := strings.Cut(v, "=")
			if !ok {
				return usagef("--variable %q is not NAME=VALUE", v)
			}
			vars[name] = value
		}
		body["variables"] = vars
	}
	x, err := create[connection](c.Context(), cl, "/v1/connections", body)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(x)
	}
	if err := a.say("%s.%s connected by %s", x.v.Source, x.v.Name, x.v.Method); err != nil {
		return err
	}
	a.note("Test it: pags connections test %s %s", x.v.Source, x.v.Name)
	return nil
}

// parseValues reads where values come from. Values themselves are not taken: a command line is seen by others and kept.
func parseValues(flags []string) (map[string]string, error) {
	given := map[string]string{}
	stdin := 0
	for _, v := range flags {
		name, from, ok := strings.Cut(v, "=")
		if !ok || name == "" || from != "-" && !strings.HasPrefix(from, "@") && !strings.HasPrefix(from, "env:") {
			return nil, usagef("--value takes NAME=-, NAME=@FILE or NAME=env:VAR; a secret itself does not belong on a command line")
		}
		if from == "-" {
			stdin++
		}
		if _, twice := given[name]; twice {
			return nil, usagef("--value %s is given twice", name)
		}
		given[name] = from
	}
	if stdin > 1 {
		return nil, usagef("only one value can come from standard input; give the others as @FILE or env:VAR")
	}
	return given, nil
}

// chooseMethod takes the one that was asked for, or the first that can be used; the host lists the best first.
func chooseMethod(s source, id string) (authMethod, error) {
	var ids []string
	for _, m := range s.Auth {
		ids = append(ids, m.ID)
		usable := m.Supported || m.Kind == "none"
		if id == "" && usable || id == m.ID {
			if !usable {
				return m, usagef("%s (%s) of %s cannot be used yet", m.ID, m.Kind, s.Slug)
			}
			return m, nil
		}
	}
	if id != "" {
		return authMethod{}, usagef("%s has no method %q; it has: %s", s.Slug, id, strings.Join(ids, ", "))
	}
	return authMethod{}, fmt.Errorf("%s lets nobody in by a method that can be used yet; it has: %s", s.Slug, firstOf(strings.Join(ids, ", "), "none"))
}

// collect reads a value for each input: from where it was said, hidden from a terminal, or the only one from standard input.
func (a *app) collect(ctx context.Context, s source, m authMethod, given map[string]string) (map[string]string, error) {
	inputs := m.inputs()
	out := map[string]string{}
	var missing []string
	for name := range given {
		if !slices.Contains(inputs, name) {
			return nil, usagef("%s of %s takes no %q; it takes: %s", m.ID, s.Slug, name, firstOf(strings.Join(inputs, ", "), "no value"))
		}
	}
	for _, name := range inputs {
		from, ok := given[name]
		if !ok {
			missing = append(missing, name)
			continue
		}
		value, err := a.readValue(ctx, name, from)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	if len(missing) > 1 && !a.terminal() || len(missing) == 1 && !a.terminal() && len(given) > 0 && usesInput(given) {
		return nil, usagef("%s of %s needs: %s; give each with --value NAME=env:VAR, NAME=@FILE or NAME=-", m.ID, s.Slug, strings.Join(missing, ", "))
	}
	for _, name := range missing {
		value, err := a.readSecret(ctx, s.Slug+" "+name+": ")
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

func usesInput(given map[string]string) bool {
	for _, from := range given {
		if from == "-" {
			return true
		}
	}
	return false
}

func (a *app) readValue(ctx context.Context, name, from string) (string, error) {
	switch {
	case from == "-":
		return a.readSecret(ctx, name+": ")
	case strings.HasPrefix(from, "@"):
		f, err := os.Open(from[1:])
		if err != nil {
			return "", fmt.Errorf("read the value %s: %w", name, err)
		}
		defer func() { _ = f.Close() }()
		raw, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
		if err != nil {
			return "", fmt.Errorf("read the value %s: %w", name, err)
		}
		if len(raw) > maxSecret {
			return "", fmt.Errorf("the value %s in %s is longer than 8 KB", name, from[1:])
		}
		return filled(name, strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r"))
	}
	return filled(name, os.Getenv(strings.TrimPrefix(from, "env:")))
}

func filled(name, value string) (string, error) {
	if value == "" {
		return "", usagef("the value %s is empty where it was to be read from", name)
	}
	return value, nil
}
