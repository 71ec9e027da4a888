package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// lease is what one instance has of the browser: its tabs, and what must be remembered between commands of a run.
type lease struct {
	hand *Hand
	id   pags.InstanceID
	busy sync.Mutex // one command at a time

	engine  *engine
	run     pags.RunID
	lastURL string // where the active page was, for opening it again
	lastKey string // the key of the command before, if it was one
	typed   *typed // the last field typed into, to notice when the page takes the text back
	names   map[string]named

	mu      sync.Mutex // what events write
	tabs    []*tab
	active  *tab
	lastTab int
	arrived []arrival
	notes   []string
	loads   int             // downloads under way
	secrets map[string]bool // texts of this run that must not leave
	accept  bool            // confirmations are accepted: no guard, or the owner approved
	leaving bool            // a page's question whether to leave is answered with yes
}

type arrival struct {
	tab, from *tab
	number    int
}

// remember notes a call's secrets. A new run starts without the pages and secrets of the one before.
func (l *lease) remember(call relay.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run != call.RunID {
		l.run, l.lastURL, l.lastKey, l.typed, l.names = call.RunID, "", "", nil, nil
		l.secrets, l.notes, l.arrived = map[string]bool{}, nil, nil
		if l.engine != nil {
			for _, t := range l.tabs {
				go l.engine.release(t.page)
			}
		}
		l.tabs, l.active = nil, nil
	}
	for _, s := range call.Secrets {
		if s.Text != "" {
			l.secrets[s.Text] = true
		}
	}
	l.accept = call.Command.Guard == relay.GuardNone
	l.leaving = call.Command.Action == relay.ActNavigate || call.Command.Action == relay.ActClose
}

// ready makes sure of an active page. lost tells that the page of before was gone and another stands in its place.
func (l *lease) ready(ctx context.Context, e *engine) (lost string, err error) {
	l.mu.Lock()
	if l.engine != e {
		if l.engine != nil && l.lastURL != "" {
			lost = "the browser had ended"
		}
		l.engine, l.tabs, l.active, l.arrived = e, nil, nil, nil
	}
	t := l.active
	l.mu.Unlock()
	if t != nil && (t.isCrashed() || t.isFrozen() && l.frozen(t)) {
		lost = "the page had crashed"
		if !t.isCrashed() {
			lost = "the page had stopped responding"
		}
		page := t.page
		go func() { _ = page.Close() }()
		l.gone(t)
		t = l.current()
	}
	if t != nil && !t.page.IsClosed() {
		return lost, nil
	}
	if lost == "" && l.lastURL != "" {
		lost = "the page had been closed"
	}
	page, err := e.page()
	if err != nil {
		return lost, err
	}
	t = l.adopt(e, page, nil)
	l.mu.Lock()
	l.active = t
	l.mu.Unlock()
	return lost, ctx.Err()
}

// frozen asks a page once more that did not come back.
func (l *lease) frozen(t *tab) bool {
	a := &action{hand: l.hand}
	t.setFrozen(a.bounded(time.Second, func() error { _, err := t.page.Evaluate("0"); return err }) == errBusy)
	return t.isFrozen()
}

func (l *lease) current() *tab { l.mu.Lock(); defer l.mu.Unlock(); return l.active }

// gone forgets a closed page; its opener, or else the newest other one, becomes active.
func (l *lease) gone(t *tab) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rest []*tab
	var next *tab
	for _, other := range l.tabs {
		if other != t {
			rest = append(rest, other)
			if next == nil || next != t.opener {
				next = other
			}
		}
	}
	if l.active == t {
		l.active = next
	}
	l.tabs = rest
}

// welcome decides about the pages that arrived: those whose number lies in (first, last] and come from our tab were opened
// by the action and the newest of them becomes active; the others are only listed.
func (l *lease) welcome(from *tab, first, last int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.arrived {
		if one.tab.page.IsClosed() {
			continue
		}
		if one.from == from && one.number > first && one.number <= last {
			l.active = one.tab
			l.notes = append(l.notes, fmt.Sprintf("a new tab opened and is now the active one (tab %d)", one.tab.id))
			continue
		}
		l.notes = append(l.notes, fmt.Sprintf("the page opened another tab by itself (tab %d); it is listed, not active", one.tab.id))
	}
	l.arrived = nil
}

func (l *lease) say(format string, args ...any) {
	l.mu.Lock()
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
	l.mu.Unlock()
}

func (l *lease) told() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.notes
	l.notes = nil
	return list
}

// dialog answers a native dialog, as nobody is there to do it: messages are accepted; questions are, unless a guard is on
// and the owner did not approve; leaving a page with unsaved input is agreed to only where we navigate.
func (l *lease) dialog(t *tab, d playwright.Dialog) {
	l.mu.Lock()
	yes := d.Type() == "alert" || l.accept
	if d.Type() == "beforeunload" {
		yes = l.leaving
	}
	l.mu.Unlock()
	text := shorten(d.Message(), 300)
	switch {
	case d.Type() == "beforeunload" && yes:
		l.say("the page asked whether to leave it with unsaved input: left")
	case d.Type() == "beforeunload":
		l.say("the page asked whether to leave it with unsaved input: stayed; navigate by address to leave it anyway")
	case yes:
		l.say("the page showed a dialog (%s): “%s”: accepted", d.Type(), text)
	default:
		l.say("the page asked (%s): “%s”: declined, because of the guard", d.Type(), text)
	}
	if !yes {
		_ = d.Dismiss()
		return
	}
	if d.Type() == "prompt" {
		_ = d.Accept(d.DefaultValue())
		return
	}
	_ = d.Accept()
}

// download keeps a file that the page sent, under a name of ours.
func (l *lease) download(d playwright.Download) {
	l.mu.Lock()
	l.loads++
	run := string(l.run)
	l.mu.Unlock()
	defer func() { l.mu.Lock(); l.loads--; l.mu.Unlock() }()
	name := fileName(d.SuggestedFilename())
	path := filepath.Join(l.hand.o.DataDir, "downloads", fileName(run), name)
	for i := 2; ; i++ {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			break
		}
		path = filepath.Join(filepath.Dir(path), fmt.Sprintf("%d-%s", i, name))
	}
	if err := d.SaveAs(path); err != nil {
		l.say("the download of “%s” failed", name)
		return
	}
	size := int64(0)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	l.say("downloaded “%s” (%d bytes)", name, size)
}

// fileName makes a name that stays in its folder on every system.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 32 || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if name == "" {
		name = "file"
	}
	if len(name) > 150 { // the end says what kind of file it is
		name = strings.ToValidUTF8(name[len(name)-150:], "")
	}
	return name
}

// close ends the lease's pages at the end of a run.
func (l *lease) close() {
	l.mu.Lock()
	tabs, e := l.tabs, l.engine
	l.tabs, l.active, l.lastURL, l.typed = nil, nil, "", nil
	l.mu.Unlock()
	if e == nil {
		return
	}
	e.gate.Grant(string(l.id), nil)
	for _, t := range tabs {
		e.release(t.page)
	}
}

// until polls a condition that events bring about, at most d; it answers whether it came true.
func (h *Hand) until(ctx context.Context, d time.Duration, met func() bool) bool {
	ends := h.o.Clock.Now().Add(d)
	for !met() {
		if !h.o.Clock.Now().Before(ends) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-h.o.Clock.After(10 * time.Millisecond):
		}
	}
	return true
}
