package tool_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/rule"
	"github.com/proagentstore/pags/pkg/tool"
)

// wide is a directory of ten thousand tools.
type wide struct {
	*sources
	directory *catalog.Directory
}

func (w *wide) Directory(context.Context, pags.UserID) (*catalog.Directory, error) {
	return w.directory, nil
}

func newWide(t testing.TB) *tool.Service {
	t.Helper()
	var entries []catalog.Entry
	for i := range 10_000 {
		a := fmt.Sprintf("source%d.main.group%d.listThing%d", i%20, i%300, i)
		entries = append(entries, catalog.Entry{Address: a, Name: a, Title: "List things", Description: "Lists the things of a customer of kind " + fmt.Sprint(i%50)})
	}
	d := &catalog.Directory{Index: catalog.NewIndex(entries), Flags: func(string) catalog.Flags { return catalog.Flags{ReadOnly: true} }}
	var order []string
	p := &policies{order: &order}
	for i := range 500 {
		p.rules = append(p.rules, rule.Rule{ID: fmt.Sprint(i), Pattern: fmt.Sprintf("source%d.main.group%d.*", i%20, i%300), Action: rule.Actions[i%2]})
		if i%20 < 4 { // some sources have tools that are blocked
			p.rules[i].Action = rule.Block
		}
	}
	clock := porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	table, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	return tool.New(tool.Deps{Table: table, Clock: clock, Log: slog.New(slog.DiscardHandler), Sources: &wide{directory: d}, Policies: compiledOnce{rule.Compile(p.rules)}})
}

type compiledOnce struct{ rules rule.Rules }

func (c compiledOnce) Rules(context.Context, pags.UserID) (rule.Rules, error) { return c.rules, nil }

func TestList_TenThousandToolsUnderFiveHundredPoliciesTakeMilliseconds(t *testing.T) {
	s := newWide(t)
	for says, ask := range map[string]tool.Ask{"a search": {Query: "customer kind 7", Limit: 12}, "a listing": {All: true, Limit: 50, Offset: 5000}} {
		var took []time.Duration
		for range 31 {
			began := time.Now()
			found, err := s.List(t.Context(), me, ask)
			took = append(took, time.Since(began))
			if err != nil || found.Total == 0 || found.Total == 10_000 {
				t.Fatalf("%s: %d %v", says, found.Total, err)
			}
		}
		slices.Sort(took)
		t.Logf("%s: p50 %v, best %v", says, took[15], took[0])
		if took[0] > 20*time.Millisecond { // 5 ms is the target of the benchmark; here the machine may be busy, the build instrumented
			t.Errorf("%s took %v", says, took[0])
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	s := newStage(b)
	for b.Loop() {
		s.judge(b, call(create, good))
		s.order = s.order[:0]
	}
}
