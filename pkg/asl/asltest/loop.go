// Package asltest holds what measurements of the interpreter share: a machine that goes round, and counting.
package asltest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/port"
)

// Tasks answers every task at once with a counter that goes down, as a step of a brain that costs nothing.
type Tasks struct{}

// Invoke lowers {"left": n} by one.
func (Tasks) Invoke(_ context.Context, _ string, payload []byte) ([]byte, error) {
	var in struct {
		Left int `json:"left"`
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"left":%d}`, in.Left-1), nil
}

// Ring is a machine of tasks only: width of them in a row, then a choice that goes round until left is 0. Every task is a
// durable transition; the choices are not counted.
func Ring(width int) []byte {
	var b strings.Builder
	b.WriteString(`{"StartAt":"T0","States":{`)
	for i := range width {
		next := fmt.Sprintf("T%d", i+1)
		if i == width-1 {
			next = "More"
		}
		fmt.Fprintf(&b, `"T%d":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":`+
			`{"FunctionName":"Step","Payload.$":"$"},"OutputPath":"$.Payload","Next":%q},`, i, next)
	}
	b.WriteString(`"More":{"Type":"Choice","Choices":[{"Variable":"$.left","NumericGreaterThan":0,"Next":"T0"}],` +
		`"Default":"Done"},"Done":{"Type":"Succeed"}}}`)
	return []byte(b.String())
}

// Passes is a machine that only shapes data: pass and choice in turn, for transitions in memory.
const Passes = `{"StartAt":"Down","States":{
	"Down":{"Type":"Pass","Parameters":{"left.$":"States.MathAdd($.left, -1)","run.$":"$.run"},"Next":"More"},
	"More":{"Type":"Choice","Choices":[{"Variable":"$.left","NumericGreaterThan":0,"Next":"Down"}],"Default":"Done"},
	"Done":{"Type":"Succeed"}}}`

// Load runs executions at once on a journal, each through the tasks given, and answers task transitions in a second. The
// journal is closed afterwards.
func Load(ctx context.Context, clock port.Clock, j asl.Journal, executions, tasks int) (perSecond float64, err error) {
	return run(ctx, clock, j, Ring(10), executions, fmt.Sprintf(`{"left":%d}`, tasks), executions*tasks)
}

// InMemory runs one execution of Passes on a memory journal and answers transitions (states entered) in a second.
func InMemory(ctx context.Context, clock port.Clock, rounds int) (perSecond float64, err error) {
	return run(ctx, clock, asl.NewMemoryJournal(), []byte(Passes), 1, fmt.Sprintf(`{"left":%d,"run":"run_1"}`, rounds), 2*rounds)
}

func run(ctx context.Context, clock port.Clock, j asl.Journal, definition []byte, executions int, input string, transitions int) (float64, error) {
	def, err := asl.Parse(definition)
	if err != nil {
		return 0, err
	}
	var left sync.WaitGroup
	left.Add(executions)
	engine := asl.New(asl.Options{Journal: j, Clock: clock, Functions: Tasks{},
		Definitions: map[string]*asl.Definition{"Load": def}, MaxEvents: 1 << 40,
		StatusChanged: func(_ context.Context, event json.RawMessage) error {
			if !strings.Contains(string(event), `"status":"RUNNING"`) {
				left.Done()
			}
			return nil
		}})
	defer engine.Close(ctx)
	if err := engine.Resume(ctx); err != nil {
		return 0, err
	}
	begin := clock.Now()
	for i := range executions {
		go func() {
			if _, e := engine.Start(ctx, "Load", fmt.Sprintf("load-%d", i), []byte(input)); e != nil {
				left.Done()
			}
		}()
	}
	left.Wait()
	took := clock.Now().Sub(begin)
	for i := range executions {
		x, err := engine.Describe(ctx, asl.ExecutionARN("Load", fmt.Sprintf("load-%d", i)))
		if err != nil || x.Status != asl.Succeeded {
			return 0, fmt.Errorf("execution %d ended %s %s %s: %w", i, x.Status, x.Error, x.Cause, err)
		}
	}
	return float64(transitions) / took.Seconds(), nil
}
