package wire

import (
	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/agent"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/instance"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/key"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/run"
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
		Runs: h.Runs, Questions: questions{h}, Consoles: consoles})
	h.Machines = machine.New(machine.Deps{Table: d.Table, Blobs: d.Blobs, Sockets: d.Sockets, Brains: d.Brains, Clock: d.Clock, Log: d.Log,
		Account: h.Accounts, Instances: h.Instances, Commands: h.Turns, Secrets: h.Interactions, Runs: h.Runs, WSURL: c.WSURL, Version: c.Version})

	h.Runs.Join(h.Interactions, h.Machines, h.Turns)
	h.Turns.Join(calls{h.Machines}, h.Interactions)
	return h
}
