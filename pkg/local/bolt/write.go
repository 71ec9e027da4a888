package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// tokenSeconds is how long a transaction token is remembered (DynamoDB's own window: 10 minutes).
const tokenSeconds = 600

// Write does one write, durable on return.
func (t *Table) Write(ctx context.Context, w port.Write) error {
	w, err := w.CheckSingle()
	if err != nil {
		return err
	}
	return t.submit(ctx, func(tx *bbolt.Tx) (bool, error) {
		c, err := plan(tx, w, t.clock.Now().Unix())
		if err != nil {
			return false, refuse(err)
		}
		return c.changes(), c.apply(tx)
	})
}

// Transact does all writes or none, durable on return.
func (t *Table) Transact(ctx context.Context, token string, writes ...port.Write) error {
	writes, err := port.CheckTransact(token, writes)
	if err != nil {
		return err
	}
	return t.submit(ctx, func(tx *bbolt.Tx) (bool, error) {
		now := t.clock.Now().Unix()
		tokens := tx.Bucket(bucketTokens)
		if v := tokens.Get([]byte(token)); len(v) == 8 && int64(binary.BigEndian.Uint64(v)) > now {
			return false, nil
		}
		changes, err := planAll(tx, writes, now)
		if err != nil {
			return false, refuse(err)
		}
		for _, c := range changes {
			if err := c.apply(tx); err != nil {
				return false, err
			}
		}
		until := binary.BigEndian.AppendUint64(nil, uint64(now+tokenSeconds))
		if err := tokens.Put([]byte(token), until); err != nil {
			return false, err
		}
		return true, tx.Bucket(bucketExpiry).Put(expiryKey(now+tokenSeconds, kindToken, []byte(token)), nil)
	})
}

// planAll decides all writes on the state before the transaction. Keys differ, so no write sees another.
func planAll(tx *bbolt.Tx, writes []port.Write, now int64) ([]change, error) {
	changes, reasons, failed := make([]change, len(writes)), make([]port.Reason, len(writes)), false
	for i, w := range writes {
		c, err := plan(tx, w, now)
		if cf, ok := err.(*port.ConditionFailed); ok {
			reasons[i], failed = port.Reason{ConditionFailed: true, Item: cf.Item}, true
		} else if err != nil {
			return nil, err
		}
		changes[i] = c
	}
	if failed {
		return nil, &port.Cancelled{Reasons: reasons}
	}
	return changes, nil
}

// change is a decided write: what is stored at key now, expired or not, and what shall be. Both nil: nothing to do.
type change struct {
	key      []byte
	old, new port.Item
	keep     bool // a check
}

func (c change) changes() bool { return !c.keep && (c.old != nil || c.new != nil) }

// plan evaluates a checked write against the state in tx and changes nothing.
func plan(tx *bbolt.Tx, w port.Write, now int64) (change, error) {
	c := change{key: mainKey(w.Key)}
	var err error
	if c.old, err = decode(tx.Bucket(bucketItems).Get(c.key)); err != nil {
		return c, fmt.Errorf("read %s before writing: %w", w.Key, err)
	}
	there := live(c.old, now)
	if w.If != nil && !holds(w.If, there) {
		return c, &port.ConditionFailed{Key: w.Key, Item: there}
	}
	switch w.Kind {
	case port.PutWrite:
		c.new = w.Item
	case port.UpdateWrite:
		if there == nil && !w.Upsert {
			return c, &port.ConditionFailed{Key: w.Key}
		}
		c.new, err = updated(w, there)
	case port.CheckWrite:
		c.keep = true
	}
	return c, err
}

// updated lays the update over the item, or over its bare key where there is none.
func updated(w port.Write, there port.Item) (port.Item, error) {
	it := port.Item{port.AttrPK: w.Key.PK, port.AttrSK: w.Key.SK}
	maps.Copy(it, there)
	maps.Copy(it, w.Set)
	for attr, n := range w.Add {
		have, ok := it[attr]
		if !ok {
			have = json.Number("0")
		}
		number, ok := have.(json.Number)
		if !ok {
			return nil, pags.Errorf(pags.Invalid, "nothing can be added to %q of %s: it is not a number", attr, w.Key)
		}
		sum, err := port.AddNumber(number, n)
		if err != nil {
			return nil, err
		}
		it[attr] = sum
	}
	for _, attr := range w.Remove {
		delete(it, attr)
	}
	return it, port.CheckItem(it)
}

// apply stores the change and keeps the indexes true to it.
func (c change) apply(tx *bbolt.Tx) error {
	if !c.changes() {
		return nil
	}
	items := tx.Bucket(bucketItems)
	if c.new == nil {
		if err := items.Delete(c.key); err != nil {
			return err
		}
	} else {
		raw, err := encode(c.new)
		if err != nil {
			return err
		}
		if err := items.Put(c.key, raw); err != nil {
			return err
		}
	}
	for index, bucket := range map[string][]byte{"g1": bucketG1, "g2": bucketG2} {
		was, had := indexKeyOf(c.old, index)
		is, has := indexKeyOf(c.new, index)
		if err := move(tx.Bucket(bucket), was, had, is, has, c.key); err != nil {
			return err
		}
	}
	was, had := c.expiryOf(c.old)
	is, has := c.expiryOf(c.new)
	return move(tx.Bucket(bucketExpiry), was, had, is, has, nil)
}

func (c change) expiryOf(it port.Item) ([]byte, bool) {
	at, ok := expires(it)
	if !ok {
		return nil, false
	}
	return expiryKey(at, kindItem, c.key), true
}

// move takes an entry from where it was to where it is.
func move(b *bbolt.Bucket, was []byte, had bool, is []byte, has bool, value []byte) error {
	if had && has && bytes.Equal(was, is) {
		return nil
	}
	if had {
		if err := b.Delete(was); err != nil {
			return err
		}
	}
	if has {
		return b.Put(is, value)
	}
	return nil
}
