package porttest

import "time"

// Next tells how far away the nearest waiter is; false if nobody waits. A waiter that nobody listens to any more still
// counts until it is due.
func (c *Clock) Next() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next time.Duration
	for i, w := range c.waiters {
		if d := w.at.Sub(c.now); i == 0 || d < next {
			next = d
		}
	}
	return next, len(c.waiters) > 0
}
