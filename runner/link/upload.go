package link

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

const (
	slotAnswer  = 10 * time.Second // for the answer to an ask
	uploadLimit = 45 * time.Second // for all attempts of one upload
	maxCommand  = 16 << 20         // bytes of a command read by address
)

// asks are the questions for slots that wait for their answer.
type asks struct {
	mu   sync.Mutex
	open map[string]chan relay.SlotsGiven
}

func (a *asks) init() { a.open = map[string]chan relay.SlotsGiven{} }

func (a *asks) add(id string) chan relay.SlotsGiven {
	ch := make(chan relay.SlotsGiven, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[id] = ch
	return ch
}

func (a *asks) drop(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, id)
}

// answer gives slots to who asked; an answer nobody waits for is late.
func (a *asks) answer(g relay.SlotsGiven) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ch := a.open[g.Re]; ch != nil {
		delete(a.open, g.Re)
		ch <- g
	}
}

// uploader keeps parts of one call's outcome.
type uploader struct {
	link *Link
	ref  relay.CallRef
}

// Upload asks for a slot and puts the body there. It waits for the line where there is none, and asks again where it drops.
func (u uploader) Upload(ctx context.Context, name, contentType string, body []byte) (string, error) {
	l := u.link
	ctx, cancel := within(ctx, l.Clock, uploadLimit, errSilent)
	defer cancel()
	sum := sha256.Sum256(body)
	item := relay.SlotItem{Name: name, Size: int64(len(body)), SHA256: hex.EncodeToString(sum[:]), ContentType: contentType}
	var last error
	for range 4 {
		w, changed := l.line()
		if w == nil {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return "", fmt.Errorf("upload %s: %w", name, errOffline)
			}
		}
		slot, err := u.ask(ctx, w, item)
		if err == nil {
			if err = l.put(ctx, slot, body); err == nil {
				crash.Here(crash.UploadAfter)
				return slot.Key, nil
			}
		}
		var no *slotRefused
		if errors.As(err, &no) || ctx.Err() != nil {
			return "", fmt.Errorf("upload %s: %w", name, err)
		}
		last = err
	}
	return "", fmt.Errorf("upload %s: %w", name, last)
}

func (u uploader) ask(ctx context.Context, w *wire, item relay.SlotItem) (relay.Slot, error) {
	l := u.link
	m, err := relay.New(pags.NewToken()[:26], relay.KindSlots, relay.SlotsAsk{RunID: u.ref.RunID, Step: u.ref.Step, Items: []relay.SlotItem{item}})
	if err != nil {
		return relay.Slot{}, err
	}
	answer := l.asks.add(m.ID)
	defer l.asks.drop(m.ID)
	if err := l.sendMessage(w, m); err != nil {
		return relay.Slot{}, err
	}
	select {
	case g := <-answer:
		switch {
		case g.Error != "":
			return relay.Slot{}, &slotRefused{g.Error}
		case len(g.Slots) != 1 || g.Slots[0].Name != item.Name:
			return relay.Slot{}, &slotRefused{"the cloud answered with another slot"}
		}
		return g.Slots[0], nil
	case <-w.done:
		return relay.Slot{}, errOffline
	case <-l.Clock.After(slotAnswer):
		return relay.Slot{}, errSilent
	case <-ctx.Done():
		return relay.Slot{}, context.Cause(ctx)
	}
}

// put sends the body exactly as the slot says.
func (l *Link) put(ctx context.Context, slot relay.Slot, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, slot.Method, slot.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the slot's address cannot be used")
	}
	for k, v := range slot.Headers {
		req.Header.Set(k, v)
	}
	got, err := l.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("put a body: %w", innermost(err)) // the URL carries a permission: not in the text
	}
	defer func() { _ = got.Body.Close() }()
	if got.StatusCode >= 300 {
		return fmt.Errorf("put a body: the store answered %s", got.Status)
	}
	return nil
}

// fetch reads a command by address and checks that it is the one that was meant.
func (l *Link) fetch(ctx context.Context, at relay.BodyAt) (cmd relay.Command, err error) {
	if at.Size > maxCommand {
		return cmd, pags.Errorf(pags.TooLarge, "a command of %d bytes is above %d", at.Size, maxCommand)
	}
	ctx, cancel := within(ctx, l.Clock, uploadLimit, errSilent)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return cmd, pags.Errorf(pags.Invalid, "its address cannot be used")
	}
	got, err := l.HTTP.Do(req)
	if err != nil {
		return cmd, fmt.Errorf("get it: %w", innermost(err))
	}
	defer func() { _ = got.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(got.Body, at.Size+1))
	if err != nil {
		return cmd, fmt.Errorf("get it: %w", err)
	}
	sum := sha256.Sum256(raw)
	if got.StatusCode != http.StatusOK || hex.EncodeToString(sum[:]) != at.SHA256 {
		return cmd, pags.Errorf(pags.Upstream, "the store answered %s with other bytes than announced", got.Status)
	}
	if err := json.Unmarshal(raw, &cmd); err != nil {
		return cmd, pags.Wrap(err, pags.Invalid, "it is not a command")
	}
	return cmd, nil
}
