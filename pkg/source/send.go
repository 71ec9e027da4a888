package source

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
)

// keyHeader names a call for upstreams that do it once for each key.
const keyHeader = "Idempotency-Key"

// Keyed reports whether a tool's effect happens once however often the call is sent with the same key: it takes an
// Idempotency-Key, or its description says so. That PUT and DELETE should be idempotent is a hope, not a statement.
func Keyed(t *catalog.Tool) bool {
	method := t.Request.Method
	return keyParam(t) != nil || t.Idempotent && method != "PUT" && method != "DELETE"
}

func keyParam(t *catalog.Tool) *catalog.Param {
	for i := range t.Request.Params {
		if p := &t.Request.Params[i]; p.In == "headers" && strings.EqualFold(p.Name, keyHeader) {
			return p
		}
	}
	return nil
}

// Unknown is the error of a call whose effect may or may not have happened: it was sent and no answer came. Only a person can
// say what to do.
type Unknown struct {
	Why     string
	Failure *catalog.Failure // what a call without an effect would have got
}

func (u *Unknown) Error() string { return "unknown outcome: " + u.Why }

// UnknownOutcome says why nobody can tell.
func (u *Unknown) UnknownOutcome() string { return u.Why }

// Unwrap gives the error a code.
func (u *Unknown) Unwrap() error { return u.Failure }

// Send calls the tool through its connection. What upstream says is a Result, also that it cannot be reached or refuses; in it
// every secret of the connection is masked. An error is our own trouble, or *Unknown. The rows are read again: what was
// switched off, removed or changed since b was resolved does not go out.
func (s *Service) Send(ctx context.Context, uid pags.UserID, b *catalog.Bound, args map[string]any, key string) (catalog.Result, error) {
	row, c, err := s.rows(ctx, uid, b.Source, b.Connection)
	if err != nil {
		return catalog.Result{}, err
	}
	if f, err := s.still(ctx, uid, row, c, b); f != nil || err != nil {
		return failed(f), err
	}
	values, shut, err := s.open(ctx, uid, c)
	if shut != nil || err != nil {
		return failed(shut), err
	}
	m := c.method()
	hide := newMask(m, values)
	req, f, err := s.build(ctx, uid, b.Tool, args, key, target(row, c))
	if f != nil || err != nil {
		return hide.result(failed(f)), err
	}
	if err := s.CheckURL(req.URL); err != nil {
		return failed(&catalog.Failure{Code: catalog.CodeBinding, Message: "address not allowed: calls go to public host names over https; its owner can give connection " + b.Source + "." + b.Connection + " another base URL"}), nil
	}
	if err := m.Apply(req, values); err != nil {
		f := asFailure(err)
		f.Message += "; nothing was sent. The owner of " + b.Source + "." + b.Connection + " gives the value in the console"
		return failed(f), nil
	}
	result, err := s.exchange(ctx, req, b, hide)
	if err != nil {
		return result, err
	}
	return s.hand(ctx, uid, b, m, hide.result(result))
}

// still refuses a call whose tool is not what b says any more.
func (s *Service) still(ctx context.Context, uid pags.UserID, row *sourceRow, c *connectionRow, b *catalog.Bound) (*catalog.Failure, error) {
	switch {
	case row == nil, c == nil:
		return &catalog.Failure{Code: catalog.CodeNotFound, Message: "the connection " + b.Source + "." + b.Connection + " was removed"}, nil
	case !row.Enabled:
		return &catalog.Failure{Code: catalog.CodeBlocked, Message: "the source " + b.Source + " is switched off by its owner"}, nil
	case !c.Enabled:
		return &catalog.Failure{Code: catalog.CodeBlocked, Message: "the connection " + b.Source + "." + b.Connection + " is switched off by its owner"}, nil
	}
	now, err := s.book(ctx, uid, b.Source, row.Ref)
	if err != nil {
		return nil, err
	}
	path := strings.TrimPrefix(b.Address, b.Source+"."+b.Connection+".")
	if now.tools[path] == nil || boundDigest(row, c, now, path) != b.Digest {
		return &catalog.Failure{Code: catalog.CodeBinding, Retryable: true, Message: "the definition of " + b.Address + ", or where it goes, changed while the call was on its way; nothing was sent. Look at the tool again, then call it again"}, nil
	}
	return nil, nil
}

// build makes the request of a call, without credentials.
func (s *Service) build(ctx context.Context, uid pags.UserID, t *catalog.Tool, args map[string]any, key string, to catalog.Target) (*catalog.Request, *catalog.Failure, error) {
	var trouble error
	to.Open = func(blob string) ([]byte, error) {
		data, err := s.openFile(ctx, uid, blob)
		if err != nil && !pags.Is(err, pags.NotFound) {
			trouble = err
		}
		return data, err
	}
	req, err := t.Build(withKey(t, args, key), to)
	if trouble != nil {
		return nil, nil, trouble
	}
	if err != nil {
		return nil, asFailure(err), nil
	}
	req.Header.Set("User-Agent", s.userAgent())
	return req, nil, nil
}

// withKey adds the call's key to the arguments of an effect that takes one, unless the caller gave its own.
func withKey(t *catalog.Tool, args map[string]any, key string) map[string]any {
	p := keyParam(t)
	if p == nil || key == "" || t.ReadOnly {
		return args
	}
	for name, v := range args {
		if strings.EqualFold(name, keyHeader) && v != nil {
			return args
		}
		if inner, ok := v.(map[string]any); ok && (name == "headers" || name == "header" || name == "params" || name == "parameters") {
			for n, v := range inner {
				if strings.EqualFold(n, keyHeader) && v != nil {
					return args
				}
			}
		}
	}
	out := make(map[string]any, len(args)+1)
	maps.Copy(out, args)
	if !p.Nested {
		out[p.Name] = key
		return out
	}
	inner := map[string]any{}
	if given, ok := out["headers"].(map[string]any); ok {
		maps.Copy(inner, given)
	}
	inner[p.Name] = key
	out["headers"] = inner
	return out
}

func failed(f *catalog.Failure) catalog.Result {
	if f == nil {
		return catalog.Result{}
	}
	return catalog.Failed(f)
}

func asFailure(err error) *catalog.Failure {
	var f *catalog.Failure
	if errors.As(err, &f) {
		return f
	}
	return &catalog.Failure{Code: catalog.CodeBinding, Message: "the request could not be made"}
}
