package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// resendAfter is how long an outcome waits for its acknowledgement before it is sent again on the same line.
const resendAfter = 15 * time.Second

// outbox sends outcomes until they are acknowledged: those the store lists, and some that live in memory only.
type outbox struct {
	mu     sync.Mutex
	extra  map[string]relay.Outcome
	sent   map[string]sending
	wake   chan struct{}
	active sync.WaitGroup
}

// sending is the last attempt for an outcome.
type sending struct {
	on   *wire
	at   time.Time
	busy bool
}

func (b *outbox) init() {
	b.extra, b.sent, b.wake = map[string]relay.Outcome{}, map[string]sending{}, make(chan struct{}, 1)
}

func (b *outbox) wait() { b.active.Wait() }

// waitFor waits for what is being sent, until ctx ends.
func (b *outbox) waitFor(ctx context.Context) {
	done := make(chan struct{})
	go func() { b.active.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (b *outbox) kick() {
	select {
	case b.wake <- struct{}{}:
	default: // awake already
	}
}

// add sends an outcome that the store does not list as unacknowledged.
func (b *outbox) add(o relay.Outcome) {
	b.mu.Lock()
	key := relay.CallKey(o.RunID, o.Step)
	b.extra[key] = o
	delete(b.sent, key)
	b.mu.Unlock()
	b.kick()
}

// acked notes that the cloud has an outcome.
func (l *Link) acked(ref relay.CallRef) error {
	key := relay.CallKey(ref.RunID, ref.Step)
	crash.Here(crash.AckBefore)
	if err := l.Store.Acked(ref.RunID, ref.Step); err != nil {
		return err // it is sent and acknowledged once more
	}
	l.outbox.mu.Lock()
	defer l.outbox.mu.Unlock()
	delete(l.outbox.extra, key)
	delete(l.outbox.sent, key)
	return nil
}

// resend runs until ctx ends.
func (l *Link) resend(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.outbox.wake:
		case <-l.Clock.After(resendAfter):
		}
		l.sendDue(ctx)
	}
}

// sendDue sends what this line has not had, or had too long ago without an answer. Each goes on its own, so that one upload
// does not hold up another instance.
func (l *Link) sendDue(ctx context.Context) {
	w, _ := l.line()
	if w == nil {
		return
	}
	all, err := l.Store.Unacked()
	if err != nil {
		l.Log.Error("unacknowledged outcomes cannot be read", "reason", err.Error())
	}
	b := &l.outbox
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.extra {
		all = append(all, o)
	}
	now := l.Clock.Now()
	for _, o := range all {
		key := relay.CallKey(o.RunID, o.Step)
		last := b.sent[key]
		if last.busy || (last.on == w && now.Sub(last.at) < resendAfter) {
			continue
		}
		b.sent[key] = sending{on: w, at: now, busy: true}
		b.active.Go(func() {
			err := l.sendOutcome(ctx, w, o)
			b.mu.Lock()
			if _, open := b.sent[key]; open { // not acknowledged meanwhile
				b.sent[key] = sending{on: w, at: l.Clock.Now()}
			}
			b.mu.Unlock()
			if err != nil {
				l.Log.Warn("an outcome was not sent", "call", key, "reason", err.Error())
			}
			if now, _ := l.line(); now != w {
				b.kick() // the line changed meanwhile
			}
		})
	}
}

func (l *Link) sendOutcome(ctx context.Context, w *wire, o relay.Outcome) error {
	o, err := l.fit(ctx, o)
	if err != nil {
		return err
	}
	if err := l.say(w, relay.KindOutcome, o); err != nil {
		return err
	}
	crash.Here(crash.OutcomeSentAfter)
	return nil
}

// fit makes an outcome small enough for a message: a large snapshot goes to a slot, and what is still too large is cut with
// a mark.
func (l *Link) fit(ctx context.Context, o relay.Outcome) (relay.Outcome, error) {
	raw, err := json.Marshal(o)
	if err != nil || len(raw) <= relay.InlineOutcome || o.Result.Seen == nil {
		return trim(o, len(raw)), err
	}
	seen := *o.Result.Seen
	o.Result.Seen = &seen
	key, err := uploader{l, relay.CallRef{RunID: o.RunID, Step: o.Step}}.Upload(ctx, "snapshot.txt", "text/plain; charset=utf-8", []byte(seen.Snapshot))
	var no *slotRefused
	switch {
	case err == nil:
		seen.Snapshot, seen.SnapshotKey = "", key
	case errors.As(err, &no): // the call is over for the cloud; the rest of the outcome still counts
		seen.Snapshot, seen.Truncated = cutText(seen.Snapshot, 16<<10), true
	default:
		return o, fmt.Errorf("upload a snapshot: %w", err)
	}
	if raw, err = json.Marshal(o); err != nil {
		return o, err
	}
	return trim(o, len(raw)), nil
}

func trim(o relay.Outcome, size int) relay.Outcome {
	if size <= relay.InlineOutcome {
		return o
	}
	o.Result.Feedback = cutText(o.Result.Feedback, 4<<10)
	if c := o.Result.Commit; c != nil {
		short := *c
		short.Name, short.Fields = cutText(c.Name, 500), nil
		for i, f := range c.Fields {
			if i == 40 {
				break
			}
			short.Fields = append(short.Fields, relay.CommitField{Name: cutText(f.Name, 80), Label: cutText(f.Label, 80), Value: cutText(f.Value, 200)})
		}
		o.Result.Commit = &short
	}
	if s := o.Result.Seen; s != nil {
		short := *s
		short.URL, short.Title, short.Snapshot, short.Tabs = cutText(s.URL, 4<<10), cutText(s.Title, 500), cutText(s.Snapshot, 16<<10), nil
		short.Truncated = short.Truncated || len(short.Snapshot) < len(s.Snapshot)
		for i, t := range s.Tabs {
			if i == 20 {
				break
			}
			short.Tabs = append(short.Tabs, relay.TabInfo{Tab: t.Tab, URL: cutText(t.URL, 500), Title: cutText(t.Title, 200), Active: t.Active})
		}
		o.Result.Seen = &short
	}
	return o
}

// cutText keeps the first n bytes of whole characters and says so.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " …(cut)"
}

// slotRefused is the cloud's no to an upload.
type slotRefused struct{ text string }

func (e *slotRefused) Error() string { return e.text }
func (e *slotRefused) Unwrap() error { return pags.Errorf(pags.Conflict, "%s", e.text) }
