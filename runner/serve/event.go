package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// socketEvent hands what happens on a socket to the function that template.yaml names for its route.
func (h *host) socketEvent(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	var reply events.APIGatewayProxyResponse
	function := h.gateway.Stack().Sockets[e.RequestContext.RouteKey]
	payload, err := json.Marshal(e)
	if err != nil {
		return reply, fmt.Errorf("encode a socket event: %w", err)
	}
	out, err := h.gateway.Invoke(ctx, function, payload)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(out, &reply); err != nil {
		return reply, fmt.Errorf("read the answer of %s: %w", function, err)
	}
	return reply, nil
}

// statusChanged puts the begin and end of executions on the event bus, where template.yaml's rule finds them.
func (h *host) statusChanged(ctx context.Context, raw json.RawMessage) error {
	var e events.CloudWatchEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("read a status change: %w", err)
	}
	var detail map[string]any
	if err := json.Unmarshal(e.Detail, &detail); err != nil {
		return fmt.Errorf("read the detail of a status change: %w", err)
	}
	// The interpreter knows a machine by its logical name; rules match the ARN that it has in the stack.
	if arn, ok := detail["stateMachineArn"].(string); ok {
		if m, ok := h.gateway.Stack().Machines[arn[strings.LastIndexByte(arn, ':')+1:]]; ok {
			detail["stateMachineArn"] = m.ARN
		}
	}
	return h.gateway.Emit(ctx, e.Source, e.DetailType, detail)
}
