// Package openai speaks chat completions over plain HTTP with server-sent events, as OpenAI serves it and everything that
// calls itself compatible. It never retries.
package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Provider is the name in a port.Credential; BaseURL and Model are what an empty credential field means.
const (
	Provider = "openai"
	BaseURL  = "https://api.openai.com/v1"
	Model    = "gpt-5-mini"
)

// Client asks models of one provider.
type Client struct {
	Exchange exchange.Client
	Model    string // used where the credential names none; empty: Model
}

var _ port.Models = (*Client)(nil)

// Ask streams one reply and returns it whole. A key may be empty only with a base URL of one's own: many local servers
// have none.
func (c *Client) Ask(ctx context.Context, cred port.Credential, p port.Prompt) (port.Reply, error) {
	base, model := cred.BaseURL, cred.Model
	if base == "" {
		base = BaseURL
		if cred.Key == "" {
			return port.Reply{}, pags.Errorf(pags.Forbidden, "the model key is empty; set one")
		}
	}
	if model == "" {
		model = c.Model
	}
	if model == "" {
		model = Model
	}
	address, err := endpoint(base)
	if err != nil {
		return port.Reply{}, err
	}
	request, err := encode(model, own(address), p)
	if err != nil {
		return port.Reply{}, err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return port.Reply{}, pags.Errorf(pags.Invalid, "the prompt cannot be written as JSON: a tool schema or call input is malformed")
	}
	header := http.Header{}
	if cred.Key != "" {
		header.Set("Authorization", "Bearer "+cred.Key)
	}
	answer := &accumulator{secret: cred.Key, reply: port.Reply{Model: model}}
	ended, err := c.Exchange.Stream(ctx, exchange.Request{URL: address, Header: header, Body: body, Secret: cred.Key}, answer.on)
	if err != nil {
		return port.Reply{}, err
	}
	if ended && !answer.finished { // some compatible servers leave out [DONE]; a finish reason is enough
		return port.Reply{}, exchange.Unreadable("the stream ended early")
	}
	reply, err := answer.finish()
	return reply, exchange.Redacted(err, cred.Key)
}

// endpoint adds "/v1" only to a bare host: compatible servers sit below all sorts of paths.
func endpoint(base string) (string, error) {
	version := ""
	if u, err := url.Parse(strings.TrimSpace(base)); err == nil && strings.Trim(u.Path, "/") == "" {
		version = "/v1"
	}
	return exchange.Endpoint(base, version, "/chat/completions")
}

// own tells OpenAI's service from a compatible one; they differ in the name of the token limit.
func own(address string) bool { return strings.HasPrefix(address, "https://api.openai.com/") }
