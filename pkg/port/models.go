package port

import (
	"context"
	"encoding/json"
	"time"
)

// Models asks a language model for one reply. Implementations never retry: retries live in the state machine definition.
//
// Errors carry a code: rate limit pags.RateLimited, overloaded or 5xx pags.Unavailable, bad key pags.Forbidden, a request
// the provider refuses pags.Invalid, deadline pags.Timeout, a reply that cannot be read pags.Upstream. A *ModelError in
// the chain tells how long to wait, where the provider said so. No error text holds the key.
type Models interface {
	Ask(ctx context.Context, c Credential, p Prompt) (Reply, error)
}

// Credential is whose account pays and where. Provider: "anthropic" (Messages API) or "openai" (chat completions, and
// everything compatible with it).
type Credential struct {
	Provider string
	BaseURL  string // empty: the provider's own
	Key      string
	Model    string // empty: the adapter's default
}

// Prompt is a conversation to continue.
type Prompt struct {
	System    string
	Messages  []Message
	Tools     []ToolSpec
	ForceTool bool // the reply must be a tool call
	MaxTokens int  // 0: 4,096
}

// Message is one turn. Role: user or assistant.
type Message struct {
	Role  string `json:"role"`
	Parts []Part `json:"parts"`
}

// Part is a piece of a message: exactly one of Text, Image, Call, Result.
type Part struct {
	Text   string      `json:"text,omitempty"`
	Image  *Image      `json:"image,omitempty"`
	Call   *ToolCall   `json:"call,omitempty"`
	Result *ToolResult `json:"result,omitempty"`
}

// Image is a picture for the model.
type Image struct {
	MediaType string `json:"mediaType"`
	Data      []byte `json:"data"`
}

// ToolSpec offers a tool. Schema is a JSON Schema object.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// ToolCall is what the model wants done.
type ToolCall struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"` // always a JSON object; a provider's unreadable arguments are pags.Upstream
}

// ToolResult answers a call.
type ToolResult struct {
	CallID  string `json:"callId"`
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"`
}

// Reply is what the model said.
type Reply struct {
	Text         string     `json:"text"`
	Calls        []ToolCall `json:"calls,omitempty"`
	Stop         string     `json:"stop"` // end, tool, length, refusal
	Model        string     `json:"model"`
	InputTokens  int64      `json:"inputTokens"`
	OutputTokens int64      `json:"outputTokens"`
}

// ModelError is the provider's side of a failure.
type ModelError struct {
	Status     int           // HTTP status, 0 if none came
	RetryAfter time.Duration // 0 if not said
	Message    string        // the provider's text, redacted and cut at 500 characters
}

func (e *ModelError) Error() string { return e.Message }
