package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Link is a one-time sign-in link. Only the hash of its token is stored.
type Link struct {
	Token     string    `json:"token" doc:"good once, for 10 minutes"`
	URL       string    `json:"url" doc:"open it in the browser to sign in; the token is in the fragment, which no server sees"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// NewLink makes a sign-in link for a user.
func (s *Service) NewLink(ctx context.Context, uid pags.UserID) (Link, error) {
	now := s.Clock.Now().UTC()
	link := Link{Token: pags.NewToken(), ExpiresAt: now.Add(LinkLife).Truncate(time.Second)}
	link.URL = s.PublicURL + "/signin#" + link.Token
	it := port.Item{port.AttrPK: "L#" + hash(link.Token), port.AttrSK: "LINK", "userId": string(uid), "createdAt": now.Format(time.RFC3339Nano)}
	if err := s.Table.Write(ctx, port.Put(it.Expiring(link.ExpiresAt)).When(port.NotExists())); err != nil {
		return Link{}, fmt.Errorf("keep a sign-in link: %w", err)
	}
	return link, nil
}

// UseLink trades a link for a person's session. The link is gone and the session there in one transaction; a link that was
// used, is over or never was is pags.Gone.
func (s *Service) UseLink(ctx context.Context, token, label string) (Tokens, error) {
	gone := pags.Errorf(pags.Gone, "this sign-in link was used or is over; ask for a new one")
	row := port.Key{PK: "L#" + hash(token), SK: "LINK"}
	it, err := s.Table.Get(ctx, row)
	if pags.Is(err, pags.NotFound) {
		return Tokens{}, gone
	}
	if err != nil {
		return Tokens{}, fmt.Errorf("read a sign-in link: %w", err)
	}
	uid, _ := it["userId"].(string)
	tokens, err := s.open(ctx, pags.UserID(uid), label, true, port.Delete(row).When(port.Exists()))
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) && cancelled.Failed(0) {
		return Tokens{}, gone
	}
	return tokens, err
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
