package execution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/run"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const ada, eve = pags.UserID("usr_ada"), pags.UserID("usr_eve")

func person(u pags.UserID) httpapi.Caller { return httpapi.Caller{UserID: u, Person: true} }

// house is everything around executions: real runs, interactions, journal, sandbox and state machines; tools of a test.
type house struct {
	*execution.Service
	t      *testing.T
	clock  *porttest.Clock
	table  *bolt.Table
	runs   *run.Service
	asks   *interaction.Service
	engine *machines.Machines
	tools  *upstream
	code   *execution.Service // what CodeFunction is, where it is not the whole area
}

var sandbox = sync.OnceValues(func() (*codemode.Engine, error) {
	return codemode.NewEngine(codemode.Options{CacheDir: filepath.Join(os.TempDir(), "pags-codemode-test-cache")})
})

// newHouse makes one whose time goes on by itself, about as fast as ours. change may be nil.
func newHouse(t *testing.T, change func(*execution.Deps)) *house {
	t.Helper()
	h := &house{t: t, clock: porttest.NewClock(t0), tools: &upstream{done: map[string]int{}}}
	h.tools.house = h
	dir := t.TempDir()
	table, err := bolt.Open(filepath.Join(dir, "t.db"), bolt.Options{Clock: h.clock, NoSync: true})
	h.must(err)
	t.Cleanup(func() { _ = table.Close() })
	h.table = table
	blobs, err := files.Open(files.Options{Dir: dir, BaseURL: "http://127.0.0.1:1", Clock: h.clock})
	h.must(err)
	raw, err := os.ReadFile("../../statemachines/execution.asl.json")
	h.must(err)
	text := strings.NewReplacer("${CodeFunctionArn}", asl.FunctionARN("CodeFunction"), "${AskFunctionArn}", asl.FunctionARN("AskFunction"),
		"${ExecutionMachineArn}", asl.MachineARN("ExecutionMachine")).Replace(string(raw))
	h.engine, err = machines.New(machines.Options{Path: filepath.Join(dir, "m.db"), Clock: h.clock, Functions: h, OnStatusChange: h.changed,
		Definitions: map[string]json.RawMessage{"ExecutionMachine": json.RawMessage(text)}})
	h.must(err)
	h.must(h.engine.Resume(t.Context()))
	t.Cleanup(func() { _ = h.engine.Close(context.Background()) })

	box, err := sandbox()
	h.must(err)
	deps := execution.Deps{Table: table, Blobs: blobs, Clock: h.clock, Sandbox: box, PublicURL: "https://pags.test"}
	if change != nil {
		change(&deps)
	}
	h.Service = execution.New(deps)
	h.runs = run.New(run.Deps{Table: table, Blobs: blobs, Brains: h.engine, Clock: h.clock})
	h.asks = interaction.New(interaction.Deps{Table: table, Brains: h.engine, Clock: h.clock, Runs: h.runs, Questions: h,
		CheckForm: func(schema any, content map[string]any) (said []string) {
			raw, _ := json.Marshal(schema)
			for _, p := range catalog.CheckForm(raw, content) {
				said = append(said, p.At+" "+p.Message)
			}
			return said
		}})
	h.runs.Join(h.asks, noCalls{}, h)
	h.Join(runs{h.runs}, asks{h.asks}, h.tools)

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				h.clock.Advance(2 * time.Millisecond)
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// What the areas ask of each other, as pkg/wire joins them.

type noCalls struct{}

func (noCalls) CancelCall(context.Context, pags.RunID) error { return nil }

func (h *house) Steps(ctx context.Context, id pags.RunID) ([]map[string]any, error) {
	return h.Journal(ctx, id)
}

func (h *house) Question(ctx context.Context, id pags.RunID, ref interaction.Ref) (pags.Interaction, error) {
	return h.Service.Question(ctx, id, ref.Step, ref.Round)
}

type runs struct{ *run.Service }

func (r runs) Open(ctx context.Context, d execution.Draft) (pags.Run, error) {
	return r.Service.Open(ctx, run.Draft(d))
}

func (r runs) Programs(ctx context.Context, uid pags.UserID, cursor string, limit int) (httpapi.Page[pags.Run], error) {
	return r.List(ctx, uid, run.Filter{Kind: pags.KindCode, Cursor: cursor, Limit: limit})
}

type asks struct{ *interaction.Service }

func (a asks) Of(ctx context.Context, id pags.RunID, call, round int) (pags.Interaction, error) {
	return a.OfRef(ctx, id, interaction.Ref{Step: call, Round: round})
}

func (a asks) Answer(ctx context.Context, c httpapi.Caller, id pags.InteractionID, said pags.Answer) (pags.Interaction, error) {
	return a.Service.Answer(ctx, c, id, interaction.Said{Kind: said.Kind, Content: said.Content, Note: said.Note})
}

func (h *house) changed(ctx context.Context, event json.RawMessage) error {
	var e events.CloudWatchEvent
	if err := json.Unmarshal(event, &e); err != nil {
		return err
	}
	return h.runs.ExecutionChanged(ctx, e)
}

// Invoke is the functions as Lambda would call them.
func (h *house) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	var out any
	var err error
	switch function {
	case "CodeFunction":
		var e execution.Event
		if err = json.Unmarshal(payload, &e); err == nil {
			code := h.Service
			if h.code != nil {
				code = h.code
			}
			out, err = code.Handle(ctx, e)
		}
	case "AskFunction":
		var in interaction.AskInput
		if err = json.Unmarshal(payload, &in); err == nil {
			out, err = h.asks.Ask(ctx, in)
		}
	default:
		err = fmt.Errorf("the definition calls %s", function)
	}
	if err != nil {
		return nil, &port.FunctionError{Type: reflect.TypeOf(err).Elem().Name(), Message: err.Error()}
	}
	return json.Marshal(out)
}

// start runs a program and gives the first thing that is visible.
func (h *house) start(code string) execution.Execution {
	h.t.Helper()
	x, err := h.Start(h.t.Context(), person(ada), execution.Request{Code: code, Wait: 20})
	h.must(err)
	return x
}

// say answers the only open question, or that of a call.
func (h *house) say(x execution.Execution, action string, content map[string]any) execution.Execution {
	h.t.Helper()
	a := execution.Answer{Action: action, Content: content, Wait: 20}
	if len(x.Interactions) > 0 {
		a.Interaction = x.Interactions[0].ID
	}
	next, err := h.Resume(h.t.Context(), person(ada), x.ID, a)
	h.must(err)
	return next
}
