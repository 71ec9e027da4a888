package wire

import (
	"context"

	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/pkg/turn"
)

// calls gives turns the machines' view of a call in their own words.
type calls struct{ *machine.Service }

func (c calls) Outcome(ctx context.Context, id pags.RunID, step int) (*relay.Outcome, turn.CallInfo, error) {
	o, info, err := c.Service.Outcome(ctx, id, step)
	return o, turn.CallInfo{Accepted: info.Accepted, CreatedAt: info.CreatedAt, MachineID: info.MachineID}, err
}

// consoles pushes through machines, which are made after those who push.
type consoles struct{ house *House }

func (c consoles) Push(ctx context.Context, uid pags.UserID, m relay.Message) {
	if c.house.Sockets != nil { // a function without sockets appends events too; consoles read them
		c.house.Machines.Push(ctx, uid, m)
	}
}

// members tells machines that the instances to serve have changed.
type members struct{ house *House }

func (m *members) Changed(ctx context.Context, uid pags.UserID) {
	if m.house.Sockets == nil {
		return
	}
	if err := m.house.Machines.MembersChanged(ctx, uid); err != nil {
		m.house.Log.WarnContext(ctx, "machines were not told of changed instances; they ask again when they reconnect", "error", err.Error())
	}
}
