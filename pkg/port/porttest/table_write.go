package porttest

import (
	"encoding/json"
	"reflect"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func tableUpdate(s tableSuite) {
	key := keyed("P", "a")
	s.put(row("P", "a", "keep", "k", "change", "old", "drop", "d", "n", num(40), "price", json.Number("0.1")))
	s.ok(port.Update(key).Setting("change", "new").Setting("fresh", []any{num(1)}).Adding("n", 2).Adding("price", -1).
		Adding("made", 5).Removing("drop", "never was"))
	s.want(row("P", "a", "keep", "k", "change", "new", "fresh", []any{num(1)}, "n", num(42), "price", json.Number("-0.9"), "made", num(5)))
	s.code(s.table.Write(s.ctx, port.Update(key).Adding("keep", 1)), pags.Invalid)
	s.ok(port.Update(keyed("P", "counter")).Adding("n", 7).Setting("by", "upsert").OrCreate())
	s.ok(port.Update(keyed("P", "counter")).Adding("n", 1).OrCreate())
	s.want(row("P", "counter", "n", num(8), "by", "upsert"))
	s.ok(port.Update(keyed("P", "counter")).Removing("by"))
	s.want(row("P", "counter", "n", num(8)))
}

func tableUpdateAbsent(s tableSuite) {
	err := s.table.Write(s.ctx, port.Update(keyed("P", "none")).Setting("x", "1"))
	s.code(err, pags.NotFound)
	if cf := s.conditionFailed(err); cf.Item != nil {
		s.Fatalf("an absent item came as %v", cf.Item)
	}
	s.absent(keyed("P", "none"))
	s.conditionFailed(s.table.Write(s.ctx, port.Update(keyed("P", "none")).Setting("x", "1").OrCreate().When(port.Exists())))
	s.ok(port.Update(keyed("P", "none")).Setting("x", "1").OrCreate().When(port.NotExists()))
	s.want(row("P", "none", "x", "1"))
}

// tableConditions tries each on one item by a delete in a transaction that another check then cancels, so that nothing moves.
func tableConditions(s tableSuite) {
	s.put(row("P", "a", "n", num(10), "s", "beta", "t", true, "z", nil, "b", []byte{1, 2}, "l", []any{"x", num(1)},
		"m", map[string]any{"k": "v"}, "empty", "", "a.b", "dotted", "size", "reserved"))
	for _, c := range []struct {
		name string
		cond *port.Cond
		want bool
	}{
		{"the item is there", port.Exists(), true},
		{"the item is not there", port.NotExists(), false},
		{"an attribute is there", port.HasAttr("s"), true},
		{"an attribute that holds nothing is there", port.HasAttr("z"), true},
		{"an empty text is there", port.HasAttr("empty"), true},
		{"an attribute is not there", port.HasAttr("none"), false},
		{"lacking an attribute", port.LacksAttr("none"), true},
		{"lacking what is there", port.LacksAttr("n"), false},
		{"equal numbers written otherwise", port.Eq("n", json.Number("10.0")), true},
		{"a number is no text", port.Eq("n", "10"), false},
		{"numbers in number order", port.Gt("n", 9), true},
		{"texts in text order", port.Lt("s", "c"), true},
		{"text against number", port.Lt("s", 5), false},
		{"number against text", port.Gt("n", "0"), false},
		{"at most itself", port.Le("n", 10), true},
		{"at least itself", port.Ge("s", "beta"), true},
		{"more than itself", port.Gt("s", "beta"), false},
		{"another text", port.Ne("s", "gamma"), true},
		{"another of itself", port.Ne("s", "beta"), false},
		{"another of what is absent", port.Ne("none", "x"), false},
		{"another of a different type", port.Ne("s", 1), false},
		{"a truth value", port.Eq("t", true), true},
		{"the other truth value", port.Ne("t", false), true},
		{"nothing equals nothing", port.Eq("z", nil), true},
		{"absent does not equal nothing", port.Eq("none", nil), false},
		{"bytes", port.Eq("b", []byte{1, 2}), true},
		{"bytes in order", port.Lt("b", []byte{1, 3}), true},
		{"a whole list", port.Eq("l", []any{"x", 1}), true},
		{"another list", port.Eq("l", []any{"x"}), false},
		{"a whole map", port.Eq("m", map[string]any{"k": "v"}), true},
		{"begins with", port.Begins("s", "be"), true},
		{"does not begin with", port.Begins("s", "et"), false},
		{"a number begins with nothing", port.Begins("n", "1"), false},
		{"a name with a dot is one name", port.Eq("a.b", "dotted"), true},
		{"a reserved word", port.Eq("size", "reserved"), true},
		{"the item's own key", port.Eq("sk", "a"), true},
		{"both", port.And(port.Eq("s", "beta"), port.Gt("n", 1)), true},
		{"one of both", port.And(port.Eq("s", "beta"), port.Gt("n", 10)), false},
		{"either", port.Or(port.Eq("s", "x"), port.Gt("n", 1)), true},
		{"neither", port.Or(port.Eq("s", "x"), port.Gt("n", 10)), false},
		{"nested", port.And(port.Or(port.Eq("s", "x"), port.Or(port.Eq("s", "beta"))), port.And(port.LacksAttr("none"), port.Ne("n", 11))), true},
	} {
		var cancelled *port.Cancelled
		err := s.table.Transact(s.ctx, "conditions", port.Delete(keyed("P", "a")).When(c.cond), port.Check(keyed("P", "never"), port.Exists()))
		if !asCancelled(err, &cancelled) || !cancelled.Failed(1) {
			s.Fatalf("%s: %v", c.name, err)
		}
		if got := !cancelled.Failed(0); got != c.want {
			s.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if c.cond.Attr == port.AttrSK {
			continue // a filter cannot look at keys
		}
		page, err := s.table.Query(s.ctx, port.Query{PK: "P", Filter: c.cond})
		if err != nil || len(page.Items) == 1 != c.want {
			s.Errorf("as a filter, %s: %d items, %v; want %v", c.name, len(page.Items), err, c.want)
		}
	}
	for _, c := range []*port.Cond{port.HasAttr("s"), port.Ne("s", "x"), port.Eq("s", nil)} { // of an absent item
		s.conditionFailed(s.table.Write(s.ctx, port.Delete(keyed("P", "gone")).When(c)))
	}
	s.ok(port.Delete(keyed("P", "gone")).When(port.LacksAttr("s")))
	s.ok(port.Delete(keyed("P", "gone")).When(port.NotExists()))
}

func tableConditionFailed(s tableSuite) {
	it := row("P", "a", "version", num(3), "b", []byte{9})
	s.put(it)
	for name, w := range map[string]port.Write{
		"put":    port.Put(row("P", "a", "version", num(9))).When(port.NotExists()),
		"update": port.Update(keyed("P", "a")).Adding("version", 1).When(port.Eq("version", 2)),
		"delete": port.Delete(keyed("P", "a")).When(port.Lt("version", 3)),
		"upsert": port.Update(keyed("P", "a")).Adding("version", 1).OrCreate().When(port.NotExists()),
	} {
		err := s.table.Write(s.ctx, w)
		s.code(err, pags.Conflict)
		cf := s.conditionFailed(err)
		if cf.Key != w.Key || !reflect.DeepEqual(cf.Item, it) {
			s.Errorf("%s: %s shows %v, want %v", name, cf.Key, cf.Item, it)
		}
	}
	s.want(it)
	err := s.table.Write(s.ctx, port.Put(row("P", "b")).When(port.Exists()))
	if cf := s.conditionFailed(err); cf.Item != nil {
		s.Errorf("nothing was there, shown is %v", cf.Item)
	}
	s.code(err, pags.NotFound)
	s.ok(port.Put(row("P", "a", "version", num(4))).When(port.Eq("version", 3)))
	s.ok(port.Put(row("P", "b")).When(port.NotExists()))
	s.ok(port.Delete(keyed("P", "a")).When(port.Eq("version", 4)))
	s.absent(keyed("P", "a"))
}
