package source

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// directoryEntry is about what a tool takes in an index, in bytes; measured on large descriptions.
const directoryEntry = 2500

// Directory is what a person's programs can find now: the tools of all connections that are switched on. It is made anew when
// something of the person's catalog has changed, by one caller for all who ask at that time.
func (s *Service) Directory(ctx context.Context, uid pags.UserID) (*catalog.Directory, error) {
	if uid == "" {
		return emptyDirectory(), nil
	}
	rev, err := s.number(ctx, uid)
	if err != nil {
		return nil, err
	}
	if rev == "" {
		return emptyDirectory(), nil
	}
	key := "directory/" + string(uid)
	if v, ok := s.cache.get(key); ok && v.(*numbered).rev == rev {
		return v.(*numbered).Directory, nil
	}
	v, err := s.flights.do(ctx, key+"/"+rev, func(ctx context.Context) (any, error) {
		d, tools, err := s.assemble(ctx, uid)
		if err == nil {
			s.cache.put(key, &numbered{d, rev}, int64(tools)*directoryEntry+4096)
		}
		return d, err
	})
	if err != nil {
		return nil, err
	}
	return v.(*catalog.Directory), nil
}

// number is which catalog a person has now; "" where there never was one.
func (s *Service) number(ctx context.Context, uid pags.UserID) (string, error) {
	it, err := s.Table.Get(ctx, catalogKey(uid))
	if pags.Is(err, pags.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the catalog's number: %w", err)
	}
	return fmt.Sprint(it["rev"]), nil
}

// numbered is a directory with the number of the catalog that it was made of, or an older one: the number is read first, so a
// change in between only makes it once more.
type numbered struct {
	*catalog.Directory
	rev string
}

func emptyDirectory() *catalog.Directory {
	return &catalog.Directory{Index: catalog.NewIndex(nil), Flags: func(string) catalog.Flags { return catalog.Flags{} }}
}

// shelf is a source with what was accepted of it.
type shelf struct {
	book *book
	held map[string]string
}

// assemble reads everything that is switched on. A source that cannot be loaded is left out and noted: the others still work.
func (s *Service) assemble(ctx context.Context, uid pags.UserID) (*catalog.Directory, int, error) {
	sources, err := all[sourceRow](ctx, s, uid, "SOURCE#")
	if err != nil {
		return nil, 0, err
	}
	connections, err := all[connectionRow](ctx, s, uid, "CONNECTION#")
	if err != nil {
		return nil, 0, err
	}
	bySlug := map[string]*sourceRow{}
	for i := range sources {
		bySlug[sources[i].Slug] = &sources[i]
	}
	shelves := map[string]*shelf{}
	var places []catalog.Place
	var entries []catalog.Entry
	for _, c := range connections {
		row := bySlug[c.Source]
		if row == nil || !row.Enabled || !c.Enabled {
			continue
		}
		at, known := shelves[row.Slug]
		if !known {
			if at, err = s.shelf(ctx, uid, row); err != nil {
				s.Log.ErrorContext(ctx, "a source is left out of the directory", "source", row.Slug, "cause", err)
			}
			shelves[row.Slug] = at
		}
		if at == nil {
			continue
		}
		p := catalog.Place{Namespace: c.Source + "." + c.Name, Source: c.Source, Connection: c.Name, Name: row.Name, Description: clip(row.Description, 300), Tools: len(at.book.Tools)}
		places = append(places, p)
		entries = append(entries, at.book.Entries(p.Namespace)...)
	}
	sort.Slice(places, func(i, j int) bool { return places[i].Namespace < places[j].Namespace })
	connected := map[string]bool{}
	for _, p := range places {
		connected[p.Namespace] = true
	}
	flags := func(address string) catalog.Flags {
		slug, rest, _ := strings.Cut(address, ".")
		name, path, _ := strings.Cut(rest, ".")
		at := shelves[slug]
		if at == nil || !connected[slug+"."+name] {
			return catalog.Flags{}
		}
		t := at.book.tools[path]
		if t == nil {
			return catalog.Flags{}
		}
		return catalog.Flags{ReadOnly: t.ReadOnly, Destructive: t.Destructive, Deprecated: t.Deprecated, Held: at.held[path]}
	}
	return &catalog.Directory{Index: catalog.NewIndex(entries), Places: places, Flags: flags}, len(entries), nil
}

func (s *Service) shelf(ctx context.Context, uid pags.UserID, row *sourceRow) (*shelf, error) {
	b, err := s.book(ctx, uid, row.Slug, row.Ref)
	if err != nil {
		return nil, err
	}
	out := &shelf{book: b}
	if row.Held > 0 {
		c, err := s.consent(ctx, uid, *row)
		if err != nil {
			return nil, err
		}
		out.held = c.Held
	}
	return out, nil
}

// all reads every row of a kind.
func all[R any](ctx context.Context, s *Service, uid pags.UserID, prefix string) ([]R, error) {
	var out []R
	q := port.Query{PK: sourceKey(uid, "").PK, Prefix: prefix, Limit: 500}
	for {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list %s rows: %w", strings.ToLower(strings.TrimSuffix(prefix, "#")), err)
		}
		for _, it := range page.Items {
			var r R
			if err := port.Decode(it, &r); err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		if q.Cursor = page.Cursor; q.Cursor == "" {
			return out, nil
		}
	}
}

// unmarshal reads JSON of our own.
func unmarshal(raw []byte, v any, what string) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
