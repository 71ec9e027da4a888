package porttest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// TimersRig is an adapter with what the suite looks at. Clock, Fired and Restart are nil where the peer never fires
// (moto): then Stored proves what was set, and only that.
type TimersRig struct {
	Timers  port.Timers
	Clock   *Clock
	Fired   <-chan Firing         // a call of a function; the suite answers on Reply
	Restart func(t *testing.T)    // the process dies and comes back; Timers is replaced
	Stored  func(name string) Set // what the peer has; the zero value if nothing
}

// Firing is one delivery.
type Firing struct {
	Function string
	Payload  string
	Reply    chan<- error
}

// Set is a timer as a peer shows it.
type Set struct {
	At       time.Time
	Function string
	Payload  string
}

// Timers holds an adapter to port.Timers. open gives one without timers.
func Timers(t *testing.T, open func(t *testing.T) *TimersRig) {
	ctx := context.Background()
	at := time.Date(2027, 3, 4, 5, 6, 7, 0, time.UTC)
	t.Run("what no peer can keep is refused", func(t *testing.T) {
		x := open(t).Timers
		wantCode(t, "no name", x.Set(ctx, "", at, "F", []byte(`{}`)), pags.Invalid)
		wantCode(t, "no function", x.Set(ctx, "n", at, "", []byte(`{}`)), pags.Invalid)
		wantCode(t, "a payload that is not JSON", x.Set(ctx, "n", at, "F", []byte(`{`)), pags.Invalid)
		wantCode(t, "a payload of 257 KB", x.Set(ctx, "n", at, "F", []byte(`"`+strings.Repeat("x", 257*1024)+`"`)), pags.TooLarge)
	})
	t.Run("cancelling what is not set is fine", func(t *testing.T) {
		if err := open(t).Timers.Cancel(ctx, "nothing"); err != nil {
			t.Error(err)
		}
	})
	if probe := open(t); probe.Stored != nil {
		t.Run("a timer is stored, moved and removed", func(t *testing.T) { timersStored(t, open(t)) })
	} else {
		t.Run("a timer fires once, at its time and not before", func(t *testing.T) { timersFire(t, open(t)) })
		t.Run("setting again moves it, cancelling removes it", func(t *testing.T) { timersMove(t, open(t)) })
		t.Run("a failed delivery is tried again", func(t *testing.T) { timersRetry(t, open(t)) })
		t.Run("timers outlive the process", func(t *testing.T) { timersRestart(t, open(t)) })
	}
}

func mustSet(t *testing.T, x port.Timers, name string, at time.Time, function, payload string) {
	t.Helper()
	if err := x.Set(context.Background(), name, at, function, []byte(payload)); err != nil {
		t.Fatalf("set %q: %v", name, err)
	}
}

func timersStored(t *testing.T, r *TimersRig) {
	names := []string{"run_1/expiry", "run_1/ expiry", strings.Repeat("long", 100) + "1", strings.Repeat("long", 100) + "2", "ü"}
	at := time.Date(2127, 3, 4, 5, 6, 7, 1, time.UTC) // a nanosecond past the second: never early means the next one
	for i, name := range names {
		mustSet(t, r.Timers, name, at, "F", fmt.Sprint(i))
	}
	for i, name := range names {
		want := Set{at.Truncate(time.Second).Add(time.Second), "F", fmt.Sprint(i)}
		if got := r.Stored(name); got != want {
			t.Errorf("%q is stored as %+v, want %+v", name, got, want)
		}
	}
	moved := at.Truncate(time.Second).Add(time.Hour)
	mustSet(t, r.Timers, names[0], moved, "G", `{"a":"b"}`)
	if got := r.Stored(names[0]); got != (Set{moved, "G", `{"a":"b"}`}) {
		t.Errorf("moved it is stored as %+v", got)
	}
	for range 2 {
		if err := r.Timers.Cancel(context.Background(), names[0]); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Stored(names[0]); got != (Set{}) {
		t.Errorf("after cancelling it is stored as %+v", got)
	}
	if got := r.Stored(names[1]); got.Payload != "1" {
		t.Errorf("its neighbour is stored as %+v", got)
	}
}

// fired waits for the next delivery and answers it.
func (r *TimersRig) fired(t *testing.T, answer error) string {
	t.Helper()
	select {
	case f := <-r.Fired:
		f.Reply <- answer
		return f.Function + f.Payload
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was delivered")
		return ""
	}
}

// quiet proves that nothing but later markers is delivered. There are two: what was due together with the first may come
// after it, but is waiting to be received before the second is set.
func (r *TimersRig) quiet(t *testing.T) {
	t.Helper()
	for range 2 {
		mustSet(t, r.Timers, "marker", r.Clock.Now(), "Marker", `0`)
		if got := r.fired(t, nil); got != "Marker0" {
			t.Errorf("%s was delivered", got)
		}
	}
}

func timersFire(t *testing.T, r *TimersRig) {
	now := r.Clock.Now()
	mustSet(t, r.Timers, "b", now.Add(2*time.Minute), "F", `"two"`)
	mustSet(t, r.Timers, "a", now.Add(time.Minute), "F", `"one"`)
	r.quiet(t)
	r.Clock.Advance(time.Minute - time.Nanosecond)
	r.quiet(t)
	r.Clock.Advance(time.Nanosecond)
	if got := r.fired(t, nil); got != `F"one"` {
		t.Errorf("%s was delivered", got)
	}
	r.quiet(t)
	r.Clock.Advance(time.Hour)
	if got := r.fired(t, nil); got != `F"two"` {
		t.Errorf("%s was delivered", got)
	}
	mustSet(t, r.Timers, "late", now, "F", `"late"`)
	if got := r.fired(t, nil); got != `F"late"` {
		t.Errorf("%s was delivered for a time that is past", got)
	}
	r.quiet(t)
}

func timersMove(t *testing.T, r *TimersRig) {
	now := r.Clock.Now()
	mustSet(t, r.Timers, "a", now.Add(time.Minute), "F", `1`)
	mustSet(t, r.Timers, "a", now.Add(time.Hour), "F", `2`)
	mustSet(t, r.Timers, "gone", now.Add(time.Minute), "F", `3`)
	if err := r.Timers.Cancel(context.Background(), "gone"); err != nil {
		t.Fatal(err)
	}
	r.Clock.Advance(59 * time.Minute)
	r.quiet(t)
	r.Clock.Advance(time.Minute)
	if got := r.fired(t, nil); got != "F2" {
		t.Errorf("%s was delivered", got)
	}
	// Set while it is being delivered: the delivery must not take the new one with it.
	mustSet(t, r.Timers, "a", r.Clock.Now(), "F", `4`)
	f := <-r.Fired
	mustSet(t, r.Timers, "a", r.Clock.Now().Add(time.Minute), "F", `5`)
	f.Reply <- nil
	r.quiet(t)
	r.Clock.Advance(time.Minute)
	if got := r.fired(t, nil); f.Payload != "4" || got != "F5" {
		t.Errorf("%s, then %s was delivered", f.Payload, got)
	}
}

func timersRetry(t *testing.T, r *TimersRig) {
	mustSet(t, r.Timers, "a", r.Clock.Now(), "F", `1`)
	for range 3 {
		r.fired(t, pags.Errorf(pags.Unavailable, "not now"))
		stop := r.Clock.Flow(time.Second)
		f := <-r.Fired
		stop()
		f.Reply <- pags.Errorf(pags.Unavailable, "not now")
		stop = r.Clock.Flow(time.Second)
		f = <-r.Fired
		stop()
		f.Reply <- nil
		r.quiet(t)
		mustSet(t, r.Timers, "a", r.Clock.Now(), "F", `1`)
	}
	r.fired(t, nil)
}

func timersRestart(t *testing.T, r *TimersRig) {
	now := r.Clock.Now()
	mustSet(t, r.Timers, "a", now.Add(time.Minute), "F", `1`)
	mustSet(t, r.Timers, "b", now.Add(time.Hour), "F", `2`)
	r.Restart(t)
	r.quiet(t)
	r.Clock.Advance(time.Minute)
	f := <-r.Fired // the process dies while it is delivered
	go func() { f.Reply <- context.Canceled }()
	r.Restart(t)
	if got := r.fired(t, nil); f.Payload != "1" || got != "F1" {
		t.Errorf("%s, then after the restart %s was delivered", f.Payload, got)
	}
	r.quiet(t)
	r.Restart(t)
	r.quiet(t)
	r.Clock.Advance(time.Hour)
	if got := r.fired(t, nil); got != "F2" {
		t.Errorf("%s was delivered", got)
	}
}
