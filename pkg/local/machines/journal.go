package machines

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
)

// Buckets, all below one of our own so that the file may be shared.
var (
	rootBucket  = []byte("machines")
	logBucket   = []byte("log")   // number in order of commit: number of the execution's batch before, one batch as JSON
	headBucket  = []byte("head")  // execution: numbers of its first and its newest batch
	openBucket  = []byte("open")  // start time, execution: not settled yet
	endedBucket = []byte("ended") // stop time, execution: settled, to be pruned
)

// Journal is asl.Journal in a bbolt file. Appends that come while a commit is on its way share the next one.
type Journal struct {
	db  *bolt.DB
	own bool

	mu     sync.RWMutex // held for reading while an append is handed over, for writing to close
	closed bool
	queue  chan *pending
	done   chan struct{}
}

var _ asl.Journal = (*Journal)(nil)

type pending struct {
	batch asl.Batch
	value []byte
	done  chan error
}

// maxShared bounds one commit.
const maxShared = 256

// NewJournal uses db, or opens the file at path.
func NewJournal(db *bolt.DB, path string) (*Journal, error) {
	j := &Journal{db: db, queue: make(chan *pending, maxShared), done: make(chan struct{})}
	if db == nil {
		var err error
		j.own = true
		// Free pages are found again by a scan at open instead of being written with each commit.
		j.db, err = bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Second, NoFreelistSync: true,
			FreelistType: bolt.FreelistMapType})
		if err != nil {
			return nil, fmt.Errorf("open state machine store: %w", err)
		}
	}
	err := j.db.Update(func(tx *bolt.Tx) error {
		root, err := tx.CreateBucketIfNotExists(rootBucket)
		for _, name := range [][]byte{logBucket, headBucket, openBucket, endedBucket} {
			if err == nil {
				_, err = root.CreateBucketIfNotExists(name)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("prepare state machine store: %w", err)
	}
	go j.write()
	return j, nil
}

// Append hands the batch to the writer and waits for its commit.
func (j *Journal) Append(_ context.Context, b asl.Batch) error {
	p := &pending{batch: b, value: b.AppendJSON(make([]byte, 0, 2048)), done: make(chan error, 1)}
	j.mu.RLock()
	if j.closed {
		j.mu.RUnlock()
		return pags.Errorf(pags.Unavailable, "the state machine store is closed")
	}
	j.queue <- p
	j.mu.RUnlock()
	return <-p.done
}

// A writer that shares its commits among at least crowd executions waits for those it has just answered, at most a part of
// what the last commit took: catching all of them in one commit halves the number of commits.
const (
	crowd      = 8
	lingerPart = 2
	lingerMost = 3 * time.Millisecond
)

// write is the single writer: it takes what is there, commits it together, answers, and looks again. Few never wait.
func (j *Journal) write() {
	defer close(j.done)
	group := make([]*pending, 0, maxShared)
	expected, linger := 0, time.Duration(0)
	for first := range j.queue {
		group = j.take(append(group[:0], first), maxShared, nil)
		if expected >= crowd && len(group) < expected {
			group = j.take(group, min(expected, maxShared), time.After(linger))
		}
		begin := time.Now()
		err := j.commit(group)
		linger = min(time.Since(begin)/lingerPart, lingerMost)
		expected = len(j.queue) + len(group)
		for _, p := range group {
			p.done <- err
		}
	}
}

// take adds what is queued until there are enough; with a limit it waits for more until then.
func (j *Journal) take(group []*pending, enough int, limit <-chan time.Time) []*pending {
	for len(group) < enough {
		if limit == nil && len(j.queue) == 0 {
			return group
		}
		select {
		case p, ok := <-j.queue:
			if !ok {
				return group
			}
			group = append(group, p)
		case <-limit:
			return group
		}
	}
	return group
}

func (j *Journal) commit(group []*pending) error {
	return j.db.Update(func(tx *bolt.Tx) error {
		for _, p := range group {
			if err := put(tx, p); err != nil {
				return fmt.Errorf("write progress of %s: %w", p.batch.Execution, err)
			}
		}
		return nil
	})
}

func bucket(tx *bolt.Tx, name []byte) *bolt.Bucket { return tx.Bucket(rootBucket).Bucket(name) }

func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func timeKey(at time.Time, execution string) []byte {
	return append(key(uint64(at.UnixMilli())), execution...)
}

// put appends to the log. Batches of all executions lie one behind the other, so a shared commit touches few pages; each
// one names the batch before it of the same execution.
func put(tx *bolt.Tx, p *pending) error {
	log, heads := bucket(tx, logBucket), bucket(tx, headBucket)
	id := []byte(p.batch.Execution)
	ends := heads.Get(id)
	if (ends == nil) != (p.batch.Start != nil) {
		return pags.Errorf(pags.Internal, "a first append has a start and only the first")
	}
	log.FillPercent = 1 // keys only grow
	n, err := log.NextSequence()
	if err != nil {
		return err
	}
	first, before := n, uint64(0)
	if ends != nil {
		first, before = binary.BigEndian.Uint64(ends), binary.BigEndian.Uint64(ends[8:])
	}
	if err := log.Put(key(n), append(key(before), p.value...)); err != nil {
		return err
	}
	if err := heads.Put(id, append(key(first), key(n)...)); err != nil {
		return err
	}
	return list(tx, p.batch, first)
}

// list keeps what is open and what is to be pruned.
func list(tx *bolt.Tx, b asl.Batch, first uint64) error {
	if b.Start != nil {
		return bucket(tx, openBucket).Put(timeKey(b.Start.At, b.Execution), nil)
	}
	if !b.Head.Settled {
		return nil
	}
	begin, _, err := read(bucket(tx, logBucket), b.Execution, first)
	if err != nil {
		return err
	}
	if err := bucket(tx, openBucket).Delete(timeKey(begin.Start.At, b.Execution)); err != nil {
		return err
	}
	return bucket(tx, endedBucket).Put(timeKey(b.Head.Stopped, b.Execution), nil)
}

// Close answers what was handed over, then lets go of the file if it is ours.
func (j *Journal) Close() error {
	j.mu.Lock()
	already := j.closed
	j.closed = true
	j.mu.Unlock()
	if already {
		return nil
	}
	close(j.queue)
	<-j.done
	if j.own {
		return j.db.Close()
	}
	return nil
}
