package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// maxPayload is Lambda's limit for the payload and for the answer of a synchronous call: 6 MB and, as its own refusal
// counts it, 100 bytes (spec limits C.1).
const maxPayload = 6*1024*1024 + 100

// Event makes a function of bytes from any handler that lambda.Start takes, with the same decoding and encoding.
func Event(handler any) func(ctx context.Context, payload []byte) ([]byte, error) {
	return lambda.NewHandler(handler).Invoke
}

// Invoke calls a function and waits, the way Lambda does: a payload or an answer above 6 MB, a function's own error, a panic
// and a run past the function's Timeout come back as *port.FunctionError with the errorType that Lambda reports.
// An unknown function is pags.NotFound.
func (g *Gateway) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	f := g.functions[function]
	if f == nil {
		return nil, pags.Errorf(pags.NotFound, "there is no function %s in the template", function)
	}
	if len(payload) > maxPayload {
		return nil, pags.Errorf(pags.TooLarge, "a payload of %d bytes for %s is above Lambda's 6 MB", len(payload), function)
	}
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	id := g.requestID()
	out, err := run(ctx, f.Timeout, id, func(ctx context.Context) ([]byte, error) { return f.event(ctx, payload) })
	if err == nil && len(out) > maxPayload {
		err = failure("Function.ResponseSizeTooLarge", fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", maxPayload))
	}
	if err != nil {
		g.log.ErrorContext(ctx, "function failed", "function", function, "request", id, "error", err.Error())
		return nil, err
	}
	return out, nil
}

// errTimeout marks the end of a function's own Timeout, as apart from its caller's patience.
var errTimeout = errors.New("the function's timeout is over")

// run calls code under a deadline and turns whatever goes wrong into what Lambda says of it. A process that is shared
// cannot be killed as a sandbox is: code past its deadline goes on with a cancelled context, and its answer is dropped.
func run[T any](ctx context.Context, limit time.Duration, id string, code func(context.Context) (T, error)) (T, error) {
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: id})
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	type answer struct {
		out T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.err = failure(typeName(v), fmt.Sprint(v))
			}
			done <- a
		}()
		a.out, a.err = code(ctx)
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	if a.err != nil && context.Cause(ctx) == errTimeout {
		a.err = failure("Sandbox.Timedout", fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, limit.Seconds()))
	}
	return a.out, reported(a.err)
}

// reported names a function's error as aws-lambda-go does: by its Go type, unless it says so itself. One that
// another process reported stays as it is.
func reported(err error) error {
	if err == nil {
		return nil
	}
	switch own := err.(type) {
	case *port.FunctionError:
		return own
	case messages.InvokeResponse_Error:
		return failure(own.Type, own.Message)
	}
	return failure(typeName(err), err.Error())
}

func typeName(v any) string {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		return t.Elem().Name()
	}
	return t.Name()
}

func failure(kind, message string) *port.FunctionError {
	raw, _ := json.Marshal(map[string]string{"errorType": kind, "errorMessage": message}) // two texts always marshal
	return &port.FunctionError{Type: kind, Message: message, Payload: raw}
}
