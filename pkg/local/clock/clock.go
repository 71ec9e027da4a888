// Package clock is the clock of this machine.
package clock

import (
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// Real tells the machine's time.
type Real struct{}

var _ port.Clock = Real{}

// Now is the present moment.
func (Real) Now() time.Time { return time.Now() }

// After sends once when d has passed.
func (Real) After(d time.Duration) <-chan time.Time { return time.After(d) }
