package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

// maxPage is the most tools in one part of a listing (spec tool-runtime 0).
const maxPage = 200

// Ask asks for tools. A query ranks; a namespace alone lists it completely; neither lists everything where All says so, else
// nothing.
type Ask struct {
	Query, Namespace string
	All              bool
	Limit, Offset    int
	Blocked          bool // also those that a policy blocks, for their owner
}

// Found is a tool in a listing.
type Found struct {
	Path        string         `json:"path" doc:"its address, to call it by"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Score       float64        `json:"score,omitempty"`
	ReadOnly    bool           `json:"readOnly"`
	Destructive bool           `json:"destructive"`
	Deprecated  bool           `json:"deprecated"`
	Held        string         `json:"held,omitempty" doc:"new or changed: its owner has to look at the definition first, until then each call is asked about"`
	Asks        bool           `json:"asks,omitempty" doc:"a call waits until a person consents"`
	Policy      *rule.Decision `json:"policy,omitempty"`

	InputTypeScript  string            `json:"inputTypeScript,omitempty"`
	OutputTypeScript string            `json:"outputTypeScript,omitempty"`
	Definitions      map[string]string `json:"typeScriptDefinitions,omitempty"`
}

// Listing is a part of what there is.
type Listing struct {
	Items      []Found `json:"items"`
	Total      int     `json:"total"`
	HasMore    bool    `json:"hasMore"`
	NextOffset int     `json:"nextOffset,omitempty" doc:"give it as offset for the next part"`
}

// List finds and lists tools. Those that a policy blocks are as if they were not there, in totals too.
func (s *Service) List(ctx context.Context, uid pags.UserID, a Ask) (Listing, error) {
	out := Listing{Items: []Found{}}
	dir, rules, err := s.view(ctx, uid)
	if err != nil {
		return out, err
	}
	q := catalog.Query{Text: a.Query, Namespace: a.Namespace, All: a.All, Limit: min(max(a.Limit, 1), maxPage), Offset: a.Offset}
	if !a.Blocked {
		q.Keep = visible(rules)
	}
	page := dir.Index.Search(q)
	out.Total, out.HasMore, out.NextOffset = page.Total, page.HasMore, page.NextOffset
	for _, h := range page.Items {
		f := dir.Flags(h.Path)
		d := rules.Decide(h.Path, f.ReadOnly)
		out.Items = append(out.Items, Found{Path: h.Path, Name: h.Name, Description: h.Description, Score: h.Score, ReadOnly: f.ReadOnly, Destructive: f.Destructive,
			Deprecated: f.Deprecated, Held: f.Held, Asks: d.Action == rule.RequireApproval || d.Action == rule.Approve && f.Held != "", Policy: &d})
	}
	return out, nil
}

// view reads what a person has and what they laid down.
func (s *Service) view(ctx context.Context, uid pags.UserID) (*catalog.Directory, rule.Rules, error) {
	rules, err := s.Policies.Rules(ctx, uid)
	if err != nil {
		return nil, rules, fmt.Errorf("read the policies for a listing: %w", err)
	}
	dir, err := s.Sources.Directory(ctx, uid)
	if err != nil {
		return nil, rules, fmt.Errorf("read the catalog for a listing: %w", err)
	}
	return dir, rules, nil
}

// visible says which addresses may be seen; nil: all.
func visible(rules rule.Rules) func(string) bool {
	if !rules.Blocks() {
		return nil
	}
	return func(address string) bool { return !rules.Blocked(address) }
}

// Places lists the namespaces by address, each with the number of tools that a listing of it has. One of which every tool is
// blocked is not shown, unless blocked says so.
func (s *Service) Places(ctx context.Context, uid pags.UserID, blocked bool) ([]catalog.Place, error) {
	dir, rules, err := s.view(ctx, uid)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(dir.Places)
	if out == nil {
		out = []catalog.Place{}
	}
	if blocked || !rules.Blocks() {
		return out, nil
	}
	seen := map[string]int{}
	for _, a := range dir.Index.Addresses() {
		if source, rest, _ := strings.Cut(a, "."); !rules.Blocked(a) {
			connection, _, _ := strings.Cut(rest, ".")
			seen[source+"."+connection]++
		}
	}
	kept := out[:0]
	for _, p := range out {
		if n := seen[p.Namespace]; n > 0 || p.Tools == 0 {
			p.Tools = n
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// addTypes gives the first tools of a listing their types. One that is gone meanwhile stays without.
func (s *Service) addTypes(ctx context.Context, uid pags.UserID, items []Found) error {
	for i := range items[:min(len(items), typed)] {
		b, miss, err := s.Sources.Resolve(ctx, uid, items[i].Path)
		if err != nil {
			return fmt.Errorf("find a tool that was listed: %w", err)
		}
		if miss != nil {
			continue
		}
		d := b.Tool.Describe(false)
		items[i].InputTypeScript, items[i].OutputTypeScript, items[i].Definitions = d.InputTypeScript, d.OutputTypeScript, d.Definitions
	}
	return nil
}

// plain is a listing for programs: whether a call asks is all that they are told of policies.
func (l Listing) plain() Listing {
	for i := range l.Items {
		l.Items[i].Policy = nil
	}
	return l
}

// best is a listing as discover gives it.
func (l Listing) best() map[string]any {
	var best any
	if len(l.Items) > 0 {
		best = l.Items[0].Path
	}
	return map[string]any{"bestPath": best, "results": l.plain().Items, "total": l.Total}
}
