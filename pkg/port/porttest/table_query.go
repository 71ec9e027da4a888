package porttest

import (
	"fmt"
	"reflect"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func tableQuery(s tableSuite) {
	for _, sk := range []string{"A#1", "B#1", "B#2", "B#3", "B", "C#1", "B#2#x"} {
		s.put(row("P", sk))
	}
	s.put(row("P2", "B#2"), row("P\x00", "B#2"), row("O", "Z"))
	for _, c := range []struct {
		name string
		q    port.Query
		want []string
	}{
		{"a partition", port.Query{}, []string{"A#1", "B", "B#1", "B#2", "B#2#x", "B#3", "C#1"}},
		{"backwards", port.Query{Desc: true}, []string{"C#1", "B#3", "B#2#x", "B#2", "B#1", "B", "A#1"}},
		{"a prefix", port.Query{Prefix: "B#"}, []string{"B#1", "B#2", "B#2#x", "B#3"}},
		{"a prefix that is a whole key", port.Query{Prefix: "B#2"}, []string{"B#2", "B#2#x"}},
		{"a prefix backwards", port.Query{Prefix: "B#", Desc: true}, []string{"B#3", "B#2#x", "B#2", "B#1"}},
		{"from, inclusive", port.Query{From: "B#2"}, []string{"B#2", "B#2#x", "B#3", "C#1"}},
		{"to, inclusive", port.Query{To: "B#2"}, []string{"A#1", "B", "B#1", "B#2"}},
		{"between", port.Query{From: "B#1", To: "B#2"}, []string{"B#1", "B#2"}},
		{"between backwards", port.Query{From: "B#1", To: "B#2", Desc: true}, []string{"B#2", "B#1"}},
		{"one", port.Query{From: "B#2", To: "B#2"}, []string{"B#2"}},
		{"bounds between keys", port.Query{From: "B#15", To: "B#29"}, []string{"B#2", "B#2#x"}},
		{"bounds the wrong way round", port.Query{From: "C", To: "A"}, nil},
		{"prefix and from", port.Query{Prefix: "B#", From: "B#2"}, []string{"B#2", "B#2#x", "B#3"}},
		{"prefix and to", port.Query{Prefix: "B#", To: "B#2"}, []string{"B#1", "B#2"}},
		{"prefix and both", port.Query{Prefix: "B#", From: "B#2", To: "B#2#z", Desc: true}, []string{"B#2#x", "B#2"}},
		{"prefix and a from before it", port.Query{Prefix: "B#", From: "A"}, []string{"B#1", "B#2", "B#2#x", "B#3"}},
		{"prefix and a from behind it", port.Query{Prefix: "B#", From: "C"}, nil},
		{"prefix and a to before it", port.Query{Prefix: "B#", To: "A"}, nil},
		{"prefix and a to behind it", port.Query{Prefix: "B#", To: "Z"}, []string{"B#1", "B#2", "B#2#x", "B#3"}},
		{"nothing with the prefix", port.Query{Prefix: "D"}, nil},
	} {
		for _, limit := range []int{0, 1, 2} { // whole, and page by page
			c.q.PK, c.q.Limit = "P", limit
			got := s.list(c.q)
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", append([]string{}, c.want...)) {
				s.Errorf("%s, pages of %d\ngot  %q\nwant %q", c.name, limit, got, c.want)
			}
		}
	}
	s.wantList(port.Query{PK: "nobody"})
	s.wantList(port.Query{PK: "P\x00"}, "B#2")
}

// tableQueryUnicode: order is by UTF-8 bytes, which is code point order; UTF-16 would put U+1F44B before U+FFFD.
func tableQueryUnicode(s tableSuite) {
	sorted := []string{" ", "!", "0", "10", "9", "A", "Z", "a", "a\x00", "a\x00b", "a\x01", "aa", "z", "~", "é", "ß", "日", "日本", "\ufffd", "👋"}
	want := []string{" ", "!", "0", "10", "9", "A", "Z", "a", "a\x00", "a\x00b", "a\x01", "aa", "z", "~", "ß", "é", "日", "日本", "\ufffd", "👋"}
	var items []port.Item
	for _, sk := range sorted {
		items = append(items, row("P", sk).In("g1", "G", sk))
	}
	s.fill(items)
	for _, index := range []string{"", "g1"} {
		pk := map[string]string{"": "P", "g1": "G"}[index]
		s.wantList(port.Query{Index: index, PK: pk, Limit: 7}, want...)
		s.wantList(port.Query{Index: index, PK: pk, Prefix: "日"}, "日", "日本")
		s.wantList(port.Query{Index: index, PK: pk, Prefix: "a", Desc: true}, "aa", "a\x01", "a\x00b", "a\x00", "a")
		s.wantList(port.Query{Index: index, PK: pk, From: "a\x00", To: "a\x01"}, "a\x00", "a\x00b", "a\x01")
		s.wantList(port.Query{Index: index, PK: pk, From: "日本"}, "日本", "\ufffd", "👋")
		s.wantList(port.Query{Index: index, PK: pk, Prefix: "a", From: "a\x01"}, "a\x01", "aa")
	}
}

func tableQueryPages(s tableSuite) {
	for i := range 20 {
		s.put(row("P", fmt.Sprintf("%02d0", i)))
	}
	q := port.Query{PK: "P", Limit: 10}
	first, err := s.table.Query(s.ctx, q)
	if err != nil || len(first.Items) != 10 || first.Cursor == "" {
		s.Fatalf("%d items, cursor %q, %v", len(first.Items), first.Cursor, err)
	}
	again, _ := s.table.Query(s.ctx, q)
	if !reflect.DeepEqual(first, again) {
		s.Error("the same page twice is not the same")
	}
	q.Cursor = first.Cursor
	second, err := s.table.Query(s.ctx, q)
	if err != nil || len(second.Items) != 10 || second.Cursor != "" {
		s.Fatalf("the last page, exactly full: %d items, cursor %q, %v", len(second.Items), second.Cursor, err)
	}
	// what comes before the place, and the item of the place going away, move nothing; what comes behind it is seen
	s.put(row("P", "055"), row("P", "095"))
	s.ok(port.Delete(keyed("P", "090")))
	q.Limit = 2
	page, err := s.table.Query(s.ctx, q)
	if err != nil || len(page.Items) != 2 || page.Items[0]["sk"] != "095" || page.Items[1]["sk"] != "100" {
		s.Fatalf("after inserts: %v, %v", page.Items, err)
	}
	var many []port.Item
	for i := range 101 {
		many = append(many, row("D", fmt.Sprintf("%03d", i)))
	}
	s.fill(many)
	page, err = s.table.Query(s.ctx, port.Query{PK: "D"})
	if err != nil || len(page.Items) != 100 || page.Cursor == "" {
		s.Fatalf("without a limit: %d items, %v; want 100", len(page.Items), err)
	}
	if page, err = s.table.Query(s.ctx, port.Query{PK: "D", Limit: 1000}); err != nil || len(page.Items) != 101 {
		s.Fatalf("limit 1,000: %d items, %v", len(page.Items), err)
	}
}

func tableQueryCursor(s tableSuite) {
	for i := range 3 {
		s.put(row("P", fmt.Sprint(i)).In("g1", "G", fmt.Sprint(i)), row("Q", fmt.Sprint(i)))
	}
	page, err := s.table.Query(s.ctx, port.Query{PK: "P", Limit: 1})
	if err != nil {
		s.Fatal(err)
	}
	for name, q := range map[string]port.Query{
		"made by hand":      {PK: "P", Cursor: "eyJwayI6IlAifQ"},
		"not even base64":   {PK: "P", Cursor: "%%%"},
		"cut":               {PK: "P", Cursor: page.Cursor[:len(page.Cursor)-3]},
		"another partition": {PK: "Q", Cursor: page.Cursor},
		"another index":     {PK: "P", Index: "g1", Cursor: page.Cursor},
		"another order":     {PK: "P", Desc: true, Cursor: page.Cursor},
	} {
		if _, err := s.table.Query(s.ctx, q); !pags.Is(err, pags.Invalid) {
			s.Errorf("%s: %v, want invalid", name, err)
		}
	}
}

// tableDY01: 300 rows of which rows 250 and 299 match, and exactly ten that match with a limit of ten.
func tableDY01(s tableSuite) {
	var items []port.Item
	for i := range 300 {
		kind := "noise"
		if i == 250 || i == 299 {
			kind = "wanted"
		}
		if i < 10 {
			kind = "ten"
		}
		items = append(items, row("P", fmt.Sprintf("%03d", i), "kind", kind).In("g2", "G", fmt.Sprintf("%03d", i)))
	}
	s.fill(items)
	for _, q := range []port.Query{{PK: "P"}, {PK: "G", Index: "g2"}} {
		q.Limit, q.Filter = 10, port.Eq("kind", "wanted")
		page, err := s.table.Query(s.ctx, q)
		if err != nil || len(page.Items) != 2 || page.Items[0]["sk"] != "250" || page.Items[1]["sk"] != "299" || page.Cursor != "" {
			s.Fatalf("two of 300: %v, cursor %q, %v", page.Items, page.Cursor, err)
		}
		q.Filter = port.Eq("kind", "ten")
		page, err = s.table.Query(s.ctx, q)
		if err != nil || len(page.Items) != 10 || page.Cursor != "" {
			s.Fatalf("exactly ten: %d, cursor %q, %v; the button for more leads nowhere", len(page.Items), page.Cursor, err)
		}
		q.Limit, q.Filter = 1, port.Eq("kind", "wanted")
		s.wantList(q, "250", "299")
		q.Desc = true
		s.wantList(q, "299", "250")
		q.Filter = port.Eq("kind", "none")
		s.wantList(q)
	}
}

func tableIndexes(s tableSuite) {
	s.put(
		row("I#1", "META", "n", num(1)).In("g1", "U#1", "i_1").In("g2", "X", "9"),
		row("I#2", "META").In("g1", "U#1", "i_2"),
		row("I#3", "META").In("g1", "U#2", "i_3"),
		row("I#4", "META"),
		row("I#5", "META", "g1pk", "U#1"), // half a key is not in the index
	)
	first := func(index, pk string) (pks []string) {
		page, err := s.table.Query(s.ctx, port.Query{Index: index, PK: pk})
		if err != nil {
			s.Fatal(err)
		}
		for _, it := range page.Items {
			pks = append(pks, port.KeyOf(it).PK)
		}
		return pks
	}
	want := func(index, pk string, want ...string) {
		s.Helper()
		if got := first(index, pk); fmt.Sprint(got) != fmt.Sprint(want) {
			s.Fatalf("%s of %s: %v, want %v", index, pk, got, want)
		}
	}
	want("g1", "U#1", "I#1", "I#2")
	want("g1", "U#2", "I#3")
	want("g2", "X", "I#1")
	page, _ := s.table.Query(s.ctx, port.Query{Index: "g2", PK: "X"})
	if it := page.Items[0]; it["n"] != num(1) || it["g1sk"] != "i_1" {
		s.Fatalf("an index gives whole items; got %v", it)
	}
	s.ok(port.Update(keyed("I#1", "META")).Setting("g1sk", "i_9").Adding("n", 1)) // moves within g1, stays in g2
	want("g1", "U#1", "I#2", "I#1")
	s.ok(port.Update(keyed("I#2", "META")).Setting("g1pk", "U#2"))
	want("g1", "U#1", "I#1")
	want("g1", "U#2", "I#2", "I#3")
	s.ok(port.Update(keyed("I#2", "META")).Removing("g1pk", "g1sk"))
	want("g1", "U#2", "I#3")
	s.put(row("I#3", "META"))
	want("g1", "U#2")
	s.ok(port.Update(keyed("I#4", "META")).Setting("g2pk", "X").Setting("g2sk", "0"))
	want("g2", "X", "I#4", "I#1")
	s.ok(port.Delete(keyed("I#1", "META")))
	want("g2", "X", "I#4")
	want("g1", "U#1")
}

// tableIndexTies: equal index keys lose nothing and repeat nothing across pages.
func tableIndexTies(s tableSuite) {
	for i := range 9 {
		s.put(row(fmt.Sprintf("P#%d", i%3), fmt.Sprint(i)).In("g1", "G", "same"))
	}
	for _, desc := range []bool{false, true} {
		seen := map[string]int{}
		for _, sk := range s.list(port.Query{Index: "g1", PK: "G", Limit: 2, Desc: desc}) {
			seen[sk]++
		}
		for i := range 9 {
			if seen[fmt.Sprint(i)] != 1 {
				s.Errorf("item %d came %d times (backwards: %v)", i, seen[fmt.Sprint(i)], desc)
			}
		}
	}
}
