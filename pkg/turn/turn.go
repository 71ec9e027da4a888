// Package turn makes one decision of a brain durable. The state machine knows only a cursor; everything else is in the
// table and in blobs, and whatever runs twice finds what the first run wrote.
//
//	cursor.go   what travels between states, and the events of the function
//	decide.go   one decision: read, observe, think, write
//	gather.go   what the last move came to; runners and people that do not answer
//	think.go    the model, and its failures as the definition knows them
//	write.go    one transaction: step, run, events
//	journal.go  steps as rows; large parts as blobs
//	pending.go  what a step wants of a runner or of a person
//	giveup.go   the definition's last resort
package turn

import (
	"context"
	"log/slog"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Runs is what turns ask of runs.
type Runs interface {
	Load(ctx context.Context, id pags.RunID) (pags.Run, error)
	Advance(ctx context.Context, id pags.RunID, key string, change func(*pags.Run) error, events ...pags.Event) (pags.Run, error)
	AdvanceWith(ctx context.Context, id pags.RunID, key string, change func(*pags.Run) error, events []pags.Event, extra ...port.Write) (pags.Run, error)
	CallWaiting(ctx context.Context, id pags.RunID, step int, why string) error
}

// Instances is what turns ask of instances.
type Instances interface {
	Load(ctx context.Context, id pags.InstanceID) (pags.Instance, error)
}

// Agents is what turns ask of agents.
type Agents interface {
	Get(ctx context.Context, id pags.AgentID) (pags.Agent, error)
}

// Keys is what turns ask of model keys: pags.Conflict with advice where the user has none.
type Keys interface {
	Credential(ctx context.Context, uid pags.UserID) (port.Credential, error)
}

// CallInfo is how a call to a runner stands.
type CallInfo struct {
	Accepted  bool // it was put on a connection, so the machine may have acted on it
	CreatedAt time.Time
	MachineID pags.MachineID
}

// Calls is what turns ask of machines. Outcome is nil while there is none; a step without a call has the zero CallInfo.
type Calls interface {
	Outcome(ctx context.Context, id pags.RunID, step int) (*relay.Outcome, CallInfo, error)
	CancelCall(ctx context.Context, id pags.RunID) error
}

// Asks is what turns ask of interactions. Of answers pags.NotFound for a step that asks nothing yet, and marks one whose
// time is over as expired first.
type Asks interface {
	Of(ctx context.Context, id pags.RunID, step int) (pags.Interaction, error)
	CancelRun(ctx context.Context, id pags.RunID) error
}

// Deps is what the area stands on.
type Deps struct {
	Table     port.Table
	Blobs     port.Blobs
	Models    port.Models
	Clock     port.Clock
	Log       *slog.Logger
	Runs      Runs
	Instances Instances
	Agents    Agents
	Keys      Keys

	HandoverAfter int           // decisions in one execution; 0: DefaultHandover
	LossBudget    time.Duration // how long a runner may be away; 0: DefaultLoss
}

// DefaultHandover keeps an execution's history far below 25,000 events (limit of Step Functions): a step has about 13, a
// retried one about 30.
const DefaultHandover = 200

// DefaultLoss is how long a step waits for a runner that is away.
const DefaultLoss = 10 * time.Minute

// modelLimit is the provider's deadline; the function has 300 s (architecture, one step).
const modelLimit = 180 * time.Second

// tries bounds how often one step is asked for again without any time passing.
const tries = 40

// Service is the area. Safe for concurrent use once joined.
type Service struct {
	Deps
	calls Calls
	asks  Asks
}

// New makes the area. Join must follow before it decides.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.HandoverAfter <= 0 {
		d.HandoverAfter = DefaultHandover
	}
	if d.LossBudget <= 0 {
		d.LossBudget = DefaultLoss
	}
	return &Service{Deps: d}
}

// Join gives the areas that themselves stand on turns.
func (s *Service) Join(calls Calls, asks Asks) { s.calls, s.asks = calls, asks }
