// Package statemachines_test holds every definition to what all of them promise.
package statemachines_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type state struct {
	Type, Resource, TimeoutSecondsPath string
	TimeoutSeconds, HeartbeatSeconds   int
	Parameters                         map[string]any
	Catch                              []struct{ ErrorEquals []string }
}

// waitsForPeople are the functions behind which a person is asked: a limit, no heartbeat. All others answer to machines.
var waitsForPeople = []string{"${AskFunctionArn}"}

func definitions(t *testing.T) map[string]map[string]state {
	t.Helper()
	files, err := filepath.Glob("*.asl.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	all := map[string]map[string]state{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			QueryLanguage string
			States        map[string]state
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if d.QueryLanguage != "" && d.QueryLanguage != "JSONPath" {
			t.Errorf("%s: %s; the interpreter speaks JSONPath", f, d.QueryLanguage)
		}
		all[f] = d.States
	}
	return all
}

func TestDefinitions_SF04_EveryWaitHasItsLimits(t *testing.T) {
	for file, states := range definitions(t) {
		waits := 0
		for name, s := range states {
			if s.Type != "Task" {
				continue
			}
			if s.TimeoutSeconds == 0 && s.TimeoutSecondsPath == "" {
				t.Errorf("%s: %s may run for ever", file, name)
			}
			if !strings.HasSuffix(s.Resource, ".waitForTaskToken") {
				continue
			}
			waits++
			function, _ := s.Parameters["FunctionName"].(string)
			switch person := slices.Contains(waitsForPeople, function); {
			case !person && (s.HeartbeatSeconds == 0 || s.HeartbeatSeconds >= s.TimeoutSeconds):
				t.Errorf("%s: %s waits for a machine without a heartbeat below its limit", file, name)
			case person && s.HeartbeatSeconds != 0:
				t.Errorf("%s: %s waits for a person, who does not beat", file, name)
			}
		}
		if waits == 0 {
			t.Errorf("%s waits for nothing: is this test looking at it?", file)
		}
	}
}

func TestDefinitions_EveryTaskCatchesAndOnlySimpleStatesAreUsed(t *testing.T) {
	known := []string{"Task", "Choice", "Pass", "Wait", "Succeed", "Fail"}
	for file, states := range definitions(t) {
		for name, s := range states {
			if !slices.Contains(known, s.Type) {
				t.Errorf("%s: %s is a %s", file, name, s.Type)
			}
			if s.Type == "Task" && !slices.ContainsFunc(s.Catch, func(c struct{ ErrorEquals []string }) bool {
				return slices.Equal(c.ErrorEquals, []string{"States.ALL"})
			}) {
				t.Errorf("%s: %s can end the execution without a word to the run", file, name)
			}
		}
	}
}
