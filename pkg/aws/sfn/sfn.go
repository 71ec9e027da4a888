// Package sfn is port.Brains over Step Functions Standard workflows.
package sfn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/smithy-go"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Limits of the service's texts (API reference of StopExecution and SendTaskFailure).
const (
	maxError = 256
	maxCause = 32768
	maxState = 256 << 10 // input and output
)

// Brains starts executions of the machines it was told of.
type Brains struct {
	api      *sdk.Client
	machines map[string]string // logical name to ARN
	names    map[string]string // ARN to logical name
}

var _ port.Brains = (*Brains)(nil)

// New makes the adapter; machines maps logical names of template.yaml to ARNs.
func New(cfg aws.Config, machines map[string]string) *Brains {
	b := &Brains{sdk.NewFromConfig(cfg), machines, map[string]string{}}
	for name, arn := range machines {
		b.names[arn] = name
	}
	return b
}

// Start begins an execution, or answers the running one of the same name and input.
func (b *Brains) Start(ctx context.Context, machine, name string, input []byte) (string, error) {
	arn, ok := b.machines[machine]
	if !ok {
		return "", pags.Errorf(pags.Invalid, "there is no state machine %q; add its ARN to the configuration", machine)
	}
	if !legal(name) {
		return "", pags.Errorf(pags.Invalid, "an execution's name must be 1 to 80 characters of A-Z a-z 0-9 _ -")
	}
	if err := state("an execution's input", input); err != nil {
		return "", err
	}
	out, err := b.api.StartExecution(ctx, &sdk.StartExecutionInput{StateMachineArn: &arn, Name: &name, Input: aws.String(string(input))})
	if is(err, "ExecutionAlreadyExists") {
		return "", pags.Wrap(err, pags.Conflict, "an execution of this name exists with another input or is over")
	}
	if err != nil {
		return "", coded(err, "start an execution")
	}
	return aws.ToString(out.ExecutionArn), nil
}

// Stop ends an execution.
func (b *Brains) Stop(ctx context.Context, execution, errorName, cause string) error {
	// Stopping what is over answers with its stop time and changes nothing.
	_, err := b.api.StopExecution(ctx, &sdk.StopExecutionInput{ExecutionArn: &execution, Error: cut(errorName, maxError), Cause: cut(cause, maxCause)})
	return coded(err, "stop an execution")
}

// Describe tells how an execution stands.
func (b *Brains) Describe(ctx context.Context, execution string) (port.Execution, error) {
	out, err := b.api.DescribeExecution(ctx, &sdk.DescribeExecutionInput{ExecutionArn: &execution})
	if err != nil {
		return port.Execution{}, coded(err, "describe an execution")
	}
	e := port.Execution{
		ID: aws.ToString(out.ExecutionArn), Machine: b.names[aws.ToString(out.StateMachineArn)], Name: aws.ToString(out.Name), Status: string(out.Status),
		Error: aws.ToString(out.Error), Cause: aws.ToString(out.Cause), StartedAt: aws.ToTime(out.StartDate), StoppedAt: aws.ToTime(out.StopDate),
	}
	if out.Input != nil {
		e.Input = []byte(*out.Input)
	}
	if out.Output != nil {
		e.Output = []byte(*out.Output)
	}
	return e, nil
}

// SendSuccess ends a waiting task with an output.
func (b *Brains) SendSuccess(ctx context.Context, token string, output []byte) error {
	if err := state("a task's output", output); err != nil {
		return err
	}
	_, err := b.api.SendTaskSuccess(ctx, &sdk.SendTaskSuccessInput{TaskToken: &token, Output: aws.String(string(output))})
	return coded(err, "end a task")
}

// SendFailure ends a waiting task with an error.
func (b *Brains) SendFailure(ctx context.Context, token, errorName, cause string) error {
	_, err := b.api.SendTaskFailure(ctx, &sdk.SendTaskFailureInput{TaskToken: &token, Error: cut(errorName, maxError), Cause: cut(cause, maxCause)})
	return coded(err, "fail a task")
}

// SendHeartbeat keeps a waiting task alive.
func (b *Brains) SendHeartbeat(ctx context.Context, token string) error {
	_, err := b.api.SendTaskHeartbeat(ctx, &sdk.SendTaskHeartbeatInput{TaskToken: &token})
	return coded(err, "keep a task alive")
}

func legal(name string) bool {
	return name != "" && len(name) <= 80 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

// state checks what travels between states.
func state(what string, data []byte) error {
	switch {
	case len(data) > maxState:
		return pags.Errorf(pags.TooLarge, "%s is at most 256 KB; pass ids, not bodies", what)
	case !json.Valid(data):
		return pags.Errorf(pags.Invalid, "%s must be JSON", what)
	}
	return nil
}

// cut keeps a text within the service's limit; an empty one is not sent.
func cut(text string, limit int) *string {
	if text == "" {
		return nil
	}
	text = text[:min(len(text), limit)]
	return aws.String(strings.ToValidUTF8(text, ""))
}

func is(err error, code string) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == code
}

func coded(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case is(err, "TaskTimedOut"), is(err, "TaskDoesNotExist"), is(err, "InvalidToken"):
		return pags.Wrap(err, pags.Gone, "the task does not wait any more")
	case is(err, "ExecutionDoesNotExist"), is(err, "InvalidArn"):
		return pags.Wrap(err, pags.NotFound, "there is no such execution")
	case is(err, "InvalidOutput"), is(err, "InvalidExecutionInput"), is(err, "InvalidName"):
		return pags.Wrap(err, pags.Invalid, "the state machine service refuses the input; it must be JSON")
	case is(err, "ThrottlingException"), is(err, "ExecutionLimitExceeded"), is(err, "ServiceUnavailable"), is(err, "InternalServerError"):
		return pags.Wrap(err, pags.Unavailable, "the state machine service is busy; try again")
	case errors.Is(err, context.DeadlineExceeded):
		return pags.Wrap(err, pags.Timeout, "the state machine service did not answer in time")
	}
	return pags.Wrap(err, pags.Internal, "%s", doing)
}
