package porttest

import "github.com/proagentstore/pags/pkg/pags"

// brainCase is one execution that needs nobody.
type brainCase struct {
	name, machine, input string
	status, err, output  string
	events               []string
}

// Runs of several events.
var (
	brainTask   = []string{"TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited"}
	brainLambda = []string{"TaskStateEntered", "LambdaFunctionScheduled", "LambdaFunctionStarted",
		"LambdaFunctionSucceeded", "TaskStateExited"}
	brainPass = []string{"PassStateEntered", "PassStateExited"}
)

func brainEvents(parts ...[]string) []string {
	out := []string{"ExecutionStarted"}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

var brainCases = []brainCase{
	{"paths, parameters and results shape data; numbers keep their digits", "Data",
		`{"a":1,"b":{"c":2},"list":[1,2,3]}`, "SUCCEEDED", "", `{"n":12345678901234567890,"t":"<é&>"}`,
		brainEvents(brainPass, brainPass, brainPass, []string{"ExecutionSucceeded"})},
	{"intrinsic functions", "Intrinsics",
		`{"name":"Ada","age":37,"yes":true,"list":[1,2,3],"doc":"{\"k\":[1]}","one":{"a":1,"b":1},"two":{"b":2}}`,
		"SUCCEEDED", "", `{"text":"Ada is 37, {not} true","json":"[1,2,3]","parsed":{"k":[1]},
		"array":["Ada",1,true,null,"it's"],"part":[[1,2],[3]],"has":true,"range":[1,4,7],"item":2,"len":2,"unique":[1,2],
		"b64":"QWRh","plain":"Ada","hash":"99a563ab2f6e21e96998f9fddd2a2bab82b70ac019579502b8d7fc0032ff62bb","sum":36,
		"cut":["a","b","c"],"merged":{"a":1,"b":2}}`, nil},
	{"functions are called through lambda:invoke and by ARN", "Call", `{"x":{"deep":[1]}}`, "SUCCEEDED", "",
		`{"echo":{"deep":[1]},"status":200}`,
		brainEvents(brainTask, brainLambda, []string{"SucceedStateEntered", "SucceedStateExited", "ExecutionSucceeded"})},
	{"a failing task is tried again as often as its retrier says", "Retrying", `{"key":"` + "retry-" + brainRun + `","fails":2}`,
		"SUCCEEDED", "", `3`,
		brainEvents([]string{"TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskFailed", "TaskScheduled", "TaskStarted",
			"TaskFailed"}, brainTask[1:], []string{"ExecutionSucceeded"})},
	{"and no more", "Retrying", `{"key":"` + "never-" + brainRun + `","fails":9}`, "FAILED", "Flaky", "", nil},
	{"an error is caught with its name and its payload", "Catching", `{}`, "SUCCEEDED", "",
		`{"error":"Boom","cause":{"errorType":"Boom","errorMessage":"it broke"}}`,
		brainEvents([]string{"TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskFailed", "TaskStateExited"}, brainPass,
			[]string{"ExecutionSucceeded"})},
	{"an error that nobody catches fails the execution", "Uncaught", `{}`, "FAILED", "Boom", "",
		brainEvents([]string{"TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskFailed", "ExecutionFailed"})},
	{"a choice by number behind a presence test", "Choosing", `{"n":10}`, "SUCCEEDED", "", `"big"`,
		brainEvents([]string{"ChoiceStateEntered", "ChoiceStateExited"}, brainPass, []string{"ExecutionSucceeded"})},
	{"a choice by pattern", "Choosing", `{"s":"abbc"}`, "SUCCEEDED", "", `"text"`, nil},
	{"a choice by order of texts", "Choosing", `{"s":"A"}`, "SUCCEEDED", "", `"text"`, nil},
	{"a choice by negation", "Choosing", `{"s":"x","b":false}`, "SUCCEEDED", "", `"false"`, nil},
	{"a choice by two timestamps of the input", "Choosing",
		`{"s":"x","b":true,"at":"2020-01-01T00:00:00Z","before":"2020-01-01T02:00:00+01:00"}`, "SUCCEEDED", "", `"early"`, nil},
	{"a choice by default", "Choosing",
		`{"s":"x","b":true,"at":"2021-01-01T00:00:00Z","before":"2020-01-01T00:00:00Z"}`, "SUCCEEDED", "", `"none"`, nil},
	{"a choice without a match fails", "NoMatch", `{"x":2}`, "FAILED", "States.NoChoiceMatched", "", nil},
	{"waiting takes seconds from the input; a time in the past is no wait", "Waiting", `{"nap":1}`, "SUCCEEDED", "", `1`,
		brainEvents([]string{"WaitStateEntered", "WaitStateExited", "WaitStateEntered", "WaitStateExited",
			"SucceedStateEntered", "SucceedStateExited", "ExecutionSucceeded"})},
	{"a Fail state names error and cause", "Failing", `{}`, "FAILED", "MyError", "",
		brainEvents([]string{"FailStateEntered", "ExecutionFailed"})},
	{"an execution starts another and goes on", "Parent", `{"name":"child-` + brainRun + `"}`, "SUCCEEDED", "", `"started"`,
		brainEvents(brainTask, []string{"ChoiceStateEntered", "ChoiceStateExited"}, brainPass, []string{"ExecutionSucceeded"})},
}

// brainRun keeps names of one run of the suite apart from those of another against the same peer.
var brainRun = pags.NewToken()[:12]
