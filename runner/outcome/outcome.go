// Package outcome is the runner's memory on disk: what it was about to do, what came of it, and what the cloud has not
// confirmed yet. It survives kill -9 at any moment: every answer it gives was synced first.
//
//	store.go   opening, records, pruning
//	intent.go  before acting: is this command new, done, or of unknown fate
//	damage.go  a file that is not what was written
//	finish.go  after acting: the outcome, first one wins, until the cloud has it
package outcome

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// Keep is how long an acknowledged outcome and a stale intent stay.
const Keep = 7 * 24 * time.Hour

var (
	callsBucket   = []byte("calls")   // call key -> record
	unackedBucket = []byte("unacked") // order number -> call key
	fencesBucket  = []byte("fences")  // instance -> highest fence seen
)

// Store is safe for concurrent use. One process at a time holds its file.
type Store struct {
	db    *bbolt.DB
	clock port.Clock

	mu   sync.Mutex
	busy map[string]bool // intents of this process without an outcome
}

// record is what is known about one call.
type record struct {
	Instance pags.InstanceID `json:"instance,omitempty"`
	Digest   string          `json:"digest,omitempty"`
	At       time.Time       `json:"at"`
	Order    uint64          `json:"order,omitempty"` // place among the unacknowledged; 0 when acknowledged
	Outcome  *relay.Outcome  `json:"outcome,omitempty"`
}

// Open opens or makes the store. A file that another process holds is pags.Conflict.
func Open(path string, clock port.Clock) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the outcome store: %w", err)
	}
	var db *bbolt.DB
	err := intact(path, func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
		return err
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, pags.Wrap(err, pags.Conflict, "another pags up runs on this machine with the same folder; stop it first")
	}
	if err != nil {
		return nil, fmt.Errorf("open the outcome store %s: %w", path, err)
	}
	err = intact(path, func() error {
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, b := range [][]byte{callsBucket, unackedBucket, fencesBucket} {
				if _, err := tx.CreateBucketIfNotExists(b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return readable(db)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the outcome store %s: %w", path, err), db.Close())
	}
	return &Store{db: db, clock: clock, busy: map[string]bool{}}, nil
}

// Close lets go of the file.
func (s *Store) Close() error { return s.db.Close() }

// Prune drops what is older than Keep and needs no acknowledgement any more, and tells how many.
func (s *Store) Prune() (int, error) {
	dropped := 0
	limit := s.clock.Now().Add(-Keep)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		calls := tx.Bucket(callsBucket)
		var old [][]byte
		err := calls.ForEach(func(k, v []byte) error {
			var r record
			if err := json.Unmarshal(v, &r); err != nil {
				return fmt.Errorf("read %s: %w", k, err)
			}
			if r.Order == 0 && !r.At.After(limit) && !s.isBusy(string(k)) {
				old = append(old, append([]byte(nil), k...))
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, k := range old {
			if err := calls.Delete(k); err != nil {
				return err
			}
		}
		dropped = len(old)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("prune the outcome store: %w", err)
	}
	return dropped, nil
}

func (s *Store) isBusy(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy[key]
}

func (s *Store) setBusy(key string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on {
		s.busy[key] = true
	} else {
		delete(s.busy, key)
	}
}

func read(tx *bbolt.Tx, key string) (record, bool, error) {
	raw := tx.Bucket(callsBucket).Get([]byte(key))
	if raw == nil {
		return record{}, false, nil
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return record{}, false, fmt.Errorf("read %s from the outcome store: %w", key, err)
	}
	return r, true, nil
}

func write(tx *bbolt.Tx, key string, r record) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode %s for the outcome store: %w", key, err)
	}
	return tx.Bucket(callsBucket).Put([]byte(key), raw)
}
