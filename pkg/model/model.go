// Package model is port.Models over the providers we speak to: it routes a request by the credential's provider.
//
//	anthropic/  Messages API
//	openai/     chat completions, and every server compatible with it
//	exchange/   one request: deadlines, limits, error mapping
//	modeltest/  a scripted server that speaks both wires
package model

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/model/anthropic"
	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/model/openai"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Options of New. Clock is required.
type Options struct {
	HTTP  *http.Client // nil: guarded, https to public addresses only. A host that allows others passes its own
	Clock port.Clock
	// AnthropicModel and OpenAIModel are used where a credential names no model; empty: the packages' defaults.
	AnthropicModel, OpenAIModel string
}

// Providers lists what a credential may name.
var Providers = []string{anthropic.Provider, openai.Provider}

// New gives one port over all providers. It is safe for concurrent use.
func New(o Options) port.Models {
	if o.HTTP == nil {
		o.HTTP = guard.Client(guard.Policy{})
	}
	ex := exchange.Client{HTTP: o.HTTP, Clock: o.Clock}
	return router{
		anthropic.Provider: &anthropic.Client{Exchange: ex, Model: o.AnthropicModel},
		openai.Provider:    &openai.Client{Exchange: ex, Model: o.OpenAIModel},
	}
}

type router map[string]port.Models

func (r router) Ask(ctx context.Context, c port.Credential, p port.Prompt) (port.Reply, error) {
	m, ok := r[c.Provider]
	if !ok {
		return port.Reply{}, pags.Errorf(pags.Invalid, "unknown model provider %q; use anthropic or openai", c.Provider)
	}
	return m.Ask(ctx, c, p)
}
