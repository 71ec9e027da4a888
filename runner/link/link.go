// Package link is the runner's line to the cloud: one socket that comes back by itself, calls in, outcomes out, each outcome
// again until the cloud confirms it. Work does not hang on a connection: a dropped socket loses nothing.
//
//	link.go     what a link needs, and its life: dial, serve, come back
//	dial.go     the WebSocket, through the proxies of the environment
//	wire.go     one connection: hello, welcome, messages, keep-alive
//	work.go     calls: one at a time for each instance, intent before, outcome after
//	act.go      one command with its deadline and its cancelling
//	outbox.go   outcomes until they are acknowledged
//	upload.go   large parts by slot, large commands by address
package link

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/outcome"
)

// Ticket opens one socket.
type Ticket struct {
	URL   string
	Nonce string
}

// Tickets mints a ticket with the person's session. An error of pags.Unauthenticated or pags.Forbidden stops the link; one
// with a RetryAfter() time.Duration method is advice on when to come back.
type Tickets interface {
	Ticket(ctx context.Context) (Ticket, error)
}

// Hand does commands. Do ends soon after its context does: before the effect it answers relay.StatusCancelled, after it what
// really happened. context.Cause tells ErrCancelled, ErrDeadline or ErrStopped.
type Hand interface {
	Do(ctx context.Context, call relay.Call, up Uploader) relay.Result
}

// Uploader keeps a part of the outcome in the cloud: relay blob names "shot.jpg" (image/jpeg) or "snapshot.txt".
type Uploader interface {
	Upload(ctx context.Context, name, contentType string, body []byte) (key string, err error)
}

// Store remembers intents and outcomes across restarts.
type Store interface {
	Intent(relay.Call) (outcome.Verdict, *relay.Outcome, error)
	Finish(relay.Outcome) (relay.Outcome, error)
	Unacked() ([]relay.Outcome, error)
	Acked(run pags.RunID, step int) error
	Prune() (int, error)
}

var _ Store = (*outcome.Store)(nil)

// Conn is an open socket. Write may be called by several at once.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, frame []byte) error
	Close()
}

// State of a link, for people.
type State struct {
	Kind string // connecting, live, blocked, waiting, stopped
	Text string
}

// States.
const (
	Connecting = "connecting"
	Live       = "live"
	Blocked    = "blocked" // another process serves this machine
	Waiting    = "waiting" // between two attempts
	Stopped    = "stopped" // for good; the text says what to do
)

// Config is what a link needs. Dial, HTTP, Rand, OnState, OnMembers and Log may be nil.
type Config struct {
	Tickets      Tickets
	MachineID    pags.MachineID
	Node         string
	Sign         func(nonce string, machine pags.MachineID) string
	Version      string
	Capabilities []string
	Only         []pags.InstanceID
	Force        bool // take the machine's place over, at the first hello only
	Headless     bool
	Hand         Hand
	Store        Store
	Clock        port.Clock
	Log          *slog.Logger
	Dial         func(ctx context.Context, url string) (Conn, error)
	HTTP         *http.Client
	Rand         func() float64 // [0, 1)
	OnState      func(State)
	OnMembers    func([]relay.Member)
}

// Times of the line.
const (
	handshakeLimit = 20 * time.Second // dial to welcome
	writeLimit     = 10 * time.Second
	blockedRetry   = 20 * time.Second // spec platform 4.1
	maxBackoff     = 30 * time.Second
	minBackoff     = 100 * time.Millisecond
	reconnectSpan  = 15 * time.Minute // jitter on top of relay.ReconnectAt
	pruneEvery     = 24 * time.Hour
	lastWords      = 2 * time.Second // for outcomes that are ready when the link stops
)

// Link is one machine's line.
type Link struct {
	Config
	process string

	mu      sync.Mutex
	current *wire
	changed chan struct{} // closed and replaced when current changes
	offset  time.Duration // server clock minus ours

	work   work
	outbox outbox
	asks   asks
}

// New makes a link; Run starts it.
func New(c Config) *Link {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	if c.Dial == nil {
		c.Dial = Dialer{}.Dial
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{Transport: transport(nil)}
	}
	if c.OnState == nil {
		c.OnState = func(State) {}
	}
	if c.OnMembers == nil {
		c.OnMembers = func([]relay.Member) {}
	}
	l := &Link{Config: c, process: pags.NewToken()[:26], changed: make(chan struct{})}
	l.work.init()
	l.outbox.init()
	l.asks.init()
	return l
}

var (
	errPlanned = errors.New("time for a planned reconnect")
	errSilent  = errors.New("the cloud does not answer")
)

// Run keeps the line until ctx ends (then nil, once running commands have their outcome on disk) or it cannot be had: a
// pags.Unauthenticated, pags.Forbidden or pags.Gone error says what to do.
func (l *Link) Run(ctx context.Context) error {
	helping, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	var helpers sync.WaitGroup
	helpers.Go(func() { l.beat(helping) })
	helpers.Go(func() { l.resend(helping) })
	helpers.Go(func() { l.prune(helping) })
	err := l.live(ctx)
	l.work.close(ErrStopped)
	l.work.wait()
	last, cancel := within(helping, l.Clock, lastWords, ErrStopped)
	l.sendDue(last)
	l.outbox.waitFor(last)
	cancel()
	stop(ErrStopped)
	helpers.Wait()
	if w := l.use(nil); w != nil {
		w.end(ErrStopped)
	}
	l.outbox.wait()
	if err != nil {
		l.OnState(State{Stopped, err.Error()})
	}
	return err
}

func (l *Link) live(ctx context.Context) error {
	failures := 0
	for ctx.Err() == nil {
		l.OnState(State{Connecting, "connecting"})
		w, err := l.open(ctx)
		if err == nil {
			failures, l.Force = 0, false
			if old := l.use(w); old != nil {
				old.end(errPlanned)
			}
			l.OnState(State{Live, "connected"})
			l.outbox.kick()
			if err = l.serve(ctx, w); errors.Is(err, errPlanned) {
				l.Log.Info("planned reconnect")
				continue // the old line works until the new one is welcomed
			}
			if ctx.Err() != nil {
				break // the line carries the last outcomes
			}
			l.use(nil)
			w.end(err)
		}
		if ctx.Err() != nil {
			break
		}
		if fatal := stops(err); fatal != nil {
			return fatal
		}
		failures++
		d := l.pause(err, failures)
		l.Log.Info("not connected", "reason", err.Error(), "again", d.Round(time.Millisecond).String())
		select {
		case <-ctx.Done():
		case <-l.Clock.After(d):
		}
	}
	return nil
}

// stops turns an end that a new attempt cannot mend into the link's error.
func stops(err error) error {
	var r *refusal
	switch {
	case errors.As(err, &r) && r.Code == relay.CodeUnauthorized:
		return pags.Wrap(err, pags.Unauthenticated, "%s", r.Reason)
	case errors.As(err, &r) && r.Code == relay.CodeVersion:
		return pags.Wrap(err, pags.Gone, "%s", r.Reason)
	case pags.Is(err, pags.Unauthenticated):
		return pags.Wrap(err, pags.Unauthenticated, "the session is not good any more; sign in again with pags login")
	case pags.Is(err, pags.Forbidden):
		return pags.Wrap(err, pags.Forbidden, "this account may not connect: %v", err)
	}
	return nil
}

// pause says how long to wait: what the cloud advises, else full jitter below a doubling limit.
func (l *Link) pause(err error, failures int) time.Duration {
	var r *refusal
	if errors.As(err, &r) && r.Code == relay.CodeSlotTaken {
		l.OnState(State{Blocked, r.Reason})
		return max(blockedRetry, time.Duration(r.Again)*time.Second)
	}
	l.OnState(State{Waiting, err.Error()})
	limit := maxBackoff
	if failures < 6 {
		limit = min(maxBackoff, time.Second<<(failures-1))
	}
	d := max(minBackoff, time.Duration(l.Rand()*float64(limit)))
	var advice interface{ RetryAfter() time.Duration }
	if errors.As(err, &advice) {
		d = max(d, min(advice.RetryAfter(), 10*time.Minute))
	}
	if r != nil {
		d = max(d, time.Duration(min(r.Again, 600))*time.Second)
	}
	return d
}

// use makes w the line in service and returns the one before.
func (l *Link) use(w *wire) (old *wire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, l.current = l.current, w
	close(l.changed)
	l.changed = make(chan struct{})
	return old
}

// line is the connection in service, nil without one, and a channel that closes when that changes.
func (l *Link) line() (*wire, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		select {
		case <-l.current.done:
			return nil, l.changed
		default:
		}
	}
	return l.current, l.changed
}

func (l *Link) prune(ctx context.Context) {
	for {
		if n, err := l.Store.Prune(); err != nil {
			l.Log.Warn("old outcomes were not pruned", "reason", err.Error())
		} else if n > 0 {
			l.Log.Debug("old outcomes pruned", "count", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-l.Clock.After(pruneEvery):
		}
	}
}

// within ends the context when d has passed on the clock.
func within(ctx context.Context, clock port.Clock, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := clock.After(d)
	go func() {
		select {
		case <-ctx.Done():
		case <-timer:
			cancel(cause)
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}
