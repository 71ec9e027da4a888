package source

import (
	"context"
	"fmt"
	"sort"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// maxNamed is how many tools each list of an answer names.
const maxNamed = 500

// Refresh reads the description again, or takes the given document. Tools that are new or changed are held from then on, until
// Accept; what is as it was accepted is not. When the description cannot be read, the tools stay as they are: the source is
// degraded, and the error says why. A document that cannot be read is its sender's to repair and changes nothing.
func (s *Service) Refresh(ctx context.Context, uid pags.UserID, slug, document string) (Refreshed, error) {
	row, err := s.source(ctx, uid, slug)
	if err != nil {
		return Refreshed{}, err
	}
	if row.URL == "" && document == "" {
		return Refreshed{}, pags.Errorf(pags.Conflict, "this source was pasted, so there is no address to read again; send the new document")
	}
	src, err := s.readAgain(ctx, row, document)
	if err != nil {
		if document != "" || ctx.Err() != nil {
			return Refreshed{}, err
		}
		return Refreshed{}, s.degrade(ctx, uid, slug, err)
	}
	raw, digest, err := encode(src)
	if err != nil {
		return Refreshed{}, err
	}
	for range races {
		out, err := s.replace(ctx, uid, row, src, raw, digest)
		if !refused(err, 0) {
			return out, err
		}
		if row, err = s.source(ctx, uid, slug); err != nil { // accepted or refreshed meanwhile
			return Refreshed{}, err
		}
	}
	return Refreshed{}, pags.Errorf(pags.Unavailable, "the source is being changed from elsewhere; try again")
}

func (s *Service) readAgain(ctx context.Context, row sourceRow, document string) (*catalog.Source, error) {
	var src *catalog.Source
	var err error
	if document != "" {
		src, err = s.read(ctx, []byte(document), row.URL, row.Slug)
	} else {
		var doc fetched
		if doc, err = s.fetch(ctx, row.URL, nil, searchLimit); err == nil {
			src, err = s.read(ctx, doc.raw, doc.url, row.Slug)
		}
	}
	if err == nil && len(src.Tools) == 0 {
		err = pags.Errorf(pags.Unprocessable, "the new description has no operations")
	}
	return src, err
}

// degrade notes why a refresh failed. The answer is the cause in outward words.
func (s *Service) degrade(ctx context.Context, uid pags.UserID, slug string, cause error) error {
	if pags.Is(cause, pags.Internal) {
		return cause
	}
	detail := clip(outward(cause), 500)
	w := port.Update(sourceKey(uid, slug)).Setting("status", Degraded).Setting("detail", detail).When(port.Exists())
	err := s.transact(ctx, uid, w, s.audit(uid, "source.refresh", map[string]any{"source": slug, "ok": false}))
	if refused(err, 0) {
		return noSource()
	}
	if err != nil {
		return fmt.Errorf("note that %s could not be refreshed: %w", slug, err)
	}
	if cause == guard.ErrAddress {
		return cause
	}
	e := pags.Wrap(cause, pags.Upstream, "%s. The tools of %s stay as they were", detail, slug)
	var inner *pags.Error
	if asError(cause, &inner) && inner.Detail != nil {
		e = e.With(inner.Detail)
	}
	return e
}

// replace puts a catalog in the place of the one that the row names, if that is still the one.
func (s *Service) replace(ctx context.Context, uid pags.UserID, row sourceRow, src *catalog.Source, raw []byte, digest string) (Refreshed, error) {
	old := row
	row.Status, row.Detail, row.RefreshedAt = Ready, "", s.now()
	if digest == row.Digest {
		w := port.Update(sourceKey(uid, row.Slug)).Setting("status", Ready).Setting("detail", "").Setting("refreshedAt", row.RefreshedAt).When(unchanged(old))
		err := s.transact(ctx, uid, w, s.audit(uid, "source.refresh", map[string]any{"source": row.Slug, "ok": true, "changed": false}))
		return Refreshed{Source: row.view()}, err
	}
	was, err := s.book(ctx, uid, row.Slug, row.Ref)
	if err != nil {
		return Refreshed{}, err
	}
	before, err := s.consent(ctx, uid, row)
	if err != nil {
		return Refreshed{}, err
	}
	base, err := s.book(ctx, uid, row.Slug, before.Base)
	if err != nil {
		return Refreshed{}, err
	}
	now := newBook(src)
	row.Revision++
	row.Digest, row.Ref, row.Prior = digest, newRef(row.Revision, digest), row.Ref
	row.describe(src)
	next := before.against(base, now)
	row.Held = len(next.Held)
	if err := s.keep(ctx, uid, row.Slug, row.Ref, raw); err != nil {
		return Refreshed{}, err
	}
	if row.Consent, err = s.keepConsent(ctx, uid, row.Slug, row.Revision, next); err != nil {
		return Refreshed{}, err
	}
	out := Refreshed{Changed: true, Drift: changes(was, now), Source: row.view()}
	w := port.Update(sourceKey(uid, row.Slug)).When(unchanged(old))
	for name, v := range map[string]any{"description": row.Description, "format": row.Format, "version": row.Version, "revision": row.Revision, "digest": row.Digest, "ref": row.Ref,
		"prior": row.Prior, "consent": row.Consent, "held": row.Held, "tools": row.Tools, "needsBase": row.NeedsBase, "auth": row.Auth, "warnings": row.Warnings,
		"status": row.Status, "detail": row.Detail, "refreshedAt": row.RefreshedAt} {
		w = w.Setting(name, v)
	}
	err = s.transact(ctx, uid, w, s.audit(uid, "source.refresh", map[string]any{"source": row.Slug, "ok": true, "changed": true, "revision": row.Revision, "tools": row.Tools, "held": row.Held, "bytes": len(raw)}))
	switch {
	case refused(err, 0):
		s.forget(ctx, uid, row.Slug, row.Ref, row.Consent)
		return Refreshed{}, err
	case err != nil:
		return Refreshed{}, fmt.Errorf("refresh %s: %w", row.Slug, err)
	}
	s.forget(ctx, uid, row.Slug, released(old, before, row, &next)...)
	return out, nil
}

// changes compares two sets of tools.
func changes(was, now *book) Changes {
	var c Changes
	for p := range now.tools {
		switch d := was.digest(p); {
		case d == "":
			c.Added = append(c.Added, p)
		case d != now.digest(p):
			c.Changed = append(c.Changed, p)
		}
	}
	for p := range was.tools {
		if now.tools[p] == nil {
			c.Removed = append(c.Removed, p)
		}
	}
	for _, list := range []*[]string{&c.Added, &c.Removed, &c.Changed} {
		sort.Strings(*list)
		*list = (*list)[:min(len(*list), maxNamed)]
	}
	return c
}
