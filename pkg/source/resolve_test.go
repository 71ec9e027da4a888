package source_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/source"
)

type directory = *catalog.Directory

func TestResolve_AddressesWithAndWithoutTheConnection(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", nil, op("GET /items listItems"), op("GET /main getMain", m{"tags": []string{"main"}})), "slug": "shop"})
	for path, want := range map[string]string{
		"shop.main.shop.listItems": "shop.main.shop.listItems", "shop.shop.listItems": "shop.main.shop.listItems", "tools.shop.shop.listItems": "shop.main.shop.listItems",
		"shop.main.getMain": "shop.main.main.getMain", "shop.main.main.getMain": "shop.main.main.getMain", // a group named like the connection
	} {
		if b := s.bound(t, path); b.Address != want || b.Source != "shop" || b.Connection != "main" {
			t.Errorf("%s is %+v", path, b)
		}
	}
	f := mustFail(t, s, "shop.main.shop.listItem")
	if suggestions := fmt.Sprint(f.Details); f.Code != "tool_not_found" || !strings.Contains(suggestions, "shop.main.shop.listItems") {
		t.Errorf("%+v", f)
	}
	s.connect(t, source.NewConnection{Source: "shop", Name: "work", Method: "none"})
	f = mustFail(t, s, "shop.shop.listItems")
	if !strings.Contains(f.Message, "shop.main.shop.listItems, shop.work.shop.listItems") || len(f.Details.(map[string]any)["suggestions"].([]string)) != 2 {
		t.Errorf("%+v", f)
	}
	s.add(t, m{"document": describe("https://shop.example.test", bearer, op("GET /items listItems")), "slug": "alone"})
	if f := mustFail(t, s, "alone.shop.listItems"); !strings.Contains(f.Message, "no connection yet") {
		t.Errorf("%+v", f)
	}
	for _, path := range []string{"", "shop", "shop.", ".", "nobody.main.a.b", "shop.main", "shop.main.", strings.Repeat("a.", 500), "SHOP.main.shop.listItems", "shop.ma in.shop.x", "shop.#.x"} {
		if f := mustFail(t, s, path); f.Code != "tool_not_found" {
			t.Errorf("%q: %+v", path, f)
		}
	}
	if b, f, err := s.Resolve(t.Context(), httpapitest.StrangerID, "shop.main.shop.listItems"); err != nil || f == nil || b != nil {
		t.Errorf("a stranger: %+v %+v %v", b, f, err)
	}
	if b, f, err := s.Resolve(t.Context(), "", "shop.main.shop.listItems"); err != nil || f == nil || b != nil {
		t.Errorf("nobody: %+v %+v %v", b, f, err)
	}
}

func TestDirectory_FollowsEveryChange(t *testing.T) {
	s := newStage(t, local)
	doc := func(ops ...m) string { return describe("https://shop.example.test", bearer, ops...) }
	count := func(want int, after string) directory {
		t.Helper()
		d := mustDirectory(t, s)
		total := 0
		for _, p := range d.Places {
			total += p.Tools
			if n := d.Index.Search(catalog.Query{Namespace: p.Namespace, Limit: 1}).Total; n != p.Tools {
				t.Errorf("%s says %d tools and has %d", p.Namespace, p.Tools, n)
			}
		}
		if total != want {
			t.Errorf("%d tools after %s, not %d", total, after, want)
		}
		return d
	}
	count(0, "nothing")
	s.add(t, m{"document": doc(op("GET /a a"), op("DELETE /a removeA", m{"deprecated": true})), "slug": "shop"})
	count(0, "adding a source without a connection")
	s.connect(t, source.NewConnection{Source: "shop", Name: "one", Method: "none"})
	d := count(2, "connecting")
	if f := d.Flags("shop.one.shop.a"); !f.ReadOnly || f.Destructive {
		t.Errorf("%+v", f)
	}
	if f := d.Flags("shop.one.shop.removeA"); f.ReadOnly || !f.Destructive || !f.Deprecated {
		t.Errorf("%+v", f)
	}
	if f := d.Flags("shop.two.shop.a"); f.ReadOnly {
		t.Errorf("%+v", f)
	}
	if again := mustDirectory(t, s); again != d {
		t.Error("it was made again although nothing changed")
	}
	s.connect(t, source.NewConnection{Source: "shop", Name: "two", Method: "none"})
	count(4, "connecting twice")
	off := false
	if _, err := s.ChangeConnection(t.Context(), uid, "shop", "two", source.ConnectionChange{Enabled: &off}); err != nil {
		t.Fatal(err)
	}
	count(2, "switching one off")
	if _, err := s.Refresh(t.Context(), uid, "shop", doc(op("GET /a a"), op("GET /b b"), op("GET /c c"))); err != nil {
		t.Fatal(err)
	}
	count(3, "a refresh")
	if err := s.Disconnect(t.Context(), uid, "shop", "one"); err != nil {
		t.Fatal(err)
	}
	count(0, "removing the other")
}

func TestDirectory_ABrokenSourceDoesNotHideTheOthers(t *testing.T) {
	s := newStage(t, local)
	for _, slug := range []string{"good", "lost"} {
		s.add(t, m{"document": describe("https://shop.example.test", nil, op("GET /a a")), "slug": slug})
	}
	left, _ := s.blobs.List(t.Context(), "sources/"+string(uid)+"/lost/", "", 10)
	for _, b := range left {
		_ = s.blobs.Delete(t.Context(), b.Key)
	}
	s.restart()
	if d := mustDirectory(t, s); len(d.Places) != 1 || d.Places[0].Source != "good" {
		t.Errorf("%+v", d.Places)
	}
	if _, _, err := s.Resolve(t.Context(), uid, "lost.main.shop.a"); err == nil {
		t.Error("a catalog that is lost is our own trouble")
	}
}

// counting counts how often a blob is read.
type counting struct {
	port.Blobs
	reads atomic.Int64
	gate  chan struct{}
}

func (c *counting) Get(ctx context.Context, key string, offset, length int64) ([]byte, port.BlobInfo, error) {
	c.reads.Add(1)
	<-c.gate
	return c.Blobs.Get(ctx, key, offset, length)
}

func TestResolve_ACatalogIsReadOnceForAllWhoWait(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", nil, op("GET /a a")), "slug": "shop"})
	blobs := &counting{Blobs: s.blobs, gate: make(chan struct{})}
	s.deps.Blobs = blobs
	s.restart()
	gone, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, _, err := s.Resolve(gone, uid, "shop.main.shop.a"); first <- err }()
	for blobs.reads.Load() == 0 {
	}
	cancel() // the first one leaves; the others still get it
	if err := <-first; err != context.Canceled {
		t.Errorf("%v", err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { s.bound(t, "shop.main.shop.a") })
	}
	close(blobs.gate)
	all.Wait()
	s.bound(t, "shop.main.shop.a")
	if n := blobs.reads.Load(); n != 1 {
		t.Errorf("%d reads", n)
	}
	// With room for one catalog only, two sources take turns and both work.
	s.add(t, m{"document": describe("https://shop.example.test", nil, op("GET /a a")), "slug": "other"})
	s.deps.CacheBytes = 1
	s.restart()
	before := blobs.reads.Load()
	for range 3 {
		s.bound(t, "shop.main.shop.a")
		s.bound(t, "other.main.shop.a")
	}
	if n := blobs.reads.Load() - before; n != 6 {
		t.Errorf("%d reads where nothing fits", n)
	}
}

func TestResolve_ChangesByAnotherProcessAreSeenAtOnce(t *testing.T) {
	s := newStage(t, local)
	doc := func(ops ...m) string { return describe("https://shop.example.test", nil, ops...) }
	s.add(t, m{"document": doc(op("GET /a a")), "slug": "shop"})
	other := source.New(s.deps) // another function with memory of its own
	d1, _ := other.Directory(t.Context(), uid)
	if b, f, err := other.Resolve(t.Context(), uid, "shop.main.shop.a"); err != nil || f != nil || b.Held != "" {
		t.Fatalf("%+v %v %v", b, f, err)
	}
	for i := range 4 {
		if _, err := s.Refresh(t.Context(), uid, "shop", doc(op("GET /a a", about(fmt.Sprint(i))))); err != nil {
			t.Fatal(err)
		}
	}
	b, f, err := other.Resolve(t.Context(), uid, "shop.main.shop.a")
	if err != nil || f != nil || b.Held != "changed" || b.Tool.Description != "3" {
		t.Errorf("%+v %v %v", b, f, err)
	}
	if d2, _ := other.Directory(t.Context(), uid); d2 == d1 || d2.Flags("shop.main.shop.a").Held != "changed" {
		t.Error("an old directory")
	}
	off := false
	_, _ = s.Change(t.Context(), uid, "shop", source.Change{Enabled: &off})
	if b, _, _ := other.Resolve(t.Context(), uid, "shop.main.shop.a"); b == nil || b.Off != "source" {
		t.Errorf("%+v", b)
	}
}

func BenchmarkResolve_Warm(b *testing.B) {
	s := newStage(b, local)
	var ops []m
	for i := range 1000 {
		ops = append(ops, op(fmt.Sprintf("POST /t%d tool%d", i, i), items(m{"type": "object", "properties": m{"a": m{"type": "string"}}})))
	}
	s.add(b, m{"document": describe("https://shop.example.test", nil, ops...), "slug": "shop"})
	s.bound(b, "shop.main.shop.tool500")
	for b.Loop() {
		s.bound(b, "shop.main.shop.tool500")
	}
}
