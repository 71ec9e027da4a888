package catalog

import (
	"github.com/proagentstore/pags/pkg/pags"
)

// Codes of failed calls (spec tool-runtime 3).
const (
	CodeNotFound         = "tool_not_found"
	CodeBlocked          = "tool_blocked"
	CodeInvalidArguments = "invalid_tool_arguments"
	CodeBinding          = "binding_error"
	CodeUpstreamHTTP     = "upstream_http_error"
	CodeHeadersTimeout   = "upstream_response_headers_timeout"
	CodeBodyTimeout      = "upstream_response_body_timeout"
	CodeValueMissing     = "connection_value_missing"
	CodeRejected         = "connection_rejected"
	CodeScope            = "oauth_scope_insufficient"
	CodeOff              = "tool_off"     // its owner switched its source or connection off
	CodeResting          = "tool_resting" // it failed several times in a row and is left alone for a while
)

// Result is what every call ends in: {ok: true, data} or {ok: false, error}.
type Result struct {
	OK    bool     `json:"ok"`
	Data  any      `json:"data,omitempty"`
	Error *Failure `json:"error,omitempty"`
	HTTP  *HTTP    `json:"http,omitempty"`
}

// HTTP is what the answer said beside its body.
type HTTP struct {
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers,omitempty"`   // those that help a caller; never cookies
	Truncated bool              `json:"truncated,omitempty"` // the body was longer than what is kept
}

// Failure is an expected failure of a call.
type Failure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Status     int    `json:"status,omitempty"`
	Details    any    `json:"details,omitempty"`
	Retryable  bool   `json:"retryable,omitempty"`
	RetryAfter int    `json:"retryAfter,omitempty"` // seconds
}

func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// Unwrap gives the failure the code it has on other surfaces.
func (f *Failure) Unwrap() error {
	code := pags.Upstream
	switch f.Code {
	case CodeInvalidArguments:
		code = pags.Invalid
	case CodeBinding, CodeValueMissing:
		code = pags.Unprocessable
	case CodeNotFound:
		code = pags.NotFound
	case CodeBlocked:
		code = pags.Forbidden
	case CodeOff:
		code = pags.Conflict
	case CodeResting:
		code = pags.Unavailable
	case CodeHeadersTimeout, CodeBodyTimeout:
		code = pags.Timeout
	}
	return pags.Errorf(code, "%s", f.Message)
}

// Failed is the result of a failure.
func Failed(f *Failure) Result { return Result{Error: f} }

func invalid(message string) *Failure { return &Failure{Code: CodeInvalidArguments, Message: message} }

// File is a result, or part of one, that is bytes. Whoever hands it on may store Data and set Blob instead.
type File struct {
	Filename    string `json:"filename,omitempty"`
	ContentType string `json:"contentType"`
	Data        []byte `json:"data,omitempty"` // base64 in JSON
	Blob        string `json:"blob,omitempty"`
	Size        int    `json:"size"`
}
