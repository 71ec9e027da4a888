package interaction

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// List shows the user's interactions with a status, oldest first; "all" shows every one. Those whose time is over are not
// open, whether or not that was noted.
func (s *Service) List(ctx context.Context, uid pags.UserID, status, cursor string, limit int) (httpapi.Page[pags.Interaction], error) {
	q := port.Query{Index: "g1", PK: "U#" + string(uid) + "#INBOX", Cursor: cursor, Limit: limit}
	if status != "all" {
		q.Prefix = status + "#"
	}
	if status == string(pags.InteractionOpen) {
		q.Filter = port.Gt("until", s.Clock.Now().Unix())
	}
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return httpapi.Page[pags.Interaction]{}, fmt.Errorf("list interactions: %w", err)
	}
	out := httpapi.Page[pags.Interaction]{Items: make([]pags.Interaction, 0, len(page.Items)), NextCursor: page.Cursor}
	for _, it := range page.Items {
		var r row
		if err := port.Decode(it, &r); err != nil {
			return out, err
		}
		out.Items = append(out.Items, s.shown(r))
	}
	return out, nil
}

// shown is how a question looks now: over when its time is over.
func (s *Service) shown(r row) pags.Interaction {
	if r.expired(s.Clock.Now()) {
		r.Status = pags.InteractionExpired
	}
	return r.Interaction
}

// Get reads an interaction of the user; another's is pags.NotFound.
func (s *Service) Get(ctx context.Context, uid pags.UserID, id pags.InteractionID) (pags.Interaction, error) {
	r, err := s.owned(ctx, uid, id)
	return s.shown(r), err
}

func (s *Service) owned(ctx context.Context, uid pags.UserID, id pags.InteractionID) (row, error) {
	r, err := s.load(ctx, id)
	if err == nil && r.UserID != uid {
		err = pags.Errorf(pags.NotFound, "there is no interaction %s", id)
	}
	if err != nil {
		return row{}, err
	}
	return r, nil
}

// Of is the interaction of a step. One whose time is over is marked expired first, so that no answer can follow what the brain
// does next.
func (s *Service) Of(ctx context.Context, id pags.RunID, step int) (pags.Interaction, error) {
	return s.OfRef(ctx, id, Ref{Step: step})
}

// OfRef is Of for one of several questions of a step.
func (s *Service) OfRef(ctx context.Context, id pags.RunID, ref Ref) (pags.Interaction, error) {
	xid, err := s.idOf(ctx, id, ref)
	if err != nil {
		return pags.Interaction{}, err
	}
	r, err := s.load(ctx, xid)
	if err != nil || !r.expired(s.Clock.Now()) {
		return r.Interaction, err
	}
	return s.over(ctx, r, pags.InteractionExpired)
}

// over ends an open question without an answer; if it was answered meanwhile the answer stands.
func (s *Service) over(ctx context.Context, r row, status pags.InteractionStatus) (pags.Interaction, error) {
	r.Status = status
	w := port.Update(metaKey(r.ID)).Setting("status", string(status)).Setting(port.AttrG1SK, string(status)+"#"+string(r.ID)).When(open())
	err := s.Table.Write(ctx, w)
	var faster *port.ConditionFailed
	if errors.As(err, &faster) {
		now, err := s.load(ctx, r.ID)
		return now.Interaction, err
	}
	if err != nil {
		return pags.Interaction{}, fmt.Errorf("end interaction %s: %w", r.ID, err)
	}
	s.pushInbox(ctx, r.Interaction)
	return r.Interaction, nil
}

// OfRun lists every interaction of a run, in the order of its steps.
func (s *Service) OfRun(ctx context.Context, id pags.RunID) ([]pags.Interaction, error) {
	rows, err := s.rowsOf(ctx, id)
	out := make([]pags.Interaction, len(rows))
	for i, r := range rows {
		out[i] = s.shown(r)
	}
	return out, err
}

// rowsOf reads by the run's own rows, consistently, all of them: a program may have asked thousands of times.
func (s *Service) rowsOf(ctx context.Context, id pags.RunID) ([]row, error) {
	var rows []row
	for q := (port.Query{PK: "R#" + string(id), Prefix: "ASK#", Limit: asksPage}); ; {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list the questions of %s: %w", id, err)
		}
		if len(page.Items) == 0 {
			return rows, nil
		}
		keys := make([]port.Key, len(page.Items))
		for i, it := range page.Items {
			x, _ := it["interactionId"].(string)
			keys[i] = metaKey(pags.InteractionID(x))
		}
		items, err := s.Table.GetMany(ctx, keys...)
		if err != nil {
			return rows, fmt.Errorf("read the questions of %s: %w", id, err)
		}
		for i, it := range items {
			if it == nil {
				return rows, pags.Errorf(pags.NotFound, "there is no interaction %s", strings.TrimPrefix(keys[i].PK, "X#"))
			}
			var r row
			if err := port.Decode(it, &r); err != nil {
				return rows, fmt.Errorf("read the questions of %s: %w", id, err)
			}
			rows = append(rows, r)
		}
		if q.Cursor = page.Cursor; q.Cursor == "" {
			return rows, nil
		}
	}
}
