package timers_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/local/timers"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// functions hands each call to the test and waits for its answer.
type functions chan porttest.Firing

func (f functions) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	reply := make(chan error, 1)
	select {
	case f <- porttest.Firing{Function: function, Payload: string(payload), Reply: reply}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case err := <-reply:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func open(t *testing.T) *porttest.TimersRig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	calls := make(functions)
	r := &porttest.TimersRig{Clock: porttest.NewClock(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)), Fired: calls}
	var stop func()
	start := func(t *testing.T) {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		x, err := timers.Open(timers.Options{DB: db, Clock: r.Clock, Functions: calls})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { x.Run(ctx); close(done) }()
		r.Timers = x
		stop = func() { cancel(); <-done; _ = db.Close() }
	}
	start(t)
	r.Restart = func(t *testing.T) { stop(); start(t) }
	t.Cleanup(func() { stop() })
	return r
}

func TestTimers_Contract(t *testing.T) { porttest.Timers(t, open) }

func TestTimers_AreGivenUpAfterADayOfFailures(t *testing.T) {
	r := open(t)
	set := func(name string) {
		t.Helper()
		if err := r.Timers.Set(context.Background(), name, r.Clock.Now(), name, []byte(`1`)); err != nil {
			t.Fatal(err)
		}
	}
	fired := func(want string, answer error) {
		t.Helper()
		f := <-r.Fired
		if f.Function != want {
			t.Errorf("%s was delivered, not %s", f.Function, want)
		}
		f.Reply <- answer
	}
	never := pags.Errorf(pags.Unavailable, "never")
	set("F")
	fired("F", never)
	r.Clock.AwaitWaiters(1) // the second try
	r.Clock.Advance(24 * time.Hour)
	fired("F", never)
	for range 3 {
		set("marker")
		fired("marker", nil)
		r.Clock.Advance(time.Hour)
	}
}
