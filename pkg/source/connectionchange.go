package source

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// ConnectionChange is what an owner may change of a connection. What is left out stays; values that are named replace the ones
// before, the others stay.
type ConnectionChange struct {
	Enabled   *bool              `json:"enabled,omitempty" doc:"false: no call through it goes out"`
	Values    map[string]string  `json:"values,omitempty" maxProperties:"20"`
	BaseURL   *string            `json:"baseUrl,omitempty" maxLength:"500" doc:"empty: the source's addresses again"`
	Variables *map[string]string `json:"variables,omitempty" doc:"replaces all of them"`
}

// ChangeConnection gives new values, switches a connection, or says where its calls go. After new values or another place the
// last test says nothing any more.
func (s *Service) ChangeConnection(ctx context.Context, uid pags.UserID, slug, name string, in ConnectionChange) (Connection, error) {
	for range races {
		c, err := s.connection(ctx, uid, slug, name)
		if err != nil {
			return Connection{}, err
		}
		before := c.Rev
		facts := map[string]any{"source": slug, "connection": name}
		if err := s.apply(ctx, uid, &c, in, facts); err != nil {
			return Connection{}, err
		}
		if len(facts) == 2 {
			return c.view(), nil
		}
		c.Rev++
		it, err := port.Encode(connectionKey(uid, slug, name), c)
		if err != nil {
			return Connection{}, err
		}
		err = s.transact(ctx, uid, port.Put(it).When(port.And(port.Exists(), port.Eq("rev", before))), s.audit(uid, "connection.change", facts))
		if refused(err, 0) {
			continue
		}
		if err != nil {
			return Connection{}, fmt.Errorf("change connection %s.%s: %w", slug, name, err)
		}
		return c.view(), nil
	}
	return Connection{}, pags.Errorf(pags.Unavailable, "the connection is being changed from elsewhere; try again")
}

func (s *Service) apply(ctx context.Context, uid pags.UserID, c *connectionRow, in ConnectionChange, facts map[string]any) error {
	var err error
	if in.Enabled != nil {
		c.Enabled, facts["enabled"] = *in.Enabled, *in.Enabled
	}
	if in.BaseURL != nil {
		if c.BaseURL, err = s.goodBase(*in.BaseURL); err != nil {
			return err
		}
		facts["baseUrl"] = shownOrNone(c.BaseURL)
	}
	if in.Variables != nil {
		if len(*in.Variables) > 20 {
			return pags.Errorf(pags.Unprocessable, "at most 20 variables")
		}
		if c.Variables, err = goodVariables(*in.Variables); err != nil {
			return err
		}
		facts["variables"] = len(c.Variables)
	}
	if len(in.Values) > 0 {
		m := c.method()
		values := map[string]string{}
		if old, shut, err := s.open(ctx, uid, c); err != nil {
			return err
		} else if shut == nil { // what cannot be opened has to be given anew, all of it
			maps.Copy(values, old)
		}
		maps.Copy(values, in.Values)
		if values, err = goodValues(m, values); err != nil {
			return err
		}
		c.Hints = hints(values)
		if c.Sealed, err = s.seal(ctx, uid, c.Source, c.Name, values); err != nil {
			return err
		}
		facts["replaced"] = len(in.Values)
	}
	if in.BaseURL != nil || in.Variables != nil || len(in.Values) > 0 {
		c.Status, c.Detail, c.HTTPStatus, c.CheckedAt = "", "", 0, time.Time{}
	}
	return nil
}

// Disconnect forgets a connection and its values. The next call through it finds nothing.
func (s *Service) Disconnect(ctx context.Context, uid pags.UserID, slug, name string) error {
	if _, err := s.connection(ctx, uid, slug, name); err != nil {
		return err
	}
	err := s.transact(ctx, uid,
		port.Delete(connectionKey(uid, slug, name)).When(port.Exists()),
		port.Update(sourceKey(uid, slug)).Adding("connections", -1).When(port.Exists()),
		s.audit(uid, "connection.remove", map[string]any{"source": slug, "connection": name}))
	if refused(err, 0) || refused(err, 1) {
		return noConnection()
	}
	if err != nil {
		return fmt.Errorf("remove connection %s.%s: %w", slug, name, err)
	}
	return nil
}
