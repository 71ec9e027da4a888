package porttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func asCancelled(err error, out **port.Cancelled) bool { return errors.As(err, out) }

func (s tableSuite) transact(token string, writes ...port.Write) {
	s.Helper()
	if err := s.table.Transact(s.ctx, token, writes...); err != nil {
		s.Fatalf("transaction %s: %v", token, err)
	}
}

func tableTransact(s tableSuite) {
	s.put(row("P", "old", "n", num(1)), row("P", "drop"), row("P", "there"))
	s.transact("t1",
		port.Put(row("P", "new", "x", "1").In("g1", "G", "new")).When(port.NotExists()),
		port.Update(keyed("P", "old")).Adding("n", 4).Setting("by", "t1"),
		port.Delete(keyed("P", "drop")),
		port.Check(keyed("P", "there"), port.Exists()),
		port.Update(keyed("P", "made")).Adding("n", 1).OrCreate())
	s.want(row("P", "new", "x", "1", "g1pk", "G", "g1sk", "new"))
	s.want(row("P", "old", "n", num(5), "by", "t1"))
	s.want(row("P", "made", "n", num(1)))
	s.absent(keyed("P", "drop"))
	s.wantList(port.Query{Index: "g1", PK: "G"}, "new")

	err := s.table.Transact(s.ctx, "t2",
		port.Put(row("P", "never").In("g1", "G", "never")),
		port.Update(keyed("P", "old")).Adding("n", 100),
		port.Delete(keyed("P", "there")),
		port.Put(row("P", "new")).When(port.NotExists()))
	s.code(err, pags.Conflict)
	s.absent(keyed("P", "never"))
	s.want(row("P", "old", "n", num(5), "by", "t1"))
	s.want(row("P", "there"))
	s.wantList(port.Query{Index: "g1", PK: "G"}, "new")

	many := make([]port.Write, port.MaxTransact)
	for i := range many {
		many[i] = port.Put(row("M", fmt.Sprintf("%03d", i)))
	}
	s.transact("t3", many...)
	if got := s.list(port.Query{PK: "M"}); len(got) != port.MaxTransact {
		s.Fatalf("%d of %d writes done", len(got), port.MaxTransact)
	}
}

func tableTransactReasons(s tableSuite) {
	s.put(row("P", "a", "v", num(3)), row("P", "c"))
	err := s.table.Transact(s.ctx, "t",
		port.Update(keyed("P", "a")).Adding("v", 1).When(port.Eq("v", 2)),
		port.Put(row("P", "b")).When(port.NotExists()),
		port.Check(keyed("P", "c"), port.NotExists()),
		port.Update(keyed("P", "d")).Setting("x", "1"),
		port.Delete(keyed("P", "e")))
	var cancelled *port.Cancelled
	if !errors.As(err, &cancelled) || len(cancelled.Reasons) != 5 {
		s.Fatalf("got %v, want five reasons", err)
	}
	want := []port.Reason{{ConditionFailed: true, Item: row("P", "a", "v", num(3))}, {}, {ConditionFailed: true, Item: row("P", "c")},
		{ConditionFailed: true}, {}}
	if !reflect.DeepEqual(cancelled.Reasons, want) {
		s.Fatalf("got  %+v\nwant %+v", cancelled.Reasons, want)
	}
}

func tableTransactToken(s tableSuite) {
	add := port.Update(keyed("P", "n")).Adding("n", 1).OrCreate()
	s.transact("once", add)
	s.transact("once", add)
	s.want(row("P", "n", "n", num(1)))
	s.clock.Advance(9*time.Minute + 59*time.Second)
	s.transact("once", add, port.Put(row("P", "other"))) // also when the repeat was put together anew
	s.want(row("P", "n", "n", num(1)))
	s.absent(keyed("P", "other"))
	s.transact("another", add)
	s.want(row("P", "n", "n", num(2)))
	s.clock.Advance(2 * time.Second)
	s.transact("once", add)
	s.want(row("P", "n", "n", num(3)))
	// a repeat of what would fail by now is a repeat all the same: its first run is why
	first := port.Put(row("P", "first")).When(port.NotExists())
	s.transact("create", first)
	s.transact("create", first)
	// and a cancelled one leaves its token free
	guarded := port.Update(keyed("P", "late")).Adding("n", 1)
	s.code(s.table.Transact(s.ctx, "free", guarded), pags.Conflict)
	s.put(row("P", "late", "n", num(0)))
	s.transact("free", guarded)
	s.want(row("P", "late", "n", num(1)))
}

func tableTransactRefused(s tableSuite) {
	ok := port.Put(row("P", "a"))
	many := make([]port.Write, port.MaxTransact+1)
	for i := range many {
		many[i] = port.Put(row("P", fmt.Sprint(i)))
	}
	large := make([]port.Write, 11)
	for i := range large {
		large[i] = port.Put(row("P", fmt.Sprint(i), "x", strings.Repeat("x", 400_000)))
	}
	for _, c := range []struct {
		name, token string
		writes      []port.Write
		want        pags.Code
	}{
		{"the same key twice", "t", []port.Write{ok, port.Check(keyed("P", "a"), port.Exists())}, pags.Invalid},
		{"more than fit", "t", many, pags.Invalid},
		{"more than 4 MB", "t", large, pags.TooLarge},
		{"nothing to do", "t", nil, pags.Invalid},
		{"no token", "", []port.Write{ok}, pags.Invalid},
		{"a token of 37 characters", strings.Repeat("t", 37), []port.Write{ok}, pags.Invalid},
		{"an empty key among good ones", "t", []port.Write{ok, port.Delete(keyed("P", ""))}, pags.Invalid},
		{"an item too large", "t", []port.Write{ok, port.Put(row("P", "b", "x", make([]byte, 410<<10)))}, pags.TooLarge},
		{"adding to a text", "t", []port.Write{ok, port.Update(keyed("P", "text")).Adding("x", 1)}, pags.Invalid},
	} {
		s.put(row("P", "text", "x", "not a number"))
		if err := s.table.Transact(s.ctx, c.token, c.writes...); !pags.Is(err, c.want) {
			s.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	s.wantList(port.Query{PK: "P"}, "text")
}

// TableWriters is the suite's DY-07 alone, for an adapter whose peer a test makes misbehave.
func TableWriters(t *testing.T, clock *Clock, table port.Table, peer TablePeer) {
	tableDY07(tableSuite{t, table, clock, t.Context(), peer.AtOnce})
}

// tableDY07: fifty workers at once add one to the same run's counter and append one event each. The version is checked, so
// whoever was overtaken reads again; conflicts between transactions are the adapter's business.
func tableDY07(s tableSuite) {
	s.put(row("R#1", "META", "version", num(0)))
	stop := s.clock.Flow(20 * time.Millisecond)
	defer stop()
	var wg sync.WaitGroup
	slots := make(chan struct{}, s.atOnce)
	for w := range writers {
		wg.Go(func() {
			for again := true; again; {
				slots <- struct{}{}
				again = s.appendEvent(w)
				<-slots
				if again {
					<-s.clock.After(rand.N(20 * time.Millisecond))
				}
			}
		})
	}
	wg.Wait()
	s.want(row("R#1", "META", "version", num(writers)))
	page, err := s.table.Query(s.ctx, port.Query{PK: "R#1", Prefix: "EVENT#"})
	if err != nil || len(page.Items) != writers {
		s.Fatalf("%d events, %v; want %d", len(page.Items), err, writers)
	}
	by := map[any]bool{}
	for i, it := range page.Items {
		if it["sk"] != fmt.Sprintf("EVENT#%010d", i+1) || by[it["worker"]] {
			s.Fatalf("event %d is %v by worker %v: a gap or a repeat", i+1, it["sk"], it["worker"])
		}
		by[it["worker"]] = true
	}
}

// appendEvent tries once to count the version up and to write the event of that number; again if it was overtaken.
func (s tableSuite) appendEvent(worker int) (again bool) {
	head, err := s.table.Get(s.ctx, keyed("R#1", "META"))
	var h struct{ Version int64 }
	if err == nil {
		err = port.Decode(head, &h)
	}
	if err != nil {
		s.Errorf("worker %d reads: %v", worker, err)
		return false
	}
	err = s.table.Transact(s.ctx, fmt.Sprintf("worker-%d", worker),
		port.Update(keyed("R#1", "META")).Adding("version", 1).When(port.Eq("version", h.Version)),
		port.Put(row("R#1", fmt.Sprintf("EVENT#%010d", h.Version+1), "worker", num(int64(worker)))).When(port.NotExists()))
	var cancelled *port.Cancelled
	if err == nil {
		return false
	}
	if !errors.As(err, &cancelled) || !cancelled.Failed(0) {
		s.Errorf("worker %d: %v; want done or overtaken", worker, err)
		return false
	}
	return true
}
