package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// capabilityBrowser is what every command of this wire version needs of a machine.
const capabilityBrowser = "browser"

// ring hands an open call to its machine. A call that no machine has had may change machines while connections turn out to
// be dead; one that was put on a connection stays with that machine, which may have acted on it. fresh says that the row was
// given to its machine just now and nothing was posted yet.
func (s *Service) ring(ctx context.Context, row callRow, fresh bool) error {
	for range 4 {
		to, err := s.target(ctx, &row)
		if err != nil {
			return err
		}
		if to.conn.ConnectionID == "" {
			return s.wait(ctx, row)
		}
		if row.SentAt == 0 {
			if row, err = s.assign(ctx, row, to.machine.ID); raced(err) {
				if err := s.load(ctx, row.key(), &row); err != nil || row.Outcome != "" {
					return err
				}
				continue
			} else if err != nil {
				return fmt.Errorf("give a call to %s: %w", to.machine.ID, err)
			}
			fresh = true
		}
		err = s.handOver(ctx, to.conn.ConnectionID, row)
		if err == nil {
			crash.Here(crash.CallRungAfter)
			return s.noteSent(ctx, row)
		}
		if !pags.Is(err, pags.Gone) {
			return fmt.Errorf("ring for run %s step %d: %w", row.RunID, row.Step, err)
		}
		if err := s.dropServing(ctx, to.machine.ID, to.conn.ConnectionID); err != nil {
			return fmt.Errorf("drop a dead connection: %w", err)
		}
		if fresh {
			if row, err = s.unassign(ctx, row); err != nil {
				return fmt.Errorf("take a call back from %s: %w", to.machine.ID, err)
			}
			fresh = false
		}
	}
	return s.wait(ctx, row)
}

// target finds where the call goes: the machine it was given to, else one that may have it.
func (s *Service) target(ctx context.Context, row *callRow) (candidate, error) {
	if row.MachineID == "" || (row.SentAt == 0 && row.Pin == "") {
		return s.choose(ctx, *row)
	}
	m, conn, err := s.lookup(ctx, row.MachineID)
	if pags.Is(err, pags.NotFound) {
		return candidate{}, nil // forgotten by its owner: the call waits until the run gives up
	}
	return candidate{m, conn}, err
}

// choose picks a machine for a call: the one it is bound to, live or not, else the live one that connected last.
func (s *Service) choose(ctx context.Context, row callRow) (candidate, error) {
	if strings.HasPrefix(row.Pin, "mac_") {
		m, conn, err := s.lookup(ctx, pags.MachineID(row.Pin))
		if pags.Is(err, pags.NotFound) || (err == nil && m.UserID != row.UserID) {
			return candidate{}, nil
		}
		return candidate{m, conn}, err
	}
	all, _, err := s.list(ctx, row.UserID, "", MaxMachines)
	if err != nil {
		return candidate{}, err
	}
	all = slices.DeleteFunc(all, func(c candidate) bool {
		return (row.Pin != "" && c.machine.Node != row.Pin) || !c.fits(row.InstanceID) || !s.heardWithin(c.conn, silence)
	})
	if len(all) == 0 {
		return candidate{}, nil
	}
	return slices.MaxFunc(all, func(a, b candidate) int { return int(a.conn.Since - b.conn.Since) }), nil
}

// fits reports whether the connection serves the instance and has the hands.
func (c candidate) fits(id pags.InstanceID) bool {
	return serves(c.conn.Only, id) && slices.Contains(c.conn.Capabilities, capabilityBrowser)
}

// assign gives the call to a machine, before anything is posted to it.
func (s *Service) assign(ctx context.Context, row callRow, to pags.MachineID) (callRow, error) {
	before := row
	row.MachineID, row.SentAt = to, s.nowMillis()
	free := port.And(port.LacksAttr("outcome"), port.LacksAttr("sentAt"))
	writes := []port.Write{port.Update(row.key()).Setting("machineId", string(to)).Setting("sentAt", number(row.SentAt)).When(free)}
	if openKey(before) != openKey(row) {
		writes = append(writes, port.Delete(openKey(before)), port.Put(openItem(row)))
	}
	if err := s.Table.Transact(ctx, newID(), writes...); err != nil {
		return before, err
	}
	return row, nil
}

// unassign takes back a call whose only post met a dead connection. It stays with a machine it is bound to.
func (s *Service) unassign(ctx context.Context, row callRow) (callRow, error) {
	before := row
	row.SentAt = 0
	update := port.Update(row.key()).Removing("sentAt")
	if !strings.HasPrefix(row.Pin, "mac_") {
		row.MachineID = ""
		update = update.Removing("machineId")
	}
	writes := []port.Write{update.When(port.And(port.LacksAttr("outcome"), port.Eq("machineId", string(before.MachineID))))}
	if openKey(before) != openKey(row) {
		writes = append(writes, port.Delete(openKey(before)), port.Put(openItem(row)))
	}
	err := s.Table.Transact(ctx, newID(), writes...)
	if raced(err) {
		return before, nil
	}
	return row, err
}

// handOver posts the call with its secret opened. A secret that is not there any more ends the call as failed: nothing was
// done, and the brain can ask again.
func (s *Service) handOver(ctx context.Context, connectionID string, row callRow) error {
	call := relay.Call{RunID: row.RunID, Step: row.Step, InstanceID: row.InstanceID, Fence: row.Fence,
		Deadline: s.Clock.Now().Add(time.Duration(row.Limit) * time.Millisecond).UTC()}
	if row.CommandKey != "" {
		get, err := s.Blobs.PresignGet(ctx, row.CommandKey, relay.SlotLife)
		if err != nil {
			return fmt.Errorf("give access to a large command: %w", err)
		}
		call.CommandAt = &relay.BodyAt{URL: get.URL, Size: row.CommandLen, SHA256: row.CommandSum}
	} else if err := json.Unmarshal([]byte(row.Command), &call.Command); err != nil {
		return fmt.Errorf("read a command: %w", err)
	}
	if row.Secret != "" {
		secret, err := s.Secrets.OpenSecret(ctx, row.InstanceID, row.Secret, row.RunID)
		switch pags.CodeOf(err) {
		case pags.NotFound, pags.Gone, pags.Invalid, pags.Forbidden, pags.Conflict:
			return s.settle(ctx, row, relay.Outcome{RunID: row.RunID, Step: row.Step, Fence: row.Fence, Result: relay.Result{
				Status: relay.StatusFailed, Feedback: "the value that was given is not available any more; ask for it again"}})
		}
		if err != nil {
			return fmt.Errorf("open a secret for its last hop: %w", err)
		}
		call.Secrets = map[pags.SecretID]relay.Secret{row.Secret: secret}
	}
	return s.post(ctx, connectionID, relay.KindCall, call)
}

// noteSent tells the run which machine has its call, where that is news.
func (s *Service) noteSent(ctx context.Context, row callRow) error {
	if row.Pin == string(row.MachineID) && !row.Waiting {
		return nil
	}
	if err := s.Runs.CallSent(ctx, row.RunID, row.Step, row.MachineID); err != nil {
		return fmt.Errorf("note which machine has the call: %w", err)
	}
	return s.setWaiting(ctx, row, false)
}

// wait tells the run that no machine is there for its call.
func (s *Service) wait(ctx context.Context, row callRow) error {
	why := "No machine of yours is online. Start pags up on the computer that shall do this."
	if row.Pin != "" {
		why = "The machine this work is bound to is offline. Start pags up there."
	}
	if err := s.Runs.CallWaiting(ctx, row.RunID, row.Step, why); err != nil {
		return fmt.Errorf("note that no machine is there: %w", err)
	}
	return s.setWaiting(ctx, row, true)
}

func (s *Service) setWaiting(ctx context.Context, row callRow, on bool) error {
	if row.Waiting == on {
		return nil
	}
	update := port.Update(row.key()).Removing("waiting")
	if on {
		update = port.Update(row.key()).Setting("waiting", true)
	}
	if err := s.Table.Write(ctx, update.When(port.Exists())); err != nil && !raced(err) {
		return fmt.Errorf("note how a call waits: %w", err)
	}
	return nil
}
