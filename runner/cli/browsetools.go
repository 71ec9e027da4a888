package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/runner/client"
)

// place is one connection of one source: where its tools' addresses begin.
type place struct {
	Namespace   string `json:"namespace"`
	Source      string `json:"source"`
	Connection  string `json:"connection"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Tools       int    `json:"tools"`
}

// shelf is what lies directly below a path: groups with how many tools each holds, and tools.
type shelf struct {
	Path   string   `json:"path"`
	Groups []branch `json:"groups"`
	Tools  []branch `json:"tools"`
}

type branch struct {
	Name  string `json:"name"` // the next word of the path
	Path  string `json:"path"`
	Tools int    `json:"tools,omitempty"`
	About string `json:"about,omitempty"`
}

// browseTools is the help behind any part of a path. Without a path it is the command's own help, and sources if a host
// answers.
func (a *app) browseTools(c *cobra.Command, match string, limit int) error {
	words := c.Flags().Args()
	if len(words) == 0 && !a.json {
		c.Parent().HelpFunc()(c, nil)
		cl, err := a.client()
		if err != nil {
			return nil // help is there without a host too
		}
		s, _, err := lookAt(c.Context(), cl, "")
		if err != nil || len(s.Groups) == 0 {
			return nil
		}
		return errors.Join(a.say(""), a.showShelf(s, match, limit))
	}
	path := ""
	if len(words) > 0 {
		var err error
		if path, _, err = splitWords(words); err != nil {
			return err
		}
	}
	cl, err := a.client()
	if err != nil {
		return err
	}
	s, tool, err := lookAt(c.Context(), cl, path)
	switch {
	case err != nil:
		return err
	case tool != nil && a.json:
		return a.printJSON(*tool)
	case tool != nil:
		return a.showTool(tool.v, strings.ReplaceAll(path, ".", " "), false)
	}
	return a.showShelf(s, match, limit)
}

// lookAt finds what a path names: a shelf, or a tool. A connection's name may be left out where its source has only one.
func lookAt(ctx context.Context, cl *client.Client, path string) (s shelf, tool *got[description], err error) {
	s = shelf{Path: path, Groups: []branch{}, Tools: []branch{}}
	places, err := list[place](ctx, cl, "/v1/tools/namespaces", url.Values{"includeBlocked": {"true"}}, 0)
	if err != nil {
		return s, nil, err
	}
	if path == "" {
		for _, p := range places {
			s.add(p.v.Source, p.v.Source, p.v.Tools, firstOf(p.v.Name, p.v.Description))
		}
		return s, nil, nil
	}
	parts := strings.Split(path, ".")
	var mine []place
	for _, p := range places {
		if p.v.Source == parts[0] {
			mine = append(mine, p.v)
		}
	}
	namespace := path
	switch {
	case len(mine) == 0: // a tool of ours, or nothing
		d, err := describeTool(ctx, cl, path)
		if notFound(err) && len(places) == 0 {
			err = fmt.Errorf("%w; you have no connected source yet: pags sources add https://…/openapi.json, then pags connections add", err)
		}
		return s, &d, err
	case len(parts) == 1 && len(mine) > 1:
		for _, p := range mine {
			s.add(p.Connection, p.Namespace, p.Tools, "connection")
		}
		return s, nil, nil
	case len(mine) == 1 && (len(parts) == 1 || parts[1] != mine[0].Connection):
		namespace = strings.Join(append([]string{mine[0].Namespace}, parts[1:]...), ".")
	}
	all, _, err := findTools(ctx, cl, "", namespace, 0)
	if err != nil {
		return s, nil, err
	}
	for _, t := range all {
		rest, ok := strings.CutPrefix(t.v.Path, namespace+".")
		if !ok {
			continue
		}
		if next, _, deeper := strings.Cut(rest, "."); deeper {
			s.add(next, path+"."+next, 1, "")
		} else {
			s.Tools = append(s.Tools, branch{Name: rest, Path: path + "." + rest, About: t.v.about()})
		}
	}
	if len(s.Groups)+len(s.Tools) == 0 {
		d, err := describeTool(ctx, cl, namespace)
		return s, &d, err
	}
	return s, nil, nil
}

// add counts tools into a group.
func (s *shelf) add(name, path string, tools int, about string) {
	for i := range s.Groups {
		if s.Groups[i].Name == name {
			s.Groups[i].Tools += tools
			return
		}
	}
	s.Groups = append(s.Groups, branch{name, path, tools, about})
}

// narrowed keeps what holds a text, at most limit of it, and says how much was left off.
func (s shelf) narrowed(match string, limit int) (shelf, int) {
	left := 0
	keep := func(in []branch) []branch {
		out := []branch{}
		for _, b := range in {
			if !strings.Contains(strings.ToLower(b.Name+" "+b.About), strings.ToLower(match)) {
				continue
			}
			if limit > 0 && limit == len(out) {
				left++
				continue
			}
			out = append(out, b)
		}
		return out
	}
	sort.SliceStable(s.Groups, func(i, j int) bool { return s.Groups[i].Name < s.Groups[j].Name })
	s.Groups, s.Tools = keep(s.Groups), keep(s.Tools)
	return s, left
}

func (a *app) showShelf(s shelf, match string, limit int) error {
	s, left := s.narrowed(match, limit)
	if a.json {
		return a.printJSON(s)
	}
	words := strings.ReplaceAll(s.Path, ".", " ")
	if len(s.Groups)+len(s.Tools) == 0 {
		if match != "" {
			return a.say("Nothing here holds %q.", clean(match))
		}
		return a.say("No tools yet. Add a source: pags sources add https://…/openapi.json")
	}
	if len(s.Groups) > 0 {
		rows := make([][]string, len(s.Groups))
		for i, g := range s.Groups {
			rows[i] = []string{g.Name, count(g.Tools, "tool"), g.About}
		}
		if err := a.table([]string{"BELOW", "HOLDS", ""}, rows); err != nil {
			return err
		}
	}
	if len(s.Tools) > 0 {
		if len(s.Groups) > 0 {
			if err := a.say(""); err != nil {
				return err
			}
		}
		rows := make([][]string, len(s.Tools))
		for i, t := range s.Tools {
			rows[i] = []string{t.Name, t.About}
		}
		if err := a.table([]string{"TOOL", "WHAT IT DOES"}, rows); err != nil {
			return err
		}
	}
	if left > 0 {
		a.note("%d more; narrow with --match TEXT, or see all with --limit 0", left)
	}
	a.note("Further: %s NAME --help", strings.TrimSpace("pags call "+words))
	return nil
}
