package asl

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var start0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func pure(d *Definition, input string) *progress {
	p := &progress{id: ExecutionARN("M", "n"), def: d, maxPayload: MaxPayload, maxEvents: MaxEvents,
		rand: func() float64 { return 0.5 }, quiet: true,
		start: Start{Machine: "M", Name: "n", Input: []byte(input), Definition: d.raw, At: start0}}
	p.begin()
	return p
}

func parsed(t *testing.T, definition string) *Definition {
	t.Helper()
	d, err := Parse([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drive runs without functions: every task echoes its payload.
func drive(t *testing.T, p *progress) {
	t.Helper()
	now := start0
	for range 10_000 {
		n := p.advance(now)
		switch {
		case n.over:
			return
		case n.call:
			in, fail := p.call()
			if fail != nil {
				t.Fatal(fail)
			}
			out, _ := decode(in.payload)
			if p.state().task.kind == taskInvoke {
				out = invoked(out, "r")
			}
			p.returned(now, out, nil)
		case !n.until.IsZero():
			now = n.until
		}
	}
	t.Fatal("does not end")
}

// single runs one state whose Next, if any, is T.
func single(t *testing.T, state, input string) Head {
	t.Helper()
	p := pure(parsed(t, oneState(state)), input)
	drive(t, p)
	return p.head
}

func TestData_FlowsAsOnAWS(t *testing.T) {
	cases := []struct{ name, state, input, want string }{
		{"nothing given passes the input", `{"Type":"Pass","Next":"T"}`, `{"a":1}`, `{"a":1}`},
		{"numbers keep their digits", `{"Type":"Pass","ResultPath":"$.r","Result":1.50,"Next":"T"}`, `{"n":12345678901234567890.10}`, `{"n":12345678901234567890.10,"r":1.50}`},
		{"texts are not escaped for HTML", `{"Type":"Pass","Next":"T"}`, `"<a&b>é"`, `"<a&b>é"`},
		{"InputPath null is an empty object", `{"Type":"Pass","InputPath":null,"Next":"T"}`, `[1]`, `{}`},
		{"OutputPath null is an empty object", `{"Type":"Pass","OutputPath":null,"Next":"T"}`, `[1]`, `{}`},
		{"ResultPath null keeps the raw input", `{"Type":"Pass","InputPath":"$.a","Result":5,"ResultPath":null,"Next":"T"}`, `{"a":1}`, `{"a":1}`},
		{"ResultPath goes into the raw input, not the effective one", `{"Type":"Pass","InputPath":"$.a","ResultPath":"$.r","Next":"T"}`, `{"a":{"b":1}}`, `{"a":{"b":1},"r":{"b":1}}`},
		{"ResultPath makes objects on its way", `{"Type":"Pass","Result":1,"ResultPath":"$.x.y['z w']","Next":"T"}`, `{}`, `{"x":{"y":{"z w":1}}}`},
		{"ResultPath replaces a list element", `{"Type":"Pass","Result":9,"ResultPath":"$.l[1]","Next":"T"}`, `{"l":[1,2]}`, `{"l":[1,9]}`},
		{"parameters mix fixed and selected", `{"Type":"Pass","Parameters":{"f":[{"g.$":"$.a"}],"k":"$.a"},"Next":"T"}`, `{"a":1}`, `{"f":[{"g":1}],"k":"$.a"}`},
		{"the context object", `{"Type":"Pass","Parameters":{"e.$":"$$.Execution.Name","i.$":"$$.Execution.Input.a","t.$":"$$.Execution.StartTime","s.$":"$$.State.Name","m.$":"$$.StateMachine.Name","id.$":"$$.StateMachine.Id","x.$":"$$.Execution.Id","c.$":"$$.State.EnteredTime"},"Next":"T"}`, `{"a":1}`,
			`{"c":"2026-03-01T12:00:00.000Z","e":"n","i":1,"id":"arn:aws:states:local:000000000000:stateMachine:M","m":"M","s":"S","t":"2026-03-01T12:00:00.000Z","x":"arn:aws:states:local:000000000000:execution:M:n"}`},
		{"wildcard, slice, list of indexes, descent", `{"Type":"Pass","Parameters":{"w.$":"$.l[*].v","s.$":"$.l[1:]","i.$":"$.l[0,-1].v","d.$":"$..v","k.$":"$['a b','c']"},"Next":"T"}`, `{"l":[{"v":1},{"v":2},{"v":3}],"a b":4,"c":5}`,
			`{"d":[1,2,3],"i":[1,3],"k":[4,5],"s":[{"v":2},{"v":3}],"w":[1,2,3]}`},
		{"a selector picks from the result of a task", `{` + invokeEcho + `,"ResultSelector":{"p.$":"$.Payload.a","v.$":"$.ExecutedVersion"},"ResultPath":"$.r","Next":"T"}`, `{"a":1}`, `{"a":1,"r":{"p":1,"v":"$LATEST"}}`},
		{"a plain function answers its payload", `{"Type":"Task","Resource":"arn:aws:lambda:eu-west-1:1:function:F:live","InputPath":"$.a","Next":"T"}`, `{"a":[1]}`, `[1]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if h := single(t, c.state, c.input); string(h.Output) != c.want {
				t.Errorf("%s %s %s: output %s, want %s", h.Status, h.Error, h.Cause, h.Output, c.want)
			}
		})
	}
}

func TestData_WhatCannotBeSelectedFailsAndIsNotCaught(t *testing.T) {
	cases := []struct{ name, state, input, err, cause string }{
		{"InputPath", `{"Type":"Pass","InputPath":"$.x","Next":"T"}`, `{}`, ErrRuntime, `(entered at the event id #2). The JSONPath '$.x'`},
		{"parameters of a task, in spite of a catcher", `{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"F","Payload.$":"$.x"},"Catch":[{"ErrorEquals":["States.ALL"],"Next":"T"}],"Next":"T"}`, `{}`, ErrRuntime, `field 'Payload.$'`},
		{"choice on what is absent", `{"Type":"Choice","Choices":[{"Variable":"$.x","IsNull":true,"Next":"T"}]}`, `{}`, ErrRuntime, "Invalid path '$.x'"},
		{"ResultPath through a text", `{"Type":"Pass","ResultPath":"$.a.b","Next":"T"}`, `{"a":"text"}`, ErrResultPath, "$.a.b"},
		{"intrinsic", `{"Type":"Pass","Parameters":{"a.$":"States.MathAdd('x', 1)"},"Next":"T"}`, `{}`, ErrIntrinsic, "States.MathAdd"},
		{"seconds below zero", `{"Type":"Wait","SecondsPath":"$.s","Next":"T"}`, `{"s":-1}`, ErrRuntime, "SecondsPath"},
		{"timestamp that is none", `{"Type":"Wait","TimestampPath":"$.s","Next":"T"}`, `{"s":"soon"}`, ErrRuntime, "TimestampPath"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := single(t, c.state, c.input)
			if h.Status != Failed || h.Error != c.err || !strings.Contains(h.Cause, c.cause) {
				t.Errorf("%s %s %q, want %s with %q", h.Status, h.Error, h.Cause, c.err, c.cause)
			}
		})
	}
}

func TestFail_TakesErrorAndCauseFromPathsAndFunctions(t *testing.T) {
	d := parsed(t, `{"StartAt":"S","States":{"S":{"Type":"Fail","ErrorPath":"$.e","CausePath":"States.Format('no {}', $.w)"}}}`)
	p := pure(d, `{"e":"Named","w":"way"}`)
	drive(t, p)
	if p.head.Error != "Named" || p.head.Cause != "no way" {
		t.Errorf("%s %s", p.head.Error, p.head.Cause)
	}
}

// TestLimits_SF01_PayloadCountsBytes: 255 KiB of two-byte characters pass, 257 KiB do not, wherever they arise.
func TestLimits_SF01_PayloadCountsBytes(t *testing.T) {
	text := func(bytes int) string { return `{"reply":"` + strings.Repeat("é", (bytes-12)/2) + `"}` }
	if h := single(t, `{"Type":"Pass","Next":"T"}`, text(MaxPayload)); h.Status != Succeeded {
		t.Errorf("at the limit: %s %s", h.Status, h.Error)
	}
	cases := map[string]string{
		"output of a state":    `{"Type":"Pass","ResultPath":"$.copy","Next":"T"}`,
		"parameters of a task": `{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"F","Payload":{"a.$":"$","b.$":"$"}},"Catch":[{"ErrorEquals":["States.ALL"],"Next":"T"}],"Next":"T"}`,
		"result of a task":     `{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"F","Payload.$":"$"},"Catch":[{"ErrorEquals":["States.TaskFailed"],"Next":"T"}],"Next":"T"}`,
	}
	sizes := map[string]int{"output of a state": 140 << 10, "parameters of a task": 140 << 10, "result of a task": MaxPayload - 60}
	for name, state := range cases {
		t.Run(name, func(t *testing.T) {
			h := single(t, state, text(sizes[name]))
			if h.Status != Failed || h.Error != ErrDataLimit {
				t.Errorf("%s %s, want %s", h.Status, h.Error, ErrDataLimit)
			}
		})
	}
	h := single(t, `{`+invokeEcho+`,"Catch":[{"ErrorEquals":["States.DataLimitExceeded"],"ResultPath":null,"Next":"T"}],"Next":"T"}`,
		text(MaxPayload-60))
	if h.Status != Succeeded {
		t.Errorf("caught by its own name: %s %s", h.Status, h.Error)
	}
}

// TestLimits_SF02_HistoryEndsTheExecution: the last event of a full history is its failure.
func TestLimits_SF02_HistoryEndsTheExecution(t *testing.T) {
	loop := parsed(t, `{"StartAt":"S","States":{"S":{"Type":"Pass","Next":"C"},"C":{"Type":"Choice","Choices":[{"Variable":"$.x","IsPresent":true,"Next":"T"}],"Default":"S"},"T":{"Type":"Succeed"}}}`)
	task := parsed(t, `{"StartAt":"S","States":{"S":{`+invokeEcho+`,"OutputPath":"$.Payload","Next":"C"},"C":{"Type":"Choice","Choices":[{"Variable":"$.x","IsPresent":true,"Next":"T"}],"Default":"S"},"T":{"Type":"Succeed"}}}`)
	for name, d := range map[string]*Definition{"passes": loop, "tasks": task} {
		for limit := int64(3); limit < 40; limit++ {
			p := pure(d, `{}`)
			p.maxEvents = limit
			drive(t, p)
			last := p.events[len(p.events)-1]
			if p.head.Error != ErrRuntime || last.ID != limit || last.Type != EventFailed ||
				!strings.Contains(last.Cause, fmt.Sprintf("maximum number of history events (%d)", limit)) {
				t.Fatalf("%s, limit %d: %s, last event %+v", name, limit, p.head.Error, last)
			}
		}
	}
	ends := parsed(t, `{"StartAt":"S","States":{"S":{"Type":"Pass","End":true}}}`)
	p := pure(ends, `{}`)
	p.maxEvents = 4 // started, entered, exited, succeeded
	drive(t, p)
	if p.head.Status != Succeeded {
		t.Errorf("a history that just fits: %s %s", p.head.Status, p.head.Cause)
	}
}

func TestEvents_AreNumberedAndLinked(t *testing.T) {
	p := pure(parsed(t, oneState(`{`+invokeEcho+`,"Next":"T"}`)), `{}`)
	drive(t, p)
	for i, e := range p.events {
		if e.ID != int64(i+1) || e.Previous != int64(i) || e.At.IsZero() {
			t.Errorf("event %d: %+v", i, e)
		}
	}
}

func TestWait_UntilTheMomentThatIsSaid(t *testing.T) {
	cases := []struct {
		name, state, input string
		want               time.Time
	}{
		{"seconds", `{"Type":"Wait","Seconds":5,"Next":"T"}`, `{}`, start0.Add(5 * time.Second)},
		{"seconds of the input", `{"Type":"Wait","SecondsPath":"$.a[0]","Next":"T"}`, `{"a":[7]}`, start0.Add(7 * time.Second)},
		{"a moment", `{"Type":"Wait","Timestamp":"2026-03-02T00:00:00Z","Next":"T"}`, `{}`, start0.Add(12 * time.Hour)},
		{"a moment of the input", `{"Type":"Wait","TimestampPath":"$.at","Next":"T"}`, `{"at":"2026-03-01T14:00:01+01:00"}`, start0.Add(time.Hour + time.Second)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := pure(parsed(t, oneState(c.state)), c.input)
			if n := p.advance(start0); !n.until.Equal(c.want) {
				t.Fatalf("waits until %s, want %s", n.until, c.want)
			}
			if n := p.advance(c.want.Add(-time.Millisecond)); n.over {
				t.Error("over before its time")
			}
			if n := p.advance(c.want); !n.over || p.head.Status != Succeeded {
				t.Errorf("not over at its time: %+v", p.head)
			}
		})
	}
}
