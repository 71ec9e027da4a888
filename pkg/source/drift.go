package source

import (
	"context"
	"encoding/base64"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Drift shows how tools differ from what their owner accepted, by path, with both definitions.
func (s *Service) Drift(ctx context.Context, uid pags.UserID, slug string, limit int, cursor string) (httpapi.Page[Drift], error) {
	var out httpapi.Page[Drift]
	row, err := s.source(ctx, uid, slug)
	if err != nil {
		return out, err
	}
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return out, pags.Errorf(pags.Invalid, "the cursor is not one of this list; start again without it")
	}
	c, err := s.consent(ctx, uid, row)
	if err != nil {
		return out, err
	}
	if row.Base == row.Ref && len(c.Also) == 0 {
		return out, nil
	}
	now, err := s.book(ctx, uid, slug, row.Ref)
	if err != nil {
		return out, err
	}
	base, err := s.book(ctx, uid, slug, c.Base)
	if err != nil {
		return out, err
	}
	for _, d := range c.compare(base, now) {
		if d.path <= string(after) && cursor != "" {
			continue
		}
		if len(out.Items) == max(limit, 1) {
			out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(out.Items[len(out.Items)-1].Tool))
			break
		}
		item := Drift{Tool: d.path, Kind: d.kind, After: now.definition(d.path)}
		if d.before != "" {
			was := base
			if d.before != c.Base {
				if was, err = s.book(ctx, uid, slug, d.before); err != nil {
					return out, err
				}
			}
			item.Before = was.definition(d.path)
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// definition shows a tool of a book; nil where there is none.
func (b *book) definition(path string) *Definition {
	t := b.tools[path]
	if t == nil {
		return nil
	}
	servers := t.Request.Servers
	if len(servers) == 0 {
		servers = b.Servers
	}
	at := ""
	if len(servers) > 0 {
		at = servers[0].URL
	}
	return &Definition{Name: t.Name, Description: t.Description, Method: t.Request.Method, URL: at + t.Request.Path, ReadOnly: t.ReadOnly, Destructive: t.Destructive,
		Input: t.InputSchema(), Output: t.OutputSchema()}
}
