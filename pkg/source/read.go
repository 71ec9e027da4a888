package source

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Get shows a source of the user; another person's is pags.NotFound like one that never was.
func (s *Service) Get(ctx context.Context, uid pags.UserID, slug string) (Source, error) {
	row, err := s.source(ctx, uid, slug)
	if err != nil {
		return Source{}, err
	}
	return row.view(), nil
}

// List shows the user's sources by slug. It reads rows only, never a catalog.
func (s *Service) List(ctx context.Context, uid pags.UserID, limit int, cursor string) (httpapi.Page[Source], error) {
	var out httpapi.Page[Source]
	page, err := s.Table.Query(ctx, port.Query{PK: sourceKey(uid, "").PK, Prefix: "SOURCE#", Limit: limit, Cursor: cursor})
	if err != nil {
		return out, fmt.Errorf("list sources: %w", err)
	}
	for _, it := range page.Items {
		var row sourceRow
		if err := port.Decode(it, &row); err != nil {
			return out, err
		}
		out.Items = append(out.Items, row.view())
	}
	out.NextCursor = page.Cursor
	return out, nil
}
