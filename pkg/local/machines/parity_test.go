package machines_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sfn"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/sfn"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/port"
)

// script is what the functions of a definition say in one scenario: Decide or Slice answers one after another; an answer that
// begins with ! is a failure of that type. Tokens are told success or, with refuse, failure.
type script struct {
	name   string
	decide []string
	refuse bool
	status string
	err    string
}

// scripts holds the scenarios of every definition of ours, by file and by machine. Hand-over is not among them: moto does
// not start executions from tasks; the contract suite holds the interpreter to it.
var scripts = map[string][]script{
	"browse.asl.json": {
		{"calls, asks and is done", []string{"call", "ask", "again", "done"}, false, "SUCCEEDED", ""},
		{"tries a decision again", []string{"!Error", "call", "done"}, false, "SUCCEEDED", ""},
		{"goes on after a call that failed", []string{"call", "done"}, true, "SUCCEEDED", ""},
		{"gives up after a decision that cannot be made", []string{"!NoSuchRun"}, false, "FAILED", "RunFailed"},
		{"fails when the decision says so", []string{"failed"}, false, "FAILED", "RunFailed"},
	},
	"execution.asl.json": {
		{"waits for people and for time and is done", []string{"wait", "sleep", "again", "done"}, false, "SUCCEEDED", ""},
		{"tries a slice again", []string{"!Error", "wait", "done"}, false, "SUCCEEDED", ""},
		{"goes on after a wait that was cancelled", []string{"wait", "done"}, true, "SUCCEEDED", ""},
		{"gives up after a slice that cannot be made", []string{"!NoSuchRun"}, false, "FAILED", "RunFailed"},
	},
}

// host is one way to run a definition.
type host struct {
	brains port.Brains
	events func(id string) []string
}

// actors are the functions of a scenario on one host. They tell tokens through the host's own brains.
type actors struct {
	script script
	mu     sync.Mutex
	step   int
	host   host
	id     chan string // of the execution, once it is known
}

func (a *actors) Invoke(_ context.Context, _ string, payload []byte) ([]byte, error) {
	var in struct {
		Op        string
		TaskToken string
		Cursor    map[string]any
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, &port.FunctionError{Type: "BadPayload", Message: err.Error()}
	}
	switch {
	case in.TaskToken != "":
		go a.tell(in.TaskToken)
		return []byte(`{"noted":true}`), nil
	case in.Op != "decide" && in.Op != "slice":
		return []byte(`{}`), nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.script.decide[min(a.step, len(a.script.decide)-1)]
	a.step++
	if name, fails := strings.CutPrefix(next, "!"); fails {
		return nil, &port.FunctionError{Type: name, Message: "as the script says"}
	}
	seconds := 60
	if next == "sleep" {
		seconds = 1
	}
	return json.Marshal(map[string]any{"v": 1, "runId": in.Cursor["runId"], "generation": 1, "step": a.step, "next": next,
		"waitSeconds": seconds, "asks": []any{map[string]any{"step": 1}}, "last": in.Cursor["last"]})
}

// tell waits until the task is submitted, since moto loses what is told to a task with a heartbeat before that, and repeats
// until the host takes it.
func (a *actors) tell(token string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	id := <-a.id
	a.id <- id
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if events := a.host.events(id); events[len(events)-1] != "TaskSubmitted" {
			continue
		}
		time.Sleep(100 * time.Millisecond)
		var err error
		if a.script.refuse {
			err = a.host.brains.SendFailure(ctx, token, "RunnerGone", "it is off")
		} else {
			err = a.host.brains.SendSuccess(ctx, token, []byte(`{"outcome":{"ok":true}}`))
		}
		if err == nil {
			return
		}
	}
}

// pauses are shortened on both hosts: one retry after a second.
var pauses = regexp.MustCompile(`"(IntervalSeconds|BackoffRate|MaxAttempts)": *[0-9.]+`)

// substituted puts ARNs for the placeholders ${NameArn}.
func substituted(raw []byte, machine func(name string) string) string {
	text := pauses.ReplaceAllString(string(raw), `"$1": 1`)
	for {
		_, after, found := strings.Cut(text, "${")
		name, _, closed := strings.Cut(after, "}")
		if !found || !closed {
			return text
		}
		logical := strings.TrimSuffix(name, "Arn")
		arn := "arn:aws:lambda:" + awstest.Region + ":" + awstest.Account + ":function:" + logical
		if strings.HasSuffix(logical, "Machine") {
			arn = machine(logical)
		}
		text = strings.ReplaceAll(text, "${"+name+"}", arn)
	}
}

func TestParity_EveryDefinitionGivesTheSameOutputAndEventsOnBothHosts(t *testing.T) {
	files, err := filepath.Glob("../../../statemachines/*.asl.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	current := map[string]*actors{} // by "local" and "moto"
	var mu sync.Mutex
	functions := func(host string) port.Functions {
		return invoker(func(ctx context.Context, function string, payload []byte) ([]byte, error) {
			mu.Lock()
			a := current[host]
			mu.Unlock()
			return a.Invoke(ctx, function, payload)
		})
	}
	hosts := map[string]host{"local": localHost(t, files, functions("local")), "moto": motoHost(t, files, functions("moto"))}
	for _, file := range files {
		base := filepath.Base(file)
		if len(scripts[base]) == 0 {
			t.Errorf("%s has no scenario", base)
		}
		for _, s := range scripts[base] {
			t.Run(base+": "+s.name, func(t *testing.T) {
				results := map[string]result{}
				for name, h := range hosts {
					mu.Lock()
					current[name] = &actors{script: s, host: h, id: make(chan string, 1)}
					a := current[name]
					mu.Unlock()
					results[name] = h.run(t, machineOf(base), s, a.id)
				}
				if !reflect.DeepEqual(results["local"], results["moto"]) {
					t.Errorf("local %+v\nmoto  %+v", results["local"], results["moto"])
				}
			})
		}
	}
}

type invoker func(ctx context.Context, function string, payload []byte) ([]byte, error)

func (f invoker) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	return f(ctx, function, payload)
}

// machineOf is the logical name of a file: browse.asl.json is BrowseMachine.
func machineOf(file string) string {
	name, _, _ := strings.Cut(file, ".")
	return strings.ToUpper(name[:1]) + name[1:] + "Machine"
}

type result struct {
	Status, Error string
	Output        any
	Events        []string
}

func (h host) run(t *testing.T, machine string, s script, known chan<- string) result {
	t.Helper()
	id, err := h.brains.Start(t.Context(), machine, "p-"+strings.NewReplacer(" ", "-", ",", "").Replace(s.name),
		[]byte(`{"v":1,"runId":"run_1","generation":1,"step":0}`))
	if err != nil {
		t.Fatal(err)
	}
	known <- id
	var x port.Execution
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if x, err = h.brains.Describe(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if x.Status != "RUNNING" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s still runs: %v", id, h.events(id))
		}
	}
	if x.Status != s.status || x.Error != s.err {
		t.Errorf("ended %s %s %s, want %s %s", x.Status, x.Error, x.Cause, s.status, s.err)
	}
	r := result{Status: x.Status, Error: x.Error, Events: h.events(id)}
	if len(x.Output) > 0 {
		if err := json.Unmarshal(x.Output, &r.Output); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func localHost(t *testing.T, files []string, functions port.Functions) host {
	t.Helper()
	defs := map[string]json.RawMessage{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defs[machineOf(filepath.Base(file))] = json.RawMessage(substituted(raw, func(name string) string { return name }))
	}
	m, err := machines.New(machines.Options{Path: filepath.Join(t.TempDir(), "m.db"), Clock: clock.Real{}, Functions: functions,
		Definitions: defs})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return host{m, func(id string) []string {
		events, err := m.History(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range events {
			out = append(out, e.Type)
		}
		return out
	}}
}

func motoHost(t *testing.T, files []string, functions port.Functions) host {
	t.Helper()
	server := awstest.Start(t, awstest.Options{Lambda: func(name string, payload []byte) ([]byte, error) {
		out, err := functions.Invoke(context.Background(), name, payload)
		if failed := (*port.FunctionError)(nil); errors.As(err, &failed) {
			err = &awstest.FunctionError{Type: failed.Type, Message: failed.Message}
		}
		return out, err
	}})
	api, arns := server.SFN(), map[string]string{}
	arn := func(name string) string {
		return "arn:aws:states:" + awstest.Region + ":" + awstest.Account + ":stateMachine:" + name
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := machineOf(filepath.Base(file))
		arns[name] = arn(name)
		if _, err := api.CreateStateMachine(t.Context(), &sdk.CreateStateMachineInput{Name: &name,
			Definition: aws.String(substituted(raw, arn)), RoleArn: aws.String("arn:aws:iam::" + awstest.Account + ":role/test")}); err != nil {
			t.Fatalf("make %v: %v", slices.Sorted(maps.Keys(arns)), err)
		}
	}
	return host{sfn.New(server.Config, arns), func(id string) []string {
		var out []string
		pages := sdk.NewGetExecutionHistoryPaginator(api, &sdk.GetExecutionHistoryInput{ExecutionArn: &id})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Events {
				out = append(out, string(e.Type))
			}
		}
		return out
	}}
}
