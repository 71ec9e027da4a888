package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// ErrorCancelled is the error name with which the wait for a cancelled call ends.
const ErrorCancelled = "Cancelled"

// CallInput is what the state machine gives RelayCallFunction.
type CallInput struct {
	RunID      pags.RunID `json:"runId"`
	Step       int        `json:"step"`
	Generation int        `json:"generation"`
	TaskToken  string     `json:"taskToken"`
}

// inlineCommand is the largest command kept in the row and sent in the message; larger ones are blobs.
const inlineCommand = 64 * 1024

// Call makes the step's command durable as a row and rings for it. It may be repeated with the same or a newer token: the
// row keeps the newest, and if an outcome is there already the task is told at once. Without a machine the row stays; the
// call goes out when one says hello.
func (s *Service) Call(ctx context.Context, in CallInput) (struct{}, error) {
	if in.RunID == "" || in.TaskToken == "" {
		return struct{}{}, pags.Errorf(pags.Invalid, "a call needs runId and taskToken")
	}
	row, found, err := s.retoken(ctx, in)
	if err == nil && !found {
		row, err = s.place(ctx, in)
		var failed *port.Cancelled
		if errors.As(err, &failed) { // the same call was placed at the same moment
			row, found, err = s.retoken(ctx, in)
		}
	}
	if pags.Is(err, pags.Conflict) {
		return struct{}{}, s.giveBack(ctx, in.TaskToken)
	}
	if err != nil {
		return struct{}{}, fmt.Errorf("call the runner for run %s step %d: %w", in.RunID, in.Step, err)
	}
	crash.Here(crash.CallRowAfter)
	switch {
	case row.Outcome != "":
		return struct{}{}, s.tell(ctx, row)
	case row.CancelAt > 0:
		return struct{}{}, s.giveBack(ctx, row.Token)
	}
	if err := s.ring(ctx, row, !found); err != nil {
		return struct{}{}, err
	}
	// A cancel that looked for open calls before there was this row did not see it: look once more, now that it is there.
	if _, _, _, err := s.Commands.Command(ctx, in.RunID, in.Step); pags.Is(err, pags.Conflict) {
		return struct{}{}, s.cancelOne(ctx, row)
	}
	return struct{}{}, nil
}

// giveBack ends a task's wait at once, because the run is to end; nobody waits any more is fine.
func (s *Service) giveBack(ctx context.Context, token string) error {
	err := s.Brains.SendFailure(ctx, token, ErrorCancelled, "the run was cancelled")
	if pags.Is(err, pags.Gone) {
		return nil
	}
	return err
}

// retoken puts the newest token on a row that is there, and reads it after that: whoever writes the outcome reads the token
// after writing, so one of the two tells the task.
func (s *Service) retoken(ctx context.Context, in CallInput) (row callRow, found bool, err error) {
	key := callKey(in.RunID, in.Step)
	err = s.load(ctx, key, &row)
	if pags.Is(err, pags.NotFound) {
		return row, false, nil
	}
	if err != nil || row.Token == in.TaskToken {
		return row, true, err
	}
	err = s.Table.Write(ctx, port.Update(key).Setting("taskToken", in.TaskToken).Setting("generation", number(int64(in.Generation))).
		When(port.Le("generation", number(int64(in.Generation)))))
	if raced(err) {
		return row, true, pags.Errorf(pags.Gone, "a later execution of the run took this step over")
	}
	if err != nil {
		return row, true, err
	}
	return row, true, s.load(ctx, key, &row)
}

// place writes a new row with its pointer, given to a machine at once where one is there.
func (s *Service) place(ctx context.Context, in CallInput) (callRow, error) {
	call, owner, pin, err := s.Commands.Command(ctx, in.RunID, in.Step)
	if err != nil {
		return callRow{}, err
	}
	limit := relay.CommandLimit
	if d := call.Deadline.Sub(s.Clock.Now()); !call.Deadline.IsZero() && d < limit {
		limit = max(d, 0)
	}
	row := callRow{RunID: in.RunID, Step: in.Step, UserID: owner, InstanceID: call.InstanceID, Fence: call.Fence, Generation: in.Generation,
		Token: in.TaskToken, Limit: limit.Milliseconds(), Secret: call.Command.Secret, Pin: pin, CreatedAt: s.nowMillis()}
	if err := s.storeCommand(ctx, &row, call.Command); err != nil {
		return row, err
	}
	to, err := s.choose(ctx, row)
	if err != nil {
		return row, err
	}
	row.MachineID = to.machine.ID
	if to.conn.ConnectionID != "" {
		row.SentAt = s.nowMillis()
	}
	it, err := port.Encode(row.key(), row)
	if err != nil {
		return row, err
	}
	return row, s.Table.Transact(ctx, newID(), port.Put(it).When(port.NotExists()), port.Put(openItem(row)))
}

// storeCommand keeps the command in the row, or as a blob where it is large.
func (s *Service) storeCommand(ctx context.Context, row *callRow, c relay.Command) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode a command: %w", err)
	}
	if len(raw) <= inlineCommand {
		row.Command = string(raw)
		return nil
	}
	sum := sha256.Sum256(raw)
	row.CommandKey = fmt.Sprintf("runs/%s/%d/command.json", row.RunID, row.Step)
	row.CommandSum, row.CommandLen = hex.EncodeToString(sum[:]), int64(len(raw))
	if _, err := s.Blobs.Put(ctx, row.CommandKey, raw, port.PutOptions{ContentType: "application/json"}); err != nil {
		return fmt.Errorf("keep a large command: %w", err)
	}
	return nil
}

// CallInfo is how a call stands.
type CallInfo struct {
	Accepted  bool // it was put on a connection, so the machine may have acted on it
	CreatedAt time.Time
	MachineID pags.MachineID
	Cancelled bool
}

// Outcome reads how a step's command ended: nil while it has not. A step without a call has the zero CallInfo.
func (s *Service) Outcome(ctx context.Context, run pags.RunID, step int) (*relay.Outcome, CallInfo, error) {
	var row callRow
	err := s.load(ctx, callKey(run, step), &row)
	if pags.Is(err, pags.NotFound) {
		return nil, CallInfo{}, nil
	}
	if err != nil {
		return nil, CallInfo{}, fmt.Errorf("read the call of run %s step %d: %w", run, step, err)
	}
	info := CallInfo{Accepted: row.SentAt > 0, CreatedAt: time.UnixMilli(row.CreatedAt).UTC(), MachineID: row.MachineID, Cancelled: row.CancelAt > 0}
	if row.Outcome == "" {
		return nil, info, nil
	}
	var o relay.Outcome
	if err := json.Unmarshal([]byte(row.Outcome), &o); err != nil {
		return nil, info, fmt.Errorf("read the outcome of run %s step %d: %w", run, step, err)
	}
	return &o, info, nil
}
