// Package interaction is the room of questions to people: any moment at which a run needs a human. A question keeps the exact
// request, is answered once, and its answer reaches the waiting state machine exactly once in effect.
//
//	routes.go   every route, first
//	rows.go     keys and rows
//	ask.go      a waiting task token becomes a question; a retried one replaces its token
//	answer.go   a person says something: one transaction, then the token; secret.go what they keep from models
//	deliver.go  tokens that were not told
//	read.go     inbox and single questions, expiry
//	cancel.go   the run is over or cancelled
package interaction

import (
	"context"
	"log/slog"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Runs is what interactions ask of runs.
type Runs interface {
	AdvanceWith(ctx context.Context, id pags.RunID, key string, change func(*pags.Run) error, events []pags.Event, extra ...port.Write) (pags.Run, error)
}

// Questions drafts the question of a step: everything but id, status and time of creation. A run that is over or is to end
// asks nothing: pags.Conflict.
type Questions interface {
	Question(ctx context.Context, id pags.RunID, ref Ref) (pags.Interaction, error)
}

// CheckForm holds the content of a form to the JSON Schema in its request, and lists what is wrong.
type CheckForm func(schema any, content map[string]any) []string

// Consoles pushes to a user's open consoles, best effort.
type Consoles interface {
	Push(ctx context.Context, uid pags.UserID, m relay.Message)
}

// Deps is what the area stands on.
type Deps struct {
	Table     port.Table
	Vault     port.Vault
	Brains    port.Brains
	Clock     port.Clock
	Log       *slog.Logger
	Runs      Runs
	Questions Questions
	Consoles  Consoles // nil: nobody watches
	CheckForm CheckForm
}

// Service is the area. Safe for concurrent use.
type Service struct{ Deps }

// New makes the area.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d}
}

// Limits of an answer, and how long things are kept.
const (
	maxValue   = 4_000
	maxNote    = 1_000
	maxForm    = 64 << 10            // JSON of a filled form
	asksPage   = 100                 // questions of a run that are read at once, as many as GetMany takes
	secretLife = 24 * time.Hour      // a secret goes with its run
	auditLife  = 90 * 24 * time.Hour // spec platform 6.8
)
