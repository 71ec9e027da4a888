package execution_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/run"
)

func text(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func TestStart_AProgramEndsWithItsResultItsConsoleAndItsSteps(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`console.log("before");
const r = await tools.read.things({ n: 1 });
console.warn("after", r.ok);
const b = await tools.bad.thing({});
return { r, code: b.error.code }`)
	if x.Status != "completed" || x.RunStatus != pags.RunCompleted || x.Calls != 2 {
		t.Fatalf("%+v", x)
	}
	if want := `{"code":"tool_blocked","r":{"data":{"args":{"n":1},"path":"read.things"},"ok":true}}`; !sameJSON(text(x.Result), want) {
		t.Errorf("result %s", text(x.Result))
	}
	if want := []codemode.Line{{Level: "log", Text: "before"}, {Level: "warn", Text: "after true"}}; !reflect.DeepEqual(x.Logs, want) {
		t.Errorf("console %v", x.Logs)
	}
	steps, err := h.Service.Steps(t.Context(), ada, x.ID, "", 10)
	h.must(err)
	if len(steps.Items) != 2 || steps.Items[0].Status != "completed" || steps.Items[1].Status != "failed" || len(steps.Items[0].LogsBefore) != 1 {
		t.Errorf("steps %s", text(steps))
	}
	if got := h.audited(); got["ok"] != 1 || got["refused"] != 1 {
		t.Errorf("audit rows %v", got)
	}
	if e, err := h.runs.Export(t.Context(), ada, x.ID); err != nil || len(e.Steps) != 2 {
		t.Errorf("exported %d steps, %v", len(e.Steps), err)
	}
	if _, err := h.Get(t.Context(), eve, x.ID); !pags.Is(err, pags.NotFound) {
		t.Errorf("another person reads it: %v", err)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func TestStart_FailuresAreTheProgramsAndStandAtItsLine(t *testing.T) {
	h := newHouse(t, nil)
	for code, want := range map[string]string{
		"const x: number = ;":                         "syntax 1",
		"const a = 1;\nthrow new RangeError('no')":    "error 2",
		"import fs from 'fs'\nreturn 1":               "import 1",
		"await new Promise(() => {})":                 "stalled 0",
		"return await tools.do.thing({ a: () => 1 })": "error 1",
	} {
		x := h.start(code)
		if x.Status != "failed" || x.Error == nil || fmt.Sprint(x.Error.Kind, " ", x.Error.Line) != want || x.Detail == "" {
			t.Errorf("%q: %s %s", code, x.Status, text(x.Error))
		}
	}
}

func TestStart_WhatIsWrongIsSaidAndLeavesNothing(t *testing.T) {
	h := newHouse(t, nil)
	token := httpapi.Caller{UserID: ada, TokenID: "tok_1", Scopes: []string{"tools"}}
	for name, c := range map[string]struct {
		caller httpapi.Caller
		req    execution.Request
		code   pags.Code
	}{
		"no code":                        {person(ada), execution.Request{Code: " \n"}, pags.Unprocessable},
		"too long":                       {person(ada), execution.Request{Code: strings.Repeat("x", 200_001)}, pags.TooLarge},
		"not text":                       {person(ada), execution.Request{Code: "\xff\xfe"}, pags.Unprocessable},
		"a long title":                   {person(ada), execution.Request{Code: "1", Title: strings.Repeat("x", 201)}, pags.Unprocessable},
		"a program that waives approval": {token, execution.Request{Code: "1", AutoApprove: true}, pags.Forbidden},
		"a long wait":                    {person(ada), execution.Request{Code: "1", Wait: 21}, pags.Unprocessable},
	} {
		if _, err := h.Start(t.Context(), c.caller, c.req); !pags.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if page, err := h.runs.List(t.Context(), ada, run.Filter{Limit: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("%d runs were made, %v", len(page.Items), err)
	}
}

func TestStart_OneKeyStartsOneProgram(t *testing.T) {
	h := newHouse(t, nil)
	req := execution.Request{Code: `return (await tools.do.thing({})).ok`, Key: "k 1 / ü", Wait: 20}
	first, err := h.Start(t.Context(), person(ada), req)
	h.must(err)
	again, err := h.Start(t.Context(), person(ada), req)
	h.must(err)
	if again.ID != first.ID || text(again.Result) != "true" {
		t.Errorf("a repeat is %s with %s", again.ID, text(again.Result))
	}
	req.Code = "return 2"
	if _, err := h.Start(t.Context(), person(ada), req); !pags.Is(err, pags.Conflict) {
		t.Errorf("another program with the same key: %v", err)
	}
	if n, _ := h.tools.effects(); n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestSleep_LongTimersLetGoAndACancelDoesNotWaitForThem(t *testing.T) {
	h := newHouse(t, nil)
	code := `const from = Date.now(); await new Promise(r => setTimeout(r, 3 * 3600_000)); return Date.now() - from >= 3 * 3600_000`
	x, err := h.Start(t.Context(), person(ada), execution.Request{Code: code, Wait: 0})
	h.must(err)
	h.asleep(x.ID)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		r, err := h.runs.Load(t.Context(), x.ID)
		h.must(err)
		if r.Status.Over() {
			break
		}
		if r.Status == pags.RunWaiting { // a slice that works has only so much time
			h.clock.Advance(time.Hour)
		}
	}
	if x = h.ends(x.ID); text(x.Result) != "true" {
		t.Errorf("%s", text(x))
	}

	x, err = h.Start(t.Context(), person(ada), execution.Request{Code: code})
	h.must(err)
	h.asleep(x.ID)
	if x, err = h.Resume(t.Context(), person(ada), x.ID, execution.Answer{Action: "cancel", Wait: 20}); err != nil || x.Status != "cancelled" {
		t.Errorf("%s %v", text(x), err)
	}
}

func (h *house) asleep(id pags.RunID) {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		r, err := h.runs.Load(h.t.Context(), id)
		h.must(err)
		if r.Status == pags.RunWaiting && r.WaitingFor == pags.WaitTime {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("does not sleep: %+v", r)
		}
	}
}

func TestCancel_APausedAndABusyProgramEnd(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`await tools.ask.thing({})`)
	x = h.say(x, "cancel", nil)
	if x.Status != "cancelled" {
		t.Errorf("%s", text(x))
	}
	if open, err := h.asks.List(t.Context(), ada, "open", "", 10); err != nil || len(open.Items) != 0 {
		t.Errorf("%d questions are open, %v", len(open.Items), err)
	}
	busy, err := h.Start(t.Context(), person(ada), execution.Request{Code: `for (;;) await tools.read.thing({})`, Wait: 0})
	h.must(err)
	x, err = h.Resume(t.Context(), person(ada), busy.ID, execution.Answer{Action: "cancel", Wait: 20})
	if err != nil || x.Status != "cancelled" {
		t.Errorf("%s %v", text(x), err)
	}
}

func TestHandOver_ManyPausesGoOnInFreshExecutions(t *testing.T) {
	h := newHouse(t, func(d *execution.Deps) { d.SlicesPerExecution = 2 })
	x := h.start(`let n = 0; for (; n < 5; n++) await tools.ask.thing({ n }); return n`)
	for range 5 {
		x = h.say(x, "accept", nil)
	}
	if text(x.Result) != "5" {
		t.Fatal(text(x))
	}
	r, err := h.runs.Load(t.Context(), x.ID)
	h.must(err)
	if r.Generation < 3 {
		t.Errorf("%d generations", r.Generation)
	}
	if n, most := h.tools.effects(); n != 5 || most != 1 {
		t.Errorf("%d effects, one of them %d times", n, most)
	}
}

func TestCallTool_ReadsAreAnsweredAndEffectsBecomeExecutions(t *testing.T) {
	h := newHouse(t, nil)
	x, err := h.CallTool(t.Context(), person(ada), execution.CallRequest{Path: "read.thing", Args: json.RawMessage(`{"a":1}`), Wait: 20})
	if err != nil || x.ID != "" || x.Status != "completed" || !strings.Contains(text(x.Result), `"ok":true`) {
		t.Errorf("%s %v", text(x), err)
	}
	req := execution.CallRequest{Path: "do.thing", Args: json.RawMessage(`{"a":"` + "\u2028" + `</script>"}`), Key: "once", Wait: 20}
	for range 2 {
		x, err = h.CallTool(t.Context(), person(ada), req)
		if err != nil || x.ID == "" || x.Tool != "do.thing" || !strings.Contains(text(x.Result), `"ok":true`) {
			t.Errorf("%s %v", text(x), err)
		}
	}
	if n, _ := h.tools.effects(); n != 1 {
		t.Errorf("%d effects", n)
	}
	x, err = h.CallTool(t.Context(), person(ada), execution.CallRequest{Path: "ask.thing", Wait: 20})
	if err != nil || x.Status != "waiting_for_interaction" {
		t.Fatalf("%s %v", text(x), err)
	}
	if x = h.say(x, "accept", nil); !strings.Contains(text(x.Result), `"ok":true`) {
		t.Errorf("%s", text(x))
	}
	x, err = h.CallTool(t.Context(), person(ada), execution.CallRequest{Path: "ask.thing", AutoApprove: true, Wait: 20})
	if err != nil || x.Status != "completed" {
		t.Errorf("waived: %s %v", text(x), err)
	}
}

func TestCallTool_AReadThatTakesLongBecomesAnExecution(t *testing.T) {
	h := newHouse(t, nil)
	h.tools.mu.Lock()
	h.tools.hold = make(chan struct{})
	h.tools.mu.Unlock()
	type end struct {
		x   execution.Execution
		err error
	}
	done := make(chan end, 1)
	go func() {
		x, err := h.CallTool(t.Context(), person(ada), execution.CallRequest{Path: "read.slow", Wait: 0})
		done <- end{x, err}
	}()
	var got end
	for waiting := true; waiting; {
		select {
		case got = <-done:
			waiting = false
		case <-time.After(2 * time.Millisecond):
			h.clock.Advance(100 * time.Millisecond)
		}
	}
	if got.err != nil || got.x.ID == "" || got.x.RunStatus.Over() {
		t.Fatalf("%s %v", text(got.x), got.err)
	}
	close(h.tools.hold)
	if x := h.ends(got.x.ID); !strings.Contains(text(x.Result), `"ok":true`) {
		t.Errorf("%s", text(x))
	}
}

func TestJournal_LargeValuesAreKeptBesideTheTable(t *testing.T) {
	h := newHouse(t, nil)
	x := h.start(`const big = "x".repeat(900_000); const r = await tools.do.thing({ big }); return r.data.args.big.length + r.data.args.big`)
	if x.Status != "completed" || len(text(x.Result)) < 900_000 {
		t.Fatalf("%s: %d characters, %s", x.Status, len(text(x.Result)), text(x.Error))
	}
	steps, err := h.Service.Steps(t.Context(), ada, x.ID, "", 10)
	if err != nil || len(text(steps)) < 1_800_000 {
		t.Errorf("%d characters of steps, %v", len(text(steps)), err)
	}
	page, err := h.table.Query(t.Context(), port.Query{PK: "R#" + string(x.ID), Limit: 1000})
	h.must(err)
	for _, it := range page.Items {
		if n := len(text(it)); n > 400<<10 {
			t.Errorf("row %s has %d bytes", port.KeyOf(it), n)
		}
	}
}

func TestStatus_IsTotal(t *testing.T) {
	for _, s := range pags.RunStatuses {
		for _, w := range append(pags.WaitReasons, "") {
			got := execution.Status(pags.Run{Status: s, WaitingFor: w})
			found := false
			for _, known := range execution.Statuses {
				found = found || known == got
			}
			if !found {
				t.Errorf("%s %s is %q", s, w, got)
			}
		}
	}
}
