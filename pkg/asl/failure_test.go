package asl

import (
	"slices"
	"testing"
	"time"
)

func TestFailure_MatchesByNameAndWildcards(t *testing.T) {
	plain, timeout := &Failure{Error: "X"}, &Failure{Error: ErrTimeout}
	beat := &Failure{Error: ErrTimeout, beat: true}
	limit, runtime := &Failure{Error: ErrDataLimit}, &Failure{Error: ErrRuntime}
	cases := []struct {
		name  string
		f     *Failure
		names []string
		want  bool
	}{
		{"its own name", plain, []string{"Y", "X"}, true},
		{"another name", plain, []string{"Y"}, false},
		{"ALL takes an error", plain, []string{ErrAll}, true},
		{"TaskFailed takes an error", plain, []string{ErrTaskFailed}, true},
		{"Timeout takes a timeout", timeout, []string{ErrTimeout}, true},
		{"ALL takes a timeout", timeout, []string{ErrAll}, true},
		{"TaskFailed does not take a timeout", timeout, []string{ErrTaskFailed}, false},
		{"HeartbeatTimeout does not take a timeout", timeout, []string{ErrHeartbeat}, false},
		{"HeartbeatTimeout takes a missed beat", beat, []string{ErrHeartbeat}, true},
		{"Timeout takes a missed beat", beat, []string{ErrTimeout}, true},
		{"ALL does not take a data limit", limit, []string{ErrAll}, false},
		{"TaskFailed does not take a data limit", limit, []string{ErrTaskFailed}, false},
		{"a data limit by its own name", limit, []string{ErrDataLimit}, true},
		{"ALL does not take a runtime error", runtime, []string{ErrAll}, false},
		{"nothing takes a runtime error", runtime, []string{ErrRuntime, ErrTaskFailed}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.f.matches(c.names); got != c.want {
				t.Errorf("matches(%v) = %v", c.names, got)
			}
		})
	}
}

// failing counts pauses and attempts of a task that always fails with the errors in turn.
func failing(t *testing.T, retry string, errors []string) (pauses []time.Duration, p *progress) {
	t.Helper()
	p = pure(parsed(t, oneState(`{`+invokeEcho+`,"Retry":`+retry+`,"Next":"T"}`)), `{}`)
	now := start0
	for i := 0; ; {
		n := p.advance(now)
		switch {
		case n.over:
			return pauses, p
		case n.call:
			p.returned(now, nil, &Failure{Error: errors[i%len(errors)]})
			i++
		default:
			pauses = append(pauses, n.until.Sub(now))
			now = n.until
		}
	}
}

func TestRetry_PausesGrowAreCappedAndJittered(t *testing.T) {
	s := time.Second
	cases := []struct {
		name, retry string
		errors      []string
		want        []time.Duration
	}{
		{"defaults", `[{"ErrorEquals":["States.ALL"]}]`, []string{"X"}, []time.Duration{s, 2 * s, 4 * s}},
		{"interval and rate", `[{"ErrorEquals":["X"],"IntervalSeconds":2,"BackoffRate":1.5,"MaxAttempts":3}]`, []string{"X"}, []time.Duration{2 * s, 3 * s, 4500 * time.Millisecond}},
		{"a cap", `[{"ErrorEquals":["X"],"IntervalSeconds":3,"BackoffRate":10,"MaxDelaySeconds":5,"MaxAttempts":3}]`, []string{"X"}, []time.Duration{3 * s, 5 * s, 5 * s}},
		{"full jitter takes part of it", `[{"ErrorEquals":["X"],"IntervalSeconds":2,"MaxAttempts":2,"JitterStrategy":"FULL"}]`, []string{"X"}, []time.Duration{s, 2 * s}},
		{"no attempts", `[{"ErrorEquals":["X"],"MaxAttempts":0}]`, []string{"X"}, nil},
		{"every retrier counts for itself", `[{"ErrorEquals":["A"],"MaxAttempts":1},{"ErrorEquals":["B"],"IntervalSeconds":7,"MaxAttempts":2,"BackoffRate":1}]`, []string{"A", "B", "B", "A"}, []time.Duration{s, 7 * s, 7 * s}},
		{"an error without a retrier", `[{"ErrorEquals":["A"]}]`, []string{"X"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pauses, p := failing(t, c.retry, c.errors)
			if !slices.Equal(pauses, c.want) {
				t.Errorf("pauses %v, want %v", pauses, c.want)
			}
			if p.head.Status != Failed {
				t.Errorf("ended %s", p.head.Status)
			}
		})
	}
}

func TestRetry_CountsInTheContextAndStaysInTheState(t *testing.T) {
	p := pure(parsed(t, oneState(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"F","Payload":{"n.$":"$$.State.RetryCount"}},"Retry":[{"ErrorEquals":["X"]}],"OutputPath":"$.Payload","Next":"T"}`)), `{}`)
	now := start0
	for i := range 3 {
		p.advance(now)
		if want := `{"FunctionName":"F","Payload":{"n":` + string(number(int64(i))) + `}}`; string(p.head.Call) != want {
			t.Fatalf("attempt %d calls with %s, want %s", i, p.head.Call, want)
		}
		p.returned(now, nil, &Failure{Error: "X"})
		now = p.advance(now).until
	}
	entered := 0
	for _, e := range p.events {
		if e.Type == "TaskStateEntered" {
			entered++
		}
	}
	if entered != 1 {
		t.Errorf("entered %d times", entered)
	}
}

func TestCatch_FirstCatcherThatMatchesAfterRetriesAreUsedUp(t *testing.T) {
	d := parsed(t, `{"StartAt":"S","States":{"S":{`+invokeEcho+`,"OutputPath":"$.Payload",
		"Retry":[{"ErrorEquals":["A"],"MaxAttempts":1}],
		"Catch":[{"ErrorEquals":["B"],"Next":"T"},{"ErrorEquals":["A","C"],"ResultPath":"$.e","Next":"U"},{"ErrorEquals":["States.ALL"],"Next":"T"}],
		"End":true},"T":{"Type":"Fail"},"U":{"Type":"Succeed"}}}`)
	p := pure(d, `{"keep":1}`)
	p.advance(start0)
	p.returned(start0, nil, &Failure{Error: "A", Cause: "first"})
	at := p.advance(start0).until
	p.advance(at)
	p.returned(at, nil, &Failure{Error: "A", Cause: "second"})
	p.advance(at)
	if want := `{"e":{"Cause":"second","Error":"A"},"keep":1}`; string(p.head.Output) != want {
		t.Errorf("%s %s, want %s", p.head.Status, p.head.Output, want)
	}
}
