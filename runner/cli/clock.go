package cli

import "time"

// clock is the wall clock for the runner; now comes from the app.
type clock struct{ app *app }

func (c clock) Now() time.Time                         { return c.app.now() }
func (c clock) After(d time.Duration) <-chan time.Time { return time.After(d) }
