// Package run is the room of runs: any piece of work that takes time, as people see it. The brain's journal owns progress;
// a run is its projection, its events the timeline.
//
//	routes.go     every route, first
//	rows.go       keys and rows
//	start.go      one transaction: lock, run, open row, first event; launch.go: its execution
//	open.go       the same for a run that another room drafted and that holds no instance
//	advance.go    every later change, numbered and idempotent
//	hands.go      how its calls to machines fare
//	cancel.go     the owner wants it to end
//	read.go       get, list, events; picture.go, export.go
//	task.go       the older task views; outcome.go the table behind them
//	push.go       events to consoles, after the commit
//	reconcile.go  what died half way is finished; settle.go: one run of it
package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Machines are the logical names of the state machines in template.yaml, by kind of run.
var Machines = map[pags.RunKind]string{pags.KindBrowse: "BrowseMachine", pags.KindCode: "ExecutionMachine"}

// Instances is what runs ask of instances.
type Instances interface {
	Owned(ctx context.Context, uid pags.UserID, id pags.InstanceID) (pags.Instance, error)
	Touch(ctx context.Context, id pags.InstanceID) error
}

// Agents is what runs ask of agents.
type Agents interface {
	Get(ctx context.Context, id pags.AgentID) (pags.Agent, error)
}

// Keys is what runs ask of model keys: pags.Conflict with advice where the user has none.
type Keys interface {
	Credential(ctx context.Context, uid pags.UserID) (port.Credential, error)
}

// Asks is what runs ask of interactions.
type Asks interface {
	CancelRun(ctx context.Context, id pags.RunID) error                   // open ones are over; their tokens fail
	Deliver(ctx context.Context) error                                    // answers whose tokens were not told
	OfRun(ctx context.Context, id pags.RunID) ([]pags.Interaction, error) // oldest first
}

// Calls is what runs ask of machines.
type Calls interface {
	CancelCall(ctx context.Context, id pags.RunID) error // the command in flight is stopped, its token told
}

// Journal is what runs ask of the brain's journal.
type Journal interface {
	Steps(ctx context.Context, id pags.RunID) ([]map[string]any, error)
}

// Consoles pushes to a user's open consoles, best effort.
type Consoles interface {
	Push(ctx context.Context, uid pags.UserID, m relay.Message)
}

// Deps is what the area stands on.
type Deps struct {
	Table     port.Table
	Blobs     port.Blobs
	Brains    port.Brains
	Clock     port.Clock
	Log       *slog.Logger
	Instances Instances
	Agents    Agents
	Keys      Keys
	Consoles  Consoles // nil: nobody watches
	PublicURL string   // our own origin, which no task may open
}

// Service is the area. Safe for concurrent use once joined.
type Service struct {
	Deps
	asks    Asks
	calls   Calls
	journal Journal
	pushes  *pusher
}

// New makes the area. Join must follow before it is used.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d, pushes: newPusher(d.Clock, d.Consoles)}
}

// Join gives the areas that themselves stand on runs.
func (s *Service) Join(asks Asks, calls Calls, journal Journal) {
	s.asks, s.calls, s.journal = asks, calls, journal
}

// Times of the area.
const (
	nextGrace   = 20 * time.Second // a hand-over this old without its next execution is started by reconcile
	silentLimit = 3 * time.Hour    // spec platform 5.6
	humanLimit  = 24*time.Hour + silentLimit
	sleepLimit  = 30*24*time.Hour + silentLimit // a timer of a program waits at most 30 days
	cancelLimit = 10 * time.Minute              // a cancelled run that does not end by itself is ended
	messageLife = 24 * time.Hour                // a message id is remembered this long
)
