package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Window is how long a bucket counts before it starts anew (spec platform 6.4).
const Window = time.Minute

// rates are the requests a window. exact buckets count every request in the table; the others in memory, telling the table
// in steps, so that reads cost no durable write (docs/decisions/rate-limits.md).
var rates = map[Bucket]struct {
	limit int
	exact bool
}{
	BucketDefault: {240, false},
	BucketRefresh: {60, false},
	BucketStrict:  {10, true},
}

const (
	flushStep  = 24      // requests until a process tells the table: a tenth of the default limit
	maxTracked = 100_000 // callers remembered in a window; beyond it counting starts anew rather than memory grow
)

// Limits is the Limiter over a table: rows RL#<bucket>#<who> / <start of the window>.
type Limits struct {
	table port.Table
	clock port.Clock

	mu     sync.Mutex
	start  time.Time
	counts map[string]*count
}

// count is one bucket of one caller in this window: what other processes told the table, what we told, what we have not yet.
type count struct{ others, told, untold int }

var _ Limiter = (*Limits)(nil)

// NewLimits makes a limiter; one for each process.
func NewLimits(table port.Table, clock port.Clock) *Limits {
	return &Limits{table: table, clock: clock, counts: map[string]*count{}}
}

// Allow counts one request. Exact buckets fail closed when the table does; the others go by what the process knows.
func (l *Limits) Allow(ctx context.Context, bucket Bucket, who string) (Verdict, error) {
	rate, ok := rates[bucket]
	if !ok {
		return Verdict{}, fmt.Errorf("there is no rate bucket %q", bucket)
	}
	now := l.clock.Now()
	start := now.Truncate(Window)
	v := Verdict{OK: true, Limit: rate.limit, Reset: start.Add(Window).Sub(now)}
	row := port.Key{PK: "RL#" + string(bucket) + "#" + who, SK: strconv.FormatInt(start.Unix(), 10)}
	if rate.exact {
		return l.exact(ctx, row, start, v)
	}

	l.mu.Lock()
	if !start.Equal(l.start) || len(l.counts) > maxTracked {
		l.start, l.counts = start, map[string]*count{}
	}
	c := l.counts[row.PK]
	if c == nil {
		c = &count{}
		l.counts[row.PK] = c
	}
	used := c.others + c.told + c.untold
	if used >= rate.limit {
		l.mu.Unlock()
		v.OK = false
		return v, nil
	}
	c.untold++
	tell := 0
	if c.untold >= flushStep {
		tell, c.told, c.untold = c.untold, c.told+c.untold, 0
	}
	l.mu.Unlock()

	v.Remaining = rate.limit - used - 1
	if tell > 0 {
		l.tell(ctx, row, start, c, tell)
	}
	return v, nil
}

// tell adds to the shared row and learns what others counted. It may fail: then this process goes by its own count.
func (l *Limits) tell(ctx context.Context, row port.Key, start time.Time, c *count, n int) {
	if err := l.table.Write(ctx, add(row, start, n)); err != nil {
		return
	}
	total, err := l.read(ctx, row)
	if err != nil {
		return
	}
	l.mu.Lock()
	c.others = max(c.others, total-c.told)
	l.mu.Unlock()
}

func (l *Limits) exact(ctx context.Context, row port.Key, start time.Time, v Verdict) (Verdict, error) {
	full := port.Or(port.LacksAttr("n"), port.Lt("n", v.Limit))
	err := l.table.Write(ctx, add(row, start, 1).When(full))
	var failed *port.ConditionFailed
	if errors.As(err, &failed) {
		v.OK = false
		return v, nil
	}
	if err != nil {
		return v, pags.Wrap(err, pags.Unavailable, "requests cannot be counted now; try again in a moment")
	}
	total, err := l.read(ctx, row)
	if err != nil {
		return v, pags.Wrap(err, pags.Unavailable, "requests cannot be counted now; try again in a moment")
	}
	v.Remaining = max(0, v.Limit-total)
	return v, nil
}

func add(row port.Key, start time.Time, n int) port.Write {
	return port.Update(row).Adding("n", int64(n)).Setting(port.AttrExpires, start.Add(2*Window).Unix()).OrCreate()
}

func (l *Limits) read(ctx context.Context, row port.Key) (int, error) {
	it, err := l.table.Get(ctx, row)
	if err != nil {
		return 0, fmt.Errorf("read count %s: %w", row, err)
	}
	n, _ := it["n"].(json.Number)
	total, err := n.Int64()
	if err != nil {
		return 0, fmt.Errorf("read count %s: %w", row, err)
	}
	return int(total), nil
}
