package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Resolve finds the tool at an address: <source>.<connection>.<group>.<leaf>, or without the connection where the source has
// exactly one. The rows are read each time, so what its owner switched off or removed is off with the next call. A path that is
// no tool is the Failure tool_not_found with suggestions.
func (s *Service) Resolve(ctx context.Context, uid pags.UserID, path string) (*catalog.Bound, *catalog.Failure, error) {
	path = strings.TrimPrefix(strings.TrimSpace(path), "tools.")
	slug, rest, _ := strings.Cut(path, ".")
	if uid == "" || !slugShape.MatchString(slug) || rest == "" || len(path) > 400 {
		return s.noTool(ctx, uid, path)
	}
	name, below, _ := strings.Cut(rest, ".")
	row, c, err := s.rows(ctx, uid, slug, name)
	if err != nil {
		return nil, nil, err
	}
	if row == nil {
		return s.noTool(ctx, uid, path)
	}
	b, err := s.book(ctx, uid, slug, row.Ref)
	if pags.Is(err, pags.NotFound) { // refreshed twice since the row was read
		if row, c, err = s.rows(ctx, uid, slug, name); err == nil && row != nil {
			b, err = s.book(ctx, uid, slug, row.Ref)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if row == nil {
		return s.noTool(ctx, uid, path)
	}
	if c != nil && b.tools[below] != nil {
		return s.bound(ctx, uid, row, c, b, below)
	}
	if b.tools[rest] == nil {
		return s.noTool(ctx, uid, path)
	}
	return s.short(ctx, uid, row, b, rest)
}

// short completes an address without a connection.
func (s *Service) short(ctx context.Context, uid pags.UserID, row *sourceRow, b *book, path string) (*catalog.Bound, *catalog.Failure, error) {
	page, err := s.Table.Query(ctx, port.Query{PK: sourceKey(uid, "").PK, Prefix: connectionKey(uid, row.Slug, "").SK, Limit: MaxConnections})
	if err != nil {
		return nil, nil, fmt.Errorf("list the connections of %s: %w", row.Slug, err)
	}
	var all []string
	var c connectionRow
	for i, it := range page.Items {
		var each connectionRow
		if err := port.Decode(it, &each); err != nil {
			return nil, nil, err
		}
		if i == 0 {
			c = each
		}
		if len(all) < 5 {
			all = append(all, row.Slug+"."+each.Name+"."+path)
		}
	}
	switch len(page.Items) {
	case 0:
		return nil, &catalog.Failure{Code: catalog.CodeNotFound, Message: fmt.Sprintf("%s has no connection yet, so its tools cannot be called; its owner can add one in the console, or with: pags connections add %s", row.Slug, row.Slug)}, nil
	case 1:
		return s.bound(ctx, uid, row, &c, b, path)
	}
	return nil, &catalog.Failure{Code: catalog.CodeNotFound, Details: map[string]any{"suggestions": all},
		Message: fmt.Sprintf("%s has %d connections; say which one: %s", row.Slug, len(page.Items), strings.Join(all, ", "))}, nil
}

// rows reads a source and one of its connections at one time. Either is nil where there is none. They are kept as they were at
// the catalog's number, which every change of what a call goes by moves on and which is read each time.
func (s *Service) rows(ctx context.Context, uid pags.UserID, slug, name string) (*sourceRow, *connectionRow, error) {
	rev, err := s.number(ctx, uid)
	if err != nil || rev == "" {
		return nil, nil, err
	}
	key := "rows/" + string(uid) + "/" + slug + "/" + name
	if v, ok := s.cache.get(key); ok && v.(*pair).rev == rev {
		return v.(*pair).copies()
	}
	row, c, err := s.readRows(ctx, uid, slug, name)
	if err != nil || row == nil || c == nil {
		return row, c, err
	}
	p := &pair{rev, *row, *c}
	s.cache.put(key, p, int64(2*len(row.Auth)+2*len(row.Warnings)+len(c.Auth)+len(c.Sealed)+4096))
	return p.copies()
}

// pair is a source and a connection as they were at a number of the catalog, or later.
type pair struct {
	rev string
	row sourceRow
	c   connectionRow
}

func (p *pair) copies() (*sourceRow, *connectionRow, error) {
	row, c := p.row, p.c
	return &row, &c, nil
}

func (s *Service) readRows(ctx context.Context, uid pags.UserID, slug, name string) (*sourceRow, *connectionRow, error) {
	keys := []port.Key{sourceKey(uid, slug)}
	if slugShape.MatchString(name) {
		keys = append(keys, connectionKey(uid, slug, name))
	}
	items, err := s.Table.GetMany(ctx, keys...)
	if err != nil {
		return nil, nil, fmt.Errorf("read source %s: %w", slug, err)
	}
	if items[0] == nil {
		return nil, nil, nil
	}
	row := &sourceRow{}
	if err := port.Decode(items[0], row); err != nil {
		return nil, nil, err
	}
	if len(items) == 1 || items[1] == nil {
		return row, nil, nil
	}
	c := &connectionRow{}
	return row, c, port.Decode(items[1], c)
}

// bound says of a tool of a connection what a call has to know.
func (s *Service) bound(ctx context.Context, uid pags.UserID, row *sourceRow, c *connectionRow, b *book, path string) (*catalog.Bound, *catalog.Failure, error) {
	t := b.tools[path]
	out := &catalog.Bound{Address: row.Slug + "." + c.Name + "." + path, Source: row.Slug, Connection: c.Name, Tool: t, Digest: boundDigest(row, c, b, path), Host: host(row, c, b, t)}
	switch {
	case !row.Enabled:
		out.Off = "source"
	case !c.Enabled:
		out.Off = "connection"
	}
	if row.Held > 0 {
		held, err := s.consent(ctx, uid, *row)
		if err != nil {
			return nil, nil, err
		}
		out.Held = held.Held[path]
	}
	return out, nil, nil
}

// boundDigest names a definition together with where this connection sends it and as whom: another connection under the same
// name is another account. New values of one connection are the same account.
func boundDigest(row *sourceRow, c *connectionRow, b *book, path string) string {
	h := sha256.New()
	feed(h, b.digest(path), target(row, c).Base, text(c.Variables), c.Auth, c.CreatedAt.UTC().Format(time.RFC3339Nano))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// target is where the tools of a connection are called.
func target(row *sourceRow, c *connectionRow) catalog.Target {
	to := catalog.Target{Base: c.BaseURL, Variables: c.Variables}
	if to.Base == "" {
		to.Base = row.BaseURL
	}
	return to
}

// host is where a call goes unless it chooses another of the description's addresses; empty where none is complete.
func host(row *sourceRow, c *connectionRow, b *book, t *catalog.Tool) string {
	to := target(row, c)
	if to.Base == "" {
		servers := t.Request.Servers
		if len(servers) == 0 {
			servers = b.Servers
		}
		for _, server := range servers {
			if at, err := server.Resolve(to.Variables); err == nil {
				to.Base = at
				break
			}
		}
	}
	u, err := url.Parse(to.Base)
	if err != nil {
		return ""
	}
	return u.Host
}

func (s *Service) noTool(ctx context.Context, uid pags.UserID, path string) (*catalog.Bound, *catalog.Failure, error) {
	d, err := s.Directory(ctx, uid)
	if err != nil {
		return nil, nil, err
	}
	return nil, d.Index.NotFound(path), nil
}
