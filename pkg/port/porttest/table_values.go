package porttest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func tableGet(s tableSuite) {
	s.put(row("P", "a", "n", num(1)), row("P", "b"), row("Q", "a", "x", "q"))
	s.want(row("P", "a", "n", num(1)))
	s.absent(keyed("P", "c"))
	s.absent(keyed("p", "a"))
	got, err := s.table.GetMany(s.ctx, keyed("Q", "a"), keyed("P", "none"), keyed("P", "a"), keyed("Q", "a"))
	if err != nil {
		s.Fatal(err)
	}
	want := []port.Item{row("Q", "a", "x", "q"), nil, row("P", "a", "n", num(1)), row("Q", "a", "x", "q")}
	if !reflect.DeepEqual(got, want) {
		s.Fatalf("got  %v\nwant %v", got, want)
	}
	if got, err := s.table.GetMany(s.ctx); err != nil || len(got) != 0 {
		s.Fatalf("no keys: %v, %v", got, err)
	}
	var keys []port.Key
	for i := range 100 {
		keys = append(keys, keyed("P", fmt.Sprintf("many%03d", i)))
	}
	s.put(row("P", "many099"))
	if got, err := s.table.GetMany(s.ctx, keys...); err != nil || got[99] == nil || got[98] != nil {
		s.Fatalf("a hundred keys: %v", err)
	}
	_, err = s.table.GetMany(s.ctx, append(keys, keyed("P", "one more"))...)
	s.code(err, pags.Invalid)
}

func tablePut(s tableSuite) {
	s.put(row("P", "a", "old", "1"))
	it := row("P", "a", "new", "2")
	s.put(it)
	it["new"] = "changed by the caller after the write"
	s.want(row("P", "a", "new", "2"))
	s.ok(port.Delete(keyed("P", "a")))
	s.absent(keyed("P", "a"))
	s.ok(port.Delete(keyed("P", "a"))) // deleting what is absent is fine
}

func tableValues(s tableSuite) {
	it := row("P", "a",
		"text", "grüße 日本 \x00 \" \\ 👋", "empty", "", "yes", true, "no", false, "nothing", nil,
		"bytes", []byte{0, 1, 254, 255}, "noBytes", []byte{},
		"list", []any{"a", num(-1), nil, []any{}, map[string]any{}, []byte{7}},
		"map", map[string]any{"a.b": "dots", "deep": map[string]any{"list": []any{[]any{true}}}},
		"size", "a reserved word", "name#with:signs", "x", "0", "digit")
	s.put(it)
	s.want(it)
	page, err := s.table.Query(s.ctx, port.Query{PK: "P"})
	if err != nil || len(page.Items) != 1 || !reflect.DeepEqual(page.Items[0], it) {
		s.Fatalf("query: %v, %#v", err, page.Items)
	}
	s.ok(port.Update(keyed("P", "a")).Setting("status", pags.RunID("run_1")).Setting("count", 3).Setting("name#with:signs", []string{"y"}))
	it["status"], it["count"], it["name#with:signs"] = "run_1", num(3), []any{"y"}
	s.want(it)
}

// tableDY05 writes the values of the case.
func tableDY05(s tableSuite) {
	raw := `{"nano": 1712345678901234567, "big": 9007199254740993, "price": 0.1, "exp": 1e-7, "empty": "", "emptyList": [], "nul": null}`
	it, err := port.Encode(keyed("RUN#1", "META"), json.RawMessage(raw))
	if err != nil {
		s.Fatal(err)
	}
	s.put(it)
	s.want(row("RUN#1", "META", "nano", json.Number("1712345678901234567"), "big", json.Number("9007199254740993"),
		"price", json.Number("0.1"), "exp", json.Number("0.0000001"), "empty", "", "emptyList", []any{}, "nul", nil))
	var back struct {
		Nano, Big int64
		Exp       float64
		Empty     *string
	}
	got, _ := s.table.Get(s.ctx, keyed("RUN#1", "META"))
	if err := port.Decode(got, &back); err != nil || back.Nano != 1712345678901234567 || back.Big != 9007199254740993 ||
		back.Exp != 1e-7 || back.Empty == nil || *back.Empty != "" {
		s.Fatalf("decoded %+v, %v", back, err)
	}
	s.ok(port.Update(keyed("RUN#1", "META")).Adding("big", 1))
	if got, _ := s.table.Get(s.ctx, keyed("RUN#1", "META")); got["big"] != json.Number("9007199254740994") {
		s.Fatalf("9007199254740993 + 1 = %v", got["big"])
	}
	s.code(s.table.Write(s.ctx, port.Put(row("RUN#1", ""))), pags.Invalid)
	_, err = s.table.Get(s.ctx, keyed("", "META"))
	s.code(err, pags.Invalid)
}

func tableRefused(s tableSuite) {
	long := strings.Repeat("k", 2049)
	for name, w := range map[string]port.Write{
		"a key without pk":            port.Put(row("", "a")),
		"a pk above 2,048 bytes":      port.Delete(keyed(long, "a")),
		"an sk above 1,024 bytes":     port.Delete(keyed("P", long[:1025])),
		"an empty index key":          port.Put(row("P", "a").In("g1", "U", "")),
		"an index key that is number": port.Put(row("P", "a", "g2pk", num(1), "g2sk", "x")),
		"expiry that is text":         port.Put(row("P", "a", "expires", "tomorrow")),
		"text that is not UTF-8":      port.Put(row("P", "a", "x", "\xff")),
		"a name of nothing inside":    port.Put(row("P", "a", "m", map[string]any{"": "x"})),
		"39 digits":                   port.Put(row("P", "a", "x", json.Number(strings.Repeat("9", 39)))),
		"an update that sets nothing": port.Update(keyed("P", "a")),
		"an upsert that only removes": port.Update(keyed("P", "a")).Removing("x").OrCreate(),
		"an update of its own key":    port.Update(keyed("P", "a")).Setting("pk", "Q"),
		"set and remove of the same":  port.Update(keyed("P", "a")).Setting("x", "1").Removing("x"),
		"a check on its own":          port.Check(keyed("P", "a"), port.Exists()),
		"an order of truth values":    port.Delete(keyed("P", "a")).When(port.Lt("x", true)),
		"a key that is another one's": {Kind: port.PutWrite, Key: keyed("P", "b"), Item: row("P", "a")},
	} {
		if err := s.table.Write(s.ctx, w); !pags.Is(err, pags.Invalid) {
			s.Errorf("%s: %v, want invalid", name, err)
		}
	}
	s.wantList(port.Query{PK: "P"})
	for name, q := range map[string]port.Query{
		"no partition":    {},
		"no such index":   {PK: "P", Index: "g3"},
		"1,001 items":     {PK: "P", Limit: 1001},
		"a filter on key": {PK: "P", Filter: port.Begins("sk", "a")},
	} {
		if _, err := s.table.Query(s.ctx, q); !pags.Is(err, pags.Invalid) {
			s.Errorf("%s: %v, want invalid", name, err)
		}
	}
}

// tableDY02: sizes count in bytes with names, not in characters.
func tableDY02(s tableSuite) {
	turn := strings.Repeat("日", 9000)
	for i := range 60 {
		s.ok(port.Put(row("R#1", fmt.Sprintf("STEP#%06d", i), "text", turn)))
	}
	seen, q := 0, port.Query{PK: "R#1", Prefix: "STEP#", Limit: 25}
	for more := true; more; more = q.Cursor != "" {
		page, err := s.table.Query(s.ctx, q)
		if err != nil {
			s.Fatal(err)
		}
		for _, it := range page.Items {
			if it["sk"] != fmt.Sprintf("STEP#%06d", seen) || it["text"] != turn {
				s.Fatalf("turn %d came back as %v with %d bytes", seen, it["sk"], len(it["text"].(string)))
			}
			seen++
		}
		q.Cursor = page.Cursor
	}
	if seen != 60 {
		s.Fatalf("%d turns came back", seen)
	}
	s.code(s.table.Write(s.ctx, port.Put(row("R#1", "SHOT", "image", make([]byte, 900<<10)))), pags.TooLarge)
	s.absent(keyed("R#1", "SHOT"))

	// 399,990 bytes and then an attribute whose name alone has 20 bytes
	almost := row("R#1", "BIG", "text", strings.Repeat("x", 399_990-len("pkR#1skBIGtext")))
	s.put(almost)
	s.ok(port.Update(keyed("R#1", "BIG")).Setting(strings.Repeat("n", 20), ""))
	full := row("R#1", "FULL", "t", strings.Repeat("日", 100_000)) // 300 KB in 100,000 characters
	full["u"] = strings.Repeat("x", port.MaxItemBytes-full.Size()-1)
	s.put(full)
	s.want(full)
	s.code(s.table.Write(s.ctx, port.Put(row("R#1", "OVER", "t", full["t"], "u", full["u"].(string)+"x"))), pags.TooLarge)
	s.code(s.table.Write(s.ctx, port.Update(keyed("R#1", "FULL")).Setting("v", "")), pags.TooLarge) // the name alone is a byte
	s.want(full)
}
