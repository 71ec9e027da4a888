package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const (
	seqCalls = `for (let i = 0; i < 100; i++) { const r = await tools.stub.main.items.getItem({ id: String(i) }); if (!r.ok) throw new Error(r.error.message) }`
	parCalls = `const all = await Promise.all(Array.from({ length: 100 }, (_, i) => tools.stub.main.items.getItem({ id: String(i) }))); if (!all.every((r) => r.ok)) throw new Error("a call failed")`
	oneOrder = `return (await tools.stub.main.orders.placeOrder({ body: { item: "x" } })).ok`
)

// execNumbers measures whole programs on the real host: from the request to the answer that holds their result. Together they
// stay below the 240 requests that a person has in a minute.
func execNumbers(ctx context.Context, b *bench) ([]number, error) {
	t, err := newToolbox(ctx, b)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.completed(ctx, "return 0"); err != nil { // compiles the sandbox
		return nil, err
	}
	start, err := timed(80, func(int) error { return t.completed(ctx, "return 1") })
	if err != nil {
		return nil, err
	}
	seq, err := timed(11, func(int) error { return t.completed(ctx, seqCalls) })
	if err != nil {
		return nil, err
	}
	par, err := timed(11, func(int) error { return t.completed(ctx, parCalls) })
	if err != nil {
		return nil, err
	}
	resume, err := t.resumes(ctx, 25)
	if err != nil {
		return nil, err
	}
	return []number{{"exec.start_ms", median(start), "ms", 8}, {"exec.calls_100_seq_ms", median(seq), "ms", 100},
		{"exec.calls_100_par_ms", median(par), "ms", 50}, {"exec.pause_resume_ms", median(resume), "ms", 50}}, nil
}

// resumes measures from the answer of a person to the result: the effect is done in between.
func (t *toolbox) resumes(ctx context.Context, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		x, err := t.exec(ctx, oneOrder)
		if err == nil && len(x.Interactions) != 1 {
			err = fmt.Errorf("a program that has to be approved is %s: %s", x.Status, x.Error)
		}
		if err != nil {
			return nil, err
		}
		var over execution
		began := time.Now()
		err = t.ask(ctx, http.MethodPost, "/v1/executions/"+x.ID+"/resume", map[string]any{"interactionId": x.Interactions[0].ID, "waitSeconds": 20}, &over)
		if err == nil && (over.Status != "completed" || string(over.Result) != "true") {
			err = fmt.Errorf("approved, a program is %s with %s: %s", over.Status, over.Result, over.Error)
		}
		if err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// callNumber measures the shortest way from a shell to an API and back.
func callNumber(ctx context.Context, b *bench) ([]number, error) {
	t, err := newToolbox(ctx, b)
	if err != nil {
		return nil, err
	}
	defer t.close()
	times, err := timed(50, func(int) error {
		_, err := t.Must(ctx, "", "call", "stub", "main", "items", "getItem", `{"id":"7"}`)
		return err
	})
	return []number{{"call.cli_ms", median(times), "ms", 50}}, err
}
