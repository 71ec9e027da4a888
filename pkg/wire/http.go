package wire

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/agent"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/instance"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/key"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/meta"
	"github.com/proagentstore/pags/pkg/policy"
	"github.com/proagentstore/pags/pkg/run"
	"github.com/proagentstore/pags/pkg/source"
	"github.com/proagentstore/pags/pkg/tool"
)

// document is the whole API's description; go generate makes it from the routes and a test compares.
//
//go:generate go run ./openapi
//go:embed openapi.json
var document []byte

// families lists which routes each HTTP function serves, by the folder under functions/.
var families = []struct {
	name  string
	route func(h *House, api *httpapi.API)
}{
	{"meta", func(h *House, api *httpapi.API) { meta.Routes(api, h.meta()) }},
	{"auth", func(h *House, api *httpapi.API) { account.Routes(api, h.Accounts) }},
	{"agents", func(h *House, api *httpapi.API) { agent.Routes(api, h.Agents) }},
	{"instances", func(h *House, api *httpapi.API) {
		instance.Routes(api, h.Instances)
		run.InstanceRoutes(api, h.Runs)
		machine.InstanceRoutes(api, h.Machines)
	}},
	{"runs", func(h *House, api *httpapi.API) { run.Routes(api, h.Runs) }},
	{"interactions", func(h *House, api *httpapi.API) { interaction.Routes(api, h.Interactions) }},
	{"keys", func(h *House, api *httpapi.API) { key.Routes(api, h.Keys) }},
	{"machines", func(h *House, api *httpapi.API) { machine.MachineRoutes(api, h.Machines) }},
	{"sources", func(h *House, api *httpapi.API) { source.Routes(api, h.Sources) }},
	{"connections", func(h *House, api *httpapi.API) { source.ConnectionRoutes(api, h.Sources) }},
	{"tools", func(h *House, api *httpapi.API) {
		tool.Routes(api, h.Tools)
		execution.CallRoute(api, h.Executions)
		source.FileRoutes(api, h.Sources)
	}},
	{"policies", func(h *House, api *httpapi.API) { policy.Routes(api, h.Policies) }},
	{"executions", func(h *House, api *httpapi.API) { execution.Routes(api, h.Executions) }},
	{"relay", func(h *House, api *httpapi.API) { machine.RelayRoutes(api, h.Machines) }},
}

func (h *House) meta() *meta.Service {
	return meta.New(meta.Deps{Version: h.Config.Version, Host: h.Config.Host, Document: document,
		Keys: func(ctx context.Context) (any, error) { return h.Accounts.PublicKeys(ctx) }})
}

func (h *House) api() *httpapi.API {
	return httpapi.New(httpapi.Config{Verifier: h.Accounts, Clock: h.Clock, Log: h.Log, Version: h.Config.Version, PublicURL: h.Config.PublicURL, Limiter: h.limits})
}

func (h *House) family(name string) http.Handler {
	for _, f := range families {
		if f.name == name {
			api := h.api()
			f.route(h, api)
			return api.Handler()
		}
	}
	panic("wire: no family " + name) // the names below are the only callers
}

// The HTTP functions.
func (h *House) Meta() http.Handler             { return h.family("meta") }
func (h *House) Auth() http.Handler             { return h.family("auth") }
func (h *House) AgentsHTTP() http.Handler       { return h.family("agents") }
func (h *House) InstancesHTTP() http.Handler    { return h.family("instances") }
func (h *House) RunsHTTP() http.Handler         { return h.family("runs") }
func (h *House) InteractionsHTTP() http.Handler { return h.family("interactions") }
func (h *House) KeysHTTP() http.Handler         { return h.family("keys") }
func (h *House) MachinesHTTP() http.Handler     { return h.family("machines") }
func (h *House) SourcesHTTP() http.Handler      { return h.family("sources") }
func (h *House) ConnectionsHTTP() http.Handler  { return h.family("connections") }
func (h *House) ToolsHTTP() http.Handler        { return h.family("tools") }
func (h *House) PoliciesHTTP() http.Handler     { return h.family("policies") }
func (h *House) ExecutionsHTTP() http.Handler   { return h.family("executions") }
func (h *House) Relay() http.Handler            { return h.family("relay") }

// API is every route in one; for the document and for tests over all routes.
func (h *House) API() *httpapi.API {
	api := h.api()
	for _, f := range families {
		f.route(h, api)
	}
	return api
}

// Routes lists every route of every family, without anything behind it.
func Routes() map[string][]httpapi.Route {
	h := New(Deps{})
	out := map[string][]httpapi.Route{}
	for _, f := range families {
		api := h.api()
		f.route(h, api)
		out[f.name] = api.Routes()
	}
	return out
}
