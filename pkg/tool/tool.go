// Package tool is the one way on which calls of tools go, whoever makes them: a program, the HTTP surface, an MCP client.
//
//	routes.go    every route, first
//	tool.go      what is asked, what is judged, what the area needs of others
//	judge.go     may it go? declared, switched on, arguments, ceiling, policy, consent
//	question.go  what a person is shown before it goes
//	send.go      the audit row of the intent, the call, the audit row of the outcome
//	audit.go     audit rows, and where they are written
//	breaker.go   a tool that keeps failing rests for a while
//	builtin.go   the tools of the house, described by builtin.json
//	list.go      search and listing
//	describe.go  one tool for someone who is about to call it
package tool

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/rule"
)

// Sources knows the tools of a person's connections and sends calls of them.
type Sources interface {
	// Resolve finds a tool by its address, or by the short one where the source has one connection. A path that is no tool is a
	// Failure with suggestions; an error is our own trouble.
	Resolve(ctx context.Context, uid pags.UserID, path string) (*catalog.Bound, *catalog.Failure, error)
	Directory(ctx context.Context, uid pags.UserID) (*catalog.Directory, error)
	// Send calls upstream. What upstream says is a Result. An error with a method UnknownOutcome() string says that nobody can
	// tell whether the call took effect. key names the call for upstreams that take such a key.
	Send(ctx context.Context, uid pags.UserID, b *catalog.Bound, args map[string]any, key string) (catalog.Result, error)
}

// Policies gives a person's rules as they are now. When they cannot be read it is an error, and nothing goes.
type Policies interface {
	Rules(ctx context.Context, uid pags.UserID) (rule.Rules, error)
}

// Deps is what the area needs.
type Deps struct {
	Table    port.Table
	Clock    port.Clock
	Log      *slog.Logger
	Sources  Sources
	Policies Policies
}

// Service is the area. Safe for concurrent use.
type Service struct {
	Deps
	breaker breaker
}

// New makes the area.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d}
}

// Call is a call that someone wants to make.
type Call struct {
	User        pags.UserID
	Via         string     // who asks: http, cli, mcp, console, code
	Run         pags.RunID // empty: it belongs to none
	Seq         int        // which call of the run
	Key         string     // its name for ever: the same for every try
	Path        string     // an address, also the short one, also with "tools." before it
	Args        json.RawMessage
	AutoApprove bool // the owner waived the questions that policies ask for; not blocks, and not those about held definitions
}

// Judgement is what becomes of a call. Exactly one of these holds: Result is set (it is over, nothing is sent), Ask is set (a
// person has to be asked first), or it may go.
type Judgement struct {
	Call
	Address  string         // canonical; of a tool of the house its name
	Bound    *catalog.Bound // nil for a tool of the house
	Input    map[string]any // arguments, checked
	Result   *catalog.Result
	Ask      *Question
	Decision rule.Decision // what the policies say; a tool of the house is always approved
	// ReadOnly: it changes nothing. Keyed: upstream does it once for each Key.
	ReadOnly, Keyed bool
	// Digest of address, definition and arguments: exactly what a consent is for.
	Digest string

	consent string // who was asked, see Granted
}

// Question is what a person is asked before a call.
type Question struct {
	Reason  pags.WaitReason // approval, or value for a form
	Title   string
	Detail  string
	Request map[string]any
	Allowed []string
	Schema  json.RawMessage // of a form; also in Request
}

// Trail is where audit rows go that belong to a run, so that they can be written with its journal.
type Trail interface {
	// Intent is durable before it returns.
	Intent(ctx context.Context, w port.Write) error
	// Outcome may be durable later, with the journal.
	Outcome(ctx context.Context, w port.Write) error
}

// Granted notes that a person consented to what was asked: by names their answer, such as an interaction, and digest is that of
// the judgement that was shown. If what would be sent now is something else it is pags.Conflict: ask again.
func (j Judgement) Granted(by, digest string) (Judgement, error) {
	if by == "" || digest != j.Digest {
		return j, pags.Errorf(pags.Conflict, "what was approved is not what would be sent now: the tool or the arguments have changed; ask again")
	}
	j.consent = by
	return j, nil
}
