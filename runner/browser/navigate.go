package browser

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

func (a *action) navigate() relay.Result {
	address := withScheme(a.cmd.URL)
	if address == "" {
		return failed("navigate needs an address")
	}
	if err := a.engine.gate.CheckURL(a.ctx, string(a.lease.id), address); err != nil {
		if r, yes := isRefusal(err); yes {
			return refused("not opened: %s", r.Reason)
		}
		if a.ctx.Err() != nil {
			return cancelled()
		}
		return failed("the page could not be opened: %s", err)
	}
	a.begun = true
	status, err := a.open(address)
	switch {
	case errors.Is(err, errStopped):
		return relay.Result{Status: relay.StatusCancelled, Feedback: "cancelled while the page was loading"}
	case errors.Is(err, errNoAnswer):
		return failed("the page did not answer within %s", a.hand.o.NavigateLimit)
	case err != nil && strings.Contains(err.Error(), "Download is starting"):
		return ok("the address is a file, it was downloaded")
	case err != nil && strings.Contains(err.Error(), "ERR_ABORTED"):
		return ok("the server answered without a page")
	case err != nil:
		for _, n := range a.engine.gate.Since(a.mark) {
			if n.Target == hostOf(a.tab.navigated(address)) {
				if n.Refused {
					return refused("not opened: %s", n.Reason)
				}
				return failed("the page could not be opened: %s", n.Reason)
			}
		}
		return failed("the page could not be opened: %s", reason(err))
	case status >= 400:
		return relay.Result{Status: relay.StatusOK, Feedback: "the server answered with status " + itoa(status)}
	}
	return ok("")
}

var (
	errStopped  = errors.New("stopped")
	errNoAnswer = errors.New("no answer")
)

// open goes to an address in the active page and comes back when its document begins.
func (a *action) open(address string) (status int, err error) {
	type answer struct {
		response playwright.Response
		err      error
	}
	t := a.lease.current()
	done := make(chan answer, 1)
	go func() {
		r, err := t.page.Goto(address, playwright.PageGotoOptions{Timeout: millis(a.hand.o.NavigateLimit), WaitUntil: playwright.WaitUntilStateCommit})
		done <- answer{r, err}
	}()
	select {
	case got := <-done:
		if errors.Is(got.err, playwright.ErrTimeout) {
			t.stop()
			return 0, errNoAnswer
		}
		if got.response != nil {
			status = got.response.Status()
		}
		return status, got.err
	case <-a.ctx.Done():
		t.stop()
		return 0, errStopped
	}
}

// stop ends a load that nobody waits for any more.
func (t *tab) stop() {
	t.mu.Lock()
	t.pending = false
	clear(t.waiting)
	t.mu.Unlock()
	go func() {
		if t.cdp != nil {
			_, _ = t.cdp.Send("Page.stopLoading", nil)
		}
	}()
}

func (t *tab) navigated(otherwise string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.nav != "" {
		return t.nav
	}
	return otherwise
}

var schemed = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:(?:[^0-9]|$)`)

// withScheme completes what people and models leave out: https, or http for this machine and bare addresses.
func withScheme(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || strings.Contains(address, "://") || schemed.MatchString(address) {
		return address
	}
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, ":")
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return "http://" + address
	}
	return "https://" + address
}

func (a *action) scroll() relay.Result {
	delta := 600.0 // spec platform 4.3
	switch a.cmd.Direction {
	case "up":
		delta = -delta
	case "down", "":
	default:
		return failed("scroll goes up or down, not %q", a.cmd.Direction)
	}
	a.begun = true
	// the wheel goes where the mouse is: the middle, so that the page or its open dialog scrolls
	moved := func() error {
		before, err := a.tab.page.Evaluate("() => [innerWidth, innerHeight]")
		if err != nil {
			return err
		}
		size, _ := before.([]any)
		if len(size) == 2 {
			if err := a.tab.page.Mouse().Move(number(size[0])/2, number(size[1])/2); err != nil {
				return err
			}
		}
		return a.tab.page.Mouse().Wheel(0, delta)
	}
	if err := a.bounded(5*time.Second, moved); err != nil {
		return failed("the page did not scroll: %s", reason(err))
	}
	return ok("")
}

func (a *action) wait() relay.Result {
	seconds := min(max(a.cmd.Seconds, 0), 5) // spec platform 4.3
	select {
	case <-a.ctx.Done():
		return cancelled()
	case <-a.hand.o.Clock.After(time.Duration(seconds * float64(time.Second))):
		return ok("")
	}
}

func (a *action) switchTab() relay.Result {
	l := a.lease
	l.mu.Lock()
	var found *tab
	for _, t := range l.tabs {
		if t.id == a.cmd.Tab && !t.page.IsClosed() {
			found = t
		}
	}
	if found != nil {
		l.active = found
	}
	l.mu.Unlock()
	if found == nil {
		return failed("there is no tab %d", a.cmd.Tab)
	}
	if !a.hand.o.Headless { // so that the person sees what is worked on
		_ = a.bounded(2*time.Second, func() error { return found.page.BringToFront() })
	}
	return ok("")
}
