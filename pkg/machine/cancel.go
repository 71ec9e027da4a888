package machine

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// CancelCall stops the open call of a run. Nothing waits here, so the rule has three parts:
//
//   - the machine is connected: it gets a cancel message, and its outcome (cancelled, or what really happened) ends the wait;
//   - it is not: the waiting task fails at once with ErrorCancelled, and the machine is told at its next hello;
//   - it is connected and does not stop: its first beat after 10 s fails the task, and without beats the task's heartbeat does.
//
// An outcome that arrives after all is still written on the row: it is what happened.
func (s *Service) CancelCall(ctx context.Context, run pags.RunID) error {
	cursor := ""
	for {
		page, err := s.Table.Query(ctx, port.Query{PK: callKey(run, 0).PK, Prefix: "CALL#", Desc: true, Limit: 20, Cursor: cursor,
			Filter: port.LacksAttr("outcome")})
		if err != nil {
			return fmt.Errorf("list the open calls of run %s: %w", run, err)
		}
		for _, it := range page.Items {
			var row callRow
			if err := port.Decode(it, &row); err != nil {
				return err
			}
			if err := s.cancelOne(ctx, row); err != nil {
				return fmt.Errorf("cancel step %d of run %s: %w", row.Step, run, err)
			}
		}
		if cursor = page.Cursor; cursor == "" {
			return nil
		}
	}
}

func (s *Service) cancelOne(ctx context.Context, row callRow) error {
	err := s.Table.Write(ctx, port.Update(row.key()).Setting("cancelledAt", number(s.nowMillis())).
		When(port.And(port.LacksAttr("outcome"), port.LacksAttr("cancelledAt"))))
	var failed *port.ConditionFailed
	if errors.As(err, &failed) {
		if failed.Item == nil || failed.Item["outcome"] != nil {
			return nil
		} // cancelled before: tell again, that call may have died before it told anyone
	} else if err != nil {
		return err
	}
	if err := s.load(ctx, row.key(), &row); err != nil {
		return err
	}
	told, err := s.postCancel(ctx, row)
	if err != nil || told {
		return err
	}
	err = s.Brains.SendFailure(ctx, row.Token, ErrorCancelled, "the run was cancelled; no machine was at it")
	if pags.Is(err, pags.Gone) {
		return nil
	}
	return err
}

// postCancel tells the machine that holds the call; told is false when no connection took it.
func (s *Service) postCancel(ctx context.Context, row callRow) (told bool, err error) {
	if row.MachineID == "" || row.SentAt == 0 {
		return false, nil
	}
	var conn serving
	err = s.load(ctx, servingKey(row.MachineID), &conn)
	if pags.Is(err, pags.NotFound) || (err == nil && !s.heardWithin(conn, silence)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.post(ctx, conn.ConnectionID, relay.KindCancel, row.ref())
	if pags.Is(err, pags.Gone) {
		return false, s.dropServing(ctx, row.MachineID, conn.ConnectionID)
	}
	return err == nil, err
}
