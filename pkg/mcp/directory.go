package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
)

// What the description of execute names, so that agents notice what is connected (spec tool-runtime 0 and 5, rule 35).
const (
	maxSources = 50
	maxPaths   = 5
)

// connected lists the caller's sources with some tools of each. A catalog that cannot be read now is left out: search still
// answers, and says why if it does not.
func (s *service) connected(ctx context.Context, uid pags.UserID) string {
	dir, err := s.Catalog.Directory(ctx, uid)
	if err != nil || dir == nil || len(dir.Places) == 0 {
		if err != nil {
			s.Log.WarnContext(ctx, "the catalog cannot be read for a description", "cause", err.Error())
		}
		return ""
	}
	rules, err := s.Policies.Rules(ctx, uid)
	if err != nil {
		s.Log.WarnContext(ctx, "policies cannot be read for a description", "cause", err.Error())
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\nConnected:")
	shown := 0
	for i, p := range dir.Places {
		if shown == maxSources {
			fmt.Fprintf(&b, "\n- and %d more; find them with search", len(dir.Places)-i)
			break
		}
		page := dir.Index.Search(catalog.Query{Namespace: p.Namespace, Limit: maxPaths, Keep: func(a string) bool { return !rules.Blocked(a) }})
		if page.Total == 0 {
			continue
		}
		shown++
		fmt.Fprintf(&b, "\n- tools.%s", p.Namespace)
		if p.Name != "" {
			fmt.Fprintf(&b, " (%s)", oneLine(p.Name, 60))
		}
		b.WriteString(":")
		for j, h := range page.Items {
			if j > 0 {
				b.WriteString(",")
			}
			b.WriteString(" " + strings.TrimPrefix(h.Path, p.Namespace+"."))
		}
		if more := page.Total - len(page.Items); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	if shown == 0 {
		return ""
	}
	return b.String()
}
