package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/runner/client"
)

// preview is what a description would become.
type preview struct {
	Name        string       `json:"name"`
	Namespace   string       `json:"namespace"`
	Format      string       `json:"format"`
	Version     string       `json:"version"`
	Description string       `json:"description"`
	NeedsBase   bool         `json:"needsBase"`
	Auth        []authMethod `json:"auth"`
	Warnings    []warning    `json:"warnings"`
	Tools       int          `json:"tools"`
	Groups      []struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
	} `json:"groups"`
}

func sourceAddCommand(a *app) *cobra.Command {
	var name, slug, base string
	var only bool
	c := &cobra.Command{
		Use:   "add URL|FILE|-",
		Short: "Make an API's operations your tools",
		Long:  "Make an API's operations your tools, from its OpenAPI or Swagger description.",
		Example: `  pags sources add https://petstore3.swagger.io/api/v3/openapi.json
  pags sources add ./openapi.yaml --slug shop --base-url https://shop.test/v1`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			body := map[string]any{}
			if isURL(args[0]) {
				body["url"] = args[0]
			} else {
				text, err := a.readDocument(args[0])
				if err != nil {
					return err
				}
				body["document"] = text
			}
			if base != "" {
				body["baseUrl"] = base
			}
			return a.addSource(c, body, name, slug, only)
		},
	}
	f := c.Flags()
	f.StringVar(&name, "name", "", "what people call it")
	f.StringVar(&slug, "slug", "", "how its tools' addresses begin: a-z, 0-9, _")
	f.StringVar(&base, "base-url", "", "where calls go, if the description does not say")
	f.BoolVar(&only, "preview", false, "show what it would become and add nothing")
	return c
}

func (a *app) addSource(c *cobra.Command, body map[string]any, name, slug string, only bool) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	if only || !a.json { // --json prints one thing: the source, or with --preview what it would be
		p, err := fetch[preview](c.Context(), cl, http.MethodPost, "/v1/sources/preview", body)
		if err != nil {
			return lookElsewhere(err, body)
		}
		if a.json {
			return a.printJSON(p)
		}
		if err := a.showPreview(p.v); err != nil || only {
			return err
		}
	}
	if name != "" {
		body["name"] = name
	}
	if slug != "" {
		body["slug"] = slug
	}
	s, err := create[source](c.Context(), cl, "/v1/sources", body)
	if err != nil {
		return lookElsewhere(err, body)
	}
	if a.json {
		return a.printJSON(s)
	}
	if err := a.say("\n%s added, %s", s.v.Slug, count(s.v.Tools, "tool")); err != nil {
		return err
	}
	if s.v.NeedsBase && s.v.BaseURL == "" {
		a.note("The description does not say where calls go; give connections a --base-url.")
	}
	a.note("Next: %s", s.v.next())
	return nil
}

// lookElsewhere adds what to try when an address holds no description.
func lookElsewhere(err error, body map[string]any) error {
	var p *client.Problem
	address, byURL := body["url"].(string)
	if out := opened(err, address); out != err {
		return out
	}
	if byURL && errors.As(err, &p) && (p.Status == http.StatusBadRequest || p.Status == http.StatusUnprocessableEntity) {
		return fmt.Errorf("%w\nIf that is not the description itself, look for it: pags sources discover %s", err, address)
	}
	return err
}

// opened adds how a local API is reached to the refusal of an address.
func opened(err error, address string) error {
	if err == nil || !strings.Contains(err.Error(), "address not allowed") {
		return err
	}
	host := "HOST:PORT"
	if u, parseErr := url.Parse(address); parseErr == nil && u.Host != "" {
		host = u.Host
	}
	return fmt.Errorf("%w\nAn API on your own machine or network is reached once the host is started with: pags serve --allow-host %s", err, host)
}

const shownGroups = 8

func (a *app) showPreview(p preview) error {
	var groups []string
	for i, g := range p.Groups {
		if i == shownGroups {
			groups = append(groups, fmt.Sprintf("and %d more", len(p.Groups)-i))
			break
		}
		groups = append(groups, fmt.Sprintf("%s %d", g.Name, g.Count))
	}
	base := ""
	if p.NeedsBase {
		base = "not said; give --base-url here or with each connection"
	}
	return a.pairs([][2]string{{"Name", p.Name}, {"About", firstLines(p.Description, 300)}, {"Format", p.Format}, {"Version", p.Version},
		{"Operations", fmt.Sprint(p.Tools)}, {"Groups", strings.Join(groups, ", ")}, {"Calls go to", base}, {"Sign-in", describeAuth(p.Auth)},
		{"Warnings", describeWarnings(p.Warnings)}})
}

// firstLines shortens a long text.
func firstLines(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	return cut(s, most)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
