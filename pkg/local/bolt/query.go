package bolt

import (
	"bytes"
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/port"
)

// ctxEvery is how many rows a scan reads between looks at its context.
const ctxEvery = 256

// Query lists a partition at one point in time.
func (t *Table) Query(ctx context.Context, q port.Query) (port.Page, error) {
	q, err := q.Checked()
	if err != nil {
		return port.Page{}, err
	}
	after, err := q.After()
	if err != nil {
		return port.Page{}, err
	}
	var page port.Page
	err = t.view(func(tx *bbolt.Tx) error {
		s := newScan(tx, q, after)
		now := t.clock.Now().Unix()
		for n := 0; s.next(); n++ {
			if err := ctx.Err(); n%ctxEvery == 0 && err != nil {
				return fmt.Errorf("list: %w", err)
			}
			it, err := s.item()
			if err != nil {
				return fmt.Errorf("list: %w", err)
			}
			if it = live(it, now); it == nil || q.Filter != nil && !holds(q.Filter, it) {
				continue
			}
			if len(page.Items) == q.Limit { // one more follows
				page.Cursor = q.CursorAfter(page.Items[q.Limit-1])
				return nil
			}
			page.Items = append(page.Items, it)
		}
		return nil
	})
	if err != nil {
		return port.Page{}, closedAsUnavailable(err)
	}
	return page, nil
}

// scan walks keys from lower (inclusive) to upper (exclusive), or back.
type scan struct {
	cursor       *bbolt.Cursor
	items        *bbolt.Bucket // where an index entry leads; nil when the bucket holds the items
	lower, upper []byte
	skip         []byte // the place to go on after
	desc         bool
	started      bool
	key, value   []byte
}

func newScan(tx *bbolt.Tx, q port.Query, after *port.Place) *scan {
	s := &scan{desc: q.Desc}
	part := joined("", q.PK)
	end := func(sk string) []byte { return append(joined(sk, q.PK), 0) } // just above sk
	text := func(sk string) string { return sk }
	if q.Index == "" {
		s.cursor = tx.Bucket(bucketItems).Cursor()
	} else {
		bucket := bucketG1
		if q.Index == "g2" {
			bucket = bucketG2
		}
		s.cursor, s.items = tx.Bucket(bucket).Cursor(), tx.Bucket(bucketItems)
		end = func(sk string) []byte { return joined(escaped(sk)+afterEnd, q.PK) }
		text = escaped
	}
	s.lower, s.upper = joined(text(q.Prefix), q.PK), successor(append(bytes.Clone(part), text(q.Prefix)...))
	if from := joined(text(q.From), q.PK); bytes.Compare(from, s.lower) > 0 {
		s.lower = from
	}
	if q.To != "" {
		if to := end(q.To); bytes.Compare(to, s.upper) < 0 {
			s.upper = to
		}
	}
	if after != nil {
		s.skip = mainKey(after.Key)
		if q.Index != "" {
			s.skip = indexKey(q.PK, after.SortKey, after.Key)
		}
		if q.Desc && bytes.Compare(s.skip, s.upper) < 0 {
			s.upper = s.skip
		}
		if !q.Desc && bytes.Compare(s.skip, s.lower) > 0 {
			s.lower = s.skip
		}
	}
	return s
}

// successor is the smallest key above all that begin with b.
func successor(b []byte) []byte {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return b[:i+1]
		}
	}
	return []byte{0xff, 0xff, 0xff, 0xff, 0xff}
}

func (s *scan) next() bool {
	switch {
	case s.started && s.desc:
		s.key, s.value = s.cursor.Prev()
	case s.started:
		s.key, s.value = s.cursor.Next()
	case s.desc:
		s.started = true
		if k, _ := s.cursor.Seek(s.upper); k == nil {
			s.key, s.value = s.cursor.Last()
		} else {
			s.key, s.value = s.cursor.Prev()
		}
	default:
		s.started = true
		s.key, s.value = s.cursor.Seek(s.lower)
		if s.key != nil && bytes.Equal(s.key, s.skip) {
			s.key, s.value = s.cursor.Next()
		}
	}
	return s.key != nil && bytes.Compare(s.key, s.lower) >= 0 && bytes.Compare(s.key, s.upper) < 0
}

func (s *scan) item() (port.Item, error) {
	if s.items == nil {
		return decode(s.value)
	}
	return decode(s.items.Get(s.value))
}
