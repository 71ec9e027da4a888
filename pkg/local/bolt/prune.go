package bolt

import (
	"context"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// pruneAfter is how long an expired item stays on disk, hidden: a clock that is set back a little brings nothing back to
// life that anybody saw expire and loses nothing.
const pruneAfter = 3600

// Prune removes up to limit items that expired more than an hour ago and transaction tokens that are over, and says how
// many. The host calls it now and then; nothing depends on it but the size of the file.
func (t *Table) Prune(ctx context.Context, limit int) (removed int, err error) {
	due := t.clock.Now().Unix() - pruneAfter
	if due <= 0 || limit <= 0 || !t.anythingDue(due) {
		return 0, nil
	}
	err = t.Update(ctx, func(tx *bbolt.Tx) error {
		removed = 0
		var keys [][]byte
		c := tx.Bucket(bucketExpiry).Cursor()
		for k, _ := c.First(); k != nil && secondOf(k) <= due && len(keys) < limit; k, _ = c.Next() {
			keys = append(keys, append([]byte{}, k...))
		}
		for _, k := range keys {
			if err := removeExpired(tx, k); err != nil {
				return fmt.Errorf("prune: %w", err)
			}
			removed++
		}
		return nil
	})
	return removed, err
}

func (t *Table) anythingDue(due int64) (yes bool) {
	_ = t.db.View(func(tx *bbolt.Tx) error { // a closed file has nothing due
		k, _ := tx.Bucket(bucketExpiry).Cursor().First()
		yes = k != nil && secondOf(k) <= due
		return nil
	})
	return yes
}

func secondOf(expiry []byte) int64 { return int64(binary.BigEndian.Uint64(expiry)) }

func removeExpired(tx *bbolt.Tx, expiry []byte) error {
	if expiry[8] == kindToken {
		token := expiry[9:]
		tokens := tx.Bucket(bucketTokens)
		if v := tokens.Get(token); len(v) == 8 && binary.BigEndian.Uint64(v) <= binary.BigEndian.Uint64(expiry) {
			if err := tokens.Delete(token); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketExpiry).Delete(expiry)
	}
	c := change{key: expiry[9:]}
	var err error
	if c.old, err = decode(tx.Bucket(bucketItems).Get(c.key)); err != nil {
		return err
	}
	if at, ok := expires(c.old); !ok || max(at, 0) != secondOf(expiry) {
		return tx.Bucket(bucketExpiry).Delete(expiry)
	}
	return c.apply(tx)
}
