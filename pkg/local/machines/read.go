package machines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
)

func unknown(execution string) error {
	return pags.Errorf(pags.NotFound, "there is no execution %s", execution)
}

func readBatch(execution string, value []byte) (asl.Batch, error) {
	var b asl.Batch
	if err := json.Unmarshal(value, &b); err != nil {
		return b, fmt.Errorf("read progress of %s: %w", execution, err)
	}
	return b, nil
}

func readStart(log *bolt.Bucket, execution string) (asl.Start, error) {
	value := log.Get(logKey(execution, 1))
	if value == nil {
		return asl.Start{}, unknown(execution)
	}
	b, err := readBatch(execution, value)
	if err == nil && b.Start == nil {
		err = fmt.Errorf("read progress of %s: its start is missing", execution)
	}
	if err != nil {
		return asl.Start{}, err
	}
	return *b.Start, nil
}

// Load reads the first and the newest batch.
func (j *Journal) Load(_ context.Context, execution string) (start asl.Start, head asl.Head, err error) {
	err = j.db.View(func(tx *bolt.Tx) error {
		log := bucket(tx, logBucket)
		if start, err = readStart(log, execution); err != nil {
			return err
		}
		_, value := newest(log, execution)
		b, err := readBatch(execution, value)
		head = b.Head
		return err
	})
	return start, head, err
}

// Events reads all batches in order.
func (j *Journal) Events(_ context.Context, execution string) ([]asl.Event, error) {
	var out []asl.Event
	err := j.db.View(func(tx *bolt.Tx) error {
		prefix := append([]byte(execution), 0)
		c := bucket(tx, logBucket).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			b, err := readBatch(execution, v)
			if err != nil {
				return err
			}
			out = append(out, b.Events...)
		}
		if out == nil {
			return unknown(execution)
		}
		return nil
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
			ended, log := bucket(tx, endedBucket), bucket(tx, logBucket)
			limit := timeKey(before, "")
			c := ended.Cursor()
			for k, _ := c.First(); k != nil && bytes.Compare(k, limit) < 0 && n < pruneBatch; k, _ = c.First() {
				if err := removeLog(log, string(k[8:])); err != nil {
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

func removeLog(log *bolt.Bucket, execution string) error {
	prefix := append([]byte(execution), 0)
	var keys [][]byte
	c := log.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := log.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
