package bolt_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/port"
)

func durable(b *testing.B) *bolt.Table {
	table, err := bolt.Open(filepath.Join(b.TempDir(), "pags.db"), bolt.Options{Clock: clock.Real{}})
	must(b, err)
	b.Cleanup(func() { _ = table.Close() })
	return table
}

func wide(i int64) port.Item {
	it := item("R#run_01", fmt.Sprintf("EVENT#%010d", i))
	it["type"], it["at"], it["text"], it["seq"] = "step", "2026-11-29T12:00:00Z", "clicked on the button that says search", i
	return it
}

// The yardstick: one commit of one key in bare bbolt.
func BenchmarkBare_Write(b *testing.B) {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, nil)
	must(b, err)
	defer db.Close()
	must(b, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("b")); return err }))
	value, i := make([]byte, 200), 0
	for b.Loop() {
		i++
		must(b, db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("b")).Put(fmt.Appendf(nil, "R#run_01 %010d", i), value)
		}))
	}
}

func BenchmarkTable_Write(b *testing.B) {
	table, i := durable(b), int64(0)
	for b.Loop() {
		i++
		must(b, table.Write(b.Context(), port.Put(wide(i))))
	}
}

func BenchmarkTable_Transact(b *testing.B) {
	table, i := durable(b), int64(0)
	for b.Loop() {
		i++
		must(b, table.Transact(b.Context(), fmt.Sprint(i),
			port.Update(port.Key{PK: "R#run_01", SK: "META"}).Adding("version", 1).OrCreate(), port.Put(wide(i)), port.Put(item("R#run_01", fmt.Sprint("DONE#", i)))))
	}
}

func BenchmarkTable_Write64(b *testing.B) {
	table := durable(b)
	var n atomic.Int64
	before := commits(table)
	b.SetParallelism(32) // times GOMAXPROCS, 2 where this was measured
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := table.Write(b.Context(), port.Put(wide(n.Add(1)))); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "writes/s")
	b.ReportMetric(float64(n.Load())/float64(max(1, commits(table)-before)), "writes/commit")
}

func BenchmarkTable_Get(b *testing.B) {
	table := durable(b)
	must(b, table.Write(b.Context(), port.Put(wide(1))))
	for b.Loop() {
		_, err := table.Get(b.Context(), port.KeyOf(wide(1)))
		must(b, err)
	}
}
