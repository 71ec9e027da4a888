package relay

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
)

func TestOrdered_WS05_PiecesOvertakeRepeatAndGetLost(t *testing.T) {
	stored := make([]pags.Event, 6)
	for i := range stored {
		stored[i] = pags.Event{Seq: int64(i + 1), Text: fmt.Sprintf("piece %d", i+1)}
	}
	type arrival struct{ at, seq int }                                       // pieces go out at once, each handler is late by its own delay
	arrivals := []arrival{{50, 1}, {5, 2}, {30, 3}, {1, 4}, {1, 4}, {90, 6}} // 4 twice, 5 lost
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })

	o := NewOrdered(0)
	var shown []pags.Event
	isPrefix := func() {
		t.Helper()
		for i, e := range shown {
			if e.Seq != int64(i+1) || e.Text != stored[i].Text {
				t.Fatalf("shown is not a prefix: %v", shown)
			}
		}
	}
	for _, a := range arrivals {
		shown = append(shown, o.Add(stored[a.seq-1])...)
		isPrefix()
	}
	if len(shown) != 4 {
		t.Fatalf("shown %d pieces before the re-read, want 4", len(shown))
	}
	after, missing := o.Gap()
	if !missing || after != 4 {
		t.Fatalf("gap = %d %v, want a re-read after 4", after, missing)
	}
	shown = append(shown, o.Add(stored[after:]...)...) // GET …/events?after=4
	isPrefix()
	if len(shown) != len(stored) {
		t.Fatalf("final text has %d of %d pieces", len(shown), len(stored))
	}
	if _, missing := o.Gap(); missing {
		t.Fatal("still a gap after the re-read")
	}
	if again := o.Add(stored...); again != nil {
		t.Fatalf("repeats were shown: %v", again)
	}
}

func TestOrdered_AHeadAheadOfThePushesIsAGap(t *testing.T) {
	o := NewOrdered(7)
	if _, missing := o.Gap(); missing {
		t.Fatal("a gap before anything came")
	}
	o.Know(9)
	if after, missing := o.Gap(); !missing || after != 7 {
		t.Fatalf("gap = %d %v", after, missing)
	}
}
