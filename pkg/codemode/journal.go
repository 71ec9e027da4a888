package codemode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Journal is the log of one execution, and the execution is what its journal says.
type Journal interface {
	// Load gives all entries, in order.
	Load(ctx context.Context) ([]Entry, error)
	// Append adds entries after the first at of them, all or none, and returns when they are durable. If the journal is not
	// exactly that long it changes nothing and says pags.Conflict: another slice of the same execution is at work.
	Append(ctx context.Context, at int, entries []Entry) error
}

// Entry is one thing that happened, in the order in which the program learned of it.
type Entry struct {
	Kind   string          `json:"kind"`
	At     int64           `json:"at"`               // the program's clock, Unix milliseconds
	Seq    int             `json:"seq,omitempty"`    // the call
	Path   string          `json:"path,omitempty"`   // call
	Args   json.RawMessage `json:"args,omitempty"`   // call
	Value  json.RawMessage `json:"value,omitempty"`  // answer, end
	Thrown *Thrown         `json:"thrown,omitempty"` // answer
	Pause  *Pause          `json:"pause,omitempty"`  // pause
	Timer  int             `json:"timer,omitempty"`  // timer
	Line   *Line           `json:"line,omitempty"`   // line

	Code    string   `json:"code,omitempty"`    // start: digest of the program
	Version string   `json:"version,omitempty"` // start: of the sandbox
	Seed    string   `json:"seed,omitempty"`    // start: of chance, hex
	Failure *Failure `json:"failure,omitempty"` // end
}

// Kinds of entries.
const (
	EntryStart  = "start"  // the first: clock and seed of the execution
	EntryCall   = "call"   // the program made a call
	EntrySent   = "sent"   // a call that may have an effect is about to leave
	EntryPause  = "pause"  // a call waits for something outside
	EntryAnswer = "answer" // the outcome of a call; the program learns them in this order
	EntryTimer  = "timer"  // a timer is due
	EntryLine   = "line"   // a console line
	EntryEnd    = "end"    // the last: result or failure
)

// digest of a program, so that a journal is never replayed with another.
func digest(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// Lines gives the console lines of an execution.
func Lines(entries []Entry) []Line {
	var out []Line
	for _, e := range entries {
		if e.Line != nil {
			out = append(out, *e.Line)
		}
	}
	return out
}
