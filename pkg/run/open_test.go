package run

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func program(key, digest string) Draft {
	return Draft{Run: pags.Run{Kind: pags.KindCode, UserID: ada, Title: "a program", Code: &pags.CodeInput{Digest: digest, Via: "http"}}, MessageID: key, Digest: digest}
}

func TestOpen_ProgramsHoldNoInstanceAndOneKeyStartsOne(t *testing.T) {
	h := newHouse(t)
	extra := port.Item{port.AttrPK: "R#x", port.AttrSK: "PROGRAM", "code": "return 1"}
	d := program("k", "one")
	d.Writes = []port.Write{port.Put(extra)}
	first, err := h.Open(t.Context(), d)
	if err != nil || first.Status != pags.RunQueued || first.Execution == "" {
		t.Fatalf("%+v %v", first, err)
	}
	if it, err := h.table.Get(t.Context(), port.KeyOf(extra)); err != nil || it["code"] != "return 1" {
		t.Errorf("the room's own write is missing: %v %v", it, err)
	}
	if again, err := h.Open(t.Context(), program("k", "one")); err != nil || again.ID != first.ID {
		t.Errorf("a repeat made %s, %v", again.ID, err)
	}
	_, err = h.Open(t.Context(), program("k", "two"))
	wantCode(t, err, pags.Conflict)
	second, err := h.Open(t.Context(), program("", "one"))
	if err != nil || second.ID == first.ID {
		t.Errorf("another program at the same time: %s, %v", second.ID, err)
	}
	if got := h.timeline(t, first.ID); len(got) != 1 || got[0] != "queued" {
		t.Errorf("timeline %v", got)
	}
	page, err := h.List(t.Context(), ada, Filter{Kind: pags.KindCode, Limit: 10})
	if err != nil || len(page.Items) != 2 || page.Items[0].ID != second.ID {
		t.Errorf("listed %d, %v", len(page.Items), err)
	}
	if _, err := h.end(t.Context(), first.ID, "x", pags.OutcomeDone, "It is done."); err != nil {
		t.Errorf("it cannot end: %v", err)
	}
	wantCode(t, func() error {
		_, err := h.Open(t.Context(), Draft{Run: pags.Run{Kind: pags.KindBrowse, UserID: ada, InstanceID: adas}})
		return err
	}(), pags.Internal)
}

func TestExecutionChanged_AnEndedProgramAsksNobodyAnyMore(t *testing.T) {
	h := newHouse(t)
	r, err := h.Open(t.Context(), program("", "one"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.end(t.Context(), r.ID, "x", pags.OutcomeDone, "It is done."); err != nil {
		t.Fatal(err)
	}
	detail, _ := json.Marshal(map[string]string{"name": ExecutionName(r.ID, 1), "status": "SUCCEEDED"})
	if err := h.ExecutionChanged(t.Context(), events.CloudWatchEvent{Detail: detail}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(h.asks.cancelled, r.ID) {
		t.Error("its questions stay open")
	}
}
