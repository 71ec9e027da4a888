package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/browser/egress"
)

// action is one command being done.
type action struct {
	hand   *Hand
	lease  *lease
	engine *engine
	call   relay.Call
	cmd    relay.Command
	up     Uploader
	ctx    context.Context

	tab    *tab // the active page when it began
	mark   int64
	begun  bool // the effect may have happened
	rested bool // the page has been still since
}

// doers do the actions, in the order of relay.Actions. What they answer is completed by run.
var doers = map[string]func(*action) relay.Result{
	relay.ActNavigate: (*action).navigate,
	relay.ActClick:    (*action).click,
	relay.ActType:     (*action).typeText,
	relay.ActSelect:   (*action).selectOption,
	relay.ActCheck:    (*action).check,
	relay.ActUpload:   (*action).upload,
	relay.ActKey:      (*action).key,
	relay.ActScroll:   (*action).scroll,
	relay.ActWait:     (*action).wait,
	relay.ActSnapshot: func(*action) relay.Result { return ok("") },
	relay.ActTab:      (*action).switchTab,
}

// moving actions may lead to another page, so they wait longer for it.
var moving = []string{relay.ActNavigate, relay.ActClick, relay.ActKey, relay.ActSelect, relay.ActCheck}

func ok(feedback string) relay.Result {
	return relay.Result{Status: relay.StatusOK, Feedback: feedback}
}

func failed(format string, args ...any) relay.Result {
	return relay.Result{Status: relay.StatusFailed, Feedback: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) relay.Result {
	return relay.Result{Status: relay.StatusRefused, Feedback: fmt.Sprintf(format, args...)}
}

func cancelled() relay.Result {
	return relay.Result{Status: relay.StatusCancelled, Feedback: "cancelled before anything was done"}
}

func (a *action) run() relay.Result {
	if a.ctx.Err() != nil {
		return cancelled()
	}
	if a.cmd.Action == relay.ActClose {
		a.lease.close()
		return ok("the page is closed")
	}
	do := doers[a.cmd.Action]
	if do == nil {
		return failed("this runner does not know the action %q", a.cmd.Action)
	}
	var err error
	if a.engine, err = a.hand.running(a.ctx); err != nil {
		if a.ctx.Err() != nil {
			return cancelled()
		}
		var plain *pags.Error
		if errors.As(err, &plain) {
			return failed("%s", plain.Message)
		}
		return failed("the browser does not start; run `pags doctor` on the machine")
	}
	a.engine.gate.Grant(string(a.lease.id), a.cmd.AllowHosts)
	lost, err := a.lease.ready(a.ctx, a.engine)
	if err != nil {
		return failed("the browser cannot open a page: %s", reason(err))
	}
	a.begin()
	if lost != "" && a.cmd.Action != relay.ActNavigate {
		if res, over := a.reopen(lost); over {
			return a.end(res)
		}
	}
	return a.end(do(a))
}

func (a *action) begin() {
	a.tab = a.lease.current()
	a.mark = a.engine.gate.Mark()
	a.tab.watchWindows(a.engine)
	a.tab.mu.Lock()
	a.tab.nav, a.tab.failure = "", ""
	clear(a.tab.waiting) // what was under way before is not ours to wait for
	a.tab.mu.Unlock()
	if a.cmd.Action != relay.ActKey {
		a.lease.lastKey = ""
	}
}

// reopen goes back to where the page was. Refs of the lost page mean nothing any more, so what names one is not done.
func (a *action) reopen(lost string) (relay.Result, bool) {
	if a.lease.lastURL != "" {
		if _, err := a.open(a.lease.lastURL); err != nil {
			return failed("%s; opening %s again failed: %s", lost, a.lease.lastURL, reason(err)), true
		}
		lost += " and was opened again at " + a.lease.lastURL
	}
	if a.cmd.Ref != "" || a.cmd.Action == relay.ActKey {
		return failed("%s; nothing was done, look at the page anew", lost), true
	}
	a.lease.say("%s", lost)
	return relay.Result{}, false
}

// end lets the page come to rest, adds what happened beside the action and looks at the page.
func (a *action) end(res relay.Result) relay.Result {
	l := a.lease
	if a.dead(res) {
		return a.died(res)
	}
	if a.ctx.Err() == nil || res.Status == relay.StatusOK {
		a.settle()
	}
	a.hand.until(a.ctx, 3*time.Second, func() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.loads == 0 })
	l.welcome(nil, 0, 0)
	res = a.addresses(res)
	if res.Status == relay.StatusOK {
		l.reverted(a)
	}
	t := l.current()
	if t == nil { // closed itself, the last one
		if lost, err := l.ready(a.ctx, a.engine); err == nil && lost != "" {
			_, _ = a.reopenQuietly()
			l.say("%s", lost)
		}
		t = l.current()
	}
	if t != nil {
		seen, err := a.see(t)
		if err != nil {
			l.say("the page could not be read: %s", reason(err))
		}
		if a.dead(res) {
			return a.died(res)
		}
		res.Seen = seen
		l.welcome(nil, 0, 0) // what came while we looked
	}
	res.Feedback = join(append([]string{res.Feedback}, l.told()...))
	return res
}

func (a *action) reopenQuietly() (relay.Result, bool) {
	if a.lease.lastURL == "" {
		return relay.Result{}, false
	}
	_, err := a.lease.current().page.Goto(a.lease.lastURL, playwright.PageGotoOptions{Timeout: millis(a.hand.o.NavigateLimit), WaitUntil: playwright.WaitUntilStateCommit})
	return relay.Result{}, err == nil
}

// dead tells whether Chromium or the page went down under the action.
func (a *action) dead(relay.Result) bool { return a.engine.dead.Load() || a.tab.isCrashed() }

// died answers honestly for an action that the browser did not survive. The next command starts it again.
func (a *action) died(res relay.Result) relay.Result {
	what := "the page crashed"
	if a.engine.dead.Load() {
		what = "the browser ended"
	}
	_ = a.lease.told()
	if !a.begun {
		return failed("%s before anything was done; it is opened again with the next command", what)
	}
	if res.Status == relay.StatusOK {
		res.Feedback = join([]string{res.Feedback, what + " afterwards; it is opened again with the next command"})
		return res
	}
	return relay.Result{Status: relay.StatusUnknown, Feedback: what + " in the middle of this; it may or may not have happened"}
}

// addresses turns a navigation that the address rules stopped, or the network, into the action's status, and clears
// documents that this run may not see.
func (a *action) addresses(res relay.Result) relay.Result {
	for _, t := range []*tab{a.tab, a.lease.current()} {
		if t == nil || t.page.IsClosed() {
			continue
		}
		t.mu.Lock()
		nav, failure := t.nav, t.failure
		t.mu.Unlock()
		if t != a.tab && nav == "" {
			nav = t.page.URL()
		}
		if nav != "" && res.Status == relay.StatusOK {
			for _, n := range a.engine.gate.Since(a.mark) {
				if n.Target != hostOf(nav) {
					continue
				}
				switch {
				case n.Refused:
					res = refused("not opened: %s", n.Reason)
				case failure != "" || a.title(t) == egress.NotOpened: // the document, not something in it
					res = failed("the page could not be opened: %s", n.Reason)
				}
			}
			if res.Status == relay.StatusOK && failure != "" && !strings.Contains(failure, "ERR_ABORTED") {
				res = failed("the page could not be opened: %s", network(failure))
			}
		}
		for _, f := range t.page.Frames() {
			why := a.engine.gate.Denies(string(a.lease.id), f.URL())
			if why == "" {
				continue
			}
			if f == t.page.MainFrame() {
				res = refused("not shown: %s", why)
			}
			_, _ = f.Goto("about:blank", playwright.FrameGotoOptions{Timeout: playwright.Float(2000)})
		}
	}
	return res
}

// script runs one of the scripts of page/ in a frame or on an element, for a bounded time: a page can be busy for ever.
func (a *action) script(in evaluator, name string, arg map[string]any) (string, error) {
	if arg == nil {
		arg = map[string]any{}
	}
	text := scripts[name]
	if _, element := in.(playwright.ElementHandle); !element {
		text = strings.Replace(text, "(el, arg)", "(arg)", 1)
	}
	answer := make(chan string, 1) // not a shared variable: a late answer must find nobody
	err := a.bounded(5*time.Second, func() error {
		v, err := in.Evaluate(text, arg)
		out, _ := v.(string)
		answer <- out
		return err
	})
	if err != nil {
		a.suspect(err)
		return "", err
	}
	return <-answer, nil
}

// suspect marks the engine dead where a closed target means more than a closed page: the driver process is gone, and nobody
// says so by an event.
func (a *action) suspect(err error) {
	if a.engine == nil || !errors.Is(err, playwright.ErrTargetClosed) || a.engine.dead.Load() {
		return
	}
	if a.bounded(3*time.Second, func() error { _, err := a.engine.context.Cookies("http://localhost"); return err }) != nil {
		a.engine.dead.Store(true)
	}
}

type evaluator interface {
	Evaluate(expression string, arg ...any) (any, error)
}

var errBusy = errors.New("the page does not respond")

// bounded runs a Playwright call that has no limit of its own.
func (a *action) bounded(d time.Duration, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-a.hand.o.Clock.After(d):
		return errBusy
	}
}

func join(parts []string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	for i, p := range parts {
		first, size := utf8.DecodeRuneInString(p)
		parts[i] = string(unicode.ToUpper(first)) + p[size:]
	}
	return strings.Join(parts, ". ")
}

func millis(d time.Duration) *float64 { return playwright.Float(float64(d.Milliseconds())) }

func isRefusal(err error) (*egress.Refusal, bool) {
	var r *egress.Refusal
	return r, errors.As(err, &r)
}
