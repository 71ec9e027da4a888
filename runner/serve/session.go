package serve

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/proagentstore/pags/console"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/home"
)

// signIn makes the account on the first start, gives this machine's CLI a session, and makes a one-time link for the console.
// People reach it at the public address, the CLI of this machine at the listener's.
func (h *host) signIn(ctx context.Context, dir home.Dir, public, here string) (Announcement, error) {
	user, created, err := h.house.Accounts.EnsureLocalAccount(ctx)
	if err != nil {
		return Announcement{}, fmt.Errorf("prepare the account: %w", err)
	}
	if err := h.cliSession(ctx, dir, user.ID, here); err != nil {
		return Announcement{}, err
	}
	link, err := h.house.Accounts.NewLink(ctx, user.ID)
	if err != nil {
		return Announcement{}, fmt.Errorf("make a sign-in link: %w", err)
	}
	_, pages := console.Files()
	return Announcement{URL: public, SignIn: link.URL, NewHome: created, HasPages: pages}, nil
}

// cliSession leaves a session that points at another host alone. One of this host follows it to its present address; where
// there is none, or it can no longer be read, a new one is made.
func (h *host) cliSession(ctx context.Context, dir home.Dir, uid pags.UserID, address string) error {
	s, err := client.OpenSession(dir.Session(), wall.Now)
	if err == nil {
		if s.Server() == address || !ownAddress(s.Server()) {
			return nil
		}
		return s.Move(address)
	}
	if !errors.Is(err, client.ErrSignedOut) {
		h.log.WarnContext(ctx, "the CLI's session file is replaced", "error", err.Error())
	}
	refresh, access, _, err := h.house.Accounts.NewSession(ctx, uid, "cli", true)
	if err != nil {
		return fmt.Errorf("open a session for the CLI: %w", err)
	}
	return client.SaveSession(dir.Session(), client.Stored{Server: address, RefreshToken: refresh, AccessToken: access})
}

// ownAddress tells a loopback address, as every earlier start on this machine had.
func ownAddress(server string) bool {
	u, err := url.Parse(server)
	return err == nil && loopback(u.Hostname())
}
