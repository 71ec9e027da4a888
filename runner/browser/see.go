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
	looks, err := a.look(t)
	if err != nil {
		return a.outside(t, ""), err
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
	if strings.HasPrefix(t.page.URL(), "http") {
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
	var title string
	if a.bounded(3*time.Second, func() (err error) { title, err = t.page.Title(); return err }) != nil {
		return ""
	}
	return shorten(title, 300)
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
	var text string
	mode := *playwright.AriaSnapshotModeAi
	err := a.bounded(8*time.Second, func() (err error) {
		text, err = t.page.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: &mode, Timeout: playwright.Float(7000)})
		return err
	})
	return text, err
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

// deliver uploads the picture, and the outline where it is too large for a message.
func (a *action) deliver(seen *relay.Observation, picture []byte) {
	var bodies []relay.SlotBody
	add := func(name, kind string, data []byte) {
		sum := sha256.Sum256(data)
		bodies = append(bodies, relay.SlotBody{SlotItem: relay.SlotItem{Name: name, Size: int64(len(data)),
			SHA256: hex.EncodeToString(sum[:]), ContentType: kind}, Data: data})
	}
	long := quoted(seen.Snapshot) > relay.InlineOutcome-8*1024 // the rest of the outcome needs room too
	if long && a.up != nil {
		add("snapshot.txt", "text/plain; charset=utf-8", []byte(seen.Snapshot))
	}
	if picture != nil {
		add("shot.jpg", "image/jpeg", picture)
	}
	if len(bodies) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), 20*time.Second)
	defer cancel()
	keys, err := a.up.Upload(ctx, bodies)
	if err == nil && len(keys) != len(bodies) {
		err = errors.New("another number of keys than bodies")
	}
	if err != nil {
		a.hand.o.Log.Warn("an observation's bodies could not be uploaded", "error", err)
		a.lease.say("the picture could not be sent")
		if long {
			seen.Snapshot, seen.Truncated = shortened(seen.Snapshot), true
		}
		return
	}
	for i, b := range bodies {
		if b.Name == "shot.jpg" {
			seen.Picture = keys[i]
		} else {
			seen.SnapshotKey, seen.Snapshot = keys[i], ""
		}
	}
}

func quoted(text string) int {
	raw, _ := json.Marshal(text)
	return len(raw)
}

// shortened makes an outline fit a message where it cannot be uploaded.
func shortened(text string) string {
	for quoted(text) > relay.InlineOutcome-8*1024 {
		runes := []rune(text)
		text = string(runes[:len(runes)*3/4])
	}
	return text + "\n[… the page goes on: the rest could not be sent]"
}
