package source

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Bounds of what a list of drift carries: a definition with all that it reaches may be megabytes, four of them in each item.
const (
	maxDriftSchema = 256 << 10 // of one schema; a larger one is left out, and describing the tool gives it
	maxDriftPage   = 2 << 20   // of all in one part, which then ends early
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
	size := 0
	for _, d := range c.compare(base, now) {
		if d.path <= string(after) && cursor != "" {
			continue
		}
		if len(out.Items) == max(limit, 1) || size > maxDriftPage {
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
		size += item.After.bound() + item.Before.bound()
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// bound leaves out schemas that are too large and gives the size of the rest.
func (d *Definition) bound() (size int) {
	if d == nil {
		return 0
	}
	for _, schema := range []*json.RawMessage{&d.Input, &d.Output} {
		if len(*schema) > maxDriftSchema {
			*schema, d.Cut = nil, true
			size += maxDriftSchema / 4 // it was made all the same
		}
		size += len(*schema)
	}
	return size + len(d.Description)
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
