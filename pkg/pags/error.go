package pags

import (
	"errors"
	"fmt"
)

// Code is the reason of a failure, the same on every surface: HTTP maps it to a status (pkg/httpapi), the CLI to an
// exit code. The text beside it says what was wrong and what to do, and is safe to show to the caller.
type Code string

const (
	Invalid         Code = "invalid"         // 400: the input is wrong; the text says which part
	Unauthenticated Code = "unauthenticated" // 401: no token, or one that is not good
	Forbidden       Code = "forbidden"       // 403: known and not allowed (suspended, wrong kind of session)
	NotFound        Code = "notFound"        // 404: not there, or not yours
	Conflict        Code = "conflict"        // 409: the state of things does not allow it now
	Gone            Code = "gone"            // 410: it was there and is over (expired, connection dead)
	TooLarge        Code = "tooLarge"        // 413
	Unprocessable   Code = "unprocessable"   // 422: well formed, but a field breaks a rule
	RateLimited     Code = "rateLimited"     // 429
	Internal        Code = "internal"        // 500: our fault; details only in the log
	Upstream        Code = "upstream"        // 502: someone else's service failed
	Unavailable     Code = "unavailable"     // 503: try again later
	Timeout         Code = "timeout"         // 504
)

// Error is the one error type that crosses a boundary outwards.
type Error struct {
	Code    Code
	Message string // for the caller; never storage text
	cause   error
	Detail  any // optional extra member for clients, such as the record a conflict is about
}

func (e *Error) Error() string {
	if e.cause != nil {
		return string(e.Code) + ": " + e.Message + ": " + e.cause.Error()
	}
	return string(e.Code) + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// Errorf makes an Error. A %w verb keeps the cause for logs without showing its text to the caller twice.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// Wrap gives an inner failure a code and a text of its own; the cause goes to the log only.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), cause: cause}
}

// With attaches a detail for clients and returns the same error.
func (e *Error) With(detail any) *Error { e.Detail = detail; return e }

// CodeOf returns the code of the nearest Error in the chain, or Internal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
