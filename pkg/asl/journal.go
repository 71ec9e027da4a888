package asl

import (
	"context"
	"encoding/json"
	"time"
)

// Journal makes progress durable. The engine appends the batches of one execution one after another, of many executions
// at once; an implementation is free to commit several together.
type Journal interface {
	// Append makes the batch durable, all of it or nothing, before it returns nil.
	Append(ctx context.Context, b Batch) error
	// Load returns how an execution began and its newest head; pags.NotFound if it was never there or is pruned.
	Load(ctx context.Context, execution string) (Start, Head, error)
	// Events returns the history in order; pags.NotFound as Load.
	Events(ctx context.Context, execution string) ([]Event, error)
	// Unfinished lists executions whose newest head is not settled, oldest first.
	Unfinished(ctx context.Context) ([]string, error)
	// Prune removes settled executions that stopped before the time and tells how many.
	Prune(ctx context.Context, before time.Time) (int, error)
	// Close returns when all appends are answered; later ones fail.
	Close() error
}

// Batch is what one execution did since its last append.
type Batch struct {
	Execution string  `json:"-"`
	Start     *Start  `json:"start,omitempty"` // only in the first
	Events    []Event `json:"events,omitempty"`
	Head      Head    `json:"head"`
}

// Start never changes. An execution keeps the definition it was started with.
type Start struct {
	Machine    string          `json:"machine"`
	Name       string          `json:"name"`
	Input      json.RawMessage `json:"input"`
	Definition json.RawMessage `json:"definition"`
	At         time.Time       `json:"at"`
	By         string          `json:"by,omitempty"` // the task that started it: execution # event id
}

// Phase says what an execution does next.
type Phase string

const (
	phaseEnter    Phase = "enter"    // enter the state
	phaseWait     Phase = "wait"     // a Wait state until Wake
	phaseSchedule Phase = "schedule" // evaluate the task's parameters
	phaseRetry    Phase = "retry"    // schedule again at Wake
	phaseCall     Phase = "call"     // the task is scheduled: call it
	phaseToken    Phase = "token"    // the task was submitted: wait for its token
	phaseOver     Phase = "over"
)

// Head is where an execution stands: enough, with its Start, to go on.
type Head struct {
	Phase        Phase           `json:"phase"`
	State        string          `json:"state,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"` // of the state
	EnteredAt    time.Time       `json:"enteredAt,omitzero"`
	EnteredEvent int64           `json:"enteredEvent,omitempty"`
	LastEvent    int64           `json:"lastEvent"`

	Attempt   int64           `json:"attempt,omitempty"`   // $$.State.RetryCount
	Retries   []int64         `json:"retries,omitempty"`   // used, for each retrier
	Call      json.RawMessage `json:"call,omitempty"`      // evaluated parameters, while phase is call
	Scheduled int64           `json:"scheduled,omitempty"` // event of the schedule: the call's key
	Token     string          `json:"token,omitempty"`
	Wake      time.Time       `json:"wake,omitzero"`
	Deadline  time.Time       `json:"deadline,omitzero"` // of the task
	Heartbeat int64           `json:"heartbeat,omitempty"`

	Status  string          `json:"status"`
	Output  json.RawMessage `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"`
	Cause   string          `json:"cause,omitempty"`
	Stopped time.Time       `json:"stopped,omitzero"`
	Settled bool            `json:"settled,omitempty"` // over, and whoever had to be told was told
}
