package exchange

import (
	"context"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// watch cancels a context when the whole ask, the first token or the gap between tokens took too long.
type watch struct {
	cancel context.CancelFunc
	clock  port.Clock
	over   chan struct{}

	mu      sync.Mutex
	started bool      // a token came
	last    time.Time // start, or the newest token
	tripped string    // which limit was passed, for the error
}

func newWatch(ctx context.Context, clock port.Clock) (context.Context, *watch) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{cancel: cancel, clock: clock, over: make(chan struct{}), last: clock.Now()}
	end, gap := clock.After(Whole), clock.After(FirstToken)
	go w.run(end, gap)
	return ctx, w
}

func (w *watch) run(end, gap <-chan time.Time) {
	for {
		select {
		case <-w.over:
			return
		case <-end:
			w.trip("did not finish within " + Whole.String())
			return
		case <-gap:
			left := w.left()
			if left <= 0 {
				return
			}
			gap = w.clock.After(left)
		}
	}
}

// left says how much of the current limit remains; at nothing it trips.
func (w *watch) left() time.Duration {
	w.mu.Lock()
	limit, text := FirstToken, "did not begin to answer within "+FirstToken.String()
	if w.started {
		limit, text = Stall, "stopped in the middle of its answer for "+Stall.String()
	}
	left := limit - w.clock.Now().Sub(w.last)
	w.mu.Unlock()
	if left <= 0 {
		w.trip(text)
	}
	return left
}

func (w *watch) trip(text string) {
	w.mu.Lock()
	w.tripped = text
	w.mu.Unlock()
	w.cancel()
}

// progress notes a token. The timer in flight is left alone: when it fires it finds that there is time left.
func (w *watch) progress() {
	w.mu.Lock()
	w.started, w.last = true, w.clock.Now()
	w.mu.Unlock()
}

func (w *watch) reason() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tripped
}

func (w *watch) stop() {
	close(w.over)
	w.cancel()
}
