// Package browser is the browser hand: it does one relay.Command at a time in a real Chromium on the person's machine and
// tells what the page looks like afterwards. Nothing of Playwright is loaded before the first command.
//
//	hand.go      Hand: Do and Close
//	engine.go    Chromium, its profile and its way out   orphan.go  one that was left behind   profile.go  what it keeps
//	lease.go     the pages of one instance       tab.go   one page and its events
//	action.go    the list of actions             navigate click typing choose upload keys: one file each
//	target.go    from a ref to an element        page/    what runs inside the page
//	guard.go     what would commit something     commit.go  how it is described and compared
//	settle.go    when a page has come to rest
//	see.go       the observation                 mask.go secrets   picture.go   challenge.go
package browser

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/driver"
)

// Options say where the hand lives and what it may do. Zero durations take the defaults of spec platform 4.3.
type Options struct {
	DataDir    string // profile, downloads and uploads; one hand per folder at a time
	Headless   bool   // without a display this is taken anyway
	Clock      port.Clock
	Log        *slog.Logger
	AllowHosts []string // private hosts (host or host:port) that every agent on this machine may visit
	OwnOrigins []string // the platform's own origins: refused always
	Driver     driver.Options
	Executable string // empty: driver.Chromium
	NoSandbox  bool   // Chromium's sandbox off; only where it cannot work (root gets this by itself)
	NoPictures bool   // snapshots only

	NavigateLimit time.Duration // until a page answers (30 s)
	ReadyLimit    time.Duration // until its document is read (6 s)
	IdleLimit     time.Duration // until the network rests (3.5 s)

	// CommitWord tells whether a name is that of a control that commits something; empty: relay.CommitWord.
	CommitWord func(name, mode string) bool
}

// Uploader keeps a picture of this call in the cloud and answers its blob key.
type Uploader interface {
	Upload(ctx context.Context, name, contentType string, body []byte) (key string, err error)
}

// Hand drives one Chromium for all instances that this machine serves.
type Hand struct {
	o Options

	mu     sync.Mutex // engine and leases
	engine *engine
	leases map[pags.InstanceID]*lease
	closed bool
}

// New makes a hand. It starts nothing.
func New(o Options) *Hand {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.CommitWord == nil {
		o.CommitWord = relay.CommitWord
	}
	for value, standard := range map[*time.Duration]time.Duration{&o.NavigateLimit: 30 * time.Second,
		&o.ReadyLimit: 6 * time.Second, &o.IdleLimit: 3500 * time.Millisecond} {
		if *value == 0 {
			*value = standard
		}
	}
	return &Hand{o: o, leases: map[pags.InstanceID]*lease{}}
}

// Do performs a call and always answers, soon after its context ends: the caller keeps the call's deadline. Calls of one
// instance are done one after the other. The texts of the call's secrets leave in nothing that the answer holds. A long
// snapshot is in the answer whole; the caller makes it fit a message.
func (h *Hand) Do(ctx context.Context, call relay.Call, up Uploader) (res relay.Result) {
	started := h.o.Clock.Now()
	l := h.lease(call)
	l.busy.Lock()
	defer l.busy.Unlock()
	a := &action{hand: h, lease: l, call: call, cmd: call.Command, up: up}
	defer func() {
		if p := recover(); p != nil {
			h.o.Log.Error("the browser hand panicked", "panic", fmt.Sprint(p), "action", call.Command.Action)
			res = relay.Result{Status: relay.StatusUnknown, Feedback: "the browser hand failed in the middle of this; look at the page before trying again"}
		}
		res = l.clean(res)
		res.Millis = h.o.Clock.Now().Sub(started).Milliseconds()
	}()
	a.ctx = ctx
	l.remember(call)
	res = a.run()
	crash.Here(crash.EffectAfter)
	return res
}

// Close ends Chromium and forgets all pages. The profile stays on disk.
func (h *Hand) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.leases = map[pags.InstanceID]*lease{}
	e := h.engine
	h.engine = nil
	if e == nil {
		return nil
	}
	return e.stop()
}

func (h *Hand) lease(call relay.Call) *lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.leases[call.InstanceID]
	if l == nil {
		l = &lease{hand: h, id: call.InstanceID}
		h.leases[call.InstanceID] = l
	}
	return l
}
