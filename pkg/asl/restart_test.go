package asl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// reopened is the same store for a second engine, as after the process was killed.
type reopened struct{ *asl.MemoryJournal }

func (reopened) Close() error { return nil }

func TestEngine_AFunctionWithoutAnOutcomeIsCalledAgainWithTheSamePayload(t *testing.T) {
	j := reopened{asl.NewMemoryJournal()}
	var mu sync.Mutex
	var payloads []string
	hang := functions(func(ctx context.Context, _ string, p []byte) ([]byte, error) {
		mu.Lock()
		payloads = append(payloads, string(p))
		n := len(payloads)
		mu.Unlock()
		if n == 1 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return p, nil
	})
	clock := porttest.NewClock(t0)
	first := engine(t, j, clock, hang, nil)
	id := begin(t, first, "Echo", "a", `{"x":1}`)
	eventually(t, "the function runs", func() bool { mu.Lock(); defer mu.Unlock(); return len(payloads) == 1 })
	began := time.Now()
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("close took %s", took)
	}
	if x, _ := first.Describe(t.Context(), id); x.Status != asl.Running {
		t.Fatalf("a cancelled call was taken for an outcome: %+v", x)
	}
	second := engine(t, j, clock, hang, nil)
	if x := ended(t, second, id); string(x.Output) != `{"x":1}` {
		t.Errorf("ended as %+v", x)
	}
	if len(payloads) != 2 || payloads[0] != payloads[1] {
		t.Errorf("payloads %v", payloads)
	}
}

func TestEngine_ASubmittedTaskKeepsItsTokenAndItsLimitOverARestart(t *testing.T) {
	j := reopened{asl.NewMemoryJournal()}
	clock := porttest.NewClock(t0)
	var mu sync.Mutex
	var tokens []string
	hand := functions(func(_ context.Context, _ string, p []byte) ([]byte, error) {
		var in struct{ Token string }
		_ = json.Unmarshal(p, &in)
		mu.Lock()
		defer mu.Unlock()
		tokens = append(tokens, in.Token)
		return []byte(`{}`), nil
	})
	submitted := func(e *asl.Engine, id string) func() bool {
		return func() bool {
			events, _ := e.History(t.Context(), id)
			return len(events) > 0 && events[len(events)-1].Type == "TaskSubmitted"
		}
	}
	first := engine(t, j, clock, hand, nil)
	told, late := begin(t, first, "Hand", "told", `{}`), begin(t, first, "Hand", "late", `{}`)
	eventually(t, "submitted", submitted(first, told))
	eventually(t, "submitted", submitted(first, late))
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.SendHeartbeat(t.Context(), tokens[0]); !pags.Is(err, pags.Unavailable) {
		t.Errorf("a beat after the end of the host: %v", err)
	}

	clock.Advance(550 * time.Second) // beats could not be delivered meanwhile; 50 s of the limit are left
	second := engine(t, j, clock, hand, nil)
	for _, token := range tokens {
		if err := second.SendHeartbeat(t.Context(), token); err != nil {
			t.Fatalf("the token of before: %v", err)
		}
	}
	tokenOf := func(name string) string {
		events, _ := second.History(t.Context(), name)
		for _, e := range events {
			if e.Type == "TaskScheduled" {
				return strings.Split(strings.SplitN(string(e.Parameters), `"token":"`, 2)[1], `"`)[0]
			}
		}
		return ""
	}
	if err := second.SendSuccess(t.Context(), tokenOf(told), []byte(`"yes"`)); err != nil {
		t.Fatal(err)
	}
	if x := ended(t, second, told); string(x.Output) != `"yes"` {
		t.Errorf("ended as %+v", x)
	}
	eventually(t, "a timer is set", func() bool { d, ok := clock.Next(); return ok && d == 50*time.Second })
	clock.Advance(50 * time.Second)
	if x := ended(t, second, late); x.Error != asl.ErrTimeout {
		t.Errorf("ended as %+v", x)
	}
	if len(tokens) != 2 {
		t.Errorf("functions were called %d times, want once each", len(tokens))
	}
}

func TestEngine_AnExecutionKeepsTheDefinitionItWasStartedWith(t *testing.T) {
	j := reopened{asl.NewMemoryJournal()}
	clock := porttest.NewClock(t0)
	long := `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":60,"Next":"P"},"P":{"Type":"Pass","Result":"%s","End":true}}}`
	with := func(word string) func(*asl.Options) {
		return func(o *asl.Options) {
			d, err := asl.Parse(fmt.Appendf(nil, long, word))
			if err != nil {
				t.Fatal(err)
			}
			o.Definitions["Long"] = d
		}
	}
	first := engine(t, j, clock, functions(echo), with("old"))
	id := begin(t, first, "Long", "a", `{}`)
	eventually(t, "waiting", func() bool { d, ok := clock.Next(); return ok && d == time.Minute })
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Minute)
	if x := ended(t, engine(t, j, clock, functions(echo), with("new")), id); string(x.Output) != `"old"` {
		t.Errorf("output %s", x.Output)
	}
}
