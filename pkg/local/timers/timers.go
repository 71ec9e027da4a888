// Package timers is port.Timers in one process: timers live in a bucket of the host's database, are armed again at start,
// and call a function when their time has come.
package timers

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// How a failing function is tried again. The age is EventBridge Scheduler's default maximum; a timer that is older is
// dropped with an error in the log.
const (
	firstWait = time.Second
	maxWait   = time.Minute
	maxAge    = 24 * time.Hour
	atOnce    = 16 // calls in flight
)

var bucket = []byte("timers")

// Options of Open. All but Log are required.
type Options struct {
	DB        *bbolt.DB
	Clock     port.Clock
	Functions port.Functions
	Log       *slog.Logger
}

// Timers keeps timers and, while Run runs, delivers them.
type Timers struct {
	o    Options
	kick chan struct{}   // something changed: look again
	slot chan struct{}   // one for each call in flight
	mu   sync.Mutex      // database and map change together
	set  map[string]*one // every timer, by name
}

// one is a timer. Setting a name again makes a new one, so a delivery in flight knows that it was overtaken.
type one struct {
	At       time.Time       `json:"at"`
	Function string          `json:"function"`
	Payload  json.RawMessage `json:"payload"`

	name   string
	next   time.Time // At, or the next try
	wait   time.Duration
	flying bool
}

var _ port.Timers = (*Timers)(nil)

// Open reads every timer that is set. Nothing is delivered before Run.
func Open(o Options) (*Timers, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	t := &Timers{o: o, kick: make(chan struct{}, 1), slot: make(chan struct{}, atOnce), set: map[string]*one{}}
	err := o.DB.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		return b.ForEach(func(name, raw []byte) error {
			x := &one{name: string(name)}
			if err := json.Unmarshal(raw, x); err != nil {
				return err
			}
			x.next = x.At
			t.set[x.name] = x
			return nil
		})
	})
	if err != nil {
		return nil, pags.Wrap(err, pags.Internal, "read the timers")
	}
	return t, nil
}

// Set arms a timer, or moves the one of that name. It is durable when Set returns.
func (t *Timers) Set(ctx context.Context, name string, at time.Time, function string, payload []byte) error {
	if err := port.CheckTimer(name, function, payload); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	x := &one{At: at, Function: function, Payload: append(json.RawMessage(nil), payload...), name: name, next: at}
	raw, err := json.Marshal(x)
	if err != nil {
		return pags.Wrap(err, pags.Invalid, "a timer's time or payload cannot be written")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	err = t.o.DB.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(name), raw) })
	if err != nil {
		return pags.Wrap(err, pags.Internal, "set a timer")
	}
	t.set[name] = x
	t.look()
	return nil
}

// Cancel disarms a timer. One that is not set is fine; one that is being delivered may still arrive.
func (t *Timers) Cancel(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.set[name] == nil {
		return nil
	}
	return t.drop(name)
}

// drop removes a timer; the caller holds the lock.
func (t *Timers) drop(name string) error {
	err := t.o.DB.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Delete([]byte(name)) })
	if err != nil {
		return pags.Wrap(err, pags.Internal, "remove a timer")
	}
	delete(t.set, name)
	return nil
}

// look wakes Run; a wake-up that is already waiting is enough.
func (t *Timers) look() {
	select {
	case t.kick <- struct{}{}:
	default:
	}
}
