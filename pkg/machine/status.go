package machine

import (
	"context"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// PinKey is the key of an instance's config that binds it to a machine: a machine id or a node name.
const PinKey = "runnerNode"

// Reasons of an attachment (spec platform 1.8).
const (
	Attached        = "attached"
	NeverRegistered = "never-registered"
	RunnerOffline   = "runner-offline"
	AgentDetached   = "machine-online-agent-detached"
	PinnedOffline   = "pinned-machine-offline"
)

// Attachment says whether an instance has hands, and if not why and what to do about it.
type Attachment struct {
	Connected bool           `json:"connected"`
	MachineID pags.MachineID `json:"machineId,omitempty"`
	Node      string         `json:"node,omitempty"`
	Reason    string         `json:"reason" enum:"attached,never-registered,runner-offline,machine-online-agent-detached,pinned-machine-offline"`
	Remedy    string         `json:"remedy,omitempty" doc:"one thing to do; empty when attached"`
}

// Attachment diagnoses an instance of the user's. node, where given, asks about that machine only.
func (s *Service) Attachment(ctx context.Context, user pags.UserID, id pags.InstanceID, node string) (Attachment, error) {
	inst, err := s.Instances.Owned(ctx, user, id)
	if err != nil {
		return Attachment{}, err
	}
	if node == "" {
		node, _ = inst.Config[PinKey].(string)
	}
	all, _, err := s.list(ctx, user, "", MaxMachines)
	if err != nil {
		return Attachment{}, err
	}
	return s.diagnose(all, id, node), nil
}

func (s *Service) diagnose(all []candidate, id pags.InstanceID, pin string) Attachment {
	if len(all) == 0 {
		return Attachment{Reason: NeverRegistered, Remedy: "Run pags up on the computer that shall do the work."}
	}
	var detached, offline *candidate
	for i := len(all) - 1; i >= 0; i-- { // newest first
		c := &all[i]
		if pin != "" && pin != c.machine.Node && pin != string(c.machine.ID) {
			continue
		}
		online := s.heardWithin(c.conn, relay.PongFresh)
		switch {
		case online && c.fits(id):
			return Attachment{Connected: true, MachineID: c.machine.ID, Node: c.machine.Node, Reason: Attached}
		case online:
			detached = c
		default:
			offline = c
		}
	}
	switch {
	case detached != nil:
		return Attachment{MachineID: detached.machine.ID, Node: detached.machine.Node, Reason: AgentDetached,
			Remedy: "pags up on " + detached.machine.Node + " does not serve this agent; restart it there without --instance."}
	case pin != "":
		a := Attachment{Reason: PinnedOffline, Node: pin, Remedy: "Start pags up on " + pin + ", or choose another machine for this agent."}
		if offline != nil {
			a.MachineID, a.Node = offline.machine.ID, offline.machine.Node
			a.Remedy = strings.Replace(a.Remedy, pin, offline.machine.Node, 1)
		}
		return a
	}
	return Attachment{MachineID: offline.machine.ID, Node: offline.machine.Node, Reason: RunnerOffline, Remedy: "Start pags up on " + offline.machine.Node + "."}
}
