// Package agent knows the templates that people subscribe to. Today these are the first-party agents: data that is built
// in (data/*.json) and never stored.
//
//	routes.go   the routes, listed first
//	builtin.go  the embedded agents
package agent

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Deps is what the area needs: nothing yet.
type Deps struct{}

// Service is the area.
type Service struct {
	byPlace []pags.Agent
	byName  map[string]int // id or slug
}

// New makes the area. It panics on embedded data that breaks a rule; the package's test reads it too.
func New(Deps) *Service {
	s := &Service{byPlace: builtin(), byName: map[string]int{}}
	for i, a := range s.byPlace {
		s.byName[string(a.ID)], s.byName[a.Slug] = i, i
	}
	return s
}

// Get returns the agent with that id or slug; pags.NotFound if there is none.
func (s *Service) Get(_ context.Context, id pags.AgentID) (pags.Agent, error) {
	i, ok := s.byName[string(id)]
	if !ok {
		return pags.Agent{}, pags.Errorf(pags.NotFound, "there is no such agent; GET /v1/agents, or pags agents, lists them")
	}
	return copied(s.byPlace[i]), nil
}

// Find narrows a listing.
type Find struct {
	Category string
	Text     string // every word must occur in name, description or category
	Sort     string // "name", or "newest" (by version, then as listed); "" and "popular": as listed
	Limit    int
	Cursor   string
}

// List returns the agents that fit, a part at a time. A cursor that is not one of ours is pags.Invalid.
func (s *Service) List(_ context.Context, f Find) (httpapi.Page[pags.Agent], error) {
	var out httpapi.Page[pags.Agent]
	found := []pags.Agent{}
	for _, a := range s.byPlace {
		if (f.Category == "" || strings.EqualFold(a.Category, f.Category)) && fits(a, f.Text) {
			found = append(found, copied(a))
		}
	}
	switch f.Sort {
	case "name":
		slices.SortStableFunc(found, func(a, b pags.Agent) int {
			return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		})
	case "newest":
		slices.SortStableFunc(found, func(a, b pags.Agent) int { return cmp.Compare(b.Version, a.Version) })
	}
	from, err := place(f.Cursor)
	if err != nil {
		return out, err
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	from = min(from, len(found))
	to := min(from+f.Limit, len(found))
	out.Items = found[from:to]
	if to < len(found) {
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte("a" + strconv.Itoa(to)))
	}
	return out, nil
}

func fits(a pags.Agent, text string) bool {
	in := strings.ToLower(a.Name + "\n" + a.Slug + "\n" + a.Description + "\n" + a.Category)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(in, word) {
			return false
		}
	}
	return true
}

func place(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(raw) > 1 && raw[0] == 'a' {
		if n, err := strconv.Atoi(string(raw[1:])); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, pags.Errorf(pags.Invalid, "the cursor is not one of this list; start again without it")
}

// copied keeps callers from changing the embedded data.
func copied(a pags.Agent) pags.Agent {
	a.Capabilities.Surfaces = slices.Clone(a.Capabilities.Surfaces)
	a.Capabilities.Tools = slices.Clone(a.Capabilities.Tools)
	return a
}
