package bolt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/pags"
)

// maxBatch bounds how many jobs share a commit.
const maxBatch = 512

// job is one writer's turn inside a commit. run reports whether it changed anything. A refused job has changed nothing; any
// other error may have left half a change, so the commit starts again without that job.
type job struct {
	run  func(*bbolt.Tx) (changed bool, err error)
	done chan error
}

type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

func refuse(err error) error { return refused{err} }

// queue collects jobs while a commit is on its way; the next commit takes them all. With nobody else around a job is
// committed at once.
type queue struct {
	mu      sync.Mutex
	ready   *sync.Cond
	jobs    []*job
	closed  bool
	drained chan struct{}
}

func newQueue() *queue {
	q := &queue{drained: make(chan struct{})}
	q.ready = sync.NewCond(&q.mu)
	return q
}

func (q *queue) add(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.jobs = append(q.jobs, j)
	q.ready.Signal()
	return true
}

// take waits for jobs; nil when the queue is closed and empty.
func (q *queue) take() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 && !q.closed {
		q.ready.Wait()
	}
	if len(q.jobs) == 0 {
		return nil
	}
	n := min(len(q.jobs), maxBatch)
	batch := q.jobs[:n:n]
	q.jobs = q.jobs[n:]
	return batch
}

func (q *queue) close() (first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first = !q.closed
	q.closed = true
	q.ready.Signal()
	return first
}

// Update runs fn in a write transaction that it may share with other writers, and returns when it is durable. If fn fails,
// nothing it did remains. fn may be run more than once and must only read and write through tx.
func (t *Table) Update(ctx context.Context, fn func(*bbolt.Tx) error) error {
	return t.submit(ctx, func(tx *bbolt.Tx) (bool, error) { return true, fn(tx) })
}

// submit queues a job and waits for its commit. A context that ends while it waits does not call the job back: whether a
// write was done must not depend on who is still listening.
func (t *Table) submit(ctx context.Context, run func(*bbolt.Tx) (bool, error)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	j := &job{run: run, done: make(chan error, 1)}
	if !t.queue.add(j) {
		return pags.Errorf(pags.Unavailable, "the data file is closed")
	}
	err := <-j.done
	var r refused
	if errors.As(err, &r) {
		return r.error
	}
	return err
}

// commitLoop is the one writer.
func (t *Table) commitLoop() {
	defer close(t.queue.drained)
	for {
		batch := t.queue.take()
		if batch == nil {
			return
		}
		t.commit(batch)
		// Those just answered get to queue what they do next before the next commit starts without them. It costs nothing
		// when nobody is ready to run, and makes 64 writers share one commit instead of two.
		runtime.Gosched()
	}
}

// commit runs the jobs in order in one transaction and answers each.
func (t *Table) commit(batch []*job) {
	for len(batch) > 0 {
		bad, err := t.try(batch)
		if bad < 0 {
			return
		}
		batch[bad].done <- err
		batch = append(append([]*job{}, batch[:bad]...), batch[bad+1:]...)
	}
}

// try commits the batch and answers all its jobs (-1), or names a job that left half a change; then nothing was done.
func (t *Table) try(batch []*job) (bad int, err error) {
	answer := func(errs []error, all error) {
		for i, j := range batch {
			if errs[i] == nil {
				j.done <- all
			} else {
				j.done <- errs[i]
			}
		}
	}
	errs := make([]error, len(batch))
	tx, err := t.db.Begin(true)
	if err != nil {
		answer(errs, pags.Wrap(err, pags.Unavailable, "the data file cannot be written"))
		return -1, nil
	}
	changed := false
	for i, j := range batch {
		did, err := safely(j.run, tx)
		if _, ok := err.(refused); err != nil && !ok {
			return i, errors.Join(err, tx.Rollback())
		}
		errs[i] = err
		changed = changed || did
	}
	if !changed {
		answer(errs, tx.Rollback())
		return -1, nil
	}
	if err := tx.Commit(); err != nil {
		answer(errs, pags.Wrap(err, pags.Unavailable, "the data file could not be written; is the disk full? free some space and try again"))
		return -1, nil
	}
	answer(errs, nil)
	return -1, nil
}

// safely turns a panic into that job's failure, so that one writer cannot stop all others.
func safely(run func(*bbolt.Tx) (bool, error), tx *bbolt.Tx) (changed bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v", p)
		}
	}()
	return run(tx)
}
