package port

import "encoding/json"

// FunctionError is the answer of Functions.Invoke when the function ran and failed, as Lambda reports it. Any other error
// of Invoke means that the function could not be called: pags.NotFound (no such function), pags.RateLimited,
// pags.Unavailable. State machines match Type in Retry and Catch.
type FunctionError struct {
	Type    string          // errorType; empty if the function died without saying (out of memory, exit)
	Message string          // errorMessage
	Payload json.RawMessage // the whole error payload, where it is known
}

func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }
