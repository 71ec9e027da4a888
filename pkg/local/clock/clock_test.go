package clock_test

import (
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/local/clock"
)

func TestReal_AfterSendsNotBeforeTheTimeHasPassed(t *testing.T) {
	c := clock.Real{}
	start := c.Now()
	select {
	case <-c.After(5 * time.Millisecond):
	case <-time.After(10 * time.Second):
		t.Fatal("After did not send")
	}
	if d := c.Now().Sub(start); d < 5*time.Millisecond {
		t.Fatalf("After(5ms) sent after %s", d)
	}
}
