package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// outcome makes a runner's outcome durable, tells the waiting task, and acknowledges, in this order. The first outcome of a
// call counts; a repeat is acknowledged, and tells the task again in case the process before died in between. An outcome
// for a call that this machine does not hold, or of another fence, is dropped and acknowledged too: sending it again would
// not change that.
func (s *Service) outcome(ctx context.Context, c connection, m relay.Message) error {
	row, mine, err := s.held(ctx, c, m)
	if err != nil {
		return err
	}
	var o relay.Outcome
	if err := m.Read(&o); err != nil {
		return err
	}
	note := ""
	switch {
	case !mine || row.Fence != o.Fence:
		note = "dropped: not a call of this machine"
		s.Log.Info("late outcome dropped", "run", o.RunID, "step", o.Step, "machine", c.MachineID)
	case row.Outcome == "":
		if !knownStatus(o.Result.Status) {
			return pags.Errorf(pags.Invalid, "unknown status of an outcome")
		}
		dropForeignKeys(&o)
		if err := s.settle(ctx, row, o); err != nil {
			return err
		}
	default:
		if err := s.tell(ctx, row); err != nil {
			return err
		}
	}
	err = s.post(ctx, c.ID, relay.KindAck, relay.CallRef{RunID: o.RunID, Step: o.Step, Note: note})
	if err != nil && !pags.Is(err, pags.Gone) {
		return fmt.Errorf("acknowledge an outcome: %w", err)
	}
	return nil
}

// settle writes the outcome, if it is the first, and tells the task with the newest token.
func (s *Service) settle(ctx context.Context, row callRow, o relay.Outcome) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode an outcome: %w", err)
	}
	crash.Here(crash.OutcomeRowBefore)
	err = s.Table.Transact(ctx, newID(),
		port.Update(row.key()).Setting("outcome", string(raw)).Setting("outcomeAt", number(s.nowMillis())).
			When(port.And(port.LacksAttr("outcome"), port.Eq("fence", number(row.Fence)))),
		port.Delete(openKey(row)))
	var failed *port.Cancelled
	if err != nil && !(errors.As(err, &failed) && failed.Failed(0)) {
		return fmt.Errorf("write the outcome of run %s step %d: %w", row.RunID, row.Step, err)
	}
	crash.Here(crash.OutcomeRowAfter)
	if err := s.load(ctx, row.key(), &row); err != nil { // again: a retry may have put a newer token there
		return fmt.Errorf("read the call of run %s step %d: %w", row.RunID, row.Step, err)
	}
	return s.tell(ctx, row)
}

// tell completes the task that waits for the call. A token that was used or timed out is fine: the brain reads the row.
func (s *Service) tell(ctx context.Context, row callRow) error {
	var o relay.Outcome
	if err := json.Unmarshal([]byte(row.Outcome), &o); err != nil {
		return fmt.Errorf("read the outcome of run %s step %d: %w", row.RunID, row.Step, err)
	}
	out, err := json.Marshal(map[string]any{"step": row.Step, "status": o.Result.Status})
	if err != nil {
		return fmt.Errorf("encode a task output: %w", err)
	}
	if err := s.Brains.SendSuccess(ctx, row.Token, out); err != nil && !pags.Is(err, pags.Gone) {
		return fmt.Errorf("tell the task of run %s step %d: %w", row.RunID, row.Step, err)
	}
	crash.Here(crash.OutcomeTokenAfter)
	return nil
}

func knownStatus(status string) bool {
	switch status {
	case relay.StatusOK, relay.StatusFailed, relay.StatusRefused, relay.StatusCommit, relay.StatusUnknown, relay.StatusCancelled:
		return true
	}
	return false
}

// dropForeignKeys removes blob keys that are not of this call: a runner must not make the cloud read other people's blobs.
func dropForeignKeys(o *relay.Outcome) {
	if o.Result.Seen == nil {
		return
	}
	if key := o.Result.Seen.SnapshotKey; key != slotKey(o.RunID, o.Step, "snapshot.txt") {
		o.Result.Seen.SnapshotKey = ""
	}
	if key := o.Result.Seen.Picture; key != slotKey(o.RunID, o.Step, "shot.jpg") {
		o.Result.Seen.Picture = ""
	}
}
