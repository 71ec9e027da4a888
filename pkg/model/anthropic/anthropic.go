// Package anthropic speaks the Messages API over plain HTTP with server-sent events. It never retries.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Provider is the name in a port.Credential; BaseURL and Model are what an empty credential field means.
const (
	Provider = "anthropic"
	BaseURL  = "https://api.anthropic.com"
	Model    = "claude-sonnet-4-6"
)

// version of the API that the requests are written for.
const version = "2023-06-01"

// Client asks models of one provider.
type Client struct {
	Exchange exchange.Client
	Model    string // used where the credential names none; empty: Model
}

var _ port.Models = (*Client)(nil)

// Ask streams one reply and returns it whole.
func (c *Client) Ask(ctx context.Context, cred port.Credential, p port.Prompt) (port.Reply, error) {
	if cred.Key == "" {
		return port.Reply{}, pags.Errorf(pags.Forbidden, "the model key is empty; set one")
	}
	base, model := cred.BaseURL, cred.Model
	if base == "" {
		base = BaseURL
	}
	if model == "" {
		model = c.Model
	}
	if model == "" {
		model = Model
	}
	url, err := exchange.Endpoint(base, "/v1", "/messages")
	if err != nil {
		return port.Reply{}, err
	}
	request, err := encode(model, p)
	if err != nil {
		return port.Reply{}, err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return port.Reply{}, pags.Errorf(pags.Invalid, "the prompt cannot be written as JSON: a tool schema or call input is malformed")
	}
	header := http.Header{}
	header.Set("x-api-key", cred.Key)
	header.Set("anthropic-version", version)

	answer := &accumulator{secret: cred.Key, reply: port.Reply{Model: model}}
	ended, err := c.Exchange.Stream(ctx, exchange.Request{URL: url, Header: header, Body: body, Secret: cred.Key}, answer.on)
	if err != nil {
		return port.Reply{}, err
	}
	if ended && !answer.complete {
		return port.Reply{}, exchange.Unreadable("the stream ended early")
	}
	reply, err := answer.finish()
	return reply, exchange.Redacted(err, cred.Key)
}
