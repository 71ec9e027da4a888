package browser

import (
	"errors"
	"slices"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// How long a page must be still to count as at rest. Spec platform 4.3 sleeps 700 ms after every action; that is our
// upper limit for a page that keeps changing, and nothing is slept where nothing happens.
const (
	stillAfterField = 50 * time.Millisecond  // type, select, check
	stillAfterMove  = 100 * time.Millisecond // what may lead to another page
	changing        = 700 * time.Millisecond
)

// settle waits until the active page is read, its network rests and it stops changing.
func (a *action) settle() {
	t := a.lease.current()
	if t == nil || a.cmd.Action == relay.ActSnapshot || a.cmd.Action == relay.ActWait || t.page.IsClosed() {
		return
	}
	h, still := a.hand, stillAfterField
	if slices.Contains(moving, a.cmd.Action) || a.cmd.Enter {
		still = stillAfterMove
	}
	alive := func(met func() bool) func() bool {
		return func() bool { return a.engine.dead.Load() || t.isCrashed() || t.page.IsClosed() || met() }
	}
	ready := func() bool { return !t.loading() }
	if !a.rested || a.cmd.Enter {
		a.still(t, still)
	}
	if !ready() {
		if !h.until(a.ctx, h.o.ReadyLimit, alive(ready)) {
			a.lease.say("the page is still loading")
			t.stop()
			return
		}
		a.document(t)
		a.still(t, still)
	}
	if t.inflight() > 0 {
		h.until(a.ctx, h.o.IdleLimit, alive(func() bool { return t.inflight() == 0 || t.loading() }))
		if t.loading() {
			h.until(a.ctx, h.o.ReadyLimit, alive(ready))
			a.document(t)
		}
		a.still(t, still)
	}
}

// document waits for the end of a new document's text.
func (a *action) document(t *tab) {
	_ = t.page.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: playwright.LoadStateDomcontentloaded, Timeout: millis(a.hand.o.ReadyLimit)})
}

// still waits until the document did not change for a while. A document that is replaced meanwhile is waited for anew once.
func (a *action) still(t *tab, quiet time.Duration) {
	if t.isFrozen() {
		return
	}
	for range 2 {
		_, err := a.script(t.page, "quiet", map[string]any{"quiet": quiet.Milliseconds(), "cap": changing.Milliseconds()})
		if errors.Is(err, errBusy) {
			t.setFrozen(true)
		}
		a.rested = a.rested || err == nil
		if err == nil || a.engine.dead.Load() || t.page.IsClosed() || t.isFrozen() {
			return
		}
		a.document(t)
	}
}
