// Package execution is the room of programs: a person's or an agent's TypeScript run against the catalog, as a run that stops
// when a person is needed and goes on exactly once. The journal owns its progress; the run is what people look at.
//
//	routes.go    every route, first
//	start.go     one transaction: run and program; then the wait for what is visible. call.go: one tool, called; literal.go its arguments
//	bell.go      who waits for a slice of this process hears of its end
//	view.go      an execution for people; status.go the table from run to its older statuses
//	steps.go     the journal as one step for each call
//	cursor.go    what travels between states, and the entry of CodeFunction
//	slice.go     one slice, from the journal to the next pause; rest.go what it then waits for
//	watch.go     a cancel, or an answer, while a slice runs
//	journal.go   the ordered log as rows; result.go how it ended
//	dispatch.go  where calls go, and what people said about them
//	question.go  what a person is asked
//	resume.go    answers, from any session or machine
package execution

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Draft is a run made ready to be opened, with what has to be written beside it.
type Draft struct {
	Run       pags.Run
	MessageID string
	Digest    string
	Writes    []port.Write
}

// Runs is what executions ask of runs.
type Runs interface {
	Open(ctx context.Context, d Draft) (pags.Run, error)
	Load(ctx context.Context, id pags.RunID) (pags.Run, error)
	Get(ctx context.Context, uid pags.UserID, id pags.RunID) (pags.Run, error)
	Programs(ctx context.Context, uid pags.UserID, cursor string, limit int) (httpapi.Page[pags.Run], error)
	Cancel(ctx context.Context, uid pags.UserID, id pags.RunID) (pags.Run, error)
	AdvanceWith(ctx context.Context, id pags.RunID, key string, change func(*pags.Run) error, events []pags.Event, extra ...port.Write) (pags.Run, error)
}

// Asks is what executions ask of interactions. A question is named by the call that asks and its round: 0 before it leaves,
// n after it left for the n-th time and nobody knows what became of it.
type Asks interface {
	Of(ctx context.Context, id pags.RunID, call, round int) (pags.Interaction, error)
	OfRun(ctx context.Context, id pags.RunID) ([]pags.Interaction, error)
	CancelRun(ctx context.Context, id pags.RunID) error
	Answer(ctx context.Context, caller httpapi.Caller, id pags.InteractionID, a pags.Answer) (pags.Interaction, error)
}

// Call is one call of a tool on its way to the dispatch path.
type Call struct {
	User        pags.UserID
	Via         string
	Run         pags.RunID
	Seq         int
	Key         string
	Path        string
	Args        json.RawMessage
	AutoApprove bool
}

// Judgement is what the dispatch path says of a call. Handle is its own, for Send.
type Judgement struct {
	Address  string
	Result   *catalog.Result // it is over
	Ask      *Question       // a person comes first
	ReadOnly bool
	Keyed    bool
	Digest   string             // of address, definition and arguments: exactly what an approval is for
	Consent  pags.InteractionID // the question that a person said yes to; set before Send
	Handle   any
}

// Question is what a person is asked before a call.
type Question struct {
	Reason        pags.WaitReason
	Title, Detail string
	Request       map[string]any
	Allowed       []string
}

// Trail takes the audit rows of calls: an intent is durable when it returns, an outcome at the latest with the answer.
type Trail interface {
	Intent(ctx context.Context, w port.Write) error
	Outcome(ctx context.Context, w port.Write) error
}

// Tools is the one dispatch path. Judge has no effect. Send does a call, or notes and gives the result of one that is over; its
// error is the house's own trouble, and one with a method UnknownOutcome() string says that nobody knows whether the call
// happened. Ended notes a call that ends without being sent now: ok, failed, declined or unknown.
type Tools interface {
	Judge(ctx context.Context, c Call) (Judgement, error)
	Send(ctx context.Context, j Judgement, t Trail) (catalog.Result, error)
	Ended(ctx context.Context, j Judgement, how string, t Trail) error
}

// Deps is what the area stands on.
type Deps struct {
	Table     port.Table
	Blobs     port.Blobs
	Clock     port.Clock
	Log       *slog.Logger
	Sandbox   codemode.Sandbox // nil in a function that runs no programs
	PublicURL string
	// SlicesPerExecution is after how many slices a run goes on in a fresh state machine execution; 500, since a slice and its
	// wait take at most 20 of the 25,000 events of one history (spec limits).
	SlicesPerExecution int
	// Limits of each program; the zero value has the defaults. A host that is started with others ends paused programs differently.
	Limits codemode.Limits
	// Dispatch, if there is one, judges and sends calls elsewhere: where programs run nothing else is in reach.
	Dispatch func(ctx context.Context, in DispatchInput) (DispatchOutput, error)
}

// Service is the area. Safe for concurrent use once joined.
type Service struct {
	Deps
	runs  Runs
	asks  Asks
	tools Tools
	bells bells
}

// New makes the area. Join must follow before it is used.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.SlicesPerExecution <= 0 {
		d.SlicesPerExecution = 500
	}
	return &Service{Deps: d}
}

// Join gives the areas it stands on, and that stand on it.
func (s *Service) Join(runs Runs, asks Asks, tools Tools) {
	s.runs, s.asks, s.tools = runs, asks, tools
}

// Limits of the area.
const (
	maxCode   = 200_000        // bytes of a program; a row holds 400 KB
	maxTitle  = 200            // characters
	maxWait   = 20             // seconds that a caller may wait for what is visible (architecture 6)
	maxAsks   = 50             // questions of one run that are open at once; more follow as these are answered
	humanWait = 24 * time.Hour // how long a question is open
)

func key(id pags.RunID, sk string) port.Key { return port.Key{PK: "R#" + string(id), SK: sk} }
