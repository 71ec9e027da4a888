package source

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Kinds of what differs from the accepted definitions. New and changed tools are held; one that was removed cannot be called.
const (
	heldNew     = "new"
	heldChanged = "changed"
	gone        = "removed"
)

// consent is what an owner accepted: the definitions of a whole revision, and single tools of later ones. Where everything that
// is there was accepted at once the row's base says all, and there is no blob; else it is the blob that the row's consent
// names, whatever its size.
type consent struct {
	Base string              `json:"base"`           // ref of the revision that was accepted as a whole
	Also map[string]accepted `json:"also,omitempty"` // by path, where it is another one
	Held map[string]string   `json:"held,omitempty"` // by path: new, changed; made from the rest
}

// accepted is one definition: where it can be read, and its digest. An empty digest: that the tool is gone was accepted.
type accepted struct {
	Ref    string `json:"ref"`
	Digest string `json:"digest,omitempty"`
}

// consent reads what was accepted, from memory where it was used lately.
func (s *Service) consent(ctx context.Context, uid pags.UserID, row sourceRow) (*consent, error) {
	if row.Consent == "" {
		return &consent{Base: row.Base}, nil
	}
	return remember(ctx, s, "consent/"+string(uid)+"/"+row.Slug+"/"+row.Consent, func(ctx context.Context) (*consent, int64, error) {
		raw, _, err := s.Blobs.Get(ctx, blobKey(uid, row.Slug, row.Consent), 0, 0)
		if err != nil {
			return nil, 0, fmt.Errorf("load what was accepted of %s: %w", row.Slug, err)
		}
		c := &consent{}
		return c, int64(len(raw))*memoryOfJSON + 1024, unmarshal(raw, c, "what was accepted of "+row.Slug)
	})
}

// keepConsent stores what was accepted and gives its name, empty where the base says all.
func (s *Service) keepConsent(ctx context.Context, uid pags.UserID, slug string, revision int, c consent) (string, error) {
	if len(c.Also) == 0 && len(c.Held) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	ref := fmt.Sprintf("consent-%d-%s", revision, strings.ToLower(pags.NewToken()[:16]))
	if _, err := s.Blobs.Put(ctx, blobKey(uid, slug, ref), raw, port.PutOptions{IfAbsent: true, ContentType: "application/json"}); err != nil {
		return "", fmt.Errorf("keep what was accepted of %s: %w", slug, err)
	}
	return ref, nil
}

// difference is one tool that is not as it was accepted.
type difference struct {
	path, kind string
	before     string // ref of the accepted definition, empty for a new tool
}

// compare lists what differs from the accepted definitions, by path.
func (c *consent) compare(base, now *book) []difference {
	paths := map[string]bool{}
	for p := range now.tools {
		paths[p] = true
	}
	for p := range base.tools {
		paths[p] = true
	}
	for p := range c.Also {
		paths[p] = true
	}
	var out []difference
	for p := range paths {
		was, ref := base.digest(p), c.Base
		if a, ok := c.Also[p]; ok {
			was, ref = a.Digest, a.Ref
		}
		switch is := now.digest(p); {
		case was == is:
		case was == "":
			out = append(out, difference{path: p, kind: heldNew})
		case is == "":
			out = append(out, difference{p, gone, ref})
		default:
			out = append(out, difference{p, heldChanged, ref})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].path < out[j].path })
	return out
}

// against gives the consent for another set of tools: the same acceptances, held is what differs now.
func (c *consent) against(base, now *book) consent {
	out := consent{Base: c.Base, Also: map[string]accepted{}, Held: map[string]string{}}
	for p, a := range c.Also {
		out.Also[p] = a
	}
	for _, d := range c.compare(base, now) {
		if d.kind != gone {
			out.Held[d.path] = d.kind
		}
	}
	return out
}

// Accept is the owner's consent to definitions as they are now: to all, or to the tools named by their paths as in Drift. revision,
// if it is not 0, is the one that they looked at: what came after it is pags.Conflict, since they have not seen it.
func (s *Service) Accept(ctx context.Context, uid pags.UserID, slug string, tools []string, revision int) (Source, error) {
	for range races {
		row, err := s.source(ctx, uid, slug)
		if err != nil {
			return Source{}, err
		}
		if revision != 0 && revision != row.Revision {
			return Source{}, pags.Errorf(pags.Conflict, "the tools of %s changed again after you looked at them: this is revision %d, not %d; look at the changes, then accept those", slug, row.Revision, revision)
		}
		before, err := s.consent(ctx, uid, row)
		if err != nil {
			return Source{}, err
		}
		next := consent{Base: row.Ref}
		if len(tools) > 0 {
			if next, err = s.acceptSome(ctx, uid, row, before, tools); err != nil {
				return Source{}, err
			}
		}
		old := row
		row.Base, row.Held = next.Base, len(next.Held)
		if row.Consent, err = s.keepConsent(ctx, uid, slug, row.Revision, next); err != nil {
			return Source{}, err
		}
		w := port.Update(sourceKey(uid, slug)).Setting("base", row.Base).Setting("held", row.Held).Setting("consent", row.Consent).When(unchanged(old))
		err = s.transact(ctx, uid, w, s.audit(uid, "source.accept", map[string]any{"source": slug, "revision": row.Revision, "held": old.Held, "left": row.Held}))
		if refused(err, 0) {
			s.forget(ctx, uid, slug, row.Consent)
			continue
		}
		if err != nil {
			return Source{}, fmt.Errorf("accept the tools of %s: %w", slug, err)
		}
		s.forget(ctx, uid, slug, released(old, before, row, &next)...)
		return row.view(), nil
	}
	return Source{}, pags.Errorf(pags.Unavailable, "the source is being changed from elsewhere; look at it again and retry")
}

func (s *Service) acceptSome(ctx context.Context, uid pags.UserID, row sourceRow, before *consent, tools []string) (consent, error) {
	now, err := s.book(ctx, uid, row.Slug, row.Ref)
	if err != nil {
		return consent{}, err
	}
	base, err := s.book(ctx, uid, row.Slug, before.Base)
	if err != nil {
		return consent{}, err
	}
	differs := map[string]bool{}
	for _, d := range before.compare(base, now) {
		differs[d.path] = true
	}
	next := before.against(base, now)
	for _, t := range tools {
		p := t
		if !differs[p] && now.tools[p] == nil {
			p = strings.TrimPrefix(t, row.Slug+".")
		}
		if !differs[p] && now.tools[p] == nil {
			return consent{}, pags.Errorf(pags.Unprocessable, "%q is no tool of %s that could be accepted; name them as in drift", clip(t, 120), row.Slug)
		}
		if differs[p] {
			next.Also[p] = accepted{row.Ref, now.digest(p)}
		}
	}
	if next = next.against(base, now); len(next.compare(base, now)) == 0 {
		return consent{Base: row.Ref}, nil // nothing is left: the whole revision is what was accepted
	}
	return next, nil
}

// unchanged is the condition that neither the tools nor what was accepted of them changed since a row was read.
func unchanged(row sourceRow) *port.Cond {
	return port.And(port.Exists(), port.Eq("ref", row.Ref), port.Eq("base", row.Base), consentIs(row.Consent))
}

func consentIs(ref string) *port.Cond {
	if ref == "" {
		return port.Or(port.LacksAttr("consent"), port.Eq("consent", ""))
	}
	return port.Eq("consent", ref)
}

// released lists the blobs that the row before referred to and the one after does not.
func released(old sourceRow, was *consent, row sourceRow, is *consent) []string {
	all := func(r sourceRow, c *consent) map[string]bool {
		m := map[string]bool{r.Ref: true, r.Prior: true, r.Base: true, r.Consent: true}
		for _, a := range c.Also {
			m[a.Ref] = true
		}
		return m
	}
	after := all(row, is)
	var out []string
	for ref := range all(old, was) {
		if !after[ref] {
			out = append(out, ref)
		}
	}
	return out
}
