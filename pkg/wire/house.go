package wire

import (
	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/agent"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/instance"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/key"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/policy"
	"github.com/proagentstore/pags/pkg/run"
	"github.com/proagentstore/pags/pkg/source"
	"github.com/proagentstore/pags/pkg/tool"
	"github.com/proagentstore/pags/pkg/turn"
)

// House is every area, joined.
type House struct {
	Deps
	Accounts     *account.Service
	Agents       *agent.Service
	Instances    *instance.Service
	Keys         *key.Service
	Runs         *run.Service
	Interactions *interaction.Service
	Machines     *machine.Service
	Turns        *turn.Service
	Sources      *source.Service
	Policies     *policy.Service
	Tools        *tool.Service
	Executions   *execution.Service
	limits       httpapi.Limiter
}

// New joins the areas. Those that need each other are made first and told of each other after.
func New(d Deps) *House {
	c := d.Config
	h := &House{Deps: d, limits: httpapi.NewLimits(d.Table, d.Clock)}
	h.Accounts = account.New(account.Deps{Table: d.Table, Vault: d.Vault, Clock: d.Clock, PublicURL: c.PublicURL, SetupHash: c.SetupHash, PlainCookies: c.PlainCookies})
	h.Agents = agent.New(agent.Deps{})
	h.Keys = key.New(key.Deps{Table: d.Table, Vault: d.Vault, Models: d.Models, Clock: d.Clock, CheckURL: c.CheckModelURL})
	members := &members{house: h}
	h.Instances = instance.New(instance.Deps{Table: d.Table, Clock: d.Clock, Agents: h.Agents, Members: members})

	consoles := consoles{h}
	h.Runs = run.New(run.Deps{Table: d.Table, Blobs: d.Blobs, Brains: d.Brains, Clock: d.Clock, Log: d.Log,
		Instances: h.Instances, Agents: h.Agents, Keys: h.Keys, Consoles: consoles, PublicURL: c.PublicURL})
	h.Turns = turn.New(turn.Deps{Table: d.Table, Blobs: d.Blobs, Models: d.Models, Clock: d.Clock, Log: d.Log,
		Runs: h.Runs, Instances: h.Instances, Agents: h.Agents, Keys: h.Keys, HandoverAfter: c.HandoverAfter, LossBudget: c.LossBudget})
	h.Interactions = interaction.New(interaction.Deps{Table: d.Table, Vault: d.Vault, Brains: d.Brains, Clock: d.Clock, Log: d.Log,
		Runs: h.Runs, Questions: questions{h}, Consoles: consoles, CheckForm: checkForm})
	h.Machines = machine.New(machine.Deps{Table: d.Table, Blobs: d.Blobs, Sockets: d.Sockets, Brains: d.Brains, Clock: d.Clock, Log: d.Log,
		Account: h.Accounts, Instances: h.Instances, Commands: h.Turns, Secrets: h.Interactions, Runs: h.Runs, WSURL: c.WSURL, Version: c.Version})

	h.Sources = source.New(source.Deps{Table: d.Table, Blobs: d.Blobs, Vault: d.Vault, Clock: d.Clock, Log: d.Log, HTTP: d.Outbound, CheckURL: c.CheckToolURL, Version: c.Version})
	h.Policies = policy.New(policy.Deps{Table: d.Table, Clock: d.Clock, Log: d.Log, Catalog: h.Sources})
	h.Tools = tool.New(tool.Deps{Table: d.Table, Clock: d.Clock, Log: d.Log, Sources: h.Sources, Policies: h.Policies})
	h.Executions = execution.New(execution.Deps{Table: d.Table, Blobs: d.Blobs, Clock: d.Clock, Log: d.Log, Sandbox: d.Sandbox, PublicURL: c.PublicURL, Dispatch: d.Dispatch, SlicesPerExecution: c.HandoverAfter,
		Limits: codemode.Limits{Compute: c.Compute}})

	h.Runs.Join(h.Interactions, h.Machines, journals{h})
	h.Turns.Join(calls{h.Machines}, h.Interactions)
	h.Executions.Join(programs{h.Runs}, asks{h.Interactions}, tools{h.Tools})
	return h
}
