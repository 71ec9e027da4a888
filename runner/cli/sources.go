package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// source is a described API as the host shows it.
type source struct {
	Slug        string       `json:"slug"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Format      string       `json:"format"`
	Version     string       `json:"version"`
	URL         string       `json:"url"`
	BaseURL     string       `json:"baseUrl"`
	Enabled     bool         `json:"enabled"`
	Revision    int          `json:"revision"`
	Tools       int          `json:"tools"`
	Connections int          `json:"connections"`
	Held        int          `json:"held"`
	NeedsBase   bool         `json:"needsBase"`
	Auth        []authMethod `json:"auth"`
	Warnings    []warning    `json:"warnings"`
	Status      string       `json:"status"`
	Detail      string       `json:"detail"`
	CreatedAt   time.Time    `json:"createdAt"`
	RefreshedAt time.Time    `json:"refreshedAt"`
}

// authMethod is one way to be let in. Its placements name the values that a connection gives.
type authMethod struct {
	ID         string `json:"id"`
	Kind       string `json:"kind"`
	Supported  bool   `json:"supported"`
	Reason     string `json:"reason"`
	Placements []struct {
		In     string   `json:"in"`
		Name   string   `json:"name"`
		Inputs []string `json:"inputs"`
	} `json:"placements"`
}

type warning struct {
	Code    string `json:"code"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func sourcesCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "sources", Short: "APIs whose operations are your tools", Args: cobra.NoArgs, RunE: a.listSources}
	one := func(use, short string, run func(c *cobra.Command, slug string) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error { return run(c, args[0]) }}
	}
	var file string
	refresh := one("refresh SLUG", "Read the description again and say what changed", func(c *cobra.Command, slug string) error { return a.refreshSource(c, slug, file) })
	refresh.Flags().StringVar(&file, "file", "", "the new description, for a source that was not added by URL")
	accept := &cobra.Command{
		Use:     "accept SLUG [TOOL...]",
		Short:   "Let new and changed tools be called",
		Long:    "Let new and changed tools be called, all of a source or those that are named.",
		Example: "  pags sources accept petstore --revision 3",
		Args:    cobra.MinimumNArgs(1),
		RunE:    a.acceptSource,
	}
	accept.Flags().Int("revision", 0, "the `revision` that you looked at; if there is a newer one nothing is accepted")
	c.AddCommand(
		sourceAddCommand(a),
		&cobra.Command{Use: "list", Short: "List sources", Args: cobra.NoArgs, RunE: a.listSources},
		one("show SLUG", "Show a source", a.showSource),
		sourceSetCommand(a),
		refresh,
		one("drift SLUG", "New and changed tools that wait to be accepted", a.driftOfSource),
		accept,
		one("remove SLUG", "Remove a source and its connections", a.removeSource),
		one("discover URL", "Find the description of an API by its address", a.discoverSource),
	)
	return c
}

func (a *app) listSources(c *cobra.Command, _ []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	all, err := list[source](c.Context(), cl, "/v1/sources", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("No sources yet. Add one: pags sources add https://…/openapi.json")
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{s.v.Slug, s.v.stands(), fmt.Sprint(s.v.Tools), fmt.Sprint(s.v.Connections), s.v.Name}
	}
	return a.table([]string{"SOURCE", "STATUS", "TOOLS", "CONNECTIONS", "NAME"}, rows)
}

func (s source) stands() string {
	switch {
	case !s.Enabled:
		return "off"
	case s.Held > 0:
		return fmt.Sprintf("%s, %d held", s.Status, s.Held)
	}
	return s.Status
}

func (a *app) showSource(c *cobra.Command, slug string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	s, err := fetch[source](c.Context(), cl, http.MethodGet, "/v1/sources/"+url.PathEscape(slug), nil)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	rows := [][2]string{{"Source", s.v.Slug}, {"Name", s.v.Name}, {"About", firstLines(s.v.Description, 300)}, {"Format", s.v.Format}, {"Version", s.v.Version},
		{"From", s.v.URL}, {"Calls go to", s.v.BaseURL}, {"Status", s.v.stands()}, {"Detail", s.v.Detail}, {"Tools", fmt.Sprint(s.v.Tools)},
		{"Connections", fmt.Sprint(s.v.Connections)}, {"Sign-in", describeAuth(s.v.Auth)}, {"Warnings", describeWarnings(s.v.Warnings)}, {"Read", a.ago(s.v.RefreshedAt)}}
	if err := a.pairs(rows); err != nil {
		return err
	}
	if next := s.v.next(); next != "" {
		a.note("\nNext: %s", next)
	}
	return nil
}

// next is the command that a source waits for, or the one that looks into it.
func (s source) next() string {
	switch {
	case s.Held > 0:
		return "pags sources drift " + s.Slug
	case s.Connections == 0:
		return "pags connections add " + s.Slug
	}
	return "pags call " + s.Slug + " --help"
}

// describeAuth says in one line each how a source lets callers in and what a connection has to give.
func describeAuth(methods []authMethod) string {
	lines := make([]string, len(methods))
	for i, m := range methods {
		lines[i] = m.Kind
		if m.ID != "" && m.ID != m.Kind {
			lines[i] = m.ID + " (" + m.Kind + ")"
		}
		if in := m.inputs(); len(in) > 0 {
			lines[i] += ": " + strings.Join(in, ", ")
		}
		if !m.Supported && m.Kind != "none" {
			lines[i] += ": cannot be used yet"
		}
	}
	return strings.Join(lines, "\n")
}

// inputs names the values a connection gives, each once.
func (m authMethod) inputs() []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range m.Placements {
		for _, name := range p.Inputs {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

const shownWarnings = 5

func describeWarnings(all []warning) string {
	var lines []string
	for i, w := range all {
		if i == shownWarnings {
			lines = append(lines, fmt.Sprintf("and %d more; see them with --json", len(all)-i))
			break
		}
		if w.Line > 0 {
			w.Message = fmt.Sprintf("line %d: %s", w.Line, w.Message)
		}
		lines = append(lines, w.Message)
	}
	return strings.Join(lines, "\n")
}

// drift is what reading a description again found.
type drift struct {
	Changed bool `json:"changed"`
	Drift   struct {
		Added   []string `json:"added"`
		Removed []string `json:"removed"`
		Changed []string `json:"changed"`
	} `json:"drift"`
	Source source `json:"source"`
}

func (a *app) refreshSource(c *cobra.Command, slug, file string) error {
	body := map[string]any{}
	if file != "" {
		text, err := a.readDocument(file)
		if err != nil {
			return err
		}
		body["document"] = text
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	d, err := fetch[drift](c.Context(), cl, http.MethodPost, "/v1/sources/"+url.PathEscape(slug)+"/refresh", body)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(d)
	}
	if !d.v.Changed {
		return a.say("%s  nothing changed", slug)
	}
	x := d.v.Drift
	if err := a.say("%s  %d added, %d changed, %d removed", slug, len(x.Added), len(x.Changed), len(x.Removed)); err != nil {
		return err
	}
	if d.v.Source.Held > 0 {
		a.note("%s wait until you look at them: pags sources drift %s", count(d.v.Source.Held, "tool"), slug)
	}
	return nil
}

func (a *app) driftOfSource(c *cobra.Command, slug string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	now, err := fetch[source](c.Context(), cl, http.MethodGet, "/v1/sources/"+url.PathEscape(slug), nil) // before the changes: what comes later is not accepted with them
	if err != nil {
		return err
	}
	all, err := list[struct {
		Tool string `json:"tool"`
		Kind string `json:"kind"`
	}](c.Context(), cl, "/v1/sources/"+url.PathEscape(slug)+"/drift", nil, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(all))
	}
	if len(all) == 0 {
		return a.say("Nothing of %s waits to be accepted.", slug)
	}
	rows := make([][]string, len(all))
	for i, d := range all {
		rows[i] = []string{d.v.Tool, d.v.Kind}
	}
	if err := a.table([]string{"TOOL", "WHAT"}, rows); err != nil {
		return err
	}
	a.note("What changed is in --json. Let them be called: pags sources accept %s --revision %d", slug, now.v.Revision)
	return nil
}

func (a *app) acceptSource(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	body := map[string]any{}
	if len(args) > 1 {
		body["tools"] = args[1:]
	}
	if n, err := c.Flags().GetInt("revision"); err == nil && n > 0 {
		body["revision"] = n
	}
	s, err := fetch[source](c.Context(), cl, http.MethodPost, "/v1/sources/"+url.PathEscape(args[0])+"/accept", body)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	return a.say("%s  accepted; %s, %d held", s.v.Slug, count(s.v.Tools, "tool"), s.v.Held)
}

func (a *app) removeSource(c *cobra.Command, slug string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	if err := cl.Do(c.Context(), http.MethodDelete, "/v1/sources/"+url.PathEscape(slug), nil, nil); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"removed": slug})
	}
	return a.say("%s removed", slug)
}

func (a *app) discoverSource(c *cobra.Command, address string) error {
	if !isURL(address) {
		return usagef("%q is not an address; it starts with https://", address)
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	found, err := fetch[struct {
		Items []struct {
			Kind       string    `json:"kind"`
			Confidence string    `json:"confidence"`
			Endpoint   string    `json:"endpoint"`
			SpecURL    string    `json:"specUrl"`
			Name       string    `json:"name"`
			Tools      int       `json:"tools"`
			Warnings   []warning `json:"warnings"`
		} `json:"items"`
	}](c.Context(), cl, http.MethodPost, "/v1/sources/discover", map[string]any{"url": address})
	if err != nil {
		return opened(err, address)
	}
	if a.json {
		return a.printJSON(found)
	}
	known, hints := 0, ""
	for _, x := range found.v.Items {
		if x.Kind == "unknown" {
			hints = describeWarnings(x.Warnings)
			continue
		}
		if known++; known > 1 {
			if err := a.say(""); err != nil {
				return err
			}
		}
		rows := [][2]string{{"Kind", x.Kind + ", confidence " + x.Confidence}, {"Name", x.Name}, {"Endpoint", x.Endpoint}, {"Tools", fmt.Sprint(x.Tools)}, {"Warnings", describeWarnings(x.Warnings)}}
		if x.SpecURL != "" {
			rows = append(rows, [2]string{"Add it", "pags sources add " + x.SpecURL})
		}
		if err := a.pairs(rows); err != nil {
			return err
		}
	}
	if known == 0 {
		return errors.New(strings.TrimSpace("no description of an API was found there; if you have it as a file: pags sources add FILE\n" + hints))
	}
	return nil
}

func isURL(s string) bool { return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") }

// readDocument reads a description from a file, or from standard input for "-".
func (a *app) readDocument(name string) (string, error) {
	if name == "-" {
		return a.readAll("the description")
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read the description: %w", err)
	}
	return string(raw), nil
}
