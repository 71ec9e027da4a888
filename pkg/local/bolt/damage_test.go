package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// A file that something else cut or wrote over is said to be damaged, by name; the process stands.
func TestOpen_ADamagedFileIsSaidAndNeverFallsOver(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.db")
	clock := porttest.NewClock(t0)
	table, err := bolt.Open(good, bolt.Options{Clock: clock, NoSync: true})
	must(t, err)
	for i := range 300 {
		it := item("P", fmt.Sprintf("%04d", i))
		it["text"] = string(bytes.Repeat([]byte("x"), 900))
		must(t, table.Write(t.Context(), port.Put(it)))
	}
	var used int64 // the file is longer, for growing
	must(t, table.DB().View(func(tx *bbolt.Tx) error { used = tx.Size(); return nil }))
	must(t, table.Close())
	raw, err := os.ReadFile(good)
	must(t, err)
	raw = raw[:used]
	noise := bytes.Repeat([]byte{0xA5, 0x17, 0xFE}, len(raw)/3+1)[:len(raw)]
	const page = 4096
	over := func(from, to int) []byte {
		return append(append(append([]byte{}, raw[:from]...), noise[from:to]...), raw[to:]...)
	}
	for name, body := range map[string][]byte{
		"cut within its first pages": raw[:5*page],
		"cut near its end":           raw[:len(raw)-page],
		"another kind of file":       []byte("hello\n"),
		"both heads written over":    over(0, 2*page),
		"everything but its heads":   over(2*page, len(raw)),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.db")
			must(t, os.WriteFile(path, body, 0o600))
			err := read(t, path, clock)
			var damaged *bolt.Damaged
			if !errors.As(err, &damaged) || damaged.Path != path {
				t.Fatalf("got %v", err)
			}
		})
	}
	t.Run("one page somewhere", func(t *testing.T) { // where it matters is up to the page: never a crash
		for at := 2 * page; at < len(raw); at += page {
			path := filepath.Join(t.TempDir(), "t.db")
			must(t, os.WriteFile(path, over(at, at+page), 0o600))
			_ = read(t, path, clock)
		}
	})
}

// read opens a file and reads everything in it.
func read(t *testing.T, path string, clock *porttest.Clock) error {
	t.Helper()
	table, err := bolt.Open(path, bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		return err
	}
	defer func() { _ = table.Close() }()
	for cursor := ""; ; {
		page, err := table.Query(t.Context(), port.Query{PK: "P", Cursor: cursor})
		if err != nil {
			return err
		}
		if cursor = page.Cursor; cursor == "" {
			return nil
		}
	}
}
