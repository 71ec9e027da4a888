// Package codemode runs a person's or a model's TypeScript in a sandbox, with tools as the only way out, and lets a program
// that waits for a human stop, cost nothing, and go on exactly once.
//
//	Engine      the sandbox: QuickJS in WebAssembly, a fresh instance per program (engine.go, vm.go, host.go, prelude/)
//	Program     one source in any of its forms, types stripped, positions kept (program.go, sourcemap.go)
//	Run         one slice of an execution over its journal (run.go, live.go, replay.go)
//	Journal     the ordered log that an execution is (journal.go)
//	Dispatcher  where calls of tools go (dispatch.go)
//
// On Lambda an Engine is used in-process. On one machine the sandbox lives in child processes (package worker), which also
// implement Sandbox.
package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits of one program. The zero value means the defaults.
type Limits struct {
	Compute  time.Duration `json:"compute"`  // longest computing between two waits; 5 min (spec tool-runtime 1f), at least 100 ms
	Output   int           `json:"output"`   // bytes of console output kept; 64 KB
	Result   int           `json:"result"`   // characters of JSON of the result; 1,000,000
	Args     int           `json:"args"`     // characters of JSON of one call's arguments; 1,000,000
	ArgsSum  int           `json:"argsSum"`  // and of all calls of an execution together; 32,000,000
	Calls    int           `json:"calls"`    // calls of tools in one execution, and timers; 10,000 each
	Timers   int           `json:"timers"`   // timers waiting at once; 1,000
	Parallel int           `json:"parallel"` // calls in flight at once; 32. Others wait their turn
}

// WithDefaults fills what is not set.
func (l Limits) WithDefaults() Limits {
	set := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	if l.Compute <= 0 {
		l.Compute = 5 * time.Minute
	}
	l.Compute = max(l.Compute, 100*time.Millisecond)
	set(&l.Output, 64<<10)
	set(&l.Result, 1_000_000)
	set(&l.Args, 1_000_000)
	set(&l.ArgsSum, 32_000_000)
	set(&l.Calls, 10_000)
	set(&l.Timers, 1_000)
	set(&l.Parallel, 32)
	return l
}

// Program is what a sandbox is asked to run. Seed and At make two runs of it alike: chance and time come from them.
type Program struct {
	Code   string   `json:"code"`
	Limits Limits   `json:"limits"`
	Seed   [32]byte `json:"seed"`
	At     int64    `json:"at"` // the program's clock when it starts, Unix milliseconds
	// Line is told each console line that is kept, while the program runs. It is called from one goroutine at a time.
	Line func(Line) `json:"-"`
}

// Line is one call of console.
type Line struct {
	Level string `json:"level"` // log, info, warn, error, debug
	Text  string `json:"text"`
}

// Sandbox opens programs. Engine is one in this process, worker.Pool one in child processes.
type Sandbox interface {
	// Open prepares a program; nothing of it has run yet. A program that cannot run at all is a *Failure.
	Open(ctx context.Context, p Program) (Session, error)
}

// Session is one program in its sandbox. It computes only inside Step and keeps still in between. Not for concurrent use.
type Session interface {
	// Step tells the program one thing and lets it compute until it waits. A program that breaks a limit gives a turn with a
	// Failure and is over; an error is the sandbox's own trouble, or the end of ctx.
	Step(ctx context.Context, e Event) (Turn, error)
	Close()
}

// ErrLost says that a sandbox is gone: someone killed it, or its program did. Run tries once more in another one.
var ErrLost = errors.New("the sandbox is gone")

// Event is what a program is told. The first is the start.
type Event struct {
	Kind   string          `json:"kind"` // start, answer, timer
	At     int64           `json:"at"`   // the program's clock from now on, Unix milliseconds
	Seq    int             `json:"seq,omitempty"`
	Timer  int             `json:"timer,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`  // what the call gives; empty is undefined
	Thrown *Thrown         `json:"thrown,omitempty"` // what the call throws instead
}

const (
	eventStart  = "start"
	eventAnswer = "answer"
	eventTimer  = "timer"
)

// Turn is what a program did in one step.
type Turn struct {
	Calls   []Made          `json:"calls,omitempty"`
	Timers  []Timer         `json:"timers,omitempty"`  // set in this turn
	Cleared []int           `json:"cleared,omitempty"` // no longer waited for
	Settled bool            `json:"settled,omitempty"` // the program itself has ended; calls it did not await may remain
	Value   json.RawMessage `json:"value,omitempty"`   // its result; empty is no value
	Failure *Failure        `json:"failure,omitempty"`
	Dropped Dropped         `json:"dropped,omitzero"` // console output beyond the cap, so far
}

// Made is a call that the program made: the Seq-th, counted from 1.
type Made struct {
	Seq  int             `json:"seq"`
	Path string          `json:"path"`
	Args json.RawMessage `json:"args"`
}

// Timer is due that many milliseconds after the clock of its turn.
type Timer struct {
	ID    int     `json:"id"`
	Delay float64 `json:"delay"`
}

// Uncounted stands for a number of lines that nobody is left to tell.
const Uncounted = -1

// Dropped counts console output that was not kept.
type Dropped struct {
	Lines int   `json:"lines"`
	Bytes int64 `json:"bytes"`
}

// Failure is how a program ended that did not complete. The text is for its author.
type Failure struct {
	Kind    FailureKind `json:"kind"`
	Name    string      `json:"name,omitempty"` // of the error that was thrown
	Code    string      `json:"code,omitempty"` // of the error that was thrown, such as declined
	Message string      `json:"message"`
	Cause   string      `json:"cause,omitempty"`
	Line    int         `json:"line,omitempty"` // in the author's text, from 1
	Column  int         `json:"column,omitempty"`
	Stack   []Frame     `json:"stack,omitempty"`
	// Of a divergence: which call, what the journal says and what the program did now.
	Step     int    `json:"step,omitempty"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
}

// Frame is one place in the author's text.
type Frame struct {
	Function string `json:"function,omitempty"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// FailureKind sorts failures.
type FailureKind string

const (
	FailSyntax    FailureKind = "syntax"    // the source cannot be read
	FailImport    FailureKind = "import"    // it wants a module
	FailThrown    FailureKind = "error"     // it threw
	FailTime      FailureKind = "time"      // it computed too long
	FailMemory    FailureKind = "memory"    // it needs more memory than it may have
	FailStalled   FailureKind = "stalled"   // it waits for something that nothing will settle
	FailLimit     FailureKind = "limit"     // another limit, named in the message
	FailDiverged  FailureKind = "diverged"  // run again it did something else than its journal says
	FailCancelled FailureKind = "cancelled" // someone asked for it to end
)

func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString(f.Title())
	if f.Line > 0 {
		fmt.Fprintf(&b, " (line %d, column %d)", f.Line, f.Column)
	}
	return b.String()
}

// Title is the message with the name of the error in front.
func (f *Failure) Title() string {
	if f.Name != "" {
		return f.Name + ": " + f.Message
	}
	return f.Message
}

func failf(kind FailureKind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Message: fmt.Sprintf(format, args...)}
}
