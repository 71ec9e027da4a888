package asl

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// call starts the scheduled task in a goroutine; its schedule is durable.
func (x *execution) call() {
	x.calling = x.p.head.Scheduled
	x.results = make(chan returned, 1)
	t, scheduled, results := x.p.state().task, x.calling, x.results
	in, fail := x.p.call()
	if fail != nil {
		results <- returned{scheduled: scheduled, fail: fail}
		return
	}
	go func() {
		r := returned{scheduled: scheduled}
		r.result, r.fail, r.unknown = x.e.perform(x.e.calls, t, in, callKey(x.id, scheduled))
		if x.e.calls.Err() != nil && r.fail != nil {
			r.unknown = true
		}
		results <- r
	}()
}

// perform makes one call. unknown: the host is stopping, so nothing can be said about it.
func (e *Engine) perform(ctx context.Context, t *task, in callInput, key string) (v any, f *Failure, unknown bool) {
	if t.kind == taskStart {
		return e.startChild(ctx, in, key)
	}
	out, err := e.invoke(ctx, in)
	if err != nil {
		return nil, functionFailure(err), false
	}
	var payload any
	if len(out) > 0 {
		if payload, err = decode(out); err != nil {
			return nil, &Failure{Error: ErrLambdaUnknown, Cause: "The function's answer is not JSON: " + err.Error()}, false
		}
	}
	if t.kind == taskFunction {
		return payload, nil, false
	}
	return invoked(payload, requestID(key)), nil, false
}

// invoke turns a panic of the function into its failure.
func (e *Engine) invoke(ctx context.Context, in callInput) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The value itself stays out of the log: it may quote the payload.
			e.o.Log.Error("function panicked", "function", in.name, "kind", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = &port.FunctionError{Message: "the function panicked"}
		}
	}()
	return e.o.Functions.Invoke(ctx, in.name, in.payload)
}

// startChild gives a child without a name one that a repeated call gives again.
func (e *Engine) startChild(ctx context.Context, in callInput, key string) (any, *Failure, bool) {
	if in.child == "" {
		in.child = requestID(key)
	}
	if e.o.Definitions[in.name] == nil {
		return nil, &Failure{Error: "StepFunctions.StateMachineDoesNotExistException",
			Cause: "State Machine Does Not Exist: '" + in.name + "'"}, false
	}
	id, err := e.start(ctx, in.name, in.child, in.payload, key)
	if err == nil {
		start, _, err := e.o.Journal.Load(ctx, id)
		if err != nil {
			return nil, nil, true
		}
		return started(id, start.At, requestID(key)), nil, false
	}
	if e.isClosing() {
		return nil, nil, true
	}
	name := map[pags.Code]string{pags.Conflict: "ExecutionAlreadyExistsException", pags.Invalid: "ValidationException",
		pags.TooLarge: "InvalidExecutionInputException"}[pags.CodeOf(err)]
	if name == "" {
		name = "SdkClientException"
	}
	return nil, &Failure{Error: "StepFunctions." + name, Cause: outward(err)}, false
}

// requestID is a UUID made of the call's key: a call that is made again has the same.
func requestID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return uuidText([16]byte(sum[:16]))
}

// functionFailure names an error of Functions.Invoke as Step Functions does: a function that failed by its errorType, with
// the whole payload as cause; one that could not be called by the Lambda exception; any other Go error by its type, which
// is what aws-lambda-go reports for it.
func functionFailure(err error) *Failure {
	if fe := (*port.FunctionError)(nil); errors.As(err, &fe) {
		name := fe.Type
		if name == "" {
			name = ErrLambdaUnknown
		}
		if v, err := decode(fe.Payload); err == nil {
			return &Failure{Error: name, Cause: string(encode(v))}
		}
		return &Failure{Error: name, Cause: string(encode(map[string]any{"errorMessage": fe.Message, "errorType": fe.Type}))}
	}
	if pe := (*pags.Error)(nil); errors.As(err, &pe) {
		name, ok := map[pags.Code]string{pags.NotFound: "ResourceNotFoundException",
			pags.RateLimited: "TooManyRequestsException", pags.TooLarge: "RequestTooLargeException"}[pe.Code]
		if !ok {
			name = "ServiceException"
		}
		return &Failure{Error: "Lambda." + name, Cause: pe.Message}
	}
	kind := reflect.TypeOf(err)
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return &Failure{Error: kind.Name(), Cause: string(encode(map[string]any{"errorMessage": err.Error(), "errorType": kind.Name()}))}
}

// outward is the outward text of an error.
func outward(err error) string {
	if pe := (*pags.Error)(nil); errors.As(err, &pe) {
		return pe.Message
	}
	return err.Error()
}
