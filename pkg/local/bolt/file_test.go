package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

var t0 = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func item(pk, sk string) port.Item { return port.Item{"pk": pk, "sk": sk} }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMain is also the other process of the tests below: it writes rows until it is killed.
func TestMain(m *testing.M) {
	path := os.Getenv("PAGS_TEST_WRITER")
	if path == "" {
		os.Exit(m.Run())
	}
	table, err := bolt.Open(path, bolt.Options{Clock: clock.Real{}})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	for i := range 100_000 {
		sk := fmt.Sprintf("%06d", i)
		err := table.Transact(context.Background(), sk, port.Put(item("A", sk).In("g1", "G", sk)), port.Put(item("B", sk)))
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(sk) // only what is durable is said
	}
}

// writer starts the other process and reads the rows it says are written.
func writer(t *testing.T, path string) (cmd *exec.Cmd, said *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), "PAGS_TEST_WRITER="+path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func TestOpen_FileOfAnotherProcessFailsAtOnceAndNamesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pags.db")
	cmd, said := writer(t, path)
	if !said.Scan() || strings.HasPrefix(said.Text(), "error") {
		t.Fatalf("the other process says %q", said.Text())
	}
	start := time.Now()
	_, err := bolt.Open(path, bolt.Options{Clock: clock.Real{}})
	var locked *bolt.Locked
	if !errors.As(err, &locked) || locked.Path != path || locked.PID != cmd.Process.Pid {
		t.Fatalf("%v; want the file to be locked by process %d", err, cmd.Process.Pid)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %s to fail", d)
	}
}

func TestTable_KilledProcessLosesNothingItSaidAndHalfOfNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pags.db")
	cmd, said := writer(t, path)
	last := ""
	for range 40 {
		if !said.Scan() {
			t.Fatal("the other process ended")
		}
		last = said.Text()
	}
	must(t, cmd.Process.Kill())
	for said.Scan() { // what it said before the kill reached it
		last = said.Text()
	}
	_ = cmd.Wait()
	table, err := bolt.Open(path, bolt.Options{Clock: clock.Real{}})
	must(t, err)
	defer table.Close()
	lists := map[string]int{}
	for name, q := range map[string]port.Query{"A": {PK: "A"}, "B": {PK: "B"}, "G": {PK: "G", Index: "g1"}} {
		q.Limit = 1000
		page, err := table.Query(t.Context(), q)
		must(t, err)
		if lists[name] = len(page.Items); page.Items[len(page.Items)-1]["sk"].(string) < last {
			t.Errorf("%s ends at %v; %s was said to be written", name, page.Items[len(page.Items)-1]["sk"], last)
		}
	}
	if lists["A"] != lists["B"] || lists["A"] != lists["G"] {
		t.Errorf("halves of transactions: %v", lists)
	}
}

func TestOpen_KeepsWhatWasWrittenAndOwnFilesPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pags.db")
	table, err := bolt.Open(path, bolt.Options{Clock: clock.Real{}})
	must(t, err)
	must(t, table.Write(t.Context(), port.Put(item("P", "a"))))
	for _, p := range []string{path, path + ".pid"} {
		info, err := os.Stat(p)
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %s", p, info.Mode())
		}
	}
	must(t, table.Close())
	must(t, table.Close()) // again is fine
	if err := table.Write(t.Context(), port.Put(item("P", "b"))); !pags.Is(err, pags.Unavailable) {
		t.Errorf("write after close: %v", err)
	}
	if _, err := table.Get(t.Context(), port.Key{PK: "P", SK: "a"}); !pags.Is(err, pags.Unavailable) {
		t.Errorf("read after close: %v", err)
	}
	table, err = bolt.Open(path, bolt.Options{Clock: clock.Real{}})
	must(t, err)
	defer table.Close()
	if _, err := table.Get(t.Context(), port.Key{PK: "P", SK: "a"}); err != nil {
		t.Error(err)
	}
}

func TestOpen_RefusesAFileOfAnotherFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pags.db")
	table, err := bolt.Open(path, bolt.Options{Clock: clock.Real{}})
	must(t, err)
	must(t, table.Update(t.Context(), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("table.meta")).Put([]byte("format"), []byte("2"))
	}))
	must(t, table.Close())
	if _, err = bolt.Open(path, bolt.Options{Clock: clock.Real{}}); err == nil || !strings.Contains(err.Error(), `format "2"`) {
		t.Fatalf("%v", err)
	}
}

func TestTable_WritersShareCommits(t *testing.T) {
	table, err := bolt.Open(filepath.Join(t.TempDir(), "pags.db"), bolt.Options{Clock: clock.Real{}})
	must(t, err)
	defer table.Close()
	entered, let := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		first := true
		_ = table.Update(t.Context(), func(*bbolt.Tx) error { // holds the one writer until all others wait
			if first {
				first = false
				close(entered)
				<-let
			}
			return nil
		})
	})
	<-entered
	before := commits(table)
	var started sync.WaitGroup
	results := make([]error, 100)
	for i := range results {
		started.Add(1)
		wg.Go(func() {
			started.Done()
			results[i] = table.Write(t.Context(), port.Put(item("P", fmt.Sprint(i/2))).When(port.NotExists()))
		})
	}
	started.Wait()
	close(let)
	wg.Wait()
	if n := commits(table) - before; n > 50 {
		t.Errorf("%d commits for 100 writes that came together", n)
	}
	for i := 0; i < len(results); i += 2 { // of each pair one came first and the other saw it, also inside one commit
		var cf *port.ConditionFailed
		a, b := results[i], results[i+1]
		if a != nil {
			a, b = b, a
		}
		if a != nil || !errors.As(b, &cf) {
			t.Errorf("pair %d: %v and %v; want one done, one failed", i/2, results[i], results[i+1])
		}
	}
}

func commits(table *bolt.Table) int {
	id := 0
	_ = table.DB().View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil })
	return id
}

func TestTable_UpdateThatFailsTakesNobodyWithIt(t *testing.T) {
	table := open(t, porttest.NewClock(t0))
	own := []byte("own")
	must(t, table.Update(t.Context(), func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(own); return err }))
	entered, let := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	var once sync.Once
	wg.Go(func() {
		_ = table.Update(t.Context(), func(*bbolt.Tx) error { once.Do(func() { close(entered); <-let }); return nil })
	})
	<-entered
	broken := errors.New("half way")
	results := make([]error, 30)
	var started sync.WaitGroup
	for i := range results {
		started.Add(1)
		wg.Go(func() {
			started.Done()
			results[i] = table.Update(t.Context(), func(tx *bbolt.Tx) error {
				if err := tx.Bucket(own).Put([]byte{byte(i)}, []byte("x")); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					return broken
				case 2:
					panic("at the disco")
				}
				return nil
			})
		})
	}
	started.Wait()
	close(let)
	wg.Wait()
	must(t, table.DB().View(func(tx *bbolt.Tx) error {
		for i, err := range results {
			there := tx.Bucket(own).Get([]byte{byte(i)}) != nil
			if ok := i%3 == 0; there != ok || (err == nil) != ok || i%3 == 1 && !errors.Is(err, broken) {
				t.Errorf("update %d: written %v, %v", i, there, err)
			}
		}
		return nil
	}))
}

func TestTable_ContextThatIsOverWritesNothing(t *testing.T) {
	table := open(t, porttest.NewClock(t0))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := table.Write(ctx, port.Put(item("P", "a"))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := table.Get(t.Context(), port.Key{PK: "P", SK: "a"}); !pags.Is(err, pags.NotFound) {
		t.Errorf("%v", err)
	}
}

func TestTable_PruneRemovesOnlyWhatIsLongOver(t *testing.T) {
	now := porttest.NewClock(t0)
	table := open(t, now)
	for i := range 5 {
		must(t, table.Write(t.Context(), port.Put(item("P", fmt.Sprint("old", i)).In("g1", "G", "x").Expiring(t0.Add(time.Minute)))))
	}
	must(t, table.Write(t.Context(), port.Put(item("P", "renewed").Expiring(t0.Add(time.Minute)))))
	must(t, table.Write(t.Context(), port.Update(port.Key{PK: "P", SK: "renewed"}).Setting("expires", t0.Add(24*time.Hour).Unix())))
	must(t, table.Write(t.Context(), port.Put(item("P", "never"))))
	must(t, table.Transact(t.Context(), "token", port.Put(item("P", "by token"))))
	prune := func(limit, want int) {
		t.Helper()
		if n, err := table.Prune(t.Context(), limit); err != nil || n != want {
			t.Fatalf("pruned %d, %v; want %d", n, err, want)
		}
	}
	now.Advance(time.Hour)
	prune(100, 0) // expired for less than an hour
	before := commits(table)
	prune(100, 0)
	if commits(table) != before {
		t.Error("nothing to do took a commit")
	}
	now.Advance(time.Minute)
	prune(3, 3)
	prune(100, 2)
	now.Advance(10 * time.Minute)
	prune(100, 1)                                                // the token
	must(t, table.Update(t.Context(), func(tx *bbolt.Tx) error { // an entry that is no longer true removes itself, not the item
		stale := append(make([]byte, 8), "iP\x00\x01never"...)
		return tx.Bucket([]byte("table.expiry")).Put(stale, nil)
	}))
	prune(100, 1)
	prune(100, 0)
	page, err := table.Query(t.Context(), port.Query{PK: "P"})
	must(t, err)
	if len(page.Items) != 3 {
		t.Errorf("left are %v", page.Items)
	}
	must(t, table.DB().View(func(tx *bbolt.Tx) error {
		for bucket, want := range map[string]int{"table.items": 3, "table.g1": 0, "table.expiry": 1, "table.tokens": 0} {
			if n := tx.Bucket([]byte(bucket)).Stats().KeyN; n != want {
				t.Errorf("%s has %d entries, want %d", bucket, n, want)
			}
		}
		return nil
	}))
}

// Reading what a disk has damaged gives an error, never a panic and never a wrong item.
func TestTable_DamagedItemIsAnError(t *testing.T) {
	table := open(t, porttest.NewClock(t0))
	it := item("P", "a")
	it["list"], it["n"], it["b"] = []any{"x", map[string]any{"k": true}}, 12, []byte{1, 2, 3}
	must(t, table.Write(t.Context(), port.Put(it)))
	var key, good []byte
	must(t, table.DB().View(func(tx *bbolt.Tx) error {
		k, v := tx.Bucket([]byte("table.items")).Cursor().First()
		key, good = append(key, k...), append(good, v...)
		return nil
	}))
	for n := range len(good) {
		must(t, table.Update(t.Context(), func(tx *bbolt.Tx) error { return tx.Bucket([]byte("table.items")).Put(key, good[:n]) }))
		if got, err := table.Get(t.Context(), port.Key{PK: "P", SK: "a"}); err == nil || pags.Is(err, pags.NotFound) {
			t.Fatalf("cut at %d of %d bytes it reads %v, %v", n, len(good), got, err)
		}
	}
}
