package instance

import (
	"context"
	"fmt"
	"slices"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Load reads an instance whoever owns it; for callers that know the owner already.
func (s *Service) Load(ctx context.Context, id pags.InstanceID) (pags.Instance, error) {
	if id == "" {
		return pags.Instance{}, notFound()
	}
	it, err := s.Table.Get(ctx, metaKey(id))
	if pags.Is(err, pags.NotFound) {
		return pags.Instance{}, notFound()
	}
	if err != nil {
		return pags.Instance{}, fmt.Errorf("read instance %s: %w", id, err)
	}
	return decode(it)
}

// Owned reads an instance of the user; another person's is pags.NotFound like one that never was.
func (s *Service) Owned(ctx context.Context, uid pags.UserID, id pags.InstanceID) (pags.Instance, error) {
	in, err := s.Load(ctx, id)
	if err == nil && (in.UserID != uid || uid == "") {
		return pags.Instance{}, notFound()
	}
	return in, err
}

// List returns the user's instances, newest first.
func (s *Service) List(ctx context.Context, uid pags.UserID, canceled bool, limit int, cursor string) (httpapi.Page[pags.Instance], error) {
	var out httpapi.Page[pags.Instance]
	q := port.Query{Index: "g1", PK: listOf(uid), Desc: true, Limit: limit, Cursor: cursor}
	if !canceled {
		q.Filter = port.Eq("status", Active)
	}
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return out, fmt.Errorf("list instances: %w", err)
	}
	for _, it := range page.Items {
		in, err := decode(it)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, in)
	}
	out.NextCursor = page.Cursor
	return out, nil
}

// ListForMachine returns what a machine of the user serves: active instances whose agent needs a runtime that the machine
// offers, unpinned or pinned to this machine by id or by node name.
func (s *Service) ListForMachine(ctx context.Context, uid pags.UserID, m pags.Machine) ([]relay.Member, error) {
	out := []relay.Member{}
	cursor := ""
	for {
		page, err := s.List(ctx, uid, false, 200, cursor)
		if err != nil {
			return nil, err
		}
		for _, in := range page.Items {
			agent, err := s.Agents.Get(ctx, in.AgentID)
			if pags.Is(err, pags.NotFound) { // the template is gone; nothing can run it
				continue
			}
			if err != nil {
				return nil, err
			}
			need := agent.Capabilities.Runtime
			pin, _ := in.Config[keyRunnerNode].(string)
			if need == "" || !slices.Contains(m.Capabilities, need) || pin != "" && pin != m.Node && pin != string(m.ID) {
				continue
			}
			out = append(out, relay.Member{InstanceID: in.ID, DisplayName: in.DisplayName, AgentID: in.AgentID, Runtime: need})
		}
		if cursor = page.NextCursor; cursor == "" {
			return out, nil
		}
	}
}

// CountActive returns how many active instances the user has, up to MaxActive.
func (s *Service) CountActive(ctx context.Context, uid pags.UserID) (int, error) {
	page, err := s.Table.Query(ctx, port.Query{Index: "g1", PK: listOf(uid), Limit: MaxActive, Filter: port.Eq("status", Active)})
	if err != nil {
		return 0, fmt.Errorf("count instances: %w", err)
	}
	return len(page.Items), nil
}
