package machine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// touchEvery is how often being heard is written down at most.
const touchEvery = 20 * time.Second

// cancelGrace is how long a cancelled command may take to stop (architecture, law 2).
const cancelGrace = 10 * time.Second

// ping answers, notes that the peer is there, and ends a connection whose session was revoked or user suspended.
func (s *Service) ping(ctx context.Context, c connection, _ relay.Message) error {
	err := s.Account.Active(ctx, c.UserID, c.SessionID)
	if pags.Is(err, pags.Unauthenticated) || pags.Is(err, pags.Forbidden) {
		s.refuse(ctx, c.ID, relay.CodeUnauthorized, signedOut)
		return nil
	}
	if err != nil {
		return fmt.Errorf("check a session: %w", err)
	}
	if c.Role == roleRunner {
		if serves, err := s.touch(ctx, c); err != nil || !serves {
			return err
		}
	}
	if err := s.post(ctx, c.ID, relay.KindPong, nil); err != nil && !pags.Is(err, pags.Gone) {
		return fmt.Errorf("answer a ping: %w", err)
	}
	return nil
}

// pong answers our probe.
func (s *Service) pong(ctx context.Context, c connection, _ relay.Message) error {
	_, err := s.touch(ctx, c)
	return err
}

// touch notes that the connection was heard, at most every touchEvery or in answer to a probe. A connection that does not
// serve its machine (any more) is told so and closed.
func (s *Service) touch(ctx context.Context, c connection) (serves bool, err error) {
	now := s.nowMillis()
	err = s.Table.Write(ctx, port.Update(servingKey(c.MachineID)).Setting("heardAt", number(now)).Removing("probedAt").
		When(port.And(port.Eq("connectionId", c.ID),
			port.Or(port.Le("heardAt", number(now-touchEvery.Milliseconds())), port.HasAttr("probedAt")))))
	var failed *port.ConditionFailed
	switch {
	case err == nil:
		return true, nil
	case pags.Is(err, pags.NotFound):
	case !errors.As(err, &failed):
		return false, fmt.Errorf("note that a runner was heard: %w", err)
	case failed.Item != nil && failed.Item["connectionId"] == c.ID:
		return true, nil // heard a moment ago
	case failed.Item != nil:
		s.refuse(ctx, c.ID, relay.CodeSlotTaken, "replaced: another pags up took over this machine")
		return false, nil
	}
	// The row is gone though the connection is not: the runner connects anew and says hello.
	if err := s.Sockets.Close(ctx, c.ID); err != nil {
		return false, fmt.Errorf("close a connection without a place: %w", err)
	}
	return false, nil
}

// progress beats the heart of the waiting task. The beat of a command that was cancelled longer than cancelGrace ago ends
// the wait instead: the runner does not stop it, and nobody waits for it any more.
func (s *Service) progress(ctx context.Context, c connection, m relay.Message) error {
	row, mine, err := s.held(ctx, c, m)
	if err != nil || !mine || row.Outcome != "" {
		return err
	}
	if row.CancelAt > 0 && s.nowMillis()-row.CancelAt > cancelGrace.Milliseconds() {
		err = s.Brains.SendFailure(ctx, row.Token, ErrorCancelled, "the command was cancelled and did not stop in time")
	} else {
		err = s.Brains.SendHeartbeat(ctx, row.Token)
	}
	if err != nil && !pags.Is(err, pags.Gone) {
		return fmt.Errorf("beat for run %s step %d: %w", row.RunID, row.Step, err)
	}
	_, err = s.touch(ctx, c)
	return err
}

// held reads the call that a message points at; mine is false for a call that this machine does not hold.
func (s *Service) held(ctx context.Context, c connection, m relay.Message) (row callRow, mine bool, err error) {
	var ref relay.CallRef
	if err := m.Read(&ref); err != nil {
		return row, false, err
	}
	if ref.RunID == "" || len(ref.RunID) > 64 || ref.Step < 0 || ref.Step > 999999 {
		return row, false, pags.Errorf(pags.Invalid, "the message names no call")
	}
	err = s.load(ctx, callKey(ref.RunID, ref.Step), &row)
	if pags.Is(err, pags.NotFound) {
		return row, false, nil
	}
	if err != nil {
		return row, false, fmt.Errorf("read the call of run %s step %d: %w", ref.RunID, ref.Step, err)
	}
	return row, row.MachineID == c.MachineID && row.UserID == c.UserID, nil
}
