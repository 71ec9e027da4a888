package porttest

import (
	"errors"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// tableDY03: rows that expired a second ago and that nobody removed yet, of the five kinds of the case.
func tableDY03(s tableSuite) {
	gone := s.clock.Now().Add(-time.Second)
	for _, kind := range []struct{ name, pk, sk string }{
		{"a login session", "U#1", "SESSION#1"}, {"an OAuth code", "C#code", "CODE"}, {"an approval", "X#1", "META"},
		{"a run lock", "I#1", "LOCK"}, {"an invite", "V#1", "INVITE"},
	} {
		key := keyed(kind.pk, kind.sk)
		expired := func() port.Item {
			return row(kind.pk, kind.sk, "holder", "old", "n", num(7)).In("g1", "G#"+kind.pk, "a").In("g2", "G#"+kind.pk, "a").Expiring(gone)
		}
		s.put(expired())
		s.put(row(kind.pk, kind.sk+"#live", "holder", "old").In("g1", "G#"+kind.pk, "b").In("g2", "G#"+kind.pk, "b").Expiring(gone.Add(time.Hour)))

		s.absent(key)
		if got, err := s.table.GetMany(s.ctx, key); err != nil || got[0] != nil {
			s.Fatalf("%s by GetMany: %v, %v", kind.name, got, err)
		}
		live := kind.sk + "#live"
		for _, q := range []port.Query{
			{PK: kind.pk}, {PK: kind.pk, Prefix: kind.sk}, {PK: kind.pk, From: kind.sk, Desc: true},
			{PK: kind.pk, Limit: 1}, {PK: kind.pk, Filter: port.Eq("holder", "old")}, {PK: kind.pk, Filter: port.LacksAttr("none")},
			{PK: "G#" + kind.pk, Index: "g1"}, {PK: "G#" + kind.pk, Index: "g2", Limit: 1, Desc: true},
		} {
			s.wantList(q, live)
		}
		for name, w := range map[string]port.Write{
			"delete if there":        port.Delete(key).When(port.Exists()),
			"delete if the old one":  port.Delete(key).When(port.Eq("holder", "old")),
			"delete if another one":  port.Delete(key).When(port.Ne("holder", "new")),
			"put if there":           port.Put(row(kind.pk, kind.sk)).When(port.Exists()),
			"put if it has a holder": port.Put(row(kind.pk, kind.sk)).When(port.HasAttr("holder")),
			"either of two":          port.Put(row(kind.pk, kind.sk)).When(port.Or(port.Gt("n", 1), port.Begins("holder", "o"))),
			"update":                 port.Update(key).Setting("holder", "new"),
			"update if the old one":  port.Update(key).Setting("holder", "new").When(port.Eq("holder", "old")),
			"upsert if there":        port.Update(key).Setting("holder", "new").OrCreate().When(port.Exists()),
		} {
			err := s.table.Write(s.ctx, w)
			if cf := s.conditionFailed(err); cf.Item != nil {
				s.Fatalf("%s, %s: the expired row is shown: %v", kind.name, name, cf.Item)
			}
			s.code(err, pags.NotFound)
		}
		err := s.table.Transact(s.ctx, "t", port.Check(key, port.Exists()), port.Check(keyed(kind.pk, live), port.Exists()))
		var cancelled *port.Cancelled
		if !errors.As(err, &cancelled) || !cancelled.Failed(0) || cancelled.Failed(1) || cancelled.Reasons[0].Item != nil {
			s.Fatalf("%s, check in a transaction: %v", kind.name, err)
		}
		// whoever comes next takes over, four ways
		s.ok(port.Put(row(kind.pk, kind.sk, "holder", "new")).When(port.NotExists()))
		s.want(row(kind.pk, kind.sk, "holder", "new"))
		s.put(expired())
		s.ok(port.Put(row(kind.pk, kind.sk, "holder", "new")).When(port.And(port.LacksAttr("holder"), port.Or(port.NotExists(), port.Eq("holder", "x")))))
		s.put(expired())
		s.transact("take"+kind.name, port.Put(row(kind.pk, kind.sk, "holder", "new")).When(port.NotExists()))
		s.want(row(kind.pk, kind.sk, "holder", "new"))
		s.put(expired())
		s.transact("rely"+kind.name, port.Check(key, port.NotExists()), port.Put(row(kind.pk, "OTHER")))
		s.ok(port.Delete(key).When(port.NotExists()))
		s.absent(key)
	}
}

func tableExpirySecond(s tableSuite) { // the clock shows .3 of a second
	now := s.clock.Now()
	s.put(row("P", "now").Expiring(now), row("P", "next").Expiring(now.Add(time.Second)))
	s.absent(keyed("P", "now"))
	s.wantList(port.Query{PK: "P"}, "next")
	s.clock.Advance(699 * time.Millisecond)
	s.wantList(port.Query{PK: "P"}, "next")
	s.clock.Advance(time.Millisecond)
	s.absent(keyed("P", "next"))
	s.wantList(port.Query{PK: "P"})
	s.put(row("P", "longer").Expiring(s.clock.Now().Add(time.Second)))
	s.ok(port.Update(keyed("P", "longer")).Setting("expires", s.clock.Now().Add(time.Hour).Unix()))
	s.clock.Advance(time.Minute)
	s.wantList(port.Query{PK: "P"}, "longer")
	s.ok(port.Update(keyed("P", "longer")).Removing("expires"))
	s.clock.Advance(365 * 24 * time.Hour)
	s.want(row("P", "longer"))
}

func tableExpiredUpsert(s tableSuite) {
	gone := s.clock.Now().Add(-time.Second)
	old := func() port.Item { return row("P", "a", "n", num(41), "left", "over").In("g1", "G", "a").Expiring(gone) }
	up := port.Update(keyed("P", "a")).Adding("n", 1).Setting("by", "new").Removing("left").OrCreate()
	for name, do := range map[string]func() error{
		"on its own":       func() error { return s.table.Write(s.ctx, up) },
		"with a condition": func() error { return s.table.Write(s.ctx, up.When(port.NotExists())) },
		"in a transaction": func() error { return s.table.Transact(s.ctx, "t1", up, port.Put(row("P", "b"))) },
		"in one, with a condition": func() error {
			return s.table.Transact(s.ctx, "t2", up.When(port.LacksAttr("n")), port.Put(row("P", "b")))
		},
	} {
		s.put(old())
		if err := do(); err != nil {
			s.Fatalf("%s: %v", name, err)
		}
		s.want(row("P", "a", "n", num(1), "by", "new"))
		s.wantList(port.Query{Index: "g1", PK: "G"})
	}
	s.put(old())
	if cf := s.conditionFailed(s.table.Write(s.ctx, up.When(port.HasAttr("n")))); cf.Item != nil {
		s.Fatalf("the expired item is shown: %v", cf.Item)
	}
	err := s.table.Transact(s.ctx, "t3", up, port.Check(keyed("P", "none"), port.Exists()))
	var cancelled *port.Cancelled
	if !errors.As(err, &cancelled) || cancelled.Failed(0) || !cancelled.Failed(1) {
		s.Fatalf("only the check stands in the way; got %v", err)
	}
	s.absent(keyed("P", "a"))
	s.transact("t3", up, port.Check(keyed("P", "none"), port.NotExists()))
	s.transact("t3", up, port.Check(keyed("P", "none"), port.NotExists()))
	s.want(row("P", "a", "n", num(1), "by", "new"))
}
