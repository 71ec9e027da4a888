package porttest_test

import (
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/port/porttest"
)

var t0 = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func TestClock_SendsWhenItsMomentHasComeAndNotBefore(t *testing.T) {
	c := porttest.NewClock(t0)
	late, early := c.After(2*time.Second), c.After(time.Second)
	c.AwaitWaiters(2)
	c.Advance(999 * time.Millisecond)
	select {
	case <-early:
		t.Fatal("sent a millisecond early")
	default:
	}
	c.Advance(time.Millisecond)
	if at := <-early; !at.Equal(t0.Add(time.Second)) {
		t.Fatalf("woke at %s", at)
	}
	if c.Waiters() != 1 {
		t.Fatalf("%d waiters left, want the late one", c.Waiters())
	}
	c.Advance(time.Hour)
	<-late
	<-c.After(0)
}

func TestClock_AwaitWaitersSeesOneThatComesLater(t *testing.T) {
	c := porttest.NewClock(t0)
	woke := make(chan time.Time)
	go func() { woke <- <-c.After(time.Minute) }()
	c.AwaitWaiters(1)
	c.Advance(time.Minute)
	<-woke
}

func TestClock_FlowMovesTimeOnlyForWaiters(t *testing.T) {
	c := porttest.NewClock(t0)
	stop := c.Flow(time.Second)
	<-c.After(10 * time.Second)
	stop()
	if got := c.Now().Sub(t0); got != 10*time.Second {
		t.Fatalf("moved %s, want 10s", got)
	}
}
