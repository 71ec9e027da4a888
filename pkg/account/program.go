package account

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Scopes of tokens for programs.
const (
	ScopeTools  = httpapi.ScopeTools
	ScopeAnswer = httpapi.ScopeAnswer
)

const (
	programPrefix = "pags_"
	maxTokenDays  = 365
	stdTokenDays  = 90
	// touchAfter is how exact the time of last use is: one write an hour, not one a request.
	touchAfter = time.Hour
)

// ProgramToken is an access token for a program: it acts for its owner, within its scopes, until it expires or is revoked.
type ProgramToken struct {
	ID        pags.TokenID `json:"id"`
	Name      string       `json:"name" doc:"what its owner calls the program"`
	Scopes    []string     `json:"scopes" doc:"tools: search and call tools, run programs and read them; interactions:answer: answer approvals too"`
	CreatedAt time.Time    `json:"createdAt"`
	LastUsed  time.Time    `json:"lastUsedAt,omitzero" doc:"to within an hour"`
	ExpiresAt time.Time    `json:"expiresAt"`
}

// programRow is a token as stored: of its text only the hash.
type programRow struct {
	ProgramToken
	Hash string `json:"hash"`
}

func programKey(uid pags.UserID, id pags.TokenID) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "TOKEN#" + string(id)}
}

// NewProgramToken makes a token and gives its text, which nobody can learn again. The text is pags_<user>_<id>_<random>:
// where to look comes with it, so a check is one read of the token and its user together.
func (s *Service) NewProgramToken(ctx context.Context, uid pags.UserID, name string, scopes []string, days int) (ProgramToken, string, error) {
	if days == 0 {
		days = stdTokenDays
	}
	if days < 1 || days > maxTokenDays {
		return ProgramToken{}, "", pags.Errorf(pags.Unprocessable, "a token lives 1 to %d days, not %d", maxTokenDays, days)
	}
	kept := []string{}
	for _, scope := range scopes {
		if scope != ScopeTools && scope != ScopeAnswer {
			return ProgramToken{}, "", pags.Errorf(pags.Unprocessable, "there is no scope %q; scopes are %s and %s", scope, ScopeTools, ScopeAnswer)
		}
		if !slices.Contains(kept, scope) {
			kept = append(kept, scope)
		}
	}
	if len(kept) == 0 {
		kept = []string{ScopeTools}
	}
	now := s.Clock.Now().UTC()
	row := programRow{ProgramToken: ProgramToken{ID: pags.NewTokenID(now), Name: name, Scopes: kept, CreatedAt: now,
		ExpiresAt: now.Add(time.Duration(days) * 24 * time.Hour).Truncate(time.Second)}}
	text := programPrefix + strings.TrimPrefix(string(uid), "usr_") + "_" + strings.TrimPrefix(string(row.ID), "tok_") + "_" + pags.NewToken()
	row.Hash = hash(text)
	it, err := port.Encode(programKey(uid, row.ID), row)
	if err != nil {
		return ProgramToken{}, "", err
	}
	err = s.Table.Transact(ctx, pags.NewToken()[:32],
		port.Put(it.Expiring(row.ExpiresAt)).When(port.NotExists()),
		guard.Audit(now, uid, "programToken.created", map[string]any{"id": string(row.ID), "name": name, "scopes": strings.Join(kept, " "), "days": days}))
	if err != nil {
		return ProgramToken{}, "", fmt.Errorf("make a token for a program: %w", err)
	}
	return row.ProgramToken, text, nil
}

// ProgramTokens lists the live tokens of a user, newest first.
func (s *Service) ProgramTokens(ctx context.Context, uid pags.UserID, limit int, cursor string) (httpapi.Page[ProgramToken], error) {
	var out httpapi.Page[ProgramToken]
	page, err := s.Table.Query(ctx, port.Query{PK: "U#" + string(uid), Prefix: "TOKEN#", Desc: true, Limit: limit, Cursor: cursor})
	if err != nil {
		return out, fmt.Errorf("list tokens for programs: %w", err)
	}
	for _, it := range page.Items {
		var row programRow
		if err := port.Decode(it, &row); err != nil {
			return out, err
		}
		out.Items = append(out.Items, row.ProgramToken)
	}
	out.NextCursor = page.Cursor
	return out, nil
}

// RevokeProgramToken ends a token: the program's next request is refused. Another's token, and one that is over, is
// pags.NotFound.
func (s *Service) RevokeProgramToken(ctx context.Context, uid pags.UserID, id pags.TokenID) error {
	missing := pags.Errorf(pags.NotFound, "there is no such token")
	if _, err := s.Table.Get(ctx, programKey(uid, id)); pags.Is(err, pags.NotFound) {
		return missing // without a write
	} else if err != nil {
		return fmt.Errorf("read token %s: %w", id, err)
	}
	err := s.Table.Transact(ctx, pags.NewToken()[:32],
		port.Delete(programKey(uid, id)).When(port.Exists()),
		guard.Audit(s.Clock.Now(), uid, "programToken.revoked", map[string]any{"id": string(id)}))
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) && cancelled.Failed(0) {
		return missing
	}
	if err != nil {
		return fmt.Errorf("revoke token %s: %w", id, err)
	}
	return nil
}

// verifyProgram checks a token for programs and its user in one consistent read.
func (s *Service) verifyProgram(ctx context.Context, text string) (httpapi.Caller, error) {
	bad := pags.Errorf(pags.Unauthenticated, "this token is not known, was revoked or is over; its owner makes a new one with pags tokens create")
	part := strings.Split(strings.TrimPrefix(text, programPrefix), "_")
	if len(text) > 200 || len(part) != 3 || part[0] == "" || part[1] == "" {
		return httpapi.Caller{}, bad
	}
	uid, id := pags.UserID("usr_"+part[0]), pags.TokenID("tok_"+part[1])
	items, err := s.Table.GetMany(ctx, profileKey(uid), programKey(uid, id))
	if err != nil {
		return httpapi.Caller{}, pags.Wrap(err, pags.Unavailable, "the token cannot be checked now; try again in a moment")
	}
	if len(items) != 2 || items[0] == nil || items[1] == nil {
		return httpapi.Caller{}, bad
	}
	var u pags.User
	var row programRow
	if err := errors.Join(port.Decode(items[0], &u), port.Decode(items[1], &row)); err != nil {
		return httpapi.Caller{}, fmt.Errorf("read a token: %w", err)
	}
	now := s.Clock.Now().UTC()
	if subtle.ConstantTimeCompare([]byte(hash(text)), []byte(row.Hash)) != 1 || !now.Before(row.ExpiresAt) {
		return httpapi.Caller{}, bad
	}
	if u.Suspended {
		return httpapi.Caller{}, suspendedError()
	}
	if now.Sub(row.LastUsed) >= touchAfter {
		// When it was used is for its owner's eyes; that it cannot be noted now is no reason to refuse the program.
		_ = s.Table.Write(ctx, port.Update(programKey(uid, id)).Setting("lastUsedAt", now.Format(time.RFC3339Nano)).When(port.Exists()))
	}
	return httpapi.Caller{UserID: u.ID, TokenID: row.ID, Scopes: row.Scopes, Roles: u.Roles}, nil
}
