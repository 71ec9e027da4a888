package asl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// journey touches everything that waits: functions, a retry, a pause, two tokens, a child, a choice that goes round.
const journey = `{"StartAt":"First","States":{
	"First":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"Step","Payload":{"key.$":"States.Format('first-{}', $.round)","id.$":"States.UUID()"}},"ResultPath":null,"Next":"Flaky"},
	"Flaky":{"Type":"Task","Resource":"arn:aws:lambda:local:0:function:Flaky","Parameters":{"key":"flaky","n.$":"$$.State.RetryCount"},"Retry":[{"ErrorEquals":["Flaky"],"IntervalSeconds":1}],"ResultPath":"$.flaky","Next":"Nap"},
	"Nap":{"Type":"Wait","Seconds":2,"Next":"Hand"},
	"Hand":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"Hand","Payload":{"key.$":"States.Format('hand-{}', $.round)","token.$":"$$.Task.Token"}},"HeartbeatSeconds":3600,"TimeoutSeconds":7200,"ResultPath":"$.hand","Next":"Again"},
	"Again":{"Type":"Choice","Choices":[{"Variable":"$.round","NumericLessThan":2,"Next":"Count"}],"Default":"Child"},
	"Count":{"Type":"Pass","Parameters":{"round.$":"States.MathAdd($.round, 1)","seen.$":"States.Array($.hand, $.seen)"},"Next":"First"},
	"Child":{"Type":"Task","Resource":"arn:aws:states:::states:startExecution","Parameters":{"StateMachineArn":"Echo","Input":{"key":"child"}},"ResultSelector":{"ok":true},"ResultPath":"$.child","End":true}}}`

// world is what functions reach: it outlives crashes and remembers what was done to it.
type world struct {
	mu       sync.Mutex
	payloads map[string]map[string]bool // key: the different payloads seen under it
	tokens   map[string]string
	told     map[string]bool
}

func (w *world) Invoke(_ context.Context, function string, payload []byte) ([]byte, error) {
	var in struct {
		Key, Token string
		N          int
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := in.Key
	if function == "Flaky" {
		key = fmt.Sprintf("flaky-%d", in.N)
	}
	if w.payloads[key] == nil {
		w.payloads[key] = map[string]bool{}
	}
	w.payloads[key][string(payload)] = true
	switch {
	case function == "Flaky" && in.N < 2:
		return nil, &port.FunctionError{Type: "Flaky", Message: "not yet"}
	case function == "Hand":
		w.tokens[in.Key] = in.Token
		return []byte(`{}`), nil
	}
	return []byte(`"done"`), nil
}

// tell answers every open token, as a person would who keeps trying; Gone means that it was answered.
func (w *world) tell(ctx context.Context, e *asl.Engine) {
	w.mu.Lock()
	open := map[string]string{}
	for key, token := range w.tokens {
		if !w.told[key] {
			open[key] = token
		}
	}
	w.mu.Unlock()
	for key, token := range open {
		err := e.SendSuccess(ctx, token, []byte(`"`+key+`"`))
		if err == nil || pags.Is(err, pags.Gone) {
			w.mu.Lock()
			w.told[key] = true
			w.mu.Unlock()
		}
	}
}

// dying makes its first left appends durable and is dead from then on.
type dying struct {
	reopened
	mu   sync.Mutex
	left int
	dead chan struct{}
	n    int
}

func (d *dying) Append(ctx context.Context, b asl.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		if d.dead != nil {
			close(d.dead)
			d.dead = nil
		}
		return errors.New("the process is dead")
	}
	d.left--
	d.n++
	again := asl.Batch{} // what a file would hold
	if err := json.Unmarshal(b.AppendJSON(nil), &again); err != nil {
		return err
	}
	again.Execution = b.Execution
	return d.reopened.Append(ctx, again)
}

// live runs one process until the execution is over or the journal dies; it tells which.
func (w *world) live(t *testing.T, j *dying, clock *porttest.Clock) (id string, over bool) {
	t.Helper()
	dead := make(chan struct{})
	j.dead = dead
	e := engine(t, j, clock, w, func(o *asl.Options) {
		d, err := asl.Parse([]byte(journey))
		if err != nil {
			t.Fatal(err)
		}
		o.Definitions["Journey"] = d
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-dead; cancel() }()
	defer func() {
		gone, kill := context.WithCancel(context.Background())
		kill()
		_ = e.Close(gone)
	}()
	id, err := e.Start(ctx, "Journey", "j", []byte(`{"round":0,"seen":null}`))
	if err != nil && !pags.Is(err, pags.Conflict) {
		return asl.ExecutionARN("Journey", "j"), false
	}
	id = asl.ExecutionARN("Journey", "j")
	for ctx.Err() == nil {
		w.tell(ctx, e)
		x, err := e.Describe(ctx, id)
		open, _ := j.Unfinished(ctx)
		if err == nil && x.Status != asl.Running && len(open) == 0 {
			return id, true
		}
		clock.Advance(500 * time.Millisecond)
		time.Sleep(200 * time.Microsecond)
	}
	return id, false
}

func TestCrash_AfterEveryAppendTheExecutionEndsTheSame(t *testing.T) {
	const want = `{"child":{"ok":true},"flaky":"done","hand":"hand-2","round":2,"seen":["hand-1",["hand-0",null]]}`
	total := 1 << 30
	for n := -1; n <= total; n++ {
		w := &world{payloads: map[string]map[string]bool{}, tokens: map[string]string{}, told: map[string]bool{}}
		clock := porttest.NewClock(t0)
		j := &dying{reopened: reopened{asl.NewMemoryJournal()}, left: n}
		if n < 0 { // the first round never dies and counts the appends
			j.left = 1 << 30
		}
		id, over := w.live(t, j, clock)
		if n < 0 {
			total = j.n
		}
		if !over {
			j.left = 1 << 30
			if id, over = w.live(t, j, clock); !over {
				t.Fatalf("killed after append %d of %d: does not end", n, total)
			}
		}
		_, head, err := j.Load(t.Context(), id)
		if err != nil || string(head.Output) != want {
			t.Fatalf("killed after append %d: %s %s %s %s", n, head.Status, head.Error, head.Cause, head.Output)
		}
		w.check(t, n)
		checkHistory(t, n, j, id)
	}
	if total < 15 {
		t.Errorf("only %d appends; the journey is too short to prove anything", total)
	}
}

// check: every effect was made, and each one always with the same payload, so with the same token and the same random id.
func (w *world) check(t *testing.T, n int) {
	t.Helper()
	for _, key := range []string{"first-0", "first-1", "first-2", "flaky-0", "flaky-1", "flaky-2", "hand-0", "hand-1", "hand-2", "child"} {
		if got := len(w.payloads[key]); got == 0 || got > 1 {
			t.Errorf("killed after append %d: effect %s was seen with %d payloads", n, key, got)
		}
	}
}

func checkHistory(t *testing.T, n int, j *dying, id string) {
	t.Helper()
	events, err := j.Events(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.ID != int64(i+1) {
			t.Fatalf("killed after append %d: event %d has the id %d", n, i+1, e.ID)
		}
	}
}
