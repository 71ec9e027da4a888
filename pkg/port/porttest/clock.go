package porttest

import (
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// Clock moves only by hand. It is safe for many goroutines.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []handTimer
}

type handTimer struct {
	at time.Time
	ch chan time.Time
}

var _ port.Clock = (*Clock)(nil)

// NewClock returns a clock that stands at t0.
func NewClock(t0 time.Time) *Clock { return &Clock{now: t0} }

// Now is where the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After sends once when Advance has moved the clock by d; at once if d is not positive.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if d <= 0 {
		ch <- c.now
		return ch
	}
	c.timers = append(c.timers, handTimer{c.now.Add(d), ch})
	return ch
}

// Advance moves the clock and fires what became due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	rest := c.timers[:0]
	for _, t := range c.timers {
		if t.at.After(c.now) {
			rest = append(rest, t)
			continue
		}
		t.ch <- c.now
	}
	c.timers = rest
}

// Waiting tells how many timers have not fired. A timer that nobody listens to any more still counts until it is due.
func (c *Clock) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// Next tells how far away the nearest timer is; false if none is set.
func (c *Clock) Next() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next time.Duration
	found := false
	for _, t := range c.timers {
		if d := t.at.Sub(c.now); !found || d < next {
			next, found = d, true
		}
	}
	return next, found
}
