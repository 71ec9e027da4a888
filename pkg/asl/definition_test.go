package asl

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
)

// oneState wraps a state called "S" whose Next may be "T".
func oneState(s string) string {
	return `{"StartAt":"S","States":{"S":` + s + `,"T":{"Type":"Succeed"}}}`
}

const invokeEcho = `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"Echo","Payload.$":"$"}`

func TestParse_RefusesWhatItCannotRunAndNamesStateAndField(t *testing.T) {
	cases := []struct{ name, definition, want string }{
		{"not JSON", `{"StartAt":`, "not JSON"},
		{"something behind it", `{} {}`, "not JSON"},
		{"no object", `[]`, "an object is expected"},
		{"no start", `{"States":{"S":{"Type":"Succeed"}}}`, `field "StartAt"`},
		{"start leads nowhere", `{"StartAt":"X","States":{"S":{"Type":"Succeed"}}}`, `field "StartAt": there is no state "X"`},
		{"no states", `{"StartAt":"S"}`, "States"},
		{"unknown field of the machine", `{"StartAt":"S","Colour":1,"States":{"S":{"Type":"Succeed"}}}`, `field "Colour"`},
		{"JSONata machine", `{"QueryLanguage":"JSONata","StartAt":"S","States":{"S":{"Type":"Succeed"}}}`, "only JSONPath"},
		{"another version", `{"Version":"2.0","StartAt":"S","States":{"S":{"Type":"Succeed"}}}`, `field "Version"`},
		{"Map", oneState(`{"Type":"Map","Next":"T"}`), `state "S": field "Type": Map is not supported`},
		{"Parallel", oneState(`{"Type":"Parallel","Next":"T"}`), `state "S": field "Type": Parallel is not supported`},
		{"unknown type", oneState(`{"Type":"Dance","Next":"T"}`), `state "S": field "Type"`},
		{"JSONata state", oneState(`{"Type":"Pass","QueryLanguage":"JSONata","Next":"T"}`), `state "S": field "QueryLanguage"`},
		{"variables", oneState(`{"Type":"Pass","Assign":{"a":1},"Next":"T"}`), `state "S": field "Assign"`},
		{"field of another type", oneState(`{"Type":"Pass","Seconds":1,"Next":"T"}`), `state "S": field "Seconds"`},
		{"retry on a Pass", oneState(`{"Type":"Pass","Retry":[],"Next":"T"}`), `state "S": field "Retry"`},
		{"neither Next nor End", oneState(`{"Type":"Pass"}`), `state "S": field "Next"`},
		{"both", oneState(`{"Type":"Pass","Next":"T","End":true}`), `state "S": field "Next"`},
		{"Next leads nowhere", oneState(`{"Type":"Pass","Next":"X"}`), `state "S": field "Next": there is no state "X"`},
		{"a state that nothing leads to", oneState(`{"Type":"Pass","End":true}`), `state "T": no other state leads here`},
		{"InputPath is no path", oneState(`{"Type":"Pass","InputPath":"a","Next":"T"}`), `state "S": field "InputPath"`},
		{"filter in a path", oneState(`{"Type":"Pass","InputPath":"$.a[?(@.b)]","Next":"T"}`), "filters are not supported"},
		{"function in a path", oneState(`{"Type":"Pass","InputPath":"$.a.length()","Next":"T"}`), `state "S": field "InputPath"`},
		{"ResultPath to many places", oneState(`{"Type":"Pass","ResultPath":"$.a[*]","Next":"T"}`), `state "S": field "ResultPath"`},
		{"ResultPath into the context", oneState(`{"Type":"Pass","ResultPath":"$$.a","Next":"T"}`), `state "S": field "ResultPath"`},
		{"bad path in parameters", oneState(`{"Type":"Pass","Parameters":{"a":{"b.$":"x"}},"Next":"T"}`), `field "Parameters": a: b.$`},
		{"unknown intrinsic", oneState(`{"Type":"Pass","Parameters":{"a.$":"States.Nap(1)"},"Next":"T"}`), `function "States.Nap" is not known`},
		{"intrinsic with too few arguments", oneState(`{"Type":"Pass","Parameters":{"a.$":"States.MathAdd(1)"},"Next":"T"}`), "does not take 1"},
		{"intrinsic not closed", oneState(`{"Type":"Pass","Parameters":{"a.$":"States.MathAdd(1,2"},"Next":"T"}`), "not closed"},
		{"same member twice", oneState(`{"Type":"Pass","Parameters":{"a.$":"$","a":1},"Next":"T"}`), "given twice"},
		{"another integration", oneState(`{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","Parameters":{},"Next":"T"}`), `state "S": field "Resource"`},
		{"sync integration", oneState(`{"Type":"Task","Resource":"arn:aws:states:::states:startExecution.sync:2","Parameters":{"StateMachineArn":"x"},"Next":"T"}`), `state "S": field "Resource"`},
		{"activity", oneState(`{"Type":"Task","Resource":"arn:aws:states:us-east-1:1:activity:x","Next":"T"}`), `state "S": field "Resource"`},
		{"invoke without a function", oneState(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"Payload":1},"Next":"T"}`), `field "Parameters.FunctionName"`},
		{"invoke with what we would ignore", oneState(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","InvocationType":"Event"},"Next":"T"}`), `field "Parameters.InvocationType"`},
		{"credentials", oneState(`{` + invokeEcho + `,"Credentials":{},"Next":"T"}`), `state "S": field "Credentials"`},
		{"two timeouts", oneState(`{` + invokeEcho + `,"TimeoutSeconds":1,"TimeoutSecondsPath":"$.a","Next":"T"}`), `state "S": field "TimeoutSeconds"`},
		{"timeout of nothing", oneState(`{` + invokeEcho + `,"TimeoutSeconds":0,"Next":"T"}`), `state "S": field "TimeoutSeconds"`},
		{"heartbeat without a token", oneState(`{` + invokeEcho + `,"HeartbeatSeconds":1,"Next":"T"}`), `state "S": field "HeartbeatSeconds"`},
		{"heartbeat not below the timeout", oneState(`{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"f"},"HeartbeatSeconds":5,"TimeoutSeconds":5,"Next":"T"}`), `state "S": field "HeartbeatSeconds"`},
		{"ALL with others", oneState(`{` + invokeEcho + `,"Retry":[{"ErrorEquals":["States.ALL","X"]}],"Next":"T"}`), `state "S": Retry[0]: field "ErrorEquals"`},
		{"ALL not last", oneState(`{` + invokeEcho + `,"Catch":[{"ErrorEquals":["States.ALL"],"Next":"T"},{"ErrorEquals":["X"],"Next":"T"}],"Next":"T"}`), `state "S": Catch[0]: field "ErrorEquals"`},
		{"rate below one", oneState(`{` + invokeEcho + `,"Retry":[{"ErrorEquals":["X"],"BackoffRate":0.5}],"Next":"T"}`), `state "S": Retry[0]: field "BackoffRate"`},
		{"unknown jitter", oneState(`{` + invokeEcho + `,"Retry":[{"ErrorEquals":["X"],"JitterStrategy":"SOME"}],"Next":"T"}`), `state "S": Retry[0]: field "JitterStrategy"`},
		{"catch to nowhere", oneState(`{` + invokeEcho + `,"Catch":[{"ErrorEquals":["X"],"Next":"Y"}],"Next":"T"}`), `state "S": field "Catch[0].Next"`},
		{"empty choice", oneState(`{"Type":"Choice","Choices":[],"Default":"T"}`), `state "S": field "Choices"`},
		{"rule without operator", oneState(`{"Type":"Choice","Choices":[{"Variable":"$.a","Next":"T"}]}`), "needs an operator"},
		{"rule with two operators", oneState(`{"Type":"Choice","Choices":[{"Variable":"$.a","IsNull":true,"IsPresent":true,"Next":"T"}]}`), "one operator only"},
		{"rule with a value of another type", oneState(`{"Type":"Choice","Choices":[{"Variable":"$.a","NumericEquals":"1","Next":"T"}]}`), `state "S": Choices[0]: field "NumericEquals"`},
		{"inner rule with Next", oneState(`{"Type":"Choice","Choices":[{"Not":{"Variable":"$.a","IsNull":true,"Next":"T"},"Next":"T"}]}`), `Choices[0]: Not: field "Next"`},
		{"JSONata condition", oneState(`{"Type":"Choice","Choices":[{"Condition":"{% true %}","Next":"T"}]}`), `state "S": Choices[0]`},
		{"two ways to wait", oneState(`{"Type":"Wait","Seconds":1,"Timestamp":"2030-01-01T00:00:00Z","Next":"T"}`), `state "S": field "Seconds"`},
		{"a moment that is none", oneState(`{"Type":"Wait","Timestamp":"tomorrow","Next":"T"}`), `state "S": field "Timestamp"`},
		{"error and its path", `{"StartAt":"S","States":{"S":{"Type":"Fail","Error":"a","ErrorPath":"$.a"}}}`, `state "S": field "Error"`},
		{"too long a state name", `{"StartAt":"S","States":{"` + strings.Repeat("n", 81) + `":{"Type":"Succeed"}}}`, "80 characters"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.definition))
			if !pags.Is(err, pags.Invalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want invalid with %q", err, c.want)
			}
		})
	}
}

// TestParse_NonsenseNeverPanics damages real definitions at random; each result is refused or taken, and what is taken
// can be run a few steps.
func TestParse_NonsenseNeverPanics(t *testing.T) {
	seeds := [][]byte{[]byte(oneState(`{` + invokeEcho + `,"Retry":[{"ErrorEquals":["X"],"BackoffRate":1.5}],"Next":"T"}`)),
		[]byte(oneState(`{"Type":"Choice","Choices":[{"And":[{"Variable":"$['a'][0:2:1]","StringMatches":"a\\*"}],"Next":"T"}]}`)),
		[]byte(oneState(`{"Type":"Pass","Parameters":{"a.$":"States.Format('{}\\'', $$.State.Name, States.Array(1,null))"},"Next":"T"}`))}
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte(`{}[]",:.$*@?()'\0123456789aSTx-eE `)
	for range 20_000 {
		text := append([]byte(nil), seeds[r.IntN(len(seeds))]...)
		for range 1 + r.IntN(6) {
			at := r.IntN(len(text))
			switch r.IntN(3) {
			case 0:
				text[at] = alphabet[r.IntN(len(alphabet))]
			case 1:
				text = append(text[:at], text[at+1:]...)
			default:
				text = append(text[:at], append([]byte{alphabet[r.IntN(len(alphabet))]}, text[at:]...)...)
			}
		}
		tryNonsense(text)
	}
}

func tryNonsense(text []byte) {
	d, err := Parse(text)
	if err != nil {
		return
	}
	p := pure(d, `{"a":["b",{"c":null}],"x":1e5}`)
	p.maxEvents = 50
	p.advance(start0)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(oneState(`{` + invokeEcho + `,"Next":"T"}`)))
	f.Fuzz(func(_ *testing.T, text []byte) { tryNonsense(text) })
}

func TestParse_TakesEveryDefinitionOfOurs(t *testing.T) {
	files, err := filepath.Glob("../../statemachines/*.asl.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions found: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(raw); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestDefinitions_SF04_EveryWaitForATokenHasALimit: a callback that is never told must not hang for ever.
func TestDefinitions_SF04_EveryWaitForATokenHasALimit(t *testing.T) {
	files, _ := filepath.Glob("../../statemachines/*.asl.json")
	waits := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct{ States map[string]map[string]any }
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		for name, s := range d.States {
			if r, _ := s["Resource"].(string); strings.HasSuffix(r, ".waitForTaskToken") {
				waits++
				if s["TimeoutSeconds"] == nil && s["TimeoutSecondsPath"] == nil {
					t.Errorf("%s: state %s waits for a token without a limit", file, name)
				}
			}
		}
	}
	if waits == 0 {
		t.Error("no definition waits for a token; the test looks at nothing")
	}
}
