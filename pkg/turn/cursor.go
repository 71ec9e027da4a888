package turn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
)

// CursorVersion is the version of Cursor that this code speaks.
const CursorVersion = 1

// Values of Cursor.Next, as the Choice state of the definition knows them.
const (
	NextCall     = "call"
	NextAsk      = "ask"
	NextAgain    = "again"
	NextHandover = "handover"
	NextDone     = "done"
	NextFailed   = "failed"
)

// Cursor is all that travels between states: where the run is, never what it holds.
type Cursor struct {
	V              int        `json:"v"`
	RunID          pags.RunID `json:"runId"`
	Generation     int        `json:"generation"`
	Step           int        `json:"step"` // the last decision made
	Next           string     `json:"next,omitempty"`
	WaitSeconds    int        `json:"waitSeconds,omitempty"`    // with ask
	NextName       string     `json:"nextName,omitempty"`       // with handover
	NextGeneration int        `json:"nextGeneration,omitempty"` // with handover
	Again          int        `json:"again,omitempty"`          // how often this step was asked for again
	Last           Last       `json:"last,omitzero"`            // how the last wait ended
}

// Last is how a wait ended. Only errors matter: results are read from the table.
type Last struct {
	Error string `json:"Error,omitempty"`
	Cause string `json:"Cause,omitempty"`
}

// UnmarshalJSON takes any result of a task: what is not an object with an error is none.
func (l *Last) UnmarshalJSON(raw []byte) error {
	type plain Last
	var p plain
	if json.Unmarshal(raw, &p) == nil {
		*l = Last(p)
	}
	return nil
}

// Event is what the definition sends to the function.
type Event struct {
	Op        string `json:"op"` // decide, giveUp
	Cursor    Cursor `json:"cursor"`
	Execution string `json:"execution"`
}

// Failed is what giving up knows.
type Failed struct {
	RunID      pags.RunID `json:"runId"`
	Generation int        `json:"generation"`
	Step       int        `json:"step"`
	Last       Last       `json:"last"`
}

// Handle is the function's entry.
func (s *Service) Handle(ctx context.Context, e Event) (Cursor, error) {
	switch e.Op {
	case "decide":
		return s.decide(ctx, e.Cursor, e.Execution)
	case "giveUp":
		c := e.Cursor
		return s.GiveUp(ctx, Failed{RunID: c.RunID, Generation: c.Generation, Step: c.Step, Last: c.Last})
	}
	return Cursor{}, pags.Errorf(pags.Invalid, "there is no operation %q; the definition sends decide and giveUp", e.Op)
}

// Decide makes one decision.
func (s *Service) Decide(ctx context.Context, c Cursor) (Cursor, error) { return s.decide(ctx, c, "") }

// executionName is the name of a run's execution; the same rule as where the first one is started.
func executionName(id pags.RunID, generation int) string {
	return fmt.Sprintf("%s-g%d", id, generation)
}

// over is the cursor of a run that ended. An execution is failed only where the machinery failed, so that an alarm on failed
// executions means something.
func over(c Cursor, r pags.Run) Cursor {
	next := NextDone
	if r.Outcome == pags.OutcomeFailed {
		next = NextFailed
	}
	return Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: r.Step, Next: next}
}
