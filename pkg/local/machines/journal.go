package machines

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
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
	logBucket   = []byte("log")   // execution, 0, number: one batch as JSON; the newest holds the head
	openBucket  = []byte("open")  // start time, execution: not settled yet
	endedBucket = []byte("ended") // stop time, execution: settled, to be pruned
)

// Journal is asl.Journal in a bbolt file. Appends that come while a commit is on its way share the next one; nobody waits
// for company.
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
		for _, name := range [][]byte{logBucket, openBucket, endedBucket} {
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
	value, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("encode progress of %s: %w", b.Execution, err)
	}
	p := &pending{batch: b, value: value, done: make(chan error, 1)}
	j.mu.RLock()
	if j.closed {
		j.mu.RUnlock()
		return pags.Errorf(pags.Unavailable, "the state machine store is closed")
	}
	j.queue <- p
	j.mu.RUnlock()
	return <-p.done
}

// write is the single writer: it takes what is there, commits it together, answers, and looks again.
func (j *Journal) write() {
	defer close(j.done)
	group := make([]*pending, 0, maxShared)
	for first := range j.queue {
		group = append(group[:0], first)
		for more := true; more && len(group) < maxShared; {
			select {
			case p, ok := <-j.queue:
				if more = ok; ok {
					group = append(group, p)
				}
			default:
				more = false
			}
		}
		err := j.db.Update(func(tx *bolt.Tx) error {
			for _, p := range group {
				if err := put(tx, p); err != nil {
					return fmt.Errorf("write progress of %s: %w", p.batch.Execution, err)
				}
			}
			return nil
		})
		for _, p := range group {
			p.done <- err
		}
	}
}

func bucket(tx *bolt.Tx, name []byte) *bolt.Bucket { return tx.Bucket(rootBucket).Bucket(name) }

// logKey orders the batches of one execution. Ids hold no zero byte.
func logKey(execution string, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(execution), 0), n)
}

func timeKey(at time.Time, execution string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(at.UnixMilli())), execution...)
}

// put numbers the batches of an execution from 1.
func put(tx *bolt.Tx, p *pending) error {
	log := bucket(tx, logBucket)
	n := uint64(1)
	if p.batch.Start == nil {
		last, _ := newest(log, p.batch.Execution)
		if last == nil {
			return pags.Errorf(pags.Internal, "the first append lacks its start")
		}
		n = binary.BigEndian.Uint64(last[len(last)-8:]) + 1
	}
	if err := log.Put(logKey(p.batch.Execution, n), p.value); err != nil {
		return err
	}
	if s := p.batch.Start; s != nil {
		return bucket(tx, openBucket).Put(timeKey(s.At, p.batch.Execution), nil)
	}
	if h := p.batch.Head; h.Settled {
		start, err := readStart(log, p.batch.Execution)
		if err != nil {
			return err
		}
		if err := bucket(tx, openBucket).Delete(timeKey(start.At, p.batch.Execution)); err != nil {
			return err
		}
		return bucket(tx, endedBucket).Put(timeKey(h.Stopped, p.batch.Execution), nil)
	}
	return nil
}

// newest finds the last batch of an execution; nil if there is none.
func newest(log *bolt.Bucket, execution string) (key, value []byte) {
	c := log.Cursor()
	prefix := append([]byte(execution), 0)
	k, v := c.Seek(append([]byte(execution), 1))
	if k == nil {
		k, v = c.Last()
	} else {
		k, v = c.Prev()
	}
	if !bytes.HasPrefix(k, prefix) {
		return nil, nil
	}
	return k, v
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
