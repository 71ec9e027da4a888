// Package up is pags up: this machine registered, its browser hand behind the link, outcomes on disk.
package up

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/browser"
	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/home"
	"github.com/proagentstore/pags/runner/link"
	"github.com/proagentstore/pags/runner/machineid"
)

// Options of a runner.
type Options struct {
	Home       home.Dir
	Client     *client.Client
	Version    string
	Headless   bool
	Force      bool
	Only       []pags.InstanceID
	AllowHosts []string // private addresses that every agent may visit from this machine
	Log        *slog.Logger
	Clock      port.Clock
	OnState    func(link.State)
	OnMembers  func([]relay.Member)
}

// Capabilities of this runner.
var capabilities = []string{"browser"}

// Run serves until ctx ends (nil) or the link stops for good (why).
func Run(ctx context.Context, o Options) error {
	dir := o.Home.Runner()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the runner's folder: %w", err)
	}
	identity, err := machineid.Load(dir)
	if err != nil {
		return fmt.Errorf("read this machine's key: %w", err)
	}
	store, err := openStore(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	machine, err := register(ctx, o, identity)
	if err != nil {
		return err
	}
	hand := browser.New(browser.Options{
		DataDir: filepath.Join(dir, "browser"), Headless: o.Headless, Clock: o.Clock, Log: o.Log,
		AllowHosts: o.AllowHosts, OwnOrigins: []string{o.Client.Server()},
	})
	defer func() { _ = hand.Close() }()
	return link.New(link.Config{
		Tickets: tickets{o.Client, machine.ID, identity.Node}, MachineID: machine.ID, Node: identity.Node, Sign: identity.Sign,
		Version: o.Version, Capabilities: capabilities, Only: o.Only, Force: o.Force, Headless: o.Headless,
		Hand: hands{hand}, Store: store, Clock: o.Clock, Log: o.Log, OnState: o.OnState, OnMembers: o.OnMembers,
	}).Run(ctx)
}

// register tells the host who we are; the same key is the same machine. A host that does not answer yet is waited for.
func register(ctx context.Context, o Options, id *machineid.Identity) (pags.Machine, error) {
	var m pags.Machine
	body := map[string]any{"publicKey": id.PublicKey(), "node": id.Node, "version": o.Version, "capabilities": capabilities}
	for told := false; ; told = true {
		err := o.Client.Do(ctx, http.MethodPost, "/v1/machines", body, &m)
		var off *client.ErrNotRunning
		if !errors.As(err, &off) {
			return m, err
		}
		if !told {
			o.OnState(link.State{Kind: link.Waiting, Text: off.Error()})
		}
		select {
		case <-ctx.Done():
			return m, ctx.Err()
		case <-o.Clock.After(hostRetry):
		}
	}
}

const hostRetry = 2 * time.Second

// tickets mints them with the person's session.
type tickets struct {
	client  *client.Client
	machine pags.MachineID
	node    string
}

func (t tickets) Ticket(ctx context.Context) (link.Ticket, error) {
	var out struct{ URL, Nonce string }
	err := t.client.Do(ctx, http.MethodPost, "/v1/relay/ticket", map[string]any{"role": "runner", "machineId": t.machine, "node": t.node}, &out)
	if err != nil {
		return link.Ticket{}, classify(err)
	}
	if u, err := url.Parse(out.URL); err != nil || u.Scheme != "ws" && u.Scheme != "wss" {
		return link.Ticket{}, pags.Errorf(pags.Upstream, "the host named a socket address that is none")
	}
	return link.Ticket{URL: out.URL, Nonce: out.Nonce}, nil
}

// classify tells the link which failures end it: a session that is over, an account that is suspended.
func classify(err error) error {
	var p *client.Problem
	switch {
	case errors.Is(err, client.ErrSignedOut):
		return pags.Wrap(err, pags.Unauthenticated, "this machine's session is over; sign in again and restart pags up")
	case errors.As(err, &p) && p.Status == http.StatusUnauthorized:
		return pags.Wrap(err, pags.Unauthenticated, "this machine's session is over; sign in again and restart pags up")
	case errors.As(err, &p) && p.Status == http.StatusForbidden:
		return pags.Wrap(err, pags.Forbidden, "%s", p.Error())
	}
	return err
}

// hands gives the link's uploader to the browser hand, which asks for less.
type hands struct{ *browser.Hand }

func (h hands) Do(ctx context.Context, call relay.Call, up link.Uploader) relay.Result {
	return h.Hand.Do(ctx, call, up)
}
