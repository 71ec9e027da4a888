package machines_test

import (
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/asl/asltest"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/machines"
)

func BenchmarkInMemory(b *testing.B) {
	rate, err := asltest.InMemory(b.Context(), clock.Real{}, max(b.N, 10_000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(rate, "transitions/s")
}

func durable(b *testing.B, executions, tasks int) float64 {
	j, err := machines.NewJournal(nil, filepath.Join(b.TempDir(), "m.db"))
	if err != nil {
		b.Fatal(err)
	}
	rate, err := asltest.Load(b.Context(), clock.Real{}, j, executions, tasks)
	if err != nil {
		b.Fatal(err)
	}
	return rate
}

// bare is one small put and commit after another, on a file with the same options.
func bare(b *testing.B, n int) float64 {
	db, err := bolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600,
		&bolt.Options{NoFreelistSync: true, FreelistType: bolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	value := make([]byte, 1000)
	begin := time.Now()
	for i := range n {
		if err := db.Update(func(tx *bolt.Tx) error {
			bk, err := tx.CreateBucketIfNotExists([]byte("bare"))
			if err != nil {
				return err
			}
			return bk.Put(binary.BigEndian.AppendUint64(nil, uint64(i)), value)
		}); err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(begin).Seconds()
}

func BenchmarkDurableOne(b *testing.B) {
	n := max(b.N, 500)
	rate, floor := durable(b, 1, n), bare(b, n)
	b.ReportMetric(rate, "transitions/s")
	b.ReportMetric(floor, "bare/s")
	b.ReportMetric(rate/floor, "ratio")
}

func BenchmarkDurable64(b *testing.B) {
	b.ReportMetric(durable(b, 64, max(b.N/64, 300)), "transitions/s")
}
