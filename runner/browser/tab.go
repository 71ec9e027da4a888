package browser

import (
	"net/url"
	"strings"
	"sync"

	"github.com/mxschmitt/playwright-go"
)

// tab is a page and what its events told. Events arrive in order on Playwright's own goroutine, which must not wait: what
// they need of the page is done elsewhere.
type tab struct {
	id     int
	page   playwright.Page
	cdp    playwright.CDPSession
	opener *tab

	mu      sync.Mutex
	waiting map[playwright.Request]bool // requests under way that a person would wait for
	nav     string                      // URL of the main frame's latest navigation request, redirects followed
	pending bool                        // that navigation has neither arrived nor failed
	failure string                      // why it failed
	opens   int                         // windows that this page opened so far
	popups  int                         // of which have come as pages
	crashed bool
	frozen  bool // a script did not come back
}

// awaited are the kinds of requests that a person would wait for; pictures, media and open lines are not.
var awaited = map[string]bool{"document": true, "stylesheet": true, "script": true, "xhr": true, "fetch": true}

// adopt takes a page in as a tab. A page that another one opened is noted as arrived; whether it becomes the active one is
// decided when the action is over.
func (l *lease) adopt(e *engine, page playwright.Page, opener *tab) *tab {
	l.mu.Lock()
	l.lastTab++
	t := &tab{id: l.lastTab, page: page, opener: opener, waiting: map[playwright.Request]bool{}}
	l.tabs = append(l.tabs, t)
	if opener != nil {
		opener.mu.Lock()
		opener.popups++
		l.arrived = append(l.arrived, arrival{t, opener, opener.popups})
		opener.mu.Unlock()
	}
	l.mu.Unlock()

	page.OnRequest(func(r playwright.Request) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if awaited[r.ResourceType()] {
			t.waiting[r] = true
		}
		if r.IsNavigationRequest() && r.Frame() == page.MainFrame() {
			t.nav, t.pending, t.failure = r.URL(), true, ""
		}
	})
	done := func(r playwright.Request) {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.waiting, r)
		if r.IsNavigationRequest() && r.URL() == t.nav {
			t.pending = false
		}
	}
	page.OnRequestFinished(done)
	page.OnRequestFailed(func(r playwright.Request) {
		done(r)
		t.mu.Lock()
		defer t.mu.Unlock()
		if r.IsNavigationRequest() && r.URL() == t.nav && r.Frame() == page.MainFrame() {
			if err := r.Failure(); err != nil {
				t.failure = err.Error()
			}
		}
	})
	page.OnFrameNavigated(func(f playwright.Frame) {
		if f == page.MainFrame() {
			t.mu.Lock()
			t.pending = false
			clear(t.waiting) // of the page before
			t.mu.Unlock()
		}
	})
	page.OnDialog(func(d playwright.Dialog) { go l.dialog(t, d) })
	page.OnDownload(func(d playwright.Download) { go l.download(d) })
	page.OnPopup(func(p playwright.Page) { l.adopt(e, p, t) })
	page.OnCrash(func(playwright.Page) { t.mu.Lock(); t.crashed = true; t.mu.Unlock() })
	page.OnClose(func(playwright.Page) { l.gone(t) })
	return t
}

// watchWindows counts windows as the page opens them, which is known before the new page is ready: so one opened by our
// click is told from one that a timer opens later (BR-01). Without the session both count as later.
func (t *tab) watchWindows(e *engine) {
	if t.cdp != nil {
		return
	}
	s, err := e.context.NewCDPSession(t.page)
	if err != nil {
		return
	}
	s.On("Page.windowOpen", func(...any) { t.mu.Lock(); t.opens++; t.mu.Unlock() })
	if _, err := s.Send("Page.enable", nil); err == nil {
		t.cdp = s
	}
}

func (t *tab) inflight() int { t.mu.Lock(); defer t.mu.Unlock(); return len(t.waiting) }

func (t *tab) isCrashed() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.crashed }

func (t *tab) isFrozen() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.frozen }

func (t *tab) setFrozen(yes bool) { t.mu.Lock(); t.frozen = yes; t.mu.Unlock() }

func (t *tab) loading() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.pending }

// beginWindows and ourWindows frame an action: the windows that the page opened in between came from it. Their pages may
// arrive later; ourWindows waits for them and answers the newest.
func (t *tab) beginWindows() (opens, popups int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.opens, t.popups
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	if u.Port() != "" {
		return strings.ToLower(u.Host)
	}
	if u.Scheme == "https" {
		return strings.ToLower(u.Host) + ":443"
	}
	return strings.ToLower(u.Host) + ":80"
}
