package codemode

import (
	"context"
	"encoding/json"

	"github.com/proagentstore/pags/pkg/pags"
)

// Dispatcher is where calls of tools go: the one dispatch path of the house. It is asked in two phases, so that a call that
// waits for a human has provably not left, and a call that may have left is never sent again by accident.
//
// Both are called from several goroutines at once. An error is the house's own trouble, not the tool's: of Admit it ends the
// slice, which can be run again; of Send see there. What a tool says, failures included, is an Answer.
type Dispatcher interface {
	// Admit looks whether a call may go: declared, switched on, arguments valid, policy, consent. It has no effect outside the
	// house and may be asked again at any time, in later slices too; Call.Pause is then what it answered before. Whoever
	// answers a pause makes Admit say something else next time.
	Admit(ctx context.Context, c Call) (Admission, error)
	// Send does it. Unless the tool only reads, the journal durably says so before Send is called. A call that was sent and
	// has no answer is sent again only if Admit says that it may be repeated. A Send that ends with an error after ctx is over
	// is repeated like that in the next slice; any other error of a call that only reads is thrown in the program, and that of
	// another call is an unknown outcome.
	Send(ctx context.Context, c Call) (Answer, error)
}

// Call is one call of an execution. Key is its name for ever: the same for each try, after crashes and in later slices.
type Call struct {
	Run   pags.RunID
	Seq   int // from 1, in the order the program made them
	Key   string
	Path  string
	Args  json.RawMessage // an object, or what the program gave
	Sent  bool            // it was sent before
	Pause *Pause          // what it waited for when last asked
}

// Admission says what becomes of a call. Without Answer and Pause it may go.
type Admission struct {
	Answer   *Answer // it is over without being sent: refused, declined, arguments wrong, or told by a person
	Pause    *Pause  // it waits; nothing was sent now
	ReadOnly bool    // it changes nothing: needs no durable word before it leaves, and may be repeated
	Keyed    bool    // whoever gets it does it once for each Key, so it may be repeated
}

// Answer is the outcome of a call. Exactly one part is set; none of them means that the call gives undefined.
type Answer struct {
	Value   json.RawMessage // what the call gives
	Thrown  *Thrown         // what it throws instead, where a program can catch it
	Pause   *Pause          // it was taken and goes on elsewhere; ask again when the pause is over
	Unknown string          // nobody can say whether it happened: why
}

// Pause is something outside that a call waits for.
type Pause struct {
	ID     string          `json:"id,omitempty"` // the dispatcher's, such as an interaction
	Reason pags.WaitReason `json:"reason"`
	Detail string          `json:"detail,omitempty"`
}

// Thrown is an error that a program can catch.
type Thrown struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
}

func (t *Thrown) text() string {
	raw, _ := json.Marshal(t)
	return string(raw)
}

// Declined is what a call throws that a person said no to.
func Declined(path string) *Thrown {
	return &Thrown{Name: "DeclinedError", Code: "declined", Message: "declined: a person said no to " + path}
}

// unknown pauses a call of which nobody can say whether it happened. A person has to look; then Admit gives the answer, or
// lets it go again.
func unknown(why string) *Pause { return &Pause{Reason: pags.WaitUnknown, Detail: why} }
