// Package clock is the time of the machine.
package clock

import (
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// Real is the wall clock.
type Real struct{}

var _ port.Clock = Real{}

func (Real) Now() time.Time                         { return time.Now() }
func (Real) After(d time.Duration) <-chan time.Time { return time.After(d) }
