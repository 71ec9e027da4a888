package catalog

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSearch_WhatIsNotKeptIsAsIfItWereNotThere(t *testing.T) {
	x := shop(t)
	keep := func(address string) bool { return !strings.HasPrefix(address, "shop.invoices.") }
	for says, c := range map[string]struct {
		q     Query
		total int
	}{
		"a listing of everything":        {Query{All: true, Limit: 3, Keep: keep}, 6},
		"of a namespace":                 {Query{Namespace: "shop", Limit: 3, Keep: keep}, 6},
		"of a group that is hidden":      {Query{Namespace: "shop.invoices", Keep: keep}, 0},
		"a search that fits only hidden": {Query{Text: "delete invoice", Keep: keep}, 0},
		"a search that fits others too":  {Query{Text: "create", Keep: keep}, 2},
		"everything without a filter":    {Query{All: true}, 10},
		"nothing is asked for":           {Query{Keep: keep}, 0},
	} {
		p := x.Search(c.q)
		if p.Total != c.total || p.HasMore != (c.total > len(p.Items)) {
			t.Errorf("%s: %+v, want %d", says, p, c.total)
		}
		if c.q.Keep != nil && slices.ContainsFunc(p.Items, func(h Hit) bool { return !keep(h.Path) }) {
			t.Errorf("%s shows %+v", says, p.Items)
		}
	}
	var walked []string
	for at, more := 0, true; more; {
		p := x.Search(Query{All: true, Limit: 4, Offset: at, Keep: keep})
		for _, h := range p.Items {
			walked = append(walked, h.Path)
		}
		at, more = p.NextOffset, p.HasMore
	}
	if len(walked) != 6 || !slices.IsSorted(walked) {
		t.Errorf("walked %v", walked)
	}
	if all := x.Addresses(); len(all) != 10 || !slices.IsSorted(all) {
		t.Errorf("addresses %v", all)
	}
}

func TestSearch_ATenThousandToolCatalogIsFilteredWithinFiveMilliseconds(t *testing.T) {
	var entries []Entry
	for i := range 10_000 {
		a := fmt.Sprintf("source%d.main.group%d.listThing%d", i%20, i%300, i)
		entries = append(entries, Entry{Address: a, Name: a, Title: "List things", Description: "Lists the things of a customer of kind " + fmt.Sprint(i%50)})
	}
	x := NewIndex(entries)
	var took []time.Duration
	for i := range 41 {
		began := time.Now()
		p := x.Search(Query{Text: fmt.Sprintf("list customer kind %d", i), Keep: func(a string) bool { return !strings.HasPrefix(a, "source7.") }})
		took = append(took, time.Since(began))
		if p.Total == 0 || p.Total > 9500 {
			t.Fatalf("found %d", p.Total)
		}
	}
	slices.Sort(took)
	if limit := 5 * time.Millisecond; took[len(took)/2] > limit && took[0] > limit { // a busy machine may slow most of them
		t.Errorf("p50 %v, best %v", took[len(took)/2], took[0])
	}
}

func TestCheck_UnknownAndMissingArgumentsAreToldTogether(t *testing.T) {
	s := imported(t, `
openapi: 3.0.3
info: {title: T}
servers: [{url: https://t.example.test}]
paths:
  /x/{id}: {get: {operationId: getX, parameters: [{name: id, in: path, required: true, schema: {type: integer}}, {name: limit, in: query, schema: {type: integer}}]}}
`, Options{})
	got := s.Tools[0].Check(map[string]any{"idd": 1, "limit": "x"})
	var at []string
	for _, p := range got {
		at = append(at, p.At)
	}
	slices.Sort(at)
	if want := []string{"", "/idd", "/limit"}; !slices.Equal(at, want) {
		t.Errorf("%+v", got)
	}
}

func TestSortFirst_TheFrontIsThatOfAWholeSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compare := func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.entry, b.entry))
	}
	for range 500 {
		all := make([]scored, 1+r.IntN(400))
		for i := range all {
			all[i] = scored{int32(i), float64(r.IntN(40))}
		}
		n := 1 + r.IntN(60)
		whole := slices.Clone(all)
		slices.SortFunc(whole, compare)
		sortFirst(all, n, compare)
		n = min(n, len(all))
		if !slices.Equal(all[:n], whole[:n]) {
			t.Fatalf("the first %d of %d are %v, not %v", n, len(all), all[:n], whole[:n])
		}
		slices.SortFunc(all, compare)
		if !slices.Equal(all, whole) {
			t.Fatal("something was lost")
		}
	}
}
