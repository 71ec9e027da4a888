package machine

import (
	"context"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// One connection serves a machine, and one that is alive keeps its place unless --force. A function must not wait for a
// pong, so life is judged by what was heard: an incumbent silent for two pings is dead; another one is asked "are you
// there?" when it keeps someone out, and if it has not answered by that one's next try it is dead too. A reconnect of the
// same process takes its own place at once.
const (
	silence      = relay.MissedPongs*relay.PingEvery + 10*time.Second
	probeAnswer  = 5 * time.Second
	blockedRetry = 20 * time.Second // spec platform 4.1: a blocked runner looks again each 20 s
)

// takePlace makes c the connection that serves its machine, or reports that another one does.
func (s *Service) takePlace(ctx context.Context, c connection, h relay.Hello, m pags.Machine) (bool, error) {
	for range 3 {
		var old serving
		err := s.load(ctx, servingKey(m.ID), &old)
		if err != nil && !pags.Is(err, pags.NotFound) {
			return false, fmt.Errorf("read who serves %s: %w", m.ID, err)
		}
		same := h.Process != "" && h.Process == old.Process
		if old.ConnectionID != "" && old.ConnectionID != c.ID && !h.Force && !same {
			alive, err := s.incumbentAlive(ctx, old)
			if err != nil || alive {
				return false, err
			}
		}
		err = s.seat(ctx, c, h, m, old)
		if raced(err) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("take the place of %s: %w", m.ID, err)
		}
		if old.ConnectionID != "" && old.ConnectionID != c.ID {
			s.dismiss(ctx, old, same)
		}
		return true, nil
	}
	return false, nil
}

// seat writes the serving row where the one that was seen still stands, and makes the connection live if it still is.
func (s *Service) seat(ctx context.Context, c connection, h relay.Hello, m pags.Machine, old serving) error {
	now := s.nowMillis()
	it, err := port.Encode(servingKey(m.ID), serving{ConnectionID: c.ID, MachineID: m.ID, UserID: m.UserID, Process: h.Process,
		Since: now, HeardAt: now, Only: h.Only, Capabilities: nonNil(h.Capabilities)})
	if err != nil {
		return err
	}
	seen := port.NotExists()
	if old.ConnectionID != "" {
		seen = port.Eq("connectionId", old.ConnectionID)
	}
	caps := make([]any, len(h.Capabilities))
	for i, x := range h.Capabilities {
		caps[i] = x
	}
	return s.Table.Transact(ctx, newID(),
		port.Put(it.Expiring(s.Clock.Now().Add(socketLife))).When(seen),
		port.Update(connectionKey(c.ID)).Setting("state", stateLive).When(port.Exists()),
		port.Update(machineKey(m.ID)).Setting("version", h.RunnerVersion).Setting("capabilities", caps).
			Setting("node", h.Node).Setting("lastSeenAt", stamp(s.Clock.Now())).When(port.Exists()))
}

func (s *Service) incumbentAlive(ctx context.Context, old serving) (bool, error) {
	if !s.heardWithin(old, silence) {
		return false, nil
	}
	if old.ProbedAt > 0 && s.nowMillis()-old.ProbedAt >= probeAnswer.Milliseconds() {
		return false, nil
	}
	// Noted before it is asked: the answer removes the note.
	err := s.Table.Write(ctx, port.Update(servingKey(old.MachineID)).Setting("probedAt", number(s.nowMillis())).
		When(port.And(port.Eq("connectionId", old.ConnectionID), port.LacksAttr("probedAt"))))
	if err != nil && !raced(err) {
		return false, fmt.Errorf("note a probe: %w", err)
	}
	err = s.post(ctx, old.ConnectionID, relay.KindPing, nil)
	if pags.Is(err, pags.Gone) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask the incumbent: %w", err)
	}
	return true, nil
}

// dismiss closes a connection that lost its place; the reconnecting process itself needs no telling.
func (s *Service) dismiss(ctx context.Context, old serving, same bool) {
	if same {
		if err := s.Sockets.Close(ctx, old.ConnectionID); err != nil {
			s.Log.Warn("connection was not closed", "connection", old.ConnectionID, "reason", err.Error())
		}
		return
	}
	s.refuse(ctx, old.ConnectionID, relay.CodeSlotTaken, "replaced: another pags up took over this machine")
}
