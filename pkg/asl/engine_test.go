package asl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type functions func(ctx context.Context, function string, payload []byte) ([]byte, error)

func (f functions) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	return f(ctx, function, payload)
}

func echo(_ context.Context, _ string, payload []byte) ([]byte, error) { return payload, nil }

const (
	handMachine = `{"StartAt":"Hand","States":{"Hand":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
		"Parameters":{"FunctionName":"Hand","Payload":{"token.$":"$$.Task.Token"}},"HeartbeatSeconds":60,"TimeoutSeconds":600,"End":true}}}`
	echoMachine = `{"StartAt":"Echo","States":{"Echo":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
		"Parameters":{"FunctionName":"Echo","Payload.$":"$"},"OutputPath":"$.Payload","End":true}}}`
	parentMachine = `{"StartAt":"Start","States":{"Start":{"Type":"Task","Resource":"arn:aws:states:::states:startExecution",
		"Parameters":{"StateMachineArn":"Echo","Input":{"a":1}},"ResultSelector":{"id.$":"$.ExecutionArn"},"End":true}}}`
)

// engine starts one over the journal; the test closes it unless it does so earlier.
func engine(t *testing.T, j asl.Journal, clock port.Clock, f port.Functions, change func(*asl.Options)) *asl.Engine {
	t.Helper()
	o := asl.Options{Journal: j, Clock: clock, Functions: f, Definitions: map[string]*asl.Definition{}}
	for name, text := range map[string]string{"Hand": handMachine, "Echo": echoMachine, "Parent": parentMachine} {
		d, err := asl.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		o.Definitions[name] = d
	}
	if change != nil {
		change(&o)
	}
	e := asl.New(o)
	if err := e.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return e
}

func begin(t *testing.T, e *asl.Engine, machine, name, input string) string {
	t.Helper()
	id, err := e.Start(t.Context(), machine, name, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// eventually polls a condition of something that runs beside the test.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func ended(t *testing.T, e *asl.Engine, id string) port.Execution {
	t.Helper()
	var x port.Execution
	eventually(t, id+" ends", func() bool {
		var err error
		if x, err = e.Describe(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return x.Status != asl.Running
	})
	return x
}

func TestEngine_AFunctionMayTellTheTokenBeforeItReturns(t *testing.T) {
	var e *asl.Engine
	early := functions(func(ctx context.Context, _ string, p []byte) ([]byte, error) {
		var in struct{ Token string }
		_ = json.Unmarshal(p, &in)
		if err := e.SendSuccess(ctx, in.Token, []byte(`"early"`)); err != nil {
			return nil, err
		}
		return nil, errors.New("what the function says afterwards does not count")
	})
	e = engine(t, asl.NewMemoryJournal(), porttest.NewClock(t0), early, nil)
	id := begin(t, e, "Hand", "a", `{}`)
	if x := ended(t, e, id); string(x.Output) != `"early"` {
		t.Errorf("ended as %+v", x)
	}
	events, _ := e.History(t.Context(), id)
	var types []string
	for _, ev := range events {
		types = append(types, ev.Type)
	}
	want := "ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskSubmitted TaskSucceeded TaskStateExited ExecutionSucceeded"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events %s", got)
	}
}

// flaky refuses appends while down.
type flaky struct {
	*asl.MemoryJournal
	mu   sync.Mutex
	down bool
}

func (f *flaky) set(down bool) { f.mu.Lock(); f.down = down; f.mu.Unlock() }

func (f *flaky) Append(ctx context.Context, b asl.Batch) error {
	f.mu.Lock()
	down := f.down
	f.mu.Unlock()
	if down {
		return errors.New("no space left on device")
	}
	return f.MemoryJournal.Append(ctx, b)
}

func TestEngine_NothingIsAcknowledgedBeforeItIsDurable(t *testing.T) {
	j := &flaky{MemoryJournal: asl.NewMemoryJournal()}
	clock := porttest.NewClock(t0)
	tokens := make(chan string, 1)
	e := engine(t, j, clock, functions(func(_ context.Context, _ string, p []byte) ([]byte, error) {
		var in struct{ Token string }
		_ = json.Unmarshal(p, &in)
		tokens <- in.Token
		return []byte(`{}`), nil
	}), nil)
	id := begin(t, e, "Hand", "a", `{}`)
	token := <-tokens
	eventually(t, "submitted", func() bool { ev, _ := e.History(t.Context(), id); return len(ev) == 5 })
	j.set(true)
	if _, err := e.Start(t.Context(), "Echo", "b", []byte(`{}`)); err == nil {
		t.Error("a start was acknowledged that is not durable")
	}
	acked := make(chan error, 1)
	go func() { acked <- e.SendSuccess(context.Background(), token, []byte(`1`)) }()
	eventually(t, "the append is tried again later", func() bool { d, ok := clock.Next(); return ok && d == time.Second })
	select {
	case err := <-acked:
		t.Fatalf("acknowledged %v while the journal refuses", err)
	default:
	}
	j.set(false)
	clock.Advance(time.Second)
	if err := <-acked; err != nil {
		t.Error(err)
	}
	if x := ended(t, e, id); x.Status != asl.Succeeded {
		t.Errorf("ended as %+v", x)
	}
}

func TestEngine_StatusChangesAreToldUntilTakenAlsoAfterARestart(t *testing.T) {
	j := reopened{asl.NewMemoryJournal()}
	clock := porttest.NewClock(t0)
	var mu sync.Mutex
	var seen []string
	taken := false
	tell := func(o *asl.Options) {
		o.StatusChanged = func(_ context.Context, event json.RawMessage) error {
			var in struct {
				Source, ID string
				Type       string `json:"detail-type"`
				Detail     struct {
					ExecutionArn, Status, Output string
					StopDate                     int64
				}
			}
			if err := json.Unmarshal(event, &in); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, in.Detail.Status+in.Detail.Output)
			if in.Source != "aws.states" || in.Type != "Step Functions Execution Status Change" || in.ID == "" {
				t.Errorf("event %s", event)
			}
			if in.Detail.Status != asl.Running && !taken {
				return errors.New("not now")
			}
			return nil
		}
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(seen) }
	first := engine(t, j, clock, functions(echo), tell)
	id := begin(t, first, "Echo", "a", `{"x":1}`)
	eventually(t, "told", func() bool { return count() == 2 })
	eventually(t, "pauses", func() bool { d, ok := clock.Next(); return ok && d == time.Second })
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	taken = true
	mu.Unlock()
	engine(t, j, clock, functions(echo), tell)
	eventually(t, "told again", func() bool { return count() == 3 })
	eventually(t, "settled", func() bool { u, _ := j.Unfinished(t.Context()); return len(u) == 0 })
	if got := strings.Join(seen, " "); got != `RUNNING SUCCEEDED{"x":1} SUCCEEDED{"x":1}` {
		t.Errorf("told %s about %s", got, id)
	}
}

func TestEngine_AChildStartedTwiceByOneTaskIsOneExecution(t *testing.T) {
	j := reopened{asl.NewMemoryJournal()}
	clock := porttest.NewClock(t0)
	e := engine(t, j, clock, functions(echo), nil)
	x := ended(t, e, begin(t, e, "Parent", "a", `{}`))
	var out struct{ ID string }
	if err := json.Unmarshal(x.Output, &out); err != nil || out.ID == "" {
		t.Fatalf("%s %v", x.Output, err)
	}
	ended(t, e, out.ID)
	all, _ := j.Unfinished(t.Context())
	if len(all) != 0 {
		t.Errorf("unfinished %v", all)
	}
	if child, err := e.Describe(t.Context(), out.ID); err != nil || string(child.Input) != `{"a":1}` {
		t.Errorf("child %+v %v", child, err)
	}
}

func TestEngine_FinishedExecutionsArePrunedAfterTheirTime(t *testing.T) {
	clock := porttest.NewClock(t0)
	e := engine(t, asl.NewMemoryJournal(), clock, functions(echo), func(o *asl.Options) { o.Retain = time.Hour })
	id := begin(t, e, "Echo", "a", `{}`)
	ended(t, e, id)
	running := begin(t, e, "Hand", "h", `{}`)
	if n, err := e.Prune(t.Context()); n != 0 || err != nil {
		t.Errorf("pruned %d too early, %v", n, err)
	}
	clock.Advance(time.Hour + time.Second)
	eventually(t, "pruned", func() bool { _, err := e.Describe(t.Context(), id); return pags.Is(err, pags.NotFound) })
	if _, err := e.Describe(t.Context(), running); err != nil {
		t.Errorf("the running one: %v", err)
	}
	begin(t, e, "Echo", "a", `{}`) // the name is free again
}

func TestEngine_FailuresOfFunctionsAreNamedAsOnAWS(t *testing.T) {
	cases := []struct {
		name        string
		err         error
		want, cause string
	}{
		{"a typed failure", &port.FunctionError{Type: "ModelBusy", Message: "m"}, "ModelBusy", `{"errorMessage":"m","errorType":"ModelBusy"}`},
		{"with its payload", fmt.Errorf("invoke: %w", &port.FunctionError{Type: "T", Payload: []byte(`{"errorType":"T","stackTrace":[]}`)}), "T", `{"errorType":"T","stackTrace":[]}`},
		{"without a type", &port.FunctionError{Message: "exit status 1"}, "Lambda.Unknown", `{"errorMessage":"exit status 1","errorType":""}`},
		{"a plain Go error", errors.New("m"), "errorString", `{"errorMessage":"m","errorType":"errorString"}`},
		{"no such function", pags.Errorf(pags.NotFound, "no F"), "Lambda.ResourceNotFoundException", "no F"},
		{"throttled", pags.Errorf(pags.RateLimited, "slow"), "Lambda.TooManyRequestsException", "slow"},
		{"not reachable", pags.Errorf(pags.Unavailable, "down"), "Lambda.ServiceException", "down"},
		{"a panic", nil, "Lambda.Unknown", `{"errorMessage":"the function panicked","errorType":""}`},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, asl.NewMemoryJournal(), porttest.NewClock(t0), functions(func(context.Context, string, []byte) ([]byte, error) {
				if c.err == nil {
					panic("boom")
				}
				return nil, c.err
			}), nil)
			x := ended(t, e, begin(t, e, "Echo", fmt.Sprint("f", i), `{}`))
			if x.Error != c.want || x.Cause != c.cause {
				t.Errorf("%s %s, want %s %s", x.Error, x.Cause, c.want, c.cause)
			}
		})
	}
}

func TestEngine_InputAndOutputLimits(t *testing.T) {
	e := engine(t, asl.NewMemoryJournal(), porttest.NewClock(t0), functions(echo), func(o *asl.Options) { o.MaxPayload = 20 })
	if _, err := e.Start(t.Context(), "Echo", "a", []byte(`"`+strings.Repeat("x", 19)+`"`)); !pags.Is(err, pags.TooLarge) {
		t.Errorf("input: %v", err)
	}
	if err := e.SendSuccess(t.Context(), "any", []byte(`"`+strings.Repeat("x", 19)+`"`)); !pags.Is(err, pags.TooLarge) {
		t.Errorf("output: %v", err)
	}
}

func TestEngine_BeforeResumeNothingIsTaken(t *testing.T) {
	d, err := asl.Parse([]byte(echoMachine))
	if err != nil {
		t.Fatal(err)
	}
	e := asl.New(asl.Options{Journal: asl.NewMemoryJournal(), Clock: porttest.NewClock(t0), Functions: functions(echo),
		Definitions: map[string]*asl.Definition{"Echo": d}})
	if _, err := e.Start(t.Context(), "Echo", "a", nil); !pags.Is(err, pags.Unavailable) {
		t.Errorf("start: %v", err)
	}
	if err := e.SendSuccess(t.Context(), "t", []byte(`1`)); !pags.Is(err, pags.Unavailable) {
		t.Errorf("token: %v", err)
	}
}
