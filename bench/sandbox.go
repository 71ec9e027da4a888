package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/proagentstore/pags/stories/hostile"
)

const (
	fib27   = `const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(27)`
	json1mb = `const v = Array.from({ length: 12000 }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b"], price: i / 7 })); return JSON.stringify(JSON.parse(JSON.stringify(v))).length`
)

// sandboxNumbers measures computing in the sandbox, on the real host. Their targets are what the engine took by itself when it
// was chosen, on the machine where it was tried.
func sandboxNumbers(ctx context.Context, b *bench) ([]number, error) {
	t, err := newToolbox(ctx, b)
	if err != nil {
		return nil, err
	}
	defer t.close()
	fib, err := timed(10, func(int) error { return t.completed(ctx, fib27) })
	if err != nil {
		return nil, err
	}
	round, err := timed(10, func(int) error { return t.completed(ctx, json1mb) })
	return []number{{"sandbox.fib27_ms", median(fib), "ms", 90}, {"sandbox.json_1mb_ms", median(round), "ms", 380}}, err
}

// Programs that do not end, one more at once than there are workers.
const (
	workers = 3
	compute = time.Second
)

// hostileNumbers measures how late the latest of hostile programs ends, and what a health request takes meanwhile (99 of 100
// take less). Who comes last waits for a worker, so every round has two deadlines.
func hostileNumbers(ctx context.Context, b *bench) ([]number, error) {
	t, err := newToolbox(ctx, b, "--programs", fmt.Sprint(workers), "--compute", compute.String())
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.completed(ctx, "return 0"); err != nil {
		return nil, err
	}
	looking, stop := context.WithCancel(ctx)
	var health []time.Duration
	var watch sync.WaitGroup
	watch.Go(func() {
		for looking.Err() == nil {
			began := time.Now()
			if request(ctx, http.MethodGet, t.URL()+"/health", t.token, "") == nil {
				health = append(health, time.Since(began))
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	over := time.Duration(0)
	for round := range slices.Chunk(hostile.Programs, workers+1) {
		late, err := t.hostile(ctx, round)
		if err != nil {
			stop()
			return nil, err
		}
		over = max(over, late)
	}
	stop()
	watch.Wait()
	slices.Sort(health)
	p99 := health[len(health)*99/100]
	return []number{{"sandbox.deadline_over_ms", float64(over.Microseconds()) / 1000, "ms", 250}, {"health_during_hostile_ms", float64(p99.Microseconds()) / 1000, "ms", 20}}, nil
}

// hostile runs programs at once and says how long after its deadline the latest one of them ended, by the host's own times.
func (t *toolbox) hostile(ctx context.Context, programs []hostile.Program) (time.Duration, error) {
	var mu sync.Mutex
	var failed error
	var ends []time.Time
	began := time.Now()
	var all sync.WaitGroup
	for _, p := range programs {
		all.Go(func() {
			x, err := t.exec(ctx, p.Code)
			var times struct{ EndedAt time.Time }
			if err == nil && x.Status != "failed" {
				err = fmt.Errorf("%s is %s", p.Name, x.Status)
			}
			if err == nil {
				err = t.ask(ctx, http.MethodGet, "/v1/executions/"+x.ID, nil, &times)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
				return
			}
			ends = append(ends, times.EndedAt)
		})
	}
	all.Wait()
	if failed != nil {
		return 0, failed
	}
	slices.SortFunc(ends, time.Time.Compare)
	over := time.Duration(0)
	for i, at := range ends {
		from := began
		if i >= workers { // it got its worker when the first one was free
			from = ends[i-workers]
		}
		over = max(over, at.Sub(from)-compute)
	}
	return over, nil
}
