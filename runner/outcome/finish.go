package outcome

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// Finish writes an outcome down; it is unacknowledged from then on. The first outcome of a call wins: Finish returns the one
// that counts. A call without an intent may be finished too, such as one that was cancelled before it began.
func (s *Store) Finish(o relay.Outcome) (relay.Outcome, error) {
	key := relay.CallKey(o.RunID, o.Step)
	counts := o
	err := s.db.Update(func(tx *bbolt.Tx) error {
		r, _, err := read(tx, key)
		if err != nil {
			return err
		}
		if r.Outcome != nil {
			counts = *r.Outcome
			return nil
		}
		return settle(tx, key, r, o, s.clock.Now())
	})
	if err != nil {
		return o, fmt.Errorf("write the outcome of %s: %w", key, err)
	}
	s.setBusy(key, false)
	return counts, nil
}

// Unacked lists the outcomes that the cloud has not confirmed, oldest first.
func (s *Store) Unacked() ([]relay.Outcome, error) {
	var all []relay.Outcome
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(unackedBucket).ForEach(func(_, key []byte) error {
			r, _, err := read(tx, string(key))
			if err != nil {
				return err
			}
			if r.Outcome != nil {
				all = append(all, *r.Outcome)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list unacknowledged outcomes: %w", err)
	}
	return all, nil
}

// Acked notes that the cloud has the outcome. Repeats and unknown calls are fine.
func (s *Store) Acked(run pags.RunID, step int) error {
	key := relay.CallKey(run, step)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		r, there, err := read(tx, key)
		if err != nil || !there || r.Order == 0 {
			return err
		}
		if err := tx.Bucket(unackedBucket).Delete(binary.BigEndian.AppendUint64(nil, r.Order)); err != nil {
			return err
		}
		r.Order = 0
		return write(tx, key, r)
	})
	if err != nil {
		return fmt.Errorf("note the acknowledgement of %s: %w", key, err)
	}
	return nil
}

// settle writes an outcome into its record and into the list of the unacknowledged.
func settle(tx *bbolt.Tx, key string, r record, o relay.Outcome, now time.Time) error {
	unacked := tx.Bucket(unackedBucket)
	order, err := unacked.NextSequence()
	if err != nil {
		return err
	}
	r.Outcome, r.Order, r.At = &o, order, now
	if err := unacked.Put(binary.BigEndian.AppendUint64(nil, order), []byte(key)); err != nil {
		return err
	}
	return write(tx, key, r)
}
