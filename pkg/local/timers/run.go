package timers

import (
	"context"
	"sync"
	"time"
)

// Run delivers timers until the context ends, then waits for the calls in flight. It is run once.
func (t *Timers) Run(ctx context.Context) {
	var calls sync.WaitGroup
	defer calls.Wait()
	for {
		due, wait := t.due()
		for _, x := range due {
			select {
			case t.slot <- struct{}{}:
			case <-ctx.Done():
				return
			}
			calls.Go(func() {
				t.deliver(ctx, x)
				<-t.slot
				t.look()
			})
		}
		var alarm <-chan time.Time
		if wait > 0 {
			alarm = t.o.Clock.After(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.kick:
		case <-alarm:
		}
	}
}

// due takes every timer whose time has come and says how long until the next; 0 if there is none.
func (t *Timers) due() (due []*one, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.o.Clock.Now()
	for _, x := range t.set {
		switch left := x.next.Sub(now); {
		case x.flying:
		case left <= 0:
			x.flying = true
			due = append(due, x)
		case wait == 0 || left < wait:
			wait = left
		}
	}
	return due, wait
}

// deliver calls the function and forgets the timer only after it succeeded: a crash in between delivers again.
func (t *Timers) deliver(ctx context.Context, x *one) {
	_, err := t.o.Functions.Invoke(ctx, x.Function, x.Payload)
	t.mu.Lock()
	defer t.mu.Unlock()
	x.flying = false
	if t.set[x.name] != x {
		return // moved or cancelled meanwhile
	}
	now := t.o.Clock.Now()
	log := t.o.Log.With("timer", x.name, "function", x.Function)
	switch {
	case err == nil:
		if err := t.drop(x.name); err != nil {
			log.Error("a delivered timer could not be removed and will be delivered again", "error", err)
			t.later(x, now)
		}
	case ctx.Err() != nil: // stopping; the next start delivers it
	case now.Sub(x.At) >= maxAge:
		log.Error("a timer was given up after a day of failures", "error", err)
		if err := t.drop(x.name); err != nil {
			log.Error("a timer could not be removed", "error", err)
			t.later(x, now)
		}
	default:
		log.Warn("a timer's function failed and is tried again", "error", err)
		t.later(x, now)
	}
}

// later sets the next try; the caller holds the lock.
func (t *Timers) later(x *one, now time.Time) {
	x.wait = min(max(2*x.wait, firstWait), maxWait)
	x.next = now.Add(x.wait)
}
