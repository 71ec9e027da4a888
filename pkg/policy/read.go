package policy

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// List gives a person's policies, oldest first, in parts.
func (s *Service) List(ctx context.Context, uid pags.UserID, limit int, cursor string) (httpapi.Page[Policy], error) {
	out := httpapi.Page[Policy]{Items: []Policy{}}
	page, err := s.Table.Query(ctx, port.Query{PK: owner(uid), Prefix: rowPrefix, Limit: limit, Cursor: cursor})
	if err != nil {
		return out, fmt.Errorf("list the policies of %s: %w", uid, err)
	}
	m := s.meter(ctx, uid)
	for _, it := range page.Items {
		var p stored
		if err := port.Decode(it, &p); err != nil {
			return out, fmt.Errorf("read a policy of %s: %w", uid, err)
		}
		made := p.policy()
		m.policy(&made)
		out.Items = append(out.Items, made)
	}
	out.NextCursor = page.Cursor
	return out, nil
}

// Get gives one policy; one that is not the caller's is pags.NotFound.
func (s *Service) Get(ctx context.Context, uid pags.UserID, id pags.PolicyID) (Policy, error) {
	p, err := s.load(ctx, uid, id)
	if err != nil {
		return Policy{}, err
	}
	made := p.policy()
	s.measure(ctx, uid, &made)
	return made, nil
}

func (s *Service) load(ctx context.Context, uid pags.UserID, id pags.PolicyID) (stored, error) {
	var p stored
	it, err := s.Table.Get(ctx, rowKey(uid, id))
	if pags.Is(err, pags.NotFound) {
		return p, missing(id)
	}
	if err != nil {
		return p, fmt.Errorf("read the policy %s of %s: %w", id, uid, err)
	}
	return p, port.Decode(it, &p)
}

func (s *Service) measure(ctx context.Context, uid pags.UserID, p *Policy) {
	s.meter(ctx, uid).policy(p)
}
