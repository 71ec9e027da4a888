package execution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/run"
)

// within is the table as far as the role of CodeFunction reaches (template.yaml): what it does beyond that is an error, as on AWS.
type within struct {
	port.Table
	refused atomic.Int64
}

func (w *within) may(what, pk string, prefixes ...string) error {
	for _, p := range prefixes {
		if strings.HasPrefix(pk, p) {
			return nil
		}
	}
	w.refused.Add(1)
	return fmt.Errorf("access denied: %s %s", what, pk)
}

func (w *within) Get(ctx context.Context, k port.Key) (port.Item, error) {
	if err := w.may("GetItem", k.PK, "R#"); err != nil {
		return nil, err
	}
	return w.Table.Get(ctx, k)
}

func (w *within) GetMany(ctx context.Context, keys ...port.Key) ([]port.Item, error) {
	for _, k := range keys {
		if err := w.may("BatchGetItem", k.PK, "R#"); err != nil {
			return nil, err
		}
	}
	return w.Table.GetMany(ctx, keys...)
}

func (w *within) Query(ctx context.Context, q port.Query) (port.Page, error) {
	if err := w.may("Query "+q.Index, q.Index+q.PK, "R#"); err != nil {
		return port.Page{}, err
	}
	return w.Table.Query(ctx, q)
}

func (w *within) write(one port.Write) error {
	switch one.Kind {
	case port.PutWrite:
		return w.may("PutItem", one.Key.PK, "R#")
	case port.DeleteWrite:
		return w.may("DeleteItem", one.Key.PK, "OPEN#")
	}
	return w.may("another write of", one.Key.PK)
}

func (w *within) Write(ctx context.Context, one port.Write) error {
	if err := w.write(one); err != nil {
		return err
	}
	return w.Table.Write(ctx, one)
}

func (w *within) Transact(ctx context.Context, token string, writes ...port.Write) error {
	for _, one := range writes {
		if err := w.write(one); err != nil {
			return err
		}
	}
	return w.Table.Transact(ctx, token, writes...)
}

// elsewhere runs programs as CodeFunction does: with nothing but its rows, and a dispatcher to which JSON travels. There are no
// questions, tools, brains and sockets to reach.
func elsewhere(t *testing.T, fail ...func(execution.DispatchInput) error) (h *house, table *within, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	h = newHouse(t, nil)
	table = &within{Table: h.table}
	there := h.Service
	h.code = execution.New(execution.Deps{Table: table, Blobs: there.Blobs, Clock: h.clock, Sandbox: there.Sandbox,
		Dispatch: func(ctx context.Context, in execution.DispatchInput) (out execution.DispatchOutput, err error) {
			asked.Add(1)
			var got execution.DispatchInput
			if err := travel(in, &got); err != nil {
				return out, err
			}
			for _, f := range fail {
				if err := f(in); err != nil {
					return out, err
				}
			}
			said, err := there.Serve(ctx, got)
			if err != nil {
				return out, err
			}
			return out, travel(said, &out)
		}})
	h.code.Join(runs{run.New(run.Deps{Table: table, Blobs: there.Blobs, Clock: h.clock})}, nil, nil)
	return h, table, asked
}

func travel(from, to any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, to)
}

func TestRemote_AProgramIsTheSameWithItsCallsSentElsewhere(t *testing.T) {
	h, table, asked := elsewhere(t)
	x := h.start(`const r = await tools.read.things({ n: 1 });
const d = await tools.ask.dns.add({ n: "a" });
let no = ""; try { await tools.ask.dns.add({ n: "b" }) } catch (e) { no = e.code }
return [r.data.args.n, d.ok, no, (await tools.bad.thing({})).error.code]`)
	x = h.say(h.say(x, "accept", nil), "decline", nil)
	if text(x.Result) != `[1,true,"declined","tool_blocked"]` {
		t.Fatalf("%s %s", text(x.Result), text(x.Error))
	}
	if n, most := h.tools.effects(); n != 1 || most != 1 {
		t.Errorf("%d effects, one of them %d times", n, most)
	}
	if asked.Load() < 6 {
		t.Errorf("the dispatcher was asked %d times", asked.Load())
	}
	if n := table.refused.Load(); n != 0 {
		t.Errorf("it did %d things that its role does not allow", n)
	}
}

func TestRemote_WhoHearsOfTheEndClosesQuestionsThatAreLeft(t *testing.T) {
	h, table, _ := elsewhere(t)
	x := h.start(`await Promise.race([tools.ask.dns.add({ n: "a" }), tools.ask.dns.add({ n: "b" })]); throw new Error("no more")`)
	if len(x.Interactions) != 2 {
		t.Fatalf("%s", text(x))
	}
	h.say(x, "accept", nil)
	if x = h.ends(x.ID); x.Status != "failed" {
		t.Fatalf("%s", text(x))
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		all, err := h.asks.OfRun(t.Context(), x.ID)
		h.must(err)
		open := 0
		for _, i := range all {
			if i.Status == pags.InteractionOpen {
				open++
			}
		}
		if open == 0 && len(all) == 2 {
			if n := table.refused.Load(); n != 0 {
				t.Errorf("it did %d things that its role does not allow", n)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d questions are still open", open, len(all))
		}
	}
}

func TestRemote_SleepCancelAndGivingUpStayWithinTheRole(t *testing.T) {
	h, table, _ := elsewhere(t)
	x, err := h.Start(t.Context(), person(ada), execution.Request{Code: `await new Promise((r) => setTimeout(r, 600_000)); return 1`})
	h.must(err)
	h.asleep(x.ID)
	for r, end := (pags.Run{}), time.Now().Add(20*time.Second); !r.Status.Over() && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		r, err = h.runs.Load(t.Context(), x.ID)
		h.must(err)
		if r.Status == pags.RunWaiting { // a slice that works has only so much time
			h.clock.Advance(10 * time.Minute) // again and again: the run says that it sleeps a moment before it does
		}
	}
	if x = h.ends(x.ID); text(x.Result) != "1" {
		t.Errorf("%s %s", text(x.Result), text(x.Error))
	}
	busy, err := h.Start(t.Context(), person(ada), execution.Request{Code: `await tools.ask.dns.add({ n: "a" })`})
	h.must(err)
	if _, err := h.code.Handle(t.Context(), execution.Event{Op: "giveUp", Cursor: execution.Cursor{V: 1, RunID: busy.ID, Generation: 1}}); err != nil {
		t.Error(err)
	}
	if busy = h.ends(busy.ID); busy.RunStatus != pags.RunFailed {
		t.Errorf("%s", text(busy))
	}
	if n := table.refused.Load(); n != 0 {
		t.Errorf("it did %d things that its role does not allow", n)
	}
}

func TestRemote_WhatSurelyWasNotSentIsAFailureAndTheRestADoubt(t *testing.T) {
	for code, status := range map[pags.Code]string{pags.RateLimited: "completed", pags.Unavailable: "waiting_for_interaction"} {
		h, _, _ := elsewhere(t, func(in execution.DispatchInput) error {
			if in.Op == "send" {
				return pags.Errorf(code, "no")
			}
			return nil
		})
		x := h.start(`const r = await tools.do.thing({}); return [r.ok, r.error.code, r.error.retryable]`)
		if x.Status != status || status == "completed" && text(x.Result) != `[false,"dispatcher_busy",true]` {
			t.Errorf("%s: %s", code, text(x))
		}
		if n, _ := h.tools.effects(); n != 0 {
			t.Errorf("%s: %d effects", code, n)
		}
	}
}
