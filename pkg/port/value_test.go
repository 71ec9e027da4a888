package port_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func TestNumber_KeepsTheValueAndWritesItOneWay(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0.0": "0", "007": "7", "1.50": "1.5", "-12.5": "-12.5", "1e3": "1000", "1E-7": "0.0000001",
		"1712345678901234567": "1712345678901234567", "9007199254740993": "9007199254740993",
		"12345678901234567890123456789012345678": "12345678901234567890123456789012345678",
		"1e125":                                  "1E125", "-1.25e-100": "-1.25E-100", "0.1": "0.1",
	} {
		if got, err := port.Number(json.Number(in)); err != nil || string(got) != want {
			t.Errorf("Number(%s) = %s, %v; want %s", in, got, err, want)
		}
		if got, err := port.Number(json.Number(want)); err != nil || string(got) != want {
			t.Errorf("Number(%s) is not stable: %s, %v", want, got, err)
		}
	}
	for _, in := range []string{"", "-", "1.", ".5", "0x1", "NaN", "1e", "1e126", "1e-131", "1e99999", "1 ",
		"123456789012345678901234567890123456789"} {
		if got, err := port.Number(json.Number(in)); !pags.Is(err, pags.Invalid) {
			t.Errorf("Number(%q) = %s, %v; want invalid", in, got, err)
		}
	}
}

func TestNumber_AddsAndComparesToTheLastDigit(t *testing.T) {
	if got, err := port.AddNumber("9007199254740993", 1); err != nil || got != "9007199254740994" {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := port.AddNumber("0.1", -1); err != nil || got != "-0.9" {
		t.Errorf("got %s, %v", got, err)
	}
	for _, c := range []struct {
		a, b json.Number
		want int
	}{{"1.0", "1", 0}, {"9007199254740992", "9007199254740993", -1}, {"-2", "-10", 1}, {"1e-7", "0.0000001", 0}, {"10", "9", 1}} {
		if got := port.CompareNumbers(c.a, c.b); got != c.want {
			t.Errorf("compare %s with %s = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestValue_TurnsGoValuesIntoWhatTheTableKeeps(t *testing.T) {
	type inner struct {
		N int64 `json:"n"`
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct{ in, want any }{
		"a named text":        {pags.RunID("run_1"), "run_1"},
		"a whole number":      {42, json.Number("42")},
		"a small unsigned":    {uint8(7), json.Number("7")},
		"bytes":               {[]byte{0, 255}, []byte{0, 255}},
		"a list of texts":     {[]string{"a"}, []any{"a"}},
		"a struct by JSON":    {inner{math.MaxInt64}, map[string]any{"n": json.Number("9223372036854775807")}},
		"a time by its JSON":  {at, "2026-01-02T03:04:05Z"},
		"raw JSON as it says": {json.RawMessage(`{"a":[1]}`), map[string]any{"a": []any{json.Number("1")}}},
		"an empty text":       {"", ""},
		"an empty list":       {[]any{}, []any{}},
	} {
		got, err := port.Value(c.in)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, %v; want %#v", name, got, err, c.want)
		}
	}
	deep := any("x")
	for range 40 {
		deep = []any{deep}
	}
	for name, in := range map[string]any{"not UTF-8": "\xff", "NaN": math.NaN(), "a channel": make(chan int), "too deep": deep} {
		if got, err := port.Value(in); !pags.Is(err, pags.Invalid) {
			t.Errorf("%s: %#v, %v; want invalid", name, got, err)
		}
	}
}

func TestItem_SizeCountsBytesWithNames(t *testing.T) {
	for name, c := range map[string]struct {
		it   port.Item
		want int
	}{
		"three bytes for a wide letter":     {port.Item{"ab": "日"}, 5},
		"a byte for two digits and one":     {port.Item{"n": json.Number("12345")}, 1 + 3 + 1},
		"a list costs three and one each":   {port.Item{"l": []any{"a", nil}}, 1 + 3 + 2 + 2},
		"a map costs three and one a pair":  {port.Item{"m": map[string]any{"k": true}}, 1 + 3 + 1 + 1 + 1},
		"bytes cost what they are":          {port.Item{"b": []byte("xyz")}, 4},
		"an empty text costs only its name": {port.Item{"name": ""}, 4},
	} {
		if got := c.it.Size(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestQuery_CursorBelongsToItsList(t *testing.T) {
	q := port.Query{Index: "g1", PK: "U#1#RUNS", Prefix: "run_", Desc: true}
	it := port.Item{"pk": "R#1", "sk": "META"}.In("g1", "U#1#RUNS", "run_1")
	q.Cursor = q.CursorAfter(it)
	got, err := q.After()
	if err != nil || *got != (port.Place{SortKey: "run_1", Key: port.Key{PK: "R#1", SK: "META"}}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if strings.ContainsAny(q.Cursor, "+/=#") {
		t.Errorf("%q needs escaping in a URL", q.Cursor)
	}
	filtered := q
	filtered.Filter = port.Eq("a", "b")
	if _, err := filtered.After(); err != nil {
		t.Errorf("another filter: %v", err)
	}
	others := map[string]func(*port.Query){
		"another partition": func(q *port.Query) { q.PK = "U#2#RUNS" },
		"another index":     func(q *port.Query) { q.Index = "g2" },
		"another prefix":    func(q *port.Query) { q.Prefix = "r" },
		"another order":     func(q *port.Query) { q.Desc = false },
		"other bounds":      func(q *port.Query) { q.From = "run_0" },
		"a cut cursor":      func(q *port.Query) { q.Cursor = q.Cursor[:len(q.Cursor)-2] },
		"a changed letter":  func(q *port.Query) { q.Cursor = q.Cursor[:20] + "_" + q.Cursor[21:] },
		"words":             func(q *port.Query) { q.Cursor = "next please" },
	}
	for name, change := range others {
		o := q
		change(&o)
		if _, err := o.After(); !pags.Is(err, pags.Invalid) {
			t.Errorf("%s: %v, want invalid", name, err)
		}
	}
}
