package porttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Table holds an adapter to everything port.Table promises. open gives an empty table that tells time by the clock.
//
// Not provable against every peer, and proven elsewhere: moto neither reports conflicts between transactions nor throttles
// nor answers BatchGetItem in part (pkg/aws/dynamo injects all three below the SDK), and ignores ClientRequestToken (the
// adapter keeps a row for the token, which this suite proves, and a recording test proves that the field is sent).
func Table(t *testing.T, open func(t *testing.T, clock *Clock) port.Table, peer ...TablePeer) {
	for _, part := range []struct {
		name string
		test func(s tableSuite)
	}{
		{"Get_and_GetMany", tableGet},
		{"Put_replaces_the_whole_item", tablePut},
		{"Values_come_back_as_they_were", tableValues},
		{"DY-05_digits_and_empty_texts_survive", tableDY05},
		{"Refused_before_sending", tableRefused},
		{"DY-02_large_conversations_fit_and_too_large_is_refused", tableDY02},
		{"Update_changes_single_attributes", tableUpdate},
		{"Update_of_what_is_not_there", tableUpdateAbsent},
		{"Conditions", tableConditions},
		{"Conditional_writes_show_what_was_there", tableConditionFailed},
		{"Query_by_prefix_and_range_in_both_orders", tableQuery},
		{"Query_in_byte_order_of_UTF-8", tableQueryUnicode},
		{"Query_pages_are_stable_and_never_a_dead_end", tableQueryPages},
		{"Query_cursors_of_others_are_refused", tableQueryCursor},
		{"DY-01_a_filtered_page_fills_up", tableDY01},
		{"Indexes_follow_their_items", tableIndexes},
		{"Index_with_equal_sort_keys", tableIndexTies},
		{"Transact_does_all_or_nothing", tableTransact},
		{"Transact_tells_a_reason_for_each_write", tableTransactReasons},
		{"Transact_token_makes_a_repeat_a_no-op", tableTransactToken},
		{"Transact_refuses_what_cannot_be_one", tableTransactRefused},
		{"DY-03_expired_rows_are_absent_on_every_path", tableDY03},
		{"DY-03_expiry_to_the_second", tableExpirySecond},
		{"DY-03_upsert_over_an_expired_item_starts_anew", tableExpiredUpsert},
		{"DY-07_fifty_writers_meet", tableDY07},
	} {
		t.Run(part.name, func(t *testing.T) {
			clock := NewClock(time.Date(2026, 11, 29, 12, 0, 0, 300_000_000, time.UTC))
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			s := tableSuite{t, open(t, clock), clock, ctx, writers}
			if len(peer) > 0 && peer[0].AtOnce > 0 {
				s.atOnce = peer[0].AtOnce
			}
			part.test(s)
		})
	}
}

type tableSuite struct {
	*testing.T
	table port.Table
	clock *Clock
	ctx   context.Context

	atOnce int
}

// writers is how many meet in DY-07.
const writers = 50

// TablePeer says what the other side can bear. AtOnce: how many of the fifty writers of DY-07 may have a request under way; each
// that wins sends all others back, which takes a slow peer half a minute. 0 means all.
type TablePeer struct{ AtOnce int }

func row(pk, sk string, attrs ...any) port.Item {
	it := port.Item{"pk": pk, "sk": sk}
	for i := 0; i+1 < len(attrs); i += 2 {
		it[attrs[i].(string)] = attrs[i+1]
	}
	return it
}

func keyed(pk, sk string) port.Key { return port.Key{PK: pk, SK: sk} }

func (s tableSuite) put(items ...port.Item) {
	s.Helper()
	for _, it := range items {
		s.ok(port.Put(it))
	}
}

func (s tableSuite) ok(w port.Write) {
	s.Helper()
	if err := s.table.Write(s.ctx, w); err != nil {
		s.Fatalf("write %s: %v", w.Key, err)
	}
}

// fill puts many items, many at a time.
func (s tableSuite) fill(items []port.Item) {
	s.Helper()
	for i := 0; i < len(items); i += port.MaxTransact {
		var writes []port.Write
		for _, it := range items[i:min(len(items), i+port.MaxTransact)] {
			writes = append(writes, port.Put(it))
		}
		s.transact(fmt.Sprintf("fill-%d", i), writes...)
	}
}

// want reads the item and compares it, numbers included, with what it should be.
func (s tableSuite) want(want port.Item) {
	s.Helper()
	got, err := s.table.Get(s.ctx, port.KeyOf(want))
	if err != nil {
		s.Fatalf("get %s: %v", port.KeyOf(want), err)
	}
	if !reflect.DeepEqual(got, want) {
		s.Fatalf("got  %#v\nwant %#v", got, want)
	}
}

func (s tableSuite) absent(key port.Key) {
	s.Helper()
	if it, err := s.table.Get(s.ctx, key); !pags.Is(err, pags.NotFound) {
		s.Fatalf("get %s: %v, %v; want notFound", key, it, err)
	}
}

func (s tableSuite) code(err error, want pags.Code) {
	s.Helper()
	if !pags.Is(err, want) {
		s.Fatalf("got %v, want %s", err, want)
	}
}

// conditionFailed wants *ConditionFailed and returns it.
func (s tableSuite) conditionFailed(err error) *port.ConditionFailed {
	s.Helper()
	var cf *port.ConditionFailed
	if !errors.As(err, &cf) {
		s.Fatalf("got %v, want a failed condition", err)
	}
	return cf
}

// list reads all pages and returns the sort keys; every page but the last must be full, and the last not empty unless all is.
func (s tableSuite) list(q port.Query) []string {
	s.Helper()
	sks := []string{}
	for pages := 0; ; pages++ {
		page, err := s.table.Query(s.ctx, q)
		if err != nil {
			s.Fatalf("query page %d: %v", pages, err)
		}
		if page.Cursor != "" && q.Limit > 0 && len(page.Items) != q.Limit {
			s.Fatalf("page %d has %d items of %d and more follow", pages, len(page.Items), q.Limit)
		}
		if pages > 0 && len(page.Items) == 0 {
			s.Fatalf("page %d is a dead end", pages)
		}
		for _, it := range page.Items {
			sks = append(sks, port.KeyOf(it).SK)
		}
		if page.Cursor == "" {
			return sks
		}
		q.Cursor = page.Cursor
	}
}

func (s tableSuite) wantList(q port.Query, want ...string) {
	s.Helper()
	if got := s.list(q); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", append([]string{}, want...)) {
		s.Fatalf("query %+v\ngot  %q\nwant %q", q, got, want)
	}
}

func num(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
