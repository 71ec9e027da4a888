package source

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Change is what an owner may change of a source. What is left out stays.
type Change struct {
	Name    *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Enabled *bool   `json:"enabled,omitempty" doc:"false: no call of it goes out"`
	BaseURL *string `json:"baseUrl,omitempty" maxLength:"500" doc:"empty: the addresses of the description again"`
}

// Change renames a source, switches it, or says where its calls go.
func (s *Service) Change(ctx context.Context, uid pags.UserID, slug string, in Change) (Source, error) {
	row, err := s.source(ctx, uid, slug)
	if err != nil {
		return Source{}, err
	}
	w := port.Update(sourceKey(uid, slug)).When(port.Exists())
	facts := map[string]any{"source": slug}
	if in.Name != nil {
		if row.Name, err = goodName(*in.Name); err != nil {
			return Source{}, err
		}
		if row.Name == "" {
			return Source{}, pags.Errorf(pags.Unprocessable, "a name needs at least one visible character")
		}
		w, facts["renamed"] = w.Setting("name", row.Name), true
	}
	if in.Enabled != nil {
		row.Enabled = *in.Enabled
		w, facts["enabled"] = w.Setting("enabled", row.Enabled), row.Enabled
	}
	if in.BaseURL != nil {
		if row.BaseURL, err = s.goodBase(*in.BaseURL); err != nil {
			return Source{}, err
		}
		w, facts["baseUrl"] = w.Setting("baseUrl", row.BaseURL), shownOrNone(row.BaseURL)
	}
	if len(w.Set) == 0 {
		return row.view(), nil
	}
	err = s.transact(ctx, uid, w, s.audit(uid, "source.change", facts))
	if refused(err, 0) {
		return Source{}, noSource()
	}
	if err != nil {
		return Source{}, fmt.Errorf("change source %s: %w", slug, err)
	}
	return row.view(), nil
}

// Remove removes a source with its connections, whose values are gone with it.
func (s *Service) Remove(ctx context.Context, uid pags.UserID, slug string) error {
	for range races {
		row, err := s.source(ctx, uid, slug)
		if err != nil {
			return err
		}
		page, err := s.Table.Query(ctx, port.Query{PK: sourceKey(uid, slug).PK, Prefix: connectionKey(uid, slug, "").SK, Limit: MaxConnections * 2})
		if err != nil {
			return fmt.Errorf("list the connections of %s: %w", slug, err)
		}
		same := port.And(port.Exists(), port.Eq("ref", row.Ref), port.Eq("connections", row.Connections))
		writes := []port.Write{port.Delete(sourceKey(uid, slug)).When(same), s.audit(uid, "source.remove", map[string]any{"source": slug, "connections": len(page.Items)})}
		for _, it := range page.Items {
			writes = append(writes, port.Delete(port.KeyOf(it)))
		}
		refs := s.refs(ctx, uid, row)
		err = s.transact(ctx, uid, writes...)
		if refused(err, 0) { // refreshed or connected meanwhile
			continue
		}
		if err != nil {
			return fmt.Errorf("remove source %s: %w", slug, err)
		}
		s.forget(ctx, uid, slug, refs...)
		return nil
	}
	return pags.Errorf(pags.Unavailable, "the source is being changed from elsewhere; try again")
}

// refs lists every blob that a row refers to.
func (s *Service) refs(ctx context.Context, uid pags.UserID, row sourceRow) []string {
	all := map[string]bool{row.Ref: true, row.Prior: true, row.Base: true}
	if c, err := s.consent(ctx, uid, row); err == nil {
		for _, a := range c.Also {
			all[a.Ref] = true
		}
	}
	out := []string{row.Consent}
	for ref := range all {
		out = append(out, ref)
	}
	return out
}
