package policy

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

// maxExamples and maxMeant bound what a check names.
const (
	maxExamples = 10
	maxMeant    = 3
)

// Reach is what a pattern would be about.
type Reach struct {
	Matches  int      `json:"matches" doc:"how many tools it is about now"`
	Examples []string `json:"examples" doc:"some of them, by address"`
	Warning  string   `json:"warning,omitempty" doc:"why it may not do what is meant"`
	Meant    []string `json:"meant,omitempty" doc:"patterns that match something and may be what is meant"`
}

// Check says what a pattern is about in the catalog as it is now. A pattern that is none is pags.Unprocessable.
func (s *Service) Check(ctx context.Context, uid pags.UserID, pattern string) (Reach, error) {
	pattern = strings.TrimSpace(pattern)
	if err := rule.CheckPattern(pattern); err != nil {
		return Reach{}, pags.Errorf(pags.Unprocessable, "%s", err.Error())
	}
	dir, err := s.Catalog.Directory(ctx, uid)
	if err != nil {
		return Reach{}, fmt.Errorf("read the catalog to check a pattern: %w", err)
	}
	m := meter{dir: dir, all: dir.Index.Addresses()}
	return m.check(pattern), nil
}

// meter measures patterns against one catalog.
type meter struct {
	dir *catalog.Directory // nil: it cannot be read
	all []string           // addresses in order
}

// meter reads the catalog. Policies are kept and shown also without it: a block has to be possible on a bad day.
func (s *Service) meter(ctx context.Context, uid pags.UserID) meter {
	if s.Catalog == nil {
		return meter{}
	}
	dir, err := s.Catalog.Directory(ctx, uid)
	if err != nil {
		s.Log.ErrorContext(ctx, "policies are shown without what they match", "user", uid, "error", err)
		return meter{}
	}
	return meter{dir, dir.Index.Addresses()}
}

func (m meter) policy(p *Policy) {
	if m.dir == nil {
		p.Warning = "your tools could not be read just now, so how many it matches is not known; it holds all the same"
		return
	}
	c := m.check(p.Pattern)
	p.Matches, p.Warning = c.Matches, c.Warning
}

func (m meter) check(pattern string) Reach {
	c := Reach{Examples: []string{}}
	match := rule.Matcher(pattern)
	for _, a := range m.under(rule.Literal(pattern)) {
		if match(a) {
			if c.Matches++; len(c.Examples) < maxExamples {
				c.Examples = append(c.Examples, a)
			}
		}
	}
	if c.Matches > 0 {
		return c
	}
	switch c.Meant = m.meant(pattern); {
	case len(c.Meant) > 0:
		c.Warning = "it matches no tool; you may mean " + strings.Join(c.Meant, " or ")
	case len(m.all) == 0:
		c.Warning = "it matches no tool, because you have none yet; it holds as soon as there is one"
	default:
		c.Warning = "it matches no tool now; addresses are <source>.<connection>.<group>.<leaf>, such as " + m.all[0]
	}
	return c
}

// under gives the addresses at or below a place.
func (m meter) under(place string) []string {
	if place == "" {
		return m.all
	}
	from := sort.SearchStrings(m.all, place)
	to := sort.SearchStrings(m.all, place+"/") // the character after the dot
	return m.all[from:max(from, to)]
}

// some reports whether a pattern matches anything.
func (m meter) some(pattern string) bool {
	return slices.ContainsFunc(m.under(rule.Literal(pattern)), rule.Matcher(pattern))
}

// meant finds patterns that match something and are near to one that matches nothing: the short address written out, other
// capitals, a typing error.
func (m meter) meant(pattern string) []string {
	var out []string
	try := func(p string) {
		if len(out) < maxMeant && p != pattern && rule.CheckPattern(p) == nil && !slices.Contains(out, p) && m.some(p) {
			out = append(out, p)
		}
	}
	for _, p := range append([]string{pattern}, m.capitals(pattern)...) {
		try(p)
		source, rest, ok := strings.Cut(p, ".")
		for _, place := range m.dir.Places {
			if ok && place.Source == source {
				try(place.Namespace + "." + rest)
			}
		}
	}
	if len(out) == 0 {
		stars := strings.HasSuffix(pattern, "."+rule.Any)
		for _, a := range m.dir.Index.Suggest(strings.NewReplacer("."+rule.Any, "").Replace(pattern)) {
			if n := strings.Count(strings.TrimSuffix(pattern, "."+rule.Any), "."); stars {
				parts := strings.Split(a, ".")
				a = strings.Join(parts[:min(len(parts), n+1)], ".") + "." + rule.Any
			}
			try(a)
		}
	}
	return out
}

// capitals gives a pattern with the capitals of addresses that it would match without regard to them.
func (m meter) capitals(pattern string) []string {
	var out []string
	match := rule.Matcher(strings.ToLower(pattern))
	parts := strings.Split(pattern, ".")
	for _, a := range m.all {
		if !match(strings.ToLower(a)) {
			continue
		}
		made := strings.Split(a, ".")
		made = made[:min(len(made), len(parts))]
		for i, p := range parts {
			if p == rule.Any {
				if i < len(made) {
					made[i] = p
				} else {
					made = append(made, p)
				}
			}
		}
		if p := strings.Join(made, "."); !slices.Contains(out, p) {
			if out = append(out, p); len(out) == maxMeant {
				break
			}
		}
	}
	return out
}
