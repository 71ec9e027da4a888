package execution

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
	NextWait     = "wait"  // for people, with a task token
	NextSleep    = "sleep" // for time alone
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
	Step           int        `json:"step"` // slices made in this generation
	Next           string     `json:"next,omitempty"`
	Asks           []Ref      `json:"asks,omitempty"`           // with wait: whose answers it waits for
	WaitSeconds    int        `json:"waitSeconds,omitempty"`    // with wait and sleep
	NextName       string     `json:"nextName,omitempty"`       // with handover
	NextGeneration int        `json:"nextGeneration,omitempty"` // with handover
	Last           Last       `json:"last,omitzero"`            // how the last state ended
}

// Ref names a question: the call that asks, and its round (see Asks).
type Ref struct {
	Step  int `json:"step"`
	Round int `json:"round,omitempty"`
}

// Last is how a state ended. Only errors matter: answers are read from the table.
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

// Event is what the definition sends to CodeFunction.
type Event struct {
	Op        string `json:"op"` // slice, giveUp
	Cursor    Cursor `json:"cursor"`
	Execution string `json:"execution"`
}

// Handle is the function's entry.
func (s *Service) Handle(ctx context.Context, e Event) (Cursor, error) {
	switch e.Op {
	case "slice":
		return s.slice(ctx, e.Cursor, e.Execution)
	case "giveUp":
		return s.giveUp(ctx, e.Cursor)
	}
	return Cursor{}, pags.Errorf(pags.Invalid, "there is no operation %q; the definition sends slice and giveUp", e.Op)
}

// over is the cursor of a run that ended. An execution is failed only where the machinery failed: a program that throws is a
// result, so that an alarm on failed executions means something.
func over(c Cursor) Cursor {
	return Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: c.Step, Next: NextDone}
}

// handover is the cursor that begins the run's newest generation.
func handover(c Cursor, run pags.Run) Cursor {
	return Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: 0, Next: NextHandover,
		NextName: fmt.Sprintf("%s-g%d", run.ID, run.Generation), NextGeneration: run.Generation}
}

// giveUp ends a run whose slice failed for good. The cause goes to the log only.
func (s *Service) giveUp(ctx context.Context, c Cursor) (Cursor, error) {
	s.Log.ErrorContext(ctx, "gives up", "run", c.RunID, "error", c.Last.Error, "cause", clip(c.Last.Cause, 2000))
	run, err := s.runs.Load(ctx, c.RunID)
	if err != nil {
		return Cursor{}, err
	}
	c.Next = NextFailed
	if run.Status.Over() || c.Generation < run.Generation {
		return c, nil
	}
	outcome, detail := pags.OutcomeFailed, fmt.Sprintf("Something failed inside pags (%s); the log of CodeFunction says what. Run the program again.", clip(c.Last.Error, 60))
	if run.CancelAsked {
		outcome, detail = pags.OutcomeCancelled, "Cancelled by the owner."
	}
	_, err = s.runs.AdvanceWith(ctx, c.RunID, "give-up", func(r *pags.Run) error {
		r.Status, r.Outcome, r.Detail = outcome.Status(), outcome, detail
		return nil
	}, []pags.Event{ended(outcome, detail)})
	if err != nil && !pags.Is(err, pags.Conflict) {
		return Cursor{}, err
	}
	return c, s.closeAsks(ctx, c.RunID)
}

func ended(outcome pags.Outcome, detail string) pags.Event {
	return pags.Event{Kind: "ended", Text: detail, Data: map[string]any{"outcome": string(outcome)}}
}

// clip cuts a text to n bytes, at a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}
