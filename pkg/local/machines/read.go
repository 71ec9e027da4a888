package machines

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
)

// read returns batch n of the execution and the number of the one before.
func read(log *bolt.Bucket, execution string, n uint64) (b asl.Batch, before uint64, err error) {
	value := log.Get(key(n))
	if len(value) < 8 {
		return b, 0, fmt.Errorf("read progress of %s: batch %d is missing", execution, n)
	}
	if err := json.Unmarshal(value[8:], &b); err != nil {
		return b, 0, fmt.Errorf("read progress of %s: %w", execution, err)
	}
	return b, binary.BigEndian.Uint64(value), nil
}

func ends(tx *bolt.Tx, execution string) (first, newest uint64, err error) {
	v := bucket(tx, headBucket).Get([]byte(execution))
	if len(v) < 16 {
		return 0, 0, pags.Errorf(pags.NotFound, "there is no execution %s", execution)
	}
	return binary.BigEndian.Uint64(v), binary.BigEndian.Uint64(v[8:]), nil
}

// Load reads the first and the newest batch.
func (j *Journal) Load(_ context.Context, execution string) (start asl.Start, head asl.Head, err error) {
	err = j.db.View(func(tx *bolt.Tx) error {
		first, newest, err := ends(tx, execution)
		if err != nil {
			return err
		}
		log := bucket(tx, logBucket)
		b, _, err := read(log, execution, first)
		if err != nil {
			return err
		}
		start, head = *b.Start, b.Head
		if newest != first {
			b, _, err = read(log, execution, newest)
			head = b.Head
		}
		return err
	})
	return start, head, err
}

// Events follows the batches from the newest to the first.
func (j *Journal) Events(_ context.Context, execution string) ([]asl.Event, error) {
	var out []asl.Event
	err := j.db.View(func(tx *bolt.Tx) error {
		_, n, err := ends(tx, execution)
		for err == nil && n != 0 {
			var b asl.Batch
			b, n, err = read(bucket(tx, logBucket), execution, n)
			slices.Reverse(b.Events)
			out = append(out, b.Events...)
		}
		slices.Reverse(out)
		return err
	})
	return out, err
}

// Unfinished lists the open executions by age.
func (j *Journal) Unfinished(context.Context) ([]string, error) {
	var out []string
	err := j.db.View(func(tx *bolt.Tx) error {
		return bucket(tx, openBucket).ForEach(func(k, _ []byte) error {
			out = append(out, string(k[8:]))
			return nil
		})
	})
	return out, err
}

// pruneBatch bounds the executions removed by one commit, so that appends never wait long.
const pruneBatch = 20

// Prune removes settled executions that stopped before the time.
func (j *Journal) Prune(ctx context.Context, before time.Time) (int, error) {
	total := 0
	for {
		n := 0
		err := j.db.Update(func(tx *bolt.Tx) error {
			ended := bucket(tx, endedBucket)
			limit := timeKey(before, "")
			c := ended.Cursor()
			for k, _ := c.First(); k != nil && bytes.Compare(k, limit) < 0 && n < pruneBatch; k, _ = c.First() {
				if err := remove(tx, string(k[8:])); err != nil {
					return err
				}
				if err := ended.Delete(k); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			return total, fmt.Errorf("prune executions: %w", err)
		}
		if total += n; n < pruneBatch || ctx.Err() != nil {
			return total, ctx.Err()
		}
	}
}

func remove(tx *bolt.Tx, execution string) error {
	log := bucket(tx, logBucket)
	_, n, err := ends(tx, execution)
	for err == nil && n != 0 {
		at := n
		if value := log.Get(key(at)); len(value) >= 8 {
			n = binary.BigEndian.Uint64(value)
		} else {
			n = 0
		}
		err = log.Delete(key(at))
	}
	if err != nil {
		return err
	}
	return bucket(tx, headBucket).Delete([]byte(execution))
}
