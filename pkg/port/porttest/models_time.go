package porttest

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// held asks a server whose script waits, and returns the clock once the request is with the server.
func (m modelsSuite) held(t *testing.T, a modeltest.Answer) (*Clock, <-chan error) {
	t.Helper()
	arrived := make(chan struct{}, 1)
	s := modeltest.New(func(modeltest.Turn) modeltest.Answer { arrived <- struct{}{}; return a })
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	clock, done := NewClock(m.t0), make(chan error, 1)
	models := m.open(clock)
	go func() {
		_, err := models.Ask(context.Background(), m.credential(url), hello())
		done <- err
	}()
	<-arrived
	clock.AwaitWaiters(2) // the whole ask, and the first token
	return clock, done
}

func (m modelsSuite) deadlines(t *testing.T) {
	clock, done := m.held(t, modeltest.Answer{Text: "late", Hold: make(chan struct{})})
	clock.Advance(24 * time.Second)
	select {
	case err := <-done:
		t.Fatalf("given up before the first token's 25 s: %v", err)
	default:
	}
	clock.Advance(time.Second)
	if err := <-done; !pags.Is(err, pags.Timeout) || !strings.Contains(err.Error(), "begin") {
		t.Errorf("got %v, want code %s for the first token", err, pags.Timeout)
	}
}

// stalled does not know when the first half was read, so it moves time until the ask is over; that the limit is 20 s after
// the newest token is proven in pkg/model/exchange.
func (m modelsSuite) stalled(t *testing.T) {
	clock, done := m.held(t, modeltest.Answer{Text: "the first half, and then nothing more", Pause: make(chan struct{})})
	for {
		select {
		case err := <-done:
			if !pags.Is(err, pags.Timeout) {
				t.Errorf("got %v, want code %s", err, pags.Timeout)
			}
			return
		default:
			clock.Advance(time.Second)
			runtime.Gosched()
		}
	}
}

func (m modelsSuite) callerDeadline(t *testing.T) {
	s := modeltest.New(modeltest.Steps(modeltest.Answer{Text: "late", Hold: make(chan struct{})}))
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := m.open(NewClock(m.t0)).Ask(ctx, m.credential(url), hello()); !pags.Is(err, pags.Timeout) {
		t.Errorf("got %v, want code %s", err, pags.Timeout)
	}
}
