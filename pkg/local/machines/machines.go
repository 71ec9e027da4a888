// Package machines runs state machines on one machine: the States Language interpreter (pkg/asl) over a bbolt file. It is
// the local twin of Step Functions.
package machines

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Options say where executions live and what they reach. DB or Path is needed, and Clock, Functions, Definitions.
type Options struct {
	DB        *bolt.DB // shared with others; Close leaves it open
	Path      string   // a file of its own, locked while it is open
	Clock     port.Clock
	Functions port.Functions

	// Definitions by logical name, DefinitionSubstitutions applied. Of an ARN only the last part counts, so a substitution
	// may be asl.FunctionARN(name), asl.MachineARN(name) or the bare name.
	Definitions map[string]json.RawMessage

	// OnStatusChange is told the begin and the end of each execution as an EventBridge event ("Step Functions Execution
	// Status Change"). The end is told until nil comes back, also after a restart.
	OnStatusChange func(ctx context.Context, event json.RawMessage) error

	Retain     time.Duration // of finished executions; 0: 90 days
	MaxPayload int           // 0: 262,144 bytes
	MaxEvents  int64         // 0: 25,000
	Log        *slog.Logger  // nil: none
}

// Machines is port.Brains on one machine.
type Machines struct{ *asl.Engine }

var _ port.Brains = (*Machines)(nil)

// New reads the definitions and opens the store. It starts nothing: call Resume once the functions can be called. A
// definition that cannot be run is pags.Invalid and names machine, state and field.
func New(o Options) (*Machines, error) {
	parsed := make(map[string]*asl.Definition, len(o.Definitions))
	for name, raw := range o.Definitions {
		d, err := asl.Parse(raw)
		if err != nil {
			return nil, pags.Errorf(pags.Invalid, "state machine %s: %w", name, err)
		}
		parsed[name] = d
	}
	j, err := NewJournal(o.DB, o.Path)
	if err != nil {
		return nil, err
	}
	return &Machines{asl.New(asl.Options{Journal: j, Clock: o.Clock, Functions: o.Functions, Definitions: parsed,
		StatusChanged: o.OnStatusChange, MaxPayload: o.MaxPayload, MaxEvents: o.MaxEvents, Retain: o.Retain,
		Log: o.Log})}, nil
}
