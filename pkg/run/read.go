package run

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Load reads a run, whoever owns it; for our own machinery.
func (s *Service) Load(ctx context.Context, id pags.RunID) (pags.Run, error) {
	it, err := s.Table.Get(ctx, headKey(id))
	if err != nil && !pags.Is(err, pags.NotFound) {
		return pags.Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	h, err := decodeHead(id, it)
	return h.Run, err
}

// Get reads a run of the user; another's is pags.NotFound.
func (s *Service) Get(ctx context.Context, uid pags.UserID, id pags.RunID) (pags.Run, error) {
	r, err := s.Load(ctx, id)
	if err == nil && r.UserID != uid {
		err = pags.Errorf(pags.NotFound, "there is no run %s", id)
	}
	if err != nil {
		return pags.Run{}, err
	}
	return r, nil
}

// Filter narrows a listing.
type Filter struct {
	Kind       pags.RunKind
	Status     pags.RunStatus
	InstanceID pags.InstanceID
	Cursor     string
	Limit      int
}

// List shows the user's runs, newest first.
func (s *Service) List(ctx context.Context, uid pags.UserID, f Filter) (httpapi.Page[pags.Run], error) {
	q := port.Query{Index: "g1", PK: "U#" + string(uid) + "#RUNS", Desc: true, Limit: f.Limit, Cursor: f.Cursor}
	var conds []*port.Cond
	if f.InstanceID != "" {
		q.Index, q.PK = "g2", "I#"+string(f.InstanceID)+"#RUNS"
		conds = append(conds, port.Eq("userId", string(uid)))
	}
	if f.Kind != "" {
		conds = append(conds, port.Eq("kind", string(f.Kind)))
	}
	if f.Status != "" {
		conds = append(conds, port.Eq("status", string(f.Status)))
	}
	if len(conds) > 0 {
		q.Filter = port.And(conds...)
	}
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return httpapi.Page[pags.Run]{}, fmt.Errorf("list runs: %w", err)
	}
	out := httpapi.Page[pags.Run]{Items: make([]pags.Run, 0, len(page.Items)), NextCursor: page.Cursor}
	for _, it := range page.Items {
		h, err := decodeHead("", it)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, h.Run)
	}
	return out, nil
}

// Events reads the timeline after an event number, in order, without gaps.
func (s *Service) Events(ctx context.Context, id pags.RunID, after int64, limit int) ([]pags.Event, error) {
	page, err := s.Table.Query(ctx, port.Query{PK: headKey(id).PK, From: eventKey(id, after+1).SK, To: eventKey(id, 9_999_999_999).SK, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("read events of run %s: %w", id, err)
	}
	events := make([]pags.Event, len(page.Items))
	for i, it := range page.Items {
		if err := port.Decode(it, &events[i]); err != nil {
			return nil, err
		}
	}
	return events, nil
}
