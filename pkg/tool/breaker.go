package tool

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
)

// A tool of a user that failed tripFailures times in a row within tripWindow is left alone for tripRest; then one call tries
// it again. Only upstream's own trouble counts: no answer, no time, 5xx.
const (
	tripFailures = 5
	tripWindow   = 60 * time.Second
	tripRest     = 30 * time.Second
)

// maxStreaks bounds how many failing tools are remembered.
const maxStreaks = 4096

// verdict is what a call says about the health of its upstream.
type verdict int

const (
	unclear verdict = iota // it did not get there, or we do not know
	healthy
	failing
)

func judged(r catalog.Result, err error) verdict {
	switch {
	case isUnknown(err):
		return failing
	case err != nil:
		return unclear
	case r.OK:
		return healthy
	case r.Error == nil:
		return unclear
	}
	status := r.Error.Status
	switch {
	case status >= 500, r.Error.Code == catalog.CodeHeadersTimeout, r.Error.Code == catalog.CodeBodyTimeout,
		status == 0 && strings.HasPrefix(r.Error.Code, "upstream_"):
		return failing
	case status > 0:
		return healthy
	}
	return unclear
}

// breaker remembers failing tools of this process. The zero value is ready.
type breaker struct {
	mu      sync.Mutex
	streaks map[string]*streak
}

// streak is a row of failures without a success between them.
type streak struct {
	failures []time.Time // the newest, at most tripFailures
	until    time.Time   // it rests until then; zero: it does not rest
	trying   bool        // one call tries whether it is well again
}

// door is one call's way through the breaker; leave must be called when wait is 0.
type door struct {
	b       *breaker
	name    string
	attempt bool
	wait    time.Duration
}

// enter says how long a call has to wait, or lets it through.
func (b *breaker) enter(name string, now time.Time) door {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.streaks[name]
	switch {
	case s == nil || s.until.IsZero():
		return door{b: b, name: name}
	case now.Before(s.until):
		return door{wait: s.until.Sub(now)}
	case s.trying:
		return door{wait: time.Second}
	}
	s.trying = true
	return door{b: b, name: name, attempt: true}
}

func (d door) leave(v verdict, now time.Time) {
	if d.b == nil {
		return
	}
	d.b.mu.Lock()
	defer d.b.mu.Unlock()
	s := d.b.streaks[d.name]
	if v == healthy {
		delete(d.b.streaks, d.name)
		return
	}
	if s != nil && d.attempt {
		s.trying = false
	}
	if v != failing {
		return
	}
	if s == nil {
		s = d.b.begin(d.name, now)
	}
	s.failures = append(s.failures, now)
	if over := len(s.failures) - tripFailures; over > 0 {
		s.failures = s.failures[over:]
	}
	if d.attempt || len(s.failures) == tripFailures && now.Sub(s.failures[0]) <= tripWindow {
		s.until = now.Add(tripRest)
	}
}

// begin starts a streak, and forgets those that are over when there are too many.
func (b *breaker) begin(name string, now time.Time) *streak {
	if b.streaks == nil {
		b.streaks = map[string]*streak{}
	}
	if len(b.streaks) >= maxStreaks {
		for k, s := range b.streaks {
			if n := len(s.failures); !s.trying && (n == 0 || now.Sub(s.failures[n-1]) > tripWindow+tripRest) {
				delete(b.streaks, k)
			}
		}
		for k, s := range b.streaks { // all are fresh: any may go, the worst is five more calls
			if len(b.streaks) < maxStreaks {
				break
			}
			if !s.trying {
				delete(b.streaks, k)
			}
		}
	}
	s := &streak{}
	b.streaks[name] = s
	return s
}

func resting(address string, wait time.Duration) *catalog.Failure {
	seconds := int((wait + time.Second - 1) / time.Second)
	return &catalog.Failure{Code: catalog.CodeResting, Retryable: true, RetryAfter: seconds,
		Message: fmt.Sprintf("%s failed %d times in a row, so it is left alone for now and nothing was sent; try again in %d s", address, tripFailures, seconds)}
}
