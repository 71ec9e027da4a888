package execution_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/pags"
)

// elsewhere dispatches as between two functions: what travels is JSON.
func elsewhere(t *testing.T) (h *house, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	h = newHouse(t, func(d *execution.Deps) {
		d.Dispatch = func(ctx context.Context, in execution.DispatchInput) (out execution.DispatchOutput, err error) {
			asked.Add(1)
			raw, err := json.Marshal(in)
			if err != nil {
				return out, err
			}
			var there execution.DispatchInput
			if err := json.Unmarshal(raw, &there); err != nil {
				return out, err
			}
			if out, err = h.Serve(ctx, there); err != nil {
				return out, err
			}
			if raw, err = json.Marshal(out); err != nil {
				return out, err
			}
			out = execution.DispatchOutput{}
			return out, json.Unmarshal(raw, &out)
		}
	})
	return h, asked
}

func TestRemote_AProgramIsTheSameWithItsCallsSentElsewhere(t *testing.T) {
	h, asked := elsewhere(t)
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
}

func TestRemote_WhoHearsOfTheEndClosesQuestionsThatAreLeft(t *testing.T) {
	h, _ := elsewhere(t)
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
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d questions are still open", open, len(all))
		}
	}
}
