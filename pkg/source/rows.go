package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func sourceKey(uid pags.UserID, slug string) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "SOURCE#" + slug}
}

func connectionKey(uid pags.UserID, slug, name string) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "CONNECTION#" + slug + "#" + name}
}

func catalogKey(uid pags.UserID) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "CATALOG"}
}

// bump gives the person's catalog its next number; it is part of every change, so that nobody keeps using what was.
func bump(uid pags.UserID) port.Write {
	return port.Update(catalogKey(uid)).Adding("rev", 1).OrCreate()
}

// slugShape is what a slug and the name of a connection look like.
var slugShape = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// sourceRow is a source as it is stored. Its tools are in the blob that Ref names; lists are kept as JSON texts, which a call
// that needs none of them does not have to read.
type sourceRow struct {
	Slug        string    `json:"slug"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Kind        string    `json:"kind"`
	Format      string    `json:"format"`
	Version     string    `json:"version,omitempty"`
	URL         string    `json:"url,omitempty"`
	BaseURL     string    `json:"baseUrl,omitempty"`
	Enabled     bool      `json:"enabled"`
	Revision    int       `json:"revision"`
	Digest      string    `json:"digest"`          // of the catalog's JSON
	Ref         string    `json:"ref"`             // names the blob of this revision
	Prior       string    `json:"prior,omitempty"` // the one before, kept for those who read it right now
	Base        string    `json:"base"`            // the revision whose definitions were accepted as a whole
	Consent     string    `json:"consent,omitempty"`
	Held        int       `json:"held"`
	Tools       int       `json:"tools"`
	Connections int       `json:"connections"`
	NeedsBase   bool      `json:"needsBase"`
	Auth        string    `json:"auth"`
	Warnings    string    `json:"warnings"`
	Status      string    `json:"status"`
	Detail      string    `json:"detail,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	RefreshedAt time.Time `json:"refreshedAt"`
}

// connectionRow is a connection as it is stored. Auth is the way in as it was when the connection was made: a description that
// changes cannot have its values sent in another place.
type connectionRow struct {
	Source     string            `json:"source"`
	Name       string            `json:"name"`
	Auth       string            `json:"auth"`
	Hints      map[string]string `json:"hints,omitempty"`
	Sealed     string            `json:"sealed,omitempty"` // base64, bound to user, source and connection
	BaseURL    string            `json:"baseUrl,omitempty"`
	Variables  map[string]string `json:"variables,omitempty"`
	Enabled    bool              `json:"enabled"`
	Status     string            `json:"status,omitempty"`
	Detail     string            `json:"detail,omitempty"`
	HTTPStatus int               `json:"httpStatus,omitempty"`
	CheckedAt  time.Time         `json:"checkedAt,omitzero"`
	CreatedAt  time.Time         `json:"createdAt"`
	Rev        int               `json:"rev"` // every change of values or of where it goes
}

// Bounds of what a row keeps of a description, far below the 400 KB of an item.
const (
	maxRowDescription = 1000
	maxRowWarnings    = 100
	maxRowAuth        = 100 << 10
)

// describe fills in what a row says of a catalog.
func (r *sourceRow) describe(src *catalog.Source) {
	r.Kind, r.Format, r.Version, r.Description = "openapi", src.Format, src.Version, clip(src.Description, maxRowDescription)
	r.Tools, r.NeedsBase = len(src.Tools), src.NeedsBase
	r.Warnings = text(keepWarnings(src.Warnings))
	auth := src.Auth
	if r.Auth = text(auth); len(r.Auth) > maxRowAuth { // scopes are what grows; they can be read in the description
		auth = append([]catalog.AuthMethod(nil), auth...)
		for i := range auth {
			if o := auth[i].OAuth; o != nil {
				short := *o
				short.Scopes = nil
				auth[i].OAuth = &short
			}
		}
		r.Auth = text(auth[:min(len(auth), 50)])
	}
}

func keepWarnings(all []catalog.Warning) []catalog.Warning {
	out := make([]catalog.Warning, 0, min(len(all), maxRowWarnings))
	for _, w := range all[:min(len(all), maxRowWarnings)] {
		w.Message = clip(w.Message, 300)
		out = append(out, w)
	}
	return out
}

func (r *sourceRow) methods() []catalog.AuthMethod {
	var out []catalog.AuthMethod
	_ = json.Unmarshal([]byte(r.Auth), &out) // we wrote it
	return out
}

func (r *sourceRow) view() Source {
	v := Source{Slug: r.Slug, Name: r.Name, Description: r.Description, Kind: r.Kind, Format: r.Format, Version: r.Version, URL: r.URL, BaseURL: r.BaseURL,
		Enabled: r.Enabled, Revision: r.Revision, Tools: r.Tools, Connections: r.Connections, Held: r.Held, NeedsBase: r.NeedsBase && r.BaseURL == "",
		Auth: offered(r.methods()), Status: r.Status, Detail: r.Detail, CreatedAt: r.CreatedAt, RefreshedAt: r.RefreshedAt, Warnings: []catalog.Warning{}}
	_ = json.Unmarshal([]byte(r.Warnings), &v.Warnings) // we wrote it
	if r.BaseURL != "" {
		v.Warnings = withoutBase(v.Warnings)
	}
	return v
}

func (c *connectionRow) method() catalog.AuthMethod {
	var m catalog.AuthMethod
	_ = json.Unmarshal([]byte(c.Auth), &m) // we wrote it
	return m
}

func (c *connectionRow) view() Connection {
	m := c.method()
	v := Connection{Source: c.Source, Name: c.Name, Namespace: c.Source + "." + c.Name, Method: m.ID, Kind: m.Kind, Inputs: m.Inputs(), Hints: c.Hints, BaseURL: c.BaseURL,
		Variables: c.Variables, Enabled: c.Enabled, Status: c.Status, Detail: c.Detail, CheckedAt: c.CheckedAt, CreatedAt: c.CreatedAt}
	if v.Inputs == nil {
		v.Inputs = []string{}
	}
	if v.Hints == nil {
		v.Hints = map[string]string{}
	}
	return v
}

// source reads the row of a source; what is not there, or not theirs, is pags.NotFound.
func (s *Service) source(ctx context.Context, uid pags.UserID, slug string) (sourceRow, error) {
	var r sourceRow
	if uid == "" || !slugShape.MatchString(slug) {
		return r, noSource()
	}
	it, err := s.Table.Get(ctx, sourceKey(uid, slug))
	if pags.Is(err, pags.NotFound) {
		return r, noSource()
	}
	if err != nil {
		return r, fmt.Errorf("read source %s: %w", slug, err)
	}
	return r, port.Decode(it, &r)
}

// connection reads the row of a connection; what is not there, or not theirs, is pags.NotFound.
func (s *Service) connection(ctx context.Context, uid pags.UserID, slug, name string) (connectionRow, error) {
	var c connectionRow
	if uid == "" || !slugShape.MatchString(slug) || !slugShape.MatchString(name) {
		return c, noConnection()
	}
	it, err := s.Table.Get(ctx, connectionKey(uid, slug, name))
	if pags.Is(err, pags.NotFound) {
		return c, noConnection()
	}
	if err != nil {
		return c, fmt.Errorf("read connection %s.%s: %w", slug, name, err)
	}
	return c, port.Decode(it, &c)
}

func noSource() error     { return pags.Errorf(pags.NotFound, "there is no such source") }
func noConnection() error { return pags.Errorf(pags.NotFound, "there is no such connection") }

// audit notes who did what to which source, never content.
func (s *Service) audit(uid pags.UserID, action string, facts map[string]any) port.Write {
	return guard.Audit(s.Clock.Now(), uid, action, facts)
}

// refused reports whether the i-th write was in the way of a transaction.
func refused(err error, i int) bool {
	var no *port.Cancelled
	return errors.As(err, &no) && no.Failed(i)
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}
