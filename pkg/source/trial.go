package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// trialLimit bounds a test, within the 29 s that API Gateway waits.
const trialLimit = 20 * time.Second

// Test tries a connection with a call that changes nothing and needs no argument, and remembers what came of it: 2xx is
// healthy, 401 and 403 are expired, the rest is degraded. Where there is no such call it is unknown, and nothing is sent.
func (s *Service) Test(ctx context.Context, uid pags.UserID, slug, name string) (Checked, error) {
	if _, err := s.connection(ctx, uid, slug, name); err != nil {
		return Checked{}, err
	}
	row, c, err := s.rows(ctx, uid, slug, name)
	if err != nil {
		return Checked{}, err
	}
	if row == nil || c == nil {
		return Checked{}, noConnection()
	}
	b, err := s.book(ctx, uid, slug, row.Ref)
	if err != nil {
		return Checked{}, err
	}
	held, err := s.consent(ctx, uid, *row)
	if err != nil {
		return Checked{}, err
	}
	out := Checked{Status: Unsure, Detail: "no tool of this source can be called without arguments and without changing something; call one to see"}
	if path := harmless(b, held.Held); path != "" {
		if out, err = s.try(ctx, uid, row, c, b, path); err != nil {
			return Checked{}, err
		}
	}
	w := port.Update(connectionKey(uid, slug, name)).Setting("status", out.Status).Setting("detail", clip(out.Detail, 500)).Setting("httpStatus", out.HTTPStatus).
		Setting("checkedAt", s.now()).When(port.And(port.Exists(), port.Eq("rev", c.Rev)))
	var changed *port.ConditionFailed
	if err := s.Table.Write(ctx, w); err != nil && !errors.As(err, &changed) { // new values meanwhile: this says nothing of them
		return Checked{}, fmt.Errorf("note the test of connection %s.%s: %w", slug, name, err)
	}
	return out, nil
}

func (s *Service) try(ctx context.Context, uid pags.UserID, row *sourceRow, c *connectionRow, b *book, path string) (Checked, error) {
	bound, _, err := s.bound(ctx, uid, row, c, b, path)
	if err != nil {
		return Checked{}, err
	}
	if bound.Off != "" {
		return Checked{Status: Unsure, Detail: "the " + bound.Off + " is switched off; switch it on first"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	began := s.Clock.Now()
	r, err := s.Send(ctx, uid, bound, map[string]any{}, "")
	if err != nil {
		return Checked{}, err
	}
	what := bound.Tool.Request.Method + " " + bound.Tool.Request.Path
	out := Checked{Status: Degraded, Millis: s.Clock.Now().Sub(began).Milliseconds()}
	if r.HTTP != nil {
		out.HTTPStatus = r.HTTP.Status
	}
	switch {
	case r.OK:
		out.Status, out.Detail = Healthy, fmt.Sprintf("%s answered %s", what, statusText(out.HTTPStatus))
	case out.HTTPStatus == 401 || out.HTTPStatus == 403:
		out.Status, out.Detail = Expired, fmt.Sprintf("%s: %s", what, r.Error.Message)
	default:
		out.Detail = fmt.Sprintf("%s: %s", what, r.Error.Message)
	}
	return out, nil
}

// telling are words of operations that say who is asking.
var telling = []string{"me", "self", "whoami", "user", "current", "account", "viewer", "profile", "identity", "status", "ping", "health"}

// harmless picks the operation that says most about a connection: a read without required arguments whose definition was
// accepted; one that asks for the credential before one that does not.
func harmless(b *book, held map[string]string) string {
	type choice struct {
		path string
		rank int
	}
	var all []choice
	for path, t := range b.tools {
		if t.Request.Method != "GET" || !t.ReadOnly || held[path] != "" || needsArguments(t) {
			continue
		}
		rank := 10 * strings.Count(t.Request.Path, "/")
		if t.Deprecated {
			rank += 200
		}
		if t.Security != nil && len(t.Security) == 0 {
			rank += 1000 // open to everyone: proves nothing
		}
		for _, word := range strings.FieldsFunc(strings.ToLower(t.Request.Path), func(r rune) bool { return strings.ContainsRune("/-_.", r) }) {
			if slices.Contains(telling, word) {
				rank -= 100
				break
			}
		}
		all = append(all, choice{path, rank})
	}
	if len(all) == 0 {
		return ""
	}
	sort.Slice(all, func(i, j int) bool {
		return all[i].rank < all[j].rank || all[i].rank == all[j].rank && all[i].path < all[j].path
	})
	return all[0].path
}

func needsArguments(t *catalog.Tool) bool {
	var schema struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(t.Input, &schema) != nil || len(schema.Required) > 0 {
		return true
	}
	for _, p := range t.Request.Params {
		if p.Required && len(p.Default) == 0 {
			return true
		}
	}
	return false
}
