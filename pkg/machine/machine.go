// Package machine is a person's computers as the cloud sees them: registering, one-use tickets, sockets, and calls to the
// hands. Reading order:
//
//	routes.go     the HTTP routes
//	register.go   machines: register, list, show, forget
//	ticket.go     one-use tickets for sockets
//	socket.go     $connect, $disconnect, $default and the table of message kinds
//	fragment.go   pieces of large messages, each in its own function call
//	hello.go      who serves a machine; slot.go decides between two
//	alive.go      ping, pong, progress
//	call.go       a command for a runner: the row first, then the doorbell
//	ring.go       which machine, and handing it over
//	outcome.go    how a command ended; upload.go large parts of it
//	cancel.go     stopping a run's command
//	push.go       to consoles, and changed memberships to machines
//	status.go     why an instance has no hands, with one remedy
//	rows.go       the items of this area
package machine

import (
	"context"
	"log/slog"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Account tells whether a session still holds: nil, or pags.Unauthenticated (revoked), or pags.Forbidden (suspended).
type Account interface {
	Active(ctx context.Context, user pags.UserID, session pags.SessionID) error
}

// Instances is what we need of subscriptions.
type Instances interface {
	// Owned reads an instance; another person's is pags.NotFound.
	Owned(ctx context.Context, user pags.UserID, id pags.InstanceID) (pags.Instance, error)
	// ListForMachine lists the user's active instances that need a runtime this machine offers and are not pinned elsewhere.
	ListForMachine(ctx context.Context, user pags.UserID, m pags.Machine) ([]relay.Member, error)
}

// Commands knows what a step wants done.
type Commands interface {
	// Command gives the call of a step, without secrets, its owner, and the machine it is bound to: a machine id, a node
	// name, or "" for whichever is live. A run that is over or is to end wants nothing: pags.Conflict.
	Command(ctx context.Context, run pags.RunID, step int) (relay.Call, pags.UserID, string, error)
}

// Secrets opens sealed texts on their last hop.
type Secrets interface {
	OpenSecret(ctx context.Context, instance pags.InstanceID, secret pags.SecretID, run pags.RunID) (relay.Secret, error)
}

// Runs hears how the call of a run fares. Every method may be repeated.
type Runs interface {
	// CallSent notes which machine got the call; the run stays with it.
	CallSent(ctx context.Context, run pags.RunID, step int, machine pags.MachineID) error
	// CallWaiting notes that no machine is there, with a sentence for people.
	CallWaiting(ctx context.Context, run pags.RunID, step int, why string) error
	// Wants reports whether the run still waits for this step: it is not over, not cancelled and not past it.
	Wants(ctx context.Context, run pags.RunID, step int) (bool, error)
}

// Deps is what the area needs.
type Deps struct {
	Table     port.Table
	Blobs     port.Blobs
	Sockets   port.Sockets
	Brains    port.Brains
	Clock     port.Clock
	Log       *slog.Logger
	Account   Account
	Instances Instances
	Commands  Commands
	Secrets   Secrets
	Runs      Runs
	WSURL     string // where sockets are opened, wss://…
	Version   string // of this server, told in welcome
}

// Service is the area. A function sets only the Deps its handlers use; the routes of machines need Table, Clock and Sockets.
type Service struct {
	Deps
}

// New makes the area.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d}
}

// post sends a message to a connection, as one frame or several. A dead connection is pags.Gone.
func (s *Service) post(ctx context.Context, connection, kind string, body any) error {
	m, err := relay.New(newID(), kind, body)
	if err != nil {
		return err
	}
	return s.send(ctx, connection, m)
}

func (s *Service) send(ctx context.Context, connection string, m relay.Message) error {
	frames, err := relay.Split(m)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := s.Sockets.Post(ctx, connection, f); err != nil {
			return err
		}
	}
	return nil
}

// newID names a message or a transaction: 32 characters fit both.
func newID() string { return pags.NewToken()[:32] }
