package wire

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/turn"
)

// The functions that take events, in the words of lambda.Start.

// BrowseStep is one decision of a browser task, or its giving up.
func (h *House) BrowseStep(ctx context.Context, e turn.Event) (turn.Cursor, error) {
	return h.Turns.Handle(ctx, e)
}

// Ask opens a question for a waiting task token.
func (h *House) Ask(ctx context.Context, in interaction.AskInput) (struct{}, error) {
	return h.Interactions.Ask(ctx, in)
}

// RelayCall writes a call for a runner and announces it.
func (h *House) RelayCall(ctx context.Context, in machine.CallInput) (struct{}, error) {
	return h.Machines.Call(ctx, in)
}

// WsConnect, WsMessage and WsDisconnect are the WebSocket edge.
func (h *House) WsConnect(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	return h.Machines.Connect(ctx, e)
}

func (h *House) WsMessage(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	return h.Machines.Message(ctx, e)
}

func (h *House) WsDisconnect(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	return h.Machines.Disconnect(ctx, e)
}

// Code runs one slice of a program, or gives it up.
func (h *House) Code(ctx context.Context, e execution.Event) (execution.Cursor, error) {
	return h.Executions.Handle(ctx, e)
}

// CodeCall judges or sends one call of a program that runs elsewhere.
func (h *House) CodeCall(ctx context.Context, in execution.DispatchInput) (execution.DispatchOutput, error) {
	return h.Executions.Serve(ctx, in)
}

// Reconcile finishes what died half way; each minute.
func (h *House) Reconcile(ctx context.Context, e json.RawMessage) error {
	return h.Runs.Reconcile(ctx, e)
}

// ExecutionChanged hears of state machine executions that ended.
func (h *House) ExecutionChanged(ctx context.Context, e events.CloudWatchEvent) error {
	return h.Runs.ExecutionChanged(ctx, e)
}
