package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// defaultName is the name of a connection that is given none.
const defaultName = "main"

// NewConnection is what makes a connection.
type NewConnection struct {
	Source    string            `json:"source" minLength:"1" maxLength:"40"`
	Name      string            `json:"name,omitempty" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$" doc:"main if left out"`
	Method    string            `json:"method" minLength:"1" maxLength:"200" doc:"the id of a method in the source's auth; or, whatever the description says: none, bearer, basic, header:<Name>, query:<Name>, cookie:<Name>"`
	Values    map[string]string `json:"values,omitempty" maxProperties:"20" doc:"what the method takes, sealed at once and never given back"`
	BaseURL   string            `json:"baseUrl,omitempty" maxLength:"500" doc:"called instead of the source's addresses"`
	Variables map[string]string `json:"variables,omitempty" maxProperties:"20" doc:"for {variables} in the source's addresses"`
}

// Connect makes a connection. A name that is taken is pags.Conflict; a repeat with the same key makes nothing.
func (s *Service) Connect(ctx context.Context, uid pags.UserID, in NewConnection, key string) (Connection, error) {
	if in.Name == "" {
		in.Name = defaultName
	}
	// Of values only their names are part of what a repeat must match: a digest of a short password could be guessed from.
	request := []any{in.Source, in.Name, in.Method, sortedNames(in.Values), in.BaseURL, in.Variables}
	return httpapi.Idempotent(ctx, s.answers, key, request, func(keep func(Connection) ([]port.Write, error)) (Connection, error) {
		row, err := s.source(ctx, uid, in.Source)
		if err != nil {
			return Connection{}, err
		}
		c, err := s.newConnection(ctx, uid, row, in)
		if err != nil {
			return Connection{}, err
		}
		view := c.view()
		it, err := port.Encode(connectionKey(uid, c.Source, c.Name), c)
		if err != nil {
			return Connection{}, err
		}
		extra, err := keep(view)
		if err != nil {
			return Connection{}, err
		}
		count := port.Update(sourceKey(uid, c.Source)).Adding("connections", 1).When(port.And(port.Exists(), port.Lt("connections", MaxConnections)))
		writes := append([]port.Write{count, port.Put(it).When(port.NotExists()),
			s.audit(uid, "connection.add", map[string]any{"source": c.Source, "connection": c.Name, "method": view.Method, "baseUrl": shownOrNone(c.BaseURL)})}, extra...)
		err = s.transact(ctx, uid, writes...)
		switch {
		case refused(err, 1):
			return Connection{}, s.taken(ctx, uid, c, err)
		case refused(err, 0):
			if _, gone := s.source(ctx, uid, c.Source); gone != nil {
				return Connection{}, gone
			}
			return Connection{}, pags.Errorf(pags.Conflict, "the source %s has %d connections, the most there can be; remove one first", c.Source, MaxConnections)
		case err != nil:
			return Connection{}, fmt.Errorf("connect to %s: %w", c.Source, err)
		}
		return view, nil
	})
}

// taken is the conflict about a name. It keeps the cause, in which a keyed twin that was faster is recognised.
func (s *Service) taken(ctx context.Context, uid pags.UserID, c connectionRow, cause error) error {
	conflict := pags.Wrap(cause, pags.Conflict, "the source %s has a connection %q already; choose another name, or give that one new values", c.Source, c.Name)
	if other, err := s.connection(ctx, uid, c.Source, c.Name); err == nil {
		conflict = conflict.With(other.view())
	}
	return conflict
}

func (s *Service) newConnection(ctx context.Context, uid pags.UserID, row sourceRow, in NewConnection) (connectionRow, error) {
	c := connectionRow{Source: row.Slug, Name: in.Name, Enabled: true, CreatedAt: s.now()}
	if !slugShape.MatchString(c.Name) {
		return c, pags.Errorf(pags.Unprocessable, "name is a letter followed by at most 39 of a-z, 0-9 and _")
	}
	if c.Name == "then" { // programs could not get behind it: a value with that member is taken for a promise
		return c, pags.Errorf(pags.Unprocessable, "name %q is reserved; choose another one", c.Name)
	}
	m, err := method(in.Method, row.methods())
	if err != nil {
		return c, err
	}
	c.Auth = text(m)
	values, err := goodValues(m, in.Values)
	if err != nil {
		return c, err
	}
	if c.BaseURL, err = s.goodBase(in.BaseURL); err != nil {
		return c, err
	}
	if c.Variables, err = goodVariables(in.Variables); err != nil {
		return c, err
	}
	c.Hints = hints(values)
	c.Sealed, err = s.seal(ctx, uid, c.Source, c.Name, values)
	return c, err
}

// goodVariables refuses values that could not be part of an address.
func goodVariables(given map[string]string) (map[string]string, error) {
	for _, name := range sortedNames(given) {
		v := given[name]
		if name == "" || len(name) > 100 || len(v) > 500 || strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r == 0x7F || strings.ContainsRune("@?#\\", r) }) {
			return nil, pags.Errorf(pags.Unprocessable, "the variable %q cannot be part of an address", clip(name, 40))
		}
	}
	return given, nil
}

// Connection shows a connection of the user, never its values.
func (s *Service) Connection(ctx context.Context, uid pags.UserID, slug, name string) (Connection, error) {
	c, err := s.connection(ctx, uid, slug, name)
	if err != nil {
		return Connection{}, err
	}
	return c.view(), nil
}

// Connections shows the user's connections, those of one source or all.
func (s *Service) Connections(ctx context.Context, uid pags.UserID, slug string, limit int, cursor string) (httpapi.Page[Connection], error) {
	out := httpapi.Page[Connection]{}
	prefix := "CONNECTION#"
	if slug != "" {
		if !slugShape.MatchString(slug) {
			return out, nil
		}
		prefix = connectionKey(uid, slug, "").SK
	}
	page, err := s.Table.Query(ctx, port.Query{PK: sourceKey(uid, "").PK, Prefix: prefix, Limit: limit, Cursor: cursor})
	if err != nil {
		return out, fmt.Errorf("list connections: %w", err)
	}
	for _, it := range page.Items {
		var c connectionRow
		if err := port.Decode(it, &c); err != nil {
			return out, err
		}
		out.Items = append(out.Items, c.view())
	}
	out.NextCursor = page.Cursor
	return out, nil
}
