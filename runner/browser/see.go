package browser

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/browser/egress"
)

const (
	maxSnapshot = 60_000 // characters (spec platform 4.3)
	cutMark     = "\n[… the page goes on: %d more characters were cut; scroll or narrow it down]"
)

// look is what page/look.js tells of one frame.
type look struct {
	frame  playwright.Frame
	Values []struct {
		V string // the value
		P bool   // of a field that is or was a password field
		T bool   // shown as text
	}
	Hidden           int
	Challenge, Title string
}

// see observes a page: outline with refs, picture, challenge, tabs.
func (a *action) see(t *tab) (*relay.Observation, error) {
	if t.isFrozen() {
		return a.outside(t, "(not responding)"), errBusy
	}
	looks, err := a.look(t)
	if err != nil {
		t.setFrozen(errors.Is(err, errBusy))
		return a.outside(t, "(not responding)"), err
	}
	private := a.lease.private(looks)
	shot := make(chan []byte, 1)
	if a.hand.o.NoPictures || a.up == nil {
		shot <- nil
	} else {
		a.coverSecrets(looks)
		go func() { shot <- a.picture(t, looks) }()
	}
	text, err := a.outline(t, looks)
	if err != nil {
		<-shot
		return a.outside(t, ""), err
	}
	// a value may have changed between the look and the outline
	if again, err := a.look(t); err == nil {
		private = append(private, a.lease.private(again)...)
	}
	a.lease.names = namesIn(text)
	text = maskValues(text, private)
	clean := a.lease.scrub(text, private...)
	picture := <-shot
	if clean != text {
		picture = nil // a secret stands in the open on the page
		a.lease.say("no picture: the page shows a secret")
	}
	seen := a.outside(t, looks[0].Title)
	seen.Snapshot, seen.Truncated = capped(clean)
	for _, l := range looks {
		if seen.Challenge == "" {
			seen.Challenge = l.Challenge
		}
	}
	if seen.Challenge == "" {
		seen.Challenge = challengeFrame(t.page)
	}
	sum := sha256.Sum256([]byte(seen.URL + "\n" + seen.Snapshot))
	seen.Digest = hex.EncodeToString(sum[:])
	a.deliver(seen, picture)
	if strings.HasPrefix(t.page.URL(), "http") && seen.Title != egress.NotOpened {
		a.lease.lastURL = t.page.URL()
	}
	return seen, nil
}

// outside is what can be told of a page without its content: its address and the list of tabs. title is the page's own, if
// it is known already.
func (a *action) outside(t *tab, title string) *relay.Observation {
	l := a.lease
	if title == "" {
		title = a.title(t)
	}
	seen := &relay.Observation{URL: t.page.URL(), GuardSupported: true, Title: shorten(title, 300)}
	l.mu.Lock()
	tabs, active := append([]*tab(nil), l.tabs...), l.active
	l.mu.Unlock()
	for _, other := range tabs {
		if other.page.IsClosed() {
			continue
		}
		title := seen.Title
		if other != t {
			title = a.title(other)
		}
		seen.Tabs = append(seen.Tabs, relay.TabInfo{Tab: other.id, URL: other.page.URL(), Title: title, Active: other == active})
	}
	return seen
}

func (a *action) title(t *tab) string {
	title := make(chan string, 1)
	if t.isFrozen() || a.bounded(3*time.Second, func() error { s, err := t.page.Title(); title <- s; return err }) != nil {
		return ""
	}
	return shorten(<-title, 300)
}

const maxFrames = 25

// look asks every frame. A frame that does not answer is left out of it; the outline has its own limit.
func (a *action) look(t *tab) ([]look, error) {
	var list []look
	for i, frame := range t.page.Frames() {
		if i == maxFrames || frame.IsDetached() {
			continue
		}
		text, err := a.script(frame, "look", map[string]any{"top": i == 0})
		if err != nil {
			if i == 0 {
				return nil, err
			}
			continue
		}
		one := look{frame: frame}
		if json.Unmarshal([]byte(text), &one) == nil {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		return nil, errBusy
	}
	return list, nil
}

// outline takes Playwright's snapshot; labels that stand for hidden inputs speak for them while it is taken.
func (a *action) outline(t *tab, looks []look) (string, error) {
	for _, l := range looks {
		if l.Hidden > 0 {
			_, _ = a.script(l.frame, "annotate", nil)
			defer func() { _, _ = a.script(l.frame, "restore", nil) }()
		}
	}
	text := make(chan string, 1)
	err := a.bounded(8*time.Second, func() error {
		s, err := t.page.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Timeout: playwright.Float(7000)})
		text <- s
		return err
	})
	if err != nil {
		return "", err
	}
	return <-text, nil
}

// capped cuts an outline at a line's end.
func capped(text string) (string, bool) {
	if utf8.RuneCountInString(text) <= maxSnapshot {
		return text, false
	}
	runes := []rune(text)
	room := maxSnapshot - 120 // for the mark
	head := string(runes[:room])
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	more := len(runes) - utf8.RuneCountInString(head)
	return head + strings.Replace(cutMark, "%d", itoa(more), 1), true
}

// deliver uploads the picture. Without it the observation still counts.
func (a *action) deliver(seen *relay.Observation, picture []byte) {
	if picture == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), uploadLimit)
	defer cancel()
	key, err := a.up.Upload(ctx, "shot.jpg", "image/jpeg", picture)
	if err != nil {
		a.hand.o.Log.Warn("a picture could not be uploaded", "error", err)
		return
	}
	seen.Picture = key
}

const uploadLimit = 20 * time.Second
