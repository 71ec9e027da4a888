package link

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// refusal is a refused message as an error.
type refusal struct{ relay.Refused }

func (r *refusal) Error() string { return fmt.Sprintf("refused (%d): %s", r.Code, r.Reason) }

// wire is one connection.
type wire struct {
	conn     Conn
	welcomed chan struct{}
	done     chan struct{} // closed when it is over; cause says why
	cause    error
	once     sync.Once
	greeted  sync.Once
	missed   atomic.Int32 // pings without any sign of life since
}

func (w *wire) end(cause error) {
	w.once.Do(func() {
		w.cause = cause
		close(w.done)
		w.conn.Close()
	})
}

// open dials, says hello and waits to be welcomed.
func (l *Link) open(ctx context.Context) (*wire, error) {
	ctx, cancel := within(ctx, l.Clock, handshakeLimit, errSilent)
	defer cancel()
	t, err := l.Tickets.Ticket(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a socket ticket: %w", err)
	}
	conn, err := l.Dial(ctx, t.URL)
	if err != nil {
		return nil, err
	}
	w := &wire{conn: conn, welcomed: make(chan struct{}), done: make(chan struct{})}
	go l.read(w)
	err = l.say(w, relay.KindHello, relay.Hello{MachineID: l.MachineID, Node: l.Node, RunnerVersion: l.Version, Capabilities: l.Capabilities,
		Signature: l.Sign(t.Nonce, l.MachineID), Force: l.Force, Process: l.process, Only: l.Only, Headless: l.Headless})
	if err != nil {
		w.end(err)
		return nil, fmt.Errorf("say hello: %w", err)
	}
	select {
	case <-w.welcomed:
		return w, nil
	case <-w.done:
		return nil, w.cause
	case <-ctx.Done():
		w.end(context.Cause(ctx))
		return nil, fmt.Errorf("wait to be welcomed: %w", context.Cause(ctx))
	}
}

// read takes messages until the connection is over. What is not of this wire is dropped: gateways speak too.
func (l *Link) read(w *wire) {
	parts := relay.NewAssembler(l.Clock.Now)
	for {
		data, err := w.conn.Read(context.Background())
		if err != nil {
			w.end(fmt.Errorf("the connection dropped: %w", err))
			return
		}
		w.missed.Store(0)
		m, whole, err := parts.Add(data)
		if err != nil {
			l.Log.Warn("frame dropped", "reason", err.Error())
			continue
		}
		if !whole {
			continue
		}
		if err := l.handle(w, m); err != nil {
			l.Log.Warn("message dropped", "kind", m.Kind, "reason", err.Error())
		}
	}
}

// handle does what a message of the cloud says.
func (l *Link) handle(w *wire, m relay.Message) error {
	switch m.Kind {
	case relay.KindWelcome:
		return l.welcome(w, m)
	case relay.KindRefused:
		var r relay.Refused
		if err := m.Read(&r); err != nil {
			return err
		}
		w.end(&refusal{r})
		return nil
	case relay.KindMembers:
		var x relay.Members
		if err := m.Read(&x); err != nil {
			return err
		}
		l.OnMembers(x.Instances)
		return nil
	case relay.KindCall:
		var c relay.Call
		if err := m.Read(&c); err != nil {
			return err
		}
		return l.accept(c)
	case relay.KindCancel:
		var ref relay.CallRef
		if err := m.Read(&ref); err != nil {
			return err
		}
		l.cancel(ref)
		return nil
	case relay.KindSlots:
		var given relay.SlotsGiven
		if err := m.Read(&given); err != nil {
			return err
		}
		l.asks.answer(given)
		return nil
	case relay.KindAck:
		var ref relay.CallRef
		if err := m.Read(&ref); err != nil {
			return err
		}
		return l.acked(ref)
	case relay.KindPing:
		return l.say(w, relay.KindPong, nil)
	case relay.KindPong:
		return nil
	}
	return pags.Errorf(pags.Invalid, "unknown kind of message")
}

func (l *Link) welcome(w *wire, m relay.Message) error {
	var x relay.Welcome
	if err := m.Read(&x); err != nil {
		return err
	}
	l.mu.Lock()
	l.offset = x.ServerTime.Sub(l.Clock.Now())
	l.mu.Unlock()
	w.greeted.Do(func() { close(w.welcomed) })
	l.OnMembers(x.Instances)
	return nil
}

// serve keeps the connection alive until it is over, silent, or due for a planned reconnect.
func (l *Link) serve(ctx context.Context, w *wire) error {
	planned := l.Clock.After(relay.ReconnectAt + time.Duration(l.Rand()*float64(reconnectSpan)))
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.done:
			return w.cause
		case <-planned:
			return errPlanned
		case <-l.Clock.After(relay.PingEvery):
		}
		if w.missed.Load() >= relay.MissedPongs {
			return errSilent
		}
		w.missed.Add(1)
		if err := l.say(w, relay.KindPing, nil); err != nil {
			return fmt.Errorf("ping: %w", err)
		}
	}
}

// say sends a message on a connection; a failed write ends it.
func (l *Link) say(w *wire, kind string, body any) error {
	m, err := relay.New(pags.NewToken()[:26], kind, body)
	if err != nil {
		return err
	}
	return l.sendMessage(w, m)
}

func (l *Link) sendMessage(w *wire, m relay.Message) error {
	frames, err := relay.Split(m)
	if err != nil {
		return err
	}
	ctx, cancel := within(context.Background(), l.Clock, writeLimit, errSilent)
	defer cancel()
	for _, f := range frames {
		if err := w.conn.Write(ctx, f); err != nil {
			w.end(fmt.Errorf("the connection dropped: %w", err))
			return err
		}
	}
	return nil
}

var errOffline = errors.New("not connected")
