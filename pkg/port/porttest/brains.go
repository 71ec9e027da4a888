package porttest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// BrainsPeer is one adapter of port.Brains under test.
type BrainsPeer struct {
	Brains port.Brains
	// Pass lets time go by on the adapter's clock: a hand clock advances, a real one is waited for.
	Pass func(d time.Duration)
	// EventTypes lists an execution's history by type; nil where the adapter has no access to it.
	EventTypes func(t *testing.T, execution string) []string
	// Differs names cases that the stand-in behind an adapter is known to do otherwise than AWS, each with what it does.
	// They are not run against it: the interpreter proves them, held to what AWS documents.
	Differs map[string]string
}

// NewBrains makes a peer that knows the machines and calls their tasks through functions. Definitions name functions by
// bare name in lambda:invoke and by the ARN of account 123456789012 in us-east-1 otherwise; ${<machine>Arn} stands for the
// ARN of another machine of the set.
type NewBrains func(t *testing.T, machines map[string]json.RawMessage, functions port.Functions) BrainsPeer

// Brains is the contract of port.Brains: what Step Functions, moto and the embedded interpreter agree on.
func Brains(t *testing.T, newPeer NewBrains) {
	f := &brainFunctions{seen: map[string]int{}, tokens: map[string]string{}}
	machines := map[string]json.RawMessage{}
	for name, m := range brainMachines {
		machines[name] = json.RawMessage(m)
	}
	s := &brainSuite{BrainsPeer: newPeer(t, machines, f), functions: f}
	known := map[string]bool{}
	run := func(name string, f func(*testing.T)) {
		known[name] = true
		if why, ok := s.Differs[name]; ok {
			t.Logf("not proven by this peer: %s: %s", name, why)
			return
		}
		t.Run(name, f)
	}
	for _, c := range brainCases {
		run(c.name, func(t *testing.T) { s.runCase(t, c) })
	}
	run("the same name and input while it runs is the same execution", s.sameName)
	run("the same name with another input or after the end is a conflict", s.conflict)
	run("names that are not legal, unknown machines and unknown executions are refused", s.refused)
	run("a token told success ends the task with that output, once", s.tokenSuccess)
	run("a token told failure fails the task with that error", s.tokenFailure)
	run("a task whose heartbeat is missed times out and its token is gone", s.heartbeatMissed)
	run("a task that beats lives longer than its heartbeat", s.heartbeatKept)
	run("a task that waits longer than its limit times out", s.tokenTimeout)
	run("a stopped execution is aborted and its token is gone; stopping again changes nothing", s.stop)
	run("a machine's own limit times the execution out", s.machineTimeout)
	run("what is no token of ours is gone", s.nonsenseToken)
	for name := range s.Differs {
		if !known[name] {
			t.Errorf("the peer differs in %q, which is no case", name)
		}
	}
}

type brainSuite struct {
	BrainsPeer
	functions *brainFunctions
}

// name is unique in the account for as long as names are kept.
func (s *brainSuite) name() string { return "t-" + pags.NewToken()[:20] }

func (s *brainSuite) start(t *testing.T, machine, input string) string {
	t.Helper()
	id, err := s.Brains.Start(t.Context(), machine, s.name(), []byte(input))
	if err != nil {
		t.Fatalf("start %s: %v", machine, err)
	}
	return id
}

const brainPatience = 30 * time.Second

// end waits, letting time pass, until the execution is over.
func (s *brainSuite) end(t *testing.T, id string) port.Execution {
	t.Helper()
	deadline := time.Now().Add(brainPatience)
	for {
		x, err := s.Brains.Describe(t.Context(), id)
		if err != nil {
			t.Fatalf("describe %s: %v", id, err)
		}
		if x.Status != "RUNNING" {
			return x
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s still runs", id)
		}
		s.Pass(50 * time.Millisecond)
		time.Sleep(2 * time.Millisecond)
	}
}

// token waits until the execution's function was given one under the key. No time passes on the adapter's clock.
func (s *brainSuite) token(t *testing.T, key string) string {
	t.Helper()
	deadline := time.Now().Add(brainPatience)
	for time.Now().Before(deadline) {
		if token := s.functions.token(key); token != "" {
			return token
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatalf("no token for %s", key)
	return ""
}

// runCase starts, waits for the end and compares what came out.
func (s *brainSuite) runCase(t *testing.T, c brainCase) {
	id := s.start(t, c.machine, c.input)
	x := s.end(t, id)
	if x.Status != c.status || x.Error != c.err {
		t.Fatalf("ended %s %q (%s), want %s %q", x.Status, x.Error, x.Cause, c.status, c.err)
	}
	if c.output != "" && !brainsSameJSON(t, string(x.Output), c.output) {
		t.Errorf("output %s, want %s", x.Output, c.output)
	}
	if x.Machine != c.machine || x.ID != id || x.Name == "" || x.StartedAt.IsZero() || x.StoppedAt.Before(x.StartedAt) {
		t.Errorf("described as %+v", x)
	}
	if !brainsSameJSON(t, string(x.Input), c.input) {
		t.Errorf("input %s, want %s", x.Input, c.input)
	}
	if s.EventTypes == nil || c.events == nil {
		return
	}
	got := s.EventTypes(t, id)
	if len(got) != len(c.events) {
		t.Fatalf("events %v, want %v", got, c.events)
	}
	for i := range got {
		if got[i] != c.events[i] {
			t.Fatalf("events %v, want %v", got, c.events)
		}
	}
}

func brainsSameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := brainsDecode(a)
	if err != nil {
		t.Errorf("%q is not JSON: %v", a, err)
		return false
	}
	y, err := brainsDecode(b)
	if err != nil {
		t.Fatalf("%q is not JSON: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

// brainsDecode keeps the digits of numbers.
func brainsDecode(text string) (v any, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

func brainsWant(t *testing.T, err error, code pags.Code, doing string) {
	t.Helper()
	if !pags.Is(err, code) {
		t.Errorf("%s: got %v, want %s", doing, err, code)
	}
}
