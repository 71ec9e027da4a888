package asl

import (
	"regexp"
	"strings"
)

// Ids of executions and machines look as on AWS, so that definitions, events and logs read the same on both hosts.
const arnHead = "arn:aws:states:local:000000000000:"

// MachineARN is the id of a machine: what a StateMachineArn in a definition resolves to. Only its last part counts.
func MachineARN(machine string) string { return arnHead + "stateMachine:" + machine }

// ExecutionARN is the id of an execution.
func ExecutionARN(machine, name string) string { return arnHead + "execution:" + machine + ":" + name }

// FunctionARN is what a function's ARN in a definition resolves to. Only its last part counts.
func FunctionARN(function string) string {
	return "arn:aws:lambda:local:000000000000:function:" + function
}

func machineOf(execution string) string {
	machine, _, _ := strings.Cut(strings.TrimPrefix(execution, arnHead+"execution:"), ":")
	return MachineARN(machine)
}

// executionName is what StartExecution takes here: a subset of what AWS takes.
var executionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)
