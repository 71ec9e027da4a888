package asl

import (
	"encoding/json"
	"time"
)

// Event is one entry of an execution's history; Type is AWS's HistoryEventType. Ids count from 1.
type Event struct {
	ID       int64     `json:"id"`
	Previous int64     `json:"previousEventId"`
	Type     string    `json:"type"`
	At       time.Time `json:"timestamp"`

	Name         string          `json:"name,omitempty"` // of the state
	Input        json.RawMessage `json:"input,omitempty"`
	Output       json.RawMessage `json:"output,omitempty"`
	Resource     string          `json:"resource,omitempty"`
	ResourceType string          `json:"resourceType,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	Timeout      int64           `json:"timeoutInSeconds,omitempty"`
	Heartbeat    int64           `json:"heartbeatInSeconds,omitempty"`
	Error        string          `json:"error,omitempty"`
	Cause        string          `json:"cause,omitempty"`
}

// Event types. Those of states are made of the state's type: "Task" + "StateEntered".
const (
	EventStarted   = "ExecutionStarted"
	EventSucceeded = "ExecutionSucceeded"
	EventFailed    = "ExecutionFailed"
	EventAborted   = "ExecutionAborted"
	EventTimedOut  = "ExecutionTimedOut"
	eventEntered   = "StateEntered"
	eventExited    = "StateExited"
	eventScheduled = "Scheduled"
	eventBegun     = "Started"
	eventSubmitted = "Submitted"
	eventDone      = "Succeeded"
	eventBroken    = "Failed"
	eventLate      = "TimedOut"
)

// Statuses of an execution.
const (
	Running   = "RUNNING"
	Succeeded = "SUCCEEDED"
	Failed    = "FAILED"
	TimedOut  = "TIMED_OUT"
	Aborted   = "ABORTED"
)

// of gives the history event of a task: LambdaFunctionScheduled for a plain ARN, TaskScheduled for an integration.
func (t *task) event(what string) Event {
	if t.kind == taskFunction {
		return Event{Type: "LambdaFunction" + what}
	}
	return Event{Type: "Task" + what, ResourceType: t.service, Resource: t.name}
}
