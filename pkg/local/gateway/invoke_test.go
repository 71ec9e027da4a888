package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda/messages"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

type modelBusy struct{}

func (*modelBusy) Error() string { return "later" }

func TestInvoke_FailuresAreNamedAsLambdaNamesThem(t *testing.T) {
	typed := func(f func(context.Context, struct{ N int }) (any, error)) Function { return Function{Event: Event(f)} }
	for name, c := range map[string]struct {
		f       Function
		kind    string
		message string
	}{
		"an error has the name of its type": {typed(func(context.Context, struct{ N int }) (any, error) { return nil, &modelBusy{} }), "modelBusy", "later"},
		"an error of ours is Error":         {typed(func(context.Context, struct{ N int }) (any, error) { return nil, pags.Errorf(pags.Invalid, "no") }), "Error", "invalid: no"},
		"a wrapped error is a wrapError":    {typed(func(context.Context, struct{ N int }) (any, error) { return nil, fmt.Errorf("a: %w", errors.New("b")) }), "wrapError", "a: b"},
		"an error that says its name": {typed(func(context.Context, struct{ N int }) (any, error) {
			return nil, messages.InvokeResponse_Error{Type: "Mine", Message: "m"}
		}), "Mine", "m"},
		"a panic with a text": {Function{Event: func(context.Context, []byte) ([]byte, error) { panic("boom") }}, "string", "boom"},
		"a run past the function's timeout": {Function{Event: func(ctx context.Context, _ []byte) ([]byte, error) {
			<-ctx.Done()
			time.Sleep(time.Millisecond)
			return nil, ctx.Err()
		}}, "Sandbox.Timedout", "Task timed out after 1.00 seconds"},
		"an answer above 6 MB":                          {Function{Event: func(context.Context, []byte) ([]byte, error) { return make([]byte, 7<<20), nil }}, "Function.ResponseSizeTooLarge", "exceeded maximum"},
		"a payload that is not what the function reads": {typed(func(context.Context, struct{ N int }) (any, error) { return nil, nil }), "UnmarshalTypeError", "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := house(t, c.f, "1").Invoke(context.Background(), "F", []byte(`{"N":`+map[bool]string{true: `"x"`, false: "1"}[c.kind == "UnmarshalTypeError"]+`}`))
			var failed *port.FunctionError
			if !errors.As(err, &failed) || failed.Type != c.kind || !strings.Contains(failed.Message, c.message) {
				t.Fatalf("got %v", err)
			}
			var wire struct{ ErrorType, ErrorMessage string }
			if json.Unmarshal(failed.Payload, &wire) != nil || wire.ErrorType != c.kind || wire.ErrorMessage != failed.Message {
				t.Errorf("payload %s", failed.Payload)
			}
		})
	}
}

func TestInvoke_WhatCannotBeCalledIsNoFailureOfAFunction(t *testing.T) {
	g := house(t, Function{Event: func(context.Context, []byte) ([]byte, error) { return []byte("1"), nil }})
	if _, err := g.Invoke(context.Background(), "Nobody", nil); !pags.Is(err, pags.NotFound) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := g.Invoke(context.Background(), "F", make([]byte, 7<<20)); !pags.Is(err, pags.TooLarge) {
		t.Errorf("too large: %v", err)
	}
	if out, err := g.Invoke(context.Background(), "F", nil); err != nil || string(out) != "1" {
		t.Errorf("answer %q, %v", out, err)
	}
}

func TestEmit_CallsTheFunctionsWhoseRulesMatch(t *testing.T) {
	var got atomic.Value
	functions := map[string]Function{}
	s := ours(t)
	for name := range s.Functions {
		functions[name] = Function{Event: func(_ context.Context, raw []byte) ([]byte, error) {
			got.Store(name + " " + string(raw))
			return nil, nil
		}}
	}
	g, err := New(Options{Stack: s, Functions: functions, Clock: fixed{}})
	if err != nil {
		t.Fatal(err)
	}
	detail := map[string]any{"stateMachineArn": s.Machines["BrowseMachine"].ARN, "status": "RUNNING"}
	if err := g.Emit(context.Background(), "aws.states", "Step Functions Execution Status Change", detail); err != nil || got.Load() != nil {
		t.Fatalf("no rule matches, and yet %v, %v", got.Load(), err)
	}
	detail["status"] = "FAILED"
	if err := g.Emit(context.Background(), "aws.states", "Step Functions Execution Status Change", detail); err != nil {
		t.Fatal(err)
	}
	if s, _ := got.Load().(string); !strings.HasPrefix(s, "ExecutionFunction {") || !strings.Contains(s, `"status":"FAILED"`) {
		t.Errorf("called %s", s)
	}
	if err := g.Emit(context.Background(), "x", "y", 7); err != nil {
		t.Errorf("a detail that matches nothing: %v", err)
	}
}

// fixed is a clock that fires at once.
type fixed struct{}

func (fixed) Now() time.Time { return time.Unix(1700000000, 0) }
func (fixed) After(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Unix(1700000060, 0)
	return c
}

func TestRunSchedules_CallsAtTheStartAndThenEachInterval(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var calls atomic.Int64
	functions := map[string]Function{}
	s := ours(t)
	for name := range s.Functions {
		functions[name] = Function{Event: func(_ context.Context, raw []byte) ([]byte, error) {
			if name != "ReconcileFunction" || !strings.Contains(string(raw), "Scheduled Event") {
				t.Errorf("%s was called with %s", name, raw)
			}
			if calls.Add(1) == 3 {
				stop()
			}
			return nil, errors.New("a failure is no reason to stop")
		}}
	}
	g, err := New(Options{Stack: s, Functions: functions, Clock: fixed{}})
	if err != nil {
		t.Fatal(err)
	}
	g.RunSchedules(ctx)
	if n := calls.Load(); n < 3 {
		t.Errorf("%d calls", n)
	}
}
