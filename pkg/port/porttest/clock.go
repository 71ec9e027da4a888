// Package porttest holds one contract suite for each port, and a clock moved by hand. An adapter's own test calls the suite
// with a way to make the adapter; what a peer cannot prove is listed there together with how it is proven instead.
package porttest

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// Clock stands still until Advance moves it. It is safe for concurrent use.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	waiters []waiter
	changed chan struct{} // closed and replaced when a waiter registers
}

type waiter struct {
	at time.Time
	ch chan time.Time
}

var _ port.Clock = (*Clock)(nil)

// NewClock makes a clock that shows t0.
func NewClock(t0 time.Time) *Clock { return &Clock{now: t0, changed: make(chan struct{})} }

// Now is the time Advance has come to.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After sends once when Advance has moved time by d; at once if d is not positive.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if d <= 0 {
		ch <- c.now
		return ch
	}
	c.waiters = append(c.waiters, waiter{c.now.Add(d), ch})
	close(c.changed)
	c.changed = make(chan struct{})
	return ch
}

// Advance moves time and wakes everyone whose moment has come, the earliest first.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	sort.SliceStable(c.waiters, func(i, j int) bool { return c.waiters[i].at.Before(c.waiters[j].at) })
	n := 0
	for n < len(c.waiters) && !c.waiters[n].at.After(c.now) {
		c.waiters[n].ch <- c.now
		n++
	}
	c.waiters = append([]waiter{}, c.waiters[n:]...)
}

// Waiters counts who waits on After.
func (c *Clock) Waiters() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiters)
}

// AwaitWaiters blocks until at least n wait on After. A test whose waiters do not come within 10 s of real time panics.
func (c *Clock) AwaitWaiters(n int) {
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	if !c.await(n, limit.C) {
		panic(fmt.Sprintf("porttest: %d waiters on the clock after 10 s, want %d", c.Waiters(), n))
	}
}

// Flow advances time by step each time someone waits, until the returned function is called: for code that backs off and
// whose waits are not the subject of the test.
func (c *Clock) Flow(step time.Duration) (stop func()) {
	end, done := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(done)
		for c.await(1, end) {
			c.Advance(step)
		}
	}()
	return func() { close(end); <-done }
}

// await reports whether n waiters came before stop.
func (c *Clock) await(n int, stop <-chan time.Time) bool {
	for {
		c.mu.Lock()
		have, changed := len(c.waiters), c.changed
		c.mu.Unlock()
		select {
		case <-stop:
			return false
		default:
		}
		if have >= n {
			return true
		}
		select {
		case <-stop:
			return false
		case <-changed:
		}
	}
}
