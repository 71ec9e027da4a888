// Package port says what pags asks of the outside. Each interface has two real implementations (AWS and one machine),
// both held to the same contract suite in porttest. It imports only pags.
package port

import (
	"context"
	"io"
	"time"
)

// Clock tells the time. Everything that waits or expires takes one, so tests move time by hand.
type Clock interface {
	Now() time.Time
	// After sends once when d has passed on this clock.
	After(d time.Duration) <-chan time.Time
}

// Blobs keeps bytes by key (S3 | files). Keys are slash-separated, at most 1,024 bytes, no "." or ".." part, no leading slash.
//
// Errors: absent is pags.NotFound; a failed If* is pags.Conflict; a bad key or range is pags.Invalid.
type Blobs interface {
	Put(ctx context.Context, key string, body []byte, o PutOptions) (BlobInfo, error)
	// Get reads all, or length bytes from offset where length > 0; a negative offset counts from the end.
	Get(ctx context.Context, key string, offset, length int64) ([]byte, BlobInfo, error)
	Open(ctx context.Context, key string) (io.ReadCloser, BlobInfo, error)
	Head(ctx context.Context, key string) (BlobInfo, error)
	Delete(ctx context.Context, key string) error // deleting what is absent is fine
	// List returns up to limit keys under prefix in byte order, after the key given (exclusive).
	List(ctx context.Context, prefix, after string, limit int) ([]BlobInfo, error)
	// PresignPut gives a URL that accepts exactly size bytes with that SHA-256 (hex) for d (at most 15 minutes here).
	// The request must be a PUT that carries the returned headers.
	PresignPut(ctx context.Context, key string, size int64, sha256 string, contentType string, d time.Duration) (Presigned, error)
	// PresignGet gives a URL that reads the key for d.
	PresignGet(ctx context.Context, key string, d time.Duration) (Presigned, error)
}

// PutOptions are conditions and facts of a put.
type PutOptions struct {
	IfAbsent    bool   // only if there is nothing
	IfMatch     string // only if the ETag is this
	ContentType string
}

// BlobInfo describes a stored blob.
type BlobInfo struct {
	Key         string
	Size        int64
	ETag        string
	ContentType string
}

// Presigned is a URL that carries its own permission.
type Presigned struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers,omitempty"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

// Brains runs state machines (Step Functions | the embedded interpreter). machine is the logical name in template.yaml,
// such as "BrowseMachine".
type Brains interface {
	// Start begins an execution. Names are at most 80 characters of [A-Za-z0-9_-]; the same name with the same input
	// answers the running execution, with another input or after it ended pags.Conflict.
	Start(ctx context.Context, machine, name string, input []byte) (execution string, err error)
	// Stop ends an execution as ABORTED; an ended one is left alone.
	Stop(ctx context.Context, execution, errorName, cause string) error
	// Describe tells how an execution stands; an unknown one is pags.NotFound.
	Describe(ctx context.Context, execution string) (Execution, error)
	// SendSuccess, SendFailure and SendHeartbeat speak to the task that waits with the token. A token that was used, timed out
	// or never was is pags.Gone.
	SendSuccess(ctx context.Context, token string, output []byte) error
	SendFailure(ctx context.Context, token, errorName, cause string) error
	SendHeartbeat(ctx context.Context, token string) error
}

// Execution is how a state machine execution stands. Status: RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED.
type Execution struct {
	ID        string
	Machine   string
	Name      string
	Status    string
	Input     []byte
	Output    []byte
	Error     string
	Cause     string
	StartedAt time.Time
	StoppedAt time.Time
}

// Sockets reaches an open WebSocket connection (API Gateway management API | embedded hub).
type Sockets interface {
	// Post sends one text frame of at most 32 KB; a connection that is over is pags.Gone, a larger frame pags.TooLarge.
	Post(ctx context.Context, connectionID string, data []byte) error
	// Close ends the connection; one that is over already is fine.
	Close(ctx context.Context, connectionID string) error
}

// Vault seals short texts (KMS data keys | key file). bind names what the text belongs to (owner, row, origin); opening
// with another bind, or what was tampered with, is pags.Invalid.
type Vault interface {
	Seal(ctx context.Context, plaintext []byte, bind map[string]string) (sealed []byte, err error)
	Open(ctx context.Context, sealed []byte, bind map[string]string) (plaintext []byte, err error)
}

// Timers calls a function once at a time (EventBridge Scheduler | embedded). Names are unique; setting one again moves it.
// Delivery is at least once, never early.
type Timers interface {
	Set(ctx context.Context, name string, at time.Time, function string, payload []byte) error
	Cancel(ctx context.Context, name string) error
}

// Functions calls one of our functions by its logical name in template.yaml (Lambda Invoke | in process).
type Functions interface {
	Invoke(ctx context.Context, function string, payload []byte) ([]byte, error)
}
