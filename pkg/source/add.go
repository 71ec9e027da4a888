package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// reserved are slugs that would hide what programs find beside their sources.
var reserved = []string{"search", "discover", "describe", "catalog", "person", "tools", "executor", "pags", "then", "preview"}

// races is how often a change is tried again that another one overtook.
const races = 5

func asError(err error, to **pags.Error) bool { return errors.As(err, to) }

// Add makes a source of a description. Its tools are accepted as they are: adding it is the consent. A source that asks for
// nothing gets the connection "main" at once. The slug is made from the title where none is given; one that is taken is
// pags.Conflict with the other source attached. A repeat with the same key adds nothing.
func (s *Service) Add(ctx context.Context, uid pags.UserID, in Given, name, slug, key string) (Source, error) {
	sum := sha256.Sum256([]byte(in.Document))
	request := []string{in.URL, hex.EncodeToString(sum[:]), in.BaseURL, name, slug}
	return httpapi.Idempotent(ctx, s.answers, key, request, func(keep func(Source) ([]port.Write, error)) (Source, error) {
		if slices.Contains(reserved, slug) {
			return Source{}, pags.Errorf(pags.Unprocessable, "slug %q is reserved; choose another one", slug)
		}
		f, err := s.given(ctx, &in, slug)
		if err != nil {
			return Source{}, err
		}
		if len(f.Tools) == 0 {
			return Source{}, pags.Errorf(pags.Unprocessable, "the description has no operations, so there is nothing to call")
		}
		if name, err = goodName(name); err != nil {
			return Source{}, err
		}
		row := sourceRow{Slug: slug, Name: name, URL: strings.TrimSpace(in.URL), BaseURL: in.BaseURL, Enabled: true, Revision: 1, Status: Ready, CreatedAt: s.now(), RefreshedAt: s.now()}
		if in.URL != "" {
			row.URL = f.url // where it lies, so that a refresh does not have to look again
		}
		if row.Slug == "" {
			row.Slug = f.Namespace
			if slices.Contains(reserved, row.Slug) {
				row.Slug += "_api"
			}
			f.Source.Namespace = row.Slug
		}
		if row.Name == "" {
			row.Name = clip(guard.Visible(f.Name), 120)
		}
		return s.store(ctx, uid, row, f.Source, keep)
	})
}

// store writes the catalog and then the row, its first connection and the rest in one transaction.
func (s *Service) store(ctx context.Context, uid pags.UserID, row sourceRow, src *catalog.Source, keep func(Source) ([]port.Write, error)) (Source, error) {
	if err := s.free(ctx, uid, row.Slug); err != nil { // before anything is written; the transaction holds it again
		return Source{}, err
	}
	raw, digest, err := encode(src)
	if err != nil {
		return Source{}, err
	}
	row.describe(src)
	row.Digest, row.Ref = digest, newRef(row.Revision, digest)
	row.Base = row.Ref
	if err := s.keep(ctx, uid, row.Slug, row.Ref, raw); err != nil {
		return Source{}, err
	}
	var open []port.Write
	if asksForNothing(src.Auth) {
		row.Connections = 1
		c := connectionRow{Source: row.Slug, Name: defaultName, Auth: text(noAuth), Enabled: true, CreatedAt: row.CreatedAt}
		it, err := port.Encode(connectionKey(uid, row.Slug, defaultName), c)
		if err != nil {
			return Source{}, err
		}
		open = append(open, port.Put(it))
	}
	view := row.view()
	extra, err := keep(view)
	if err != nil {
		return Source{}, err
	}
	it, err := port.Encode(sourceKey(uid, row.Slug), row)
	if err != nil {
		return Source{}, err
	}
	facts := map[string]any{"source": row.Slug, "tools": row.Tools, "bytes": len(raw), "url": shownOrNone(row.URL)}
	err = s.counted(ctx, uid, func(at *port.Cond) error {
		if err := s.free(ctx, uid, row.Slug); err != nil {
			return err
		}
		writes := append([]port.Write{bump(uid).When(at), port.Put(it).When(port.NotExists()), s.audit(uid, "source.add", facts)}, append(open, extra...)...)
		return s.Table.Transact(ctx, pags.NewToken()[:32], writes...)
	})
	if code := pags.CodeOf(err); err != nil && (code == pags.Conflict || code == pags.Unprocessable) { // certainly not done
		s.forget(ctx, uid, row.Slug, row.Ref)
	}
	return view, err
}

// counted runs a change whose first write is a bump under the condition that it is given: what change counted before is then
// still true. It is tried again when another change came in between.
func (s *Service) counted(ctx context.Context, uid pags.UserID, change func(at *port.Cond) error) error {
	var err error
	for range races {
		at := port.NotExists()
		it, getErr := s.Table.Get(ctx, catalogKey(uid))
		switch {
		case getErr == nil:
			at = port.Eq("rev", it["rev"])
		case !pags.Is(getErr, pags.NotFound):
			return fmt.Errorf("read the catalog's number: %w", getErr)
		}
		if err = change(at); !refused(err, 0) {
			return err
		}
	}
	return pags.Wrap(err, pags.Unavailable, "your sources are being changed from several places; try again")
}

// free refuses a slug that is taken, and one source too many.
func (s *Service) free(ctx context.Context, uid pags.UserID, slug string) error {
	if !slugShape.MatchString(slug) {
		return pags.Errorf(pags.Unprocessable, "slug is a letter followed by at most 39 of a-z, 0-9 and _")
	}
	page, err := s.Table.Query(ctx, port.Query{PK: sourceKey(uid, "").PK, Prefix: "SOURCE#", Limit: MaxSources + 1})
	if err != nil {
		return fmt.Errorf("count sources: %w", err)
	}
	for _, it := range page.Items {
		if it["slug"] == slug {
			var other sourceRow
			if err := port.Decode(it, &other); err != nil {
				return err
			}
			// The cause lets a keyed twin that was faster be recognised.
			return pags.Wrap(&port.Cancelled{}, pags.Conflict, "you have a source %q already (%s); choose another slug, or refresh that one", slug, other.Name).
				With(map[string]any{"slug": other.Slug, "name": other.Name, "url": other.URL, "createdAt": other.CreatedAt})
		}
	}
	if len(page.Items) >= MaxSources {
		return pags.Errorf(pags.Conflict, "you have %d sources, the most there can be; remove one first", len(page.Items))
	}
	return nil
}

func shownOrNone(address string) string {
	if address == "" {
		return ""
	}
	return shown(address)
}

// goodName tidies a name and refuses characters that people cannot see.
func goodName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if guard.Visible(name) != name || strings.ContainsAny(name, "\n\t") || len(name) > 480 {
		return "", pags.Errorf(pags.Unprocessable, "a name cannot hold line breaks or invisible characters")
	}
	return name, nil
}
