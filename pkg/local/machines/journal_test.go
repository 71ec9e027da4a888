package machines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func open(t *testing.T, path string) *machines.Journal {
	t.Helper()
	j, err := machines.NewJournal(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// step is the n-th batch of an execution, with one event.
func step(id string, n int) asl.Batch {
	b := asl.Batch{Execution: id, Events: []asl.Event{{ID: int64(n), Type: fmt.Sprint("E", n), At: t0}},
		Head: asl.Head{State: fmt.Sprint("S", n), LastEvent: int64(n), Status: asl.Running}}
	if n == 1 {
		b.Start = &asl.Start{Machine: "M", Name: id, Input: []byte(`{}`), Definition: []byte(`{}`), At: t0.Add(time.Duration(len(id)) * time.Second)}
	}
	return b
}

func settled(id string, n int, stopped time.Time) asl.Batch {
	b := step(id, n)
	b.Events, b.Head.Status, b.Head.Stopped, b.Head.Settled = nil, asl.Succeeded, stopped, true
	return b
}

func add(t *testing.T, j *machines.Journal, batches ...asl.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := j.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

func TestJournal_WhatWasAppendedIsThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	j := open(t, path)
	add(t, j, step("b", 1), step("aa", 1), step("b", 2), step("b", 3), step("aa", 2))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), step("b", 4)); !pags.Is(err, pags.Unavailable) {
		t.Errorf("append after close: %v", err)
	}
	j = open(t, path)
	start, head, err := j.Load(t.Context(), "b")
	if err != nil || start.Name != "b" || head.State != "S3" || !start.At.Equal(t0.Add(time.Second)) {
		t.Errorf("loaded %+v %+v %v", start, head, err)
	}
	events, err := j.Events(t.Context(), "b")
	if err != nil || len(events) != 3 || events[0].Type != "E1" || events[2].Type != "E3" {
		t.Errorf("events %+v %v", events, err)
	}
	if ids, _ := j.Unfinished(t.Context()); strings.Join(ids, " ") != "b aa" {
		t.Errorf("unfinished %v, want the oldest first", ids)
	}
}

func TestJournal_UnknownExecutionsAndMisplacedStarts(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "m.db"))
	if _, _, err := j.Load(t.Context(), "x"); !pags.Is(err, pags.NotFound) {
		t.Errorf("load: %v", err)
	}
	if _, err := j.Events(t.Context(), "x"); !pags.Is(err, pags.NotFound) {
		t.Errorf("events: %v", err)
	}
	if err := j.Append(t.Context(), step("x", 2)); err == nil {
		t.Error("a batch without a start began an execution")
	}
	add(t, j, step("x", 1))
	if err := j.Append(t.Context(), step("x", 1)); err == nil {
		t.Error("an execution was begun twice")
	}
}

func TestJournal_PruneRemovesOnlyWhatIsSettledAndOld(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "m.db"))
	add(t, j, step("open", 1))
	for i := range 50 {
		id := fmt.Sprint("old", i)
		add(t, j, step(id, 1), step(id, 2), settled(id, 3, t0))
	}
	add(t, j, step("young", 1), settled("young", 2, t0.Add(time.Hour)))
	n, err := j.Prune(t.Context(), t0.Add(time.Minute))
	if n != 50 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	for id, there := range map[string]bool{"open": true, "young": true, "old0": false, "old49": false} {
		if _, _, err := j.Load(t.Context(), id); (err == nil) != there {
			t.Errorf("%s: %v", id, err)
		}
	}
	if n, err := j.Prune(t.Context(), t0.Add(time.Minute)); n != 0 || err != nil {
		t.Errorf("pruned %d again, %v", n, err)
	}
	add(t, j, step("old0", 1)) // the name is free again
	if events, err := j.Events(t.Context(), "old0"); err != nil || len(events) != 1 {
		t.Errorf("events of the new one: %v %v", events, err)
	}
}

// TestJournal_ManyAppendsShareCommits: on a file whose owner can count commits, 64 executions need far fewer commits than
// they make appends, and each one's batches stay in order.
func TestJournal_ManyAppendsShareCommits(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "shared.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j, err := machines.NewJournal(db, "")
	if err != nil {
		t.Fatal(err)
	}
	commits := db.Stats().TxStats
	before := commits.GetWrite()
	var all sync.WaitGroup
	const executions, each = 64, 10
	for i := range executions {
		all.Go(func() {
			for n := 1; n <= each; n++ {
				if err := j.Append(context.Background(), step(fmt.Sprint("e", i), n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	stats := db.Stats().TxStats
	if pages := stats.GetWrite() - before; pages >= executions*each {
		t.Errorf("%d page writes for %d appends: they did not share", pages, executions*each)
	}
	for i := range executions {
		events, err := j.Events(t.Context(), fmt.Sprint("e", i))
		if err != nil || len(events) != each || events[each-1].ID != each {
			t.Errorf("execution %d: %d events, %v", i, len(events), err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.View(func(*bolt.Tx) error { return nil }); err != nil {
		t.Errorf("a shared file was closed: %v", err)
	}
}

func TestMachines_ASecondOwnerOfTheFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	open(t, path)
	if _, err := machines.NewJournal(nil, path); err == nil {
		t.Error("two owners")
	}
}

func TestMachines_RefuseADefinitionNamingMachineStateAndField(t *testing.T) {
	_, err := machines.New(machines.Options{Path: filepath.Join(t.TempDir(), "m.db"), Definitions: map[string]json.RawMessage{
		"BrowseMachine": []byte(`{"StartAt":"A","States":{"A":{"Type":"Pass","Assign":{},"End":true}}}`)}})
	if !pags.Is(err, pags.Invalid) || !strings.Contains(err.Error(), `state machine BrowseMachine`) || !strings.Contains(err.Error(), `state "A": field "Assign"`) {
		t.Errorf("got %v", err)
	}
}

// TestMachines_GoOnAfterARestartFromTheFile: what was waiting in one process ends in the next one.
func TestMachines_GoOnAfterARestartFromTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	clock := porttest.NewClock(t0)
	tokens := make(chan string, 8)
	functions := invoker(func(_ context.Context, _ string, p []byte) ([]byte, error) {
		var in struct{ Token string }
		if err := json.Unmarshal(p, &in); err != nil {
			return nil, err
		}
		tokens <- in.Token
		return []byte(`{}`), nil
	})
	start := func() *machines.Machines {
		m, err := machines.New(machines.Options{Path: path, Clock: clock, Functions: functions, Definitions: map[string]json.RawMessage{
			"Hand": []byte(`{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":30,"Next":"H"},
			"H":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","TimeoutSeconds":100,
			"Parameters":{"FunctionName":"Hand","Payload":{"token.$":"$$.Task.Token"}},"End":true}}}`)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := start()
	id, err := m.Start(t.Context(), "Hand", "a", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(t.Context()); err != nil { // while it waits for time
		t.Fatal(err)
	}
	clock.Advance(31 * time.Second)
	m = start()
	token := <-tokens
	poll(t, func() bool { ev, _ := m.History(t.Context(), id); return ev[len(ev)-1].Type == "TaskSubmitted" })
	if err := m.Close(t.Context()); err != nil { // while it waits for the token
		t.Fatal(err)
	}
	m = start()
	if err := m.SendSuccess(t.Context(), token, []byte(`{"ok":1}`)); err != nil {
		t.Fatal(err)
	}
	var x port.Execution
	poll(t, func() bool { x, _ = m.Describe(t.Context(), id); return x.Status != asl.Running })
	if string(x.Output) != `{"ok":1}` || len(tokens) != 0 {
		t.Errorf("ended as %+v; %d more calls", x, len(tokens))
	}
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func poll(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("does not happen")
		}
	}
}
