package asl

import (
	"slices"
	"strings"
)

// Error names of the States Language.
const (
	ErrAll             = "States.ALL"
	ErrRuntime         = "States.Runtime"
	ErrTaskFailed      = "States.TaskFailed"
	ErrTimeout         = "States.Timeout"
	ErrHeartbeat       = "States.HeartbeatTimeout"
	ErrDataLimit       = "States.DataLimitExceeded"
	ErrNoChoiceMatched = "States.NoChoiceMatched"
	ErrIntrinsic       = "States.IntrinsicFailure"
	ErrResultPath      = "States.ResultPathMatchFailure"
	ErrLambdaUnknown   = "Lambda.Unknown"
)

// Failure is an error inside an execution: a name that Retry and Catch match, and a text.
type Failure struct {
	Error string
	Cause string
	beat  bool // a missed heartbeat: named States.Timeout, also matched by States.HeartbeatTimeout
}

func runtimeFailure(cause ...string) *Failure {
	return &Failure{Error: ErrRuntime, Cause: strings.Join(cause, "")}
}

// tooLarge has AWS's words; what is the state's name, or the resource of a task.
func tooLarge(what string) *Failure {
	return &Failure{Error: ErrDataLimit, Cause: "The state/task '" + what +
		"' returned a result with a size exceeding the maximum number of bytes service limit."}
}

// matches tells whether one of the names of an ErrorEquals covers the failure. States.ALL covers all but
// States.DataLimitExceeded and States.Runtime; States.TaskFailed all but those and timeouts. A data limit is matched by
// its own name, a runtime failure by nothing (AWS, "Handling errors in Step Functions workflows").
func (f *Failure) matches(names []string) bool {
	if f.Error == ErrRuntime {
		return false
	}
	if slices.Contains(names, f.Error) || f.beat && slices.Contains(names, ErrHeartbeat) {
		return true
	}
	if f.Error == ErrDataLimit {
		return false
	}
	return slices.Contains(names, ErrAll) || f.Error != ErrTimeout && slices.Contains(names, ErrTaskFailed)
}

// output is what a catcher receives.
func (f *Failure) output() any { return map[string]any{"Error": f.Error, "Cause": f.Cause} }
