package asl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// MemoryJournal keeps executions in memory: for tests and measurements. Another engine on the same journal sees what the
// first one appended, as after a restart.
type MemoryJournal struct {
	mu     sync.Mutex
	byID   map[string]*memoryLog
	order  []string
	closed bool
}

type memoryLog struct {
	start  Start
	head   Head
	events []Event
}

var _ Journal = (*MemoryJournal)(nil)

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal() *MemoryJournal { return &MemoryJournal{byID: map[string]*memoryLog{}} }

// Append adds to the execution's log.
func (j *MemoryJournal) Append(_ context.Context, b Batch) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return pags.Errorf(pags.Unavailable, "the journal is closed")
	}
	l := j.byID[b.Execution]
	if l == nil {
		if b.Start == nil {
			return pags.Errorf(pags.Internal, "the first append of %s lacks its start", b.Execution)
		}
		l = &memoryLog{start: *b.Start}
		j.byID[b.Execution] = l
		j.order = append(j.order, b.Execution)
	}
	l.head = b.Head
	l.events = append(l.events, b.Events...)
	return nil
}

func (j *MemoryJournal) find(execution string) (*memoryLog, error) {
	l := j.byID[execution]
	if l == nil {
		return nil, pags.Errorf(pags.NotFound, "there is no execution %s", execution)
	}
	return l, nil
}

// Load returns start and newest head.
func (j *MemoryJournal) Load(_ context.Context, execution string) (Start, Head, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l, err := j.find(execution)
	if err != nil {
		return Start{}, Head{}, err
	}
	head := l.head
	head.Retries = slices.Clone(head.Retries)
	return l.start, head, nil
}

// Events returns the history.
func (j *MemoryJournal) Events(_ context.Context, execution string) ([]Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l, err := j.find(execution)
	if err != nil {
		return nil, err
	}
	return slices.Clone(l.events), nil
}

// Unfinished lists what is not settled.
func (j *MemoryJournal) Unfinished(context.Context) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for _, id := range j.order {
		if !j.byID[id].head.Settled {
			out = append(out, id)
		}
	}
	return out, nil
}

// Prune removes what is settled and stopped before.
func (j *MemoryJournal) Prune(_ context.Context, before time.Time) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := j.order[:0]
	n := 0
	for _, id := range j.order {
		if h := j.byID[id].head; h.Settled && h.Stopped.Before(before) {
			delete(j.byID, id)
			n++
			continue
		}
		kept = append(kept, id)
	}
	j.order = kept
	return n, nil
}

// Close makes later appends fail.
func (j *MemoryJournal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	return nil
}
