package turn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/proagentstore/pags/pkg/brain/browse"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// fileLife is how long a file's URL in a command is good: longer than a command may take.
const fileLife = 15 * time.Minute

// Command is the call that a step wants of a runner, without secrets, with its owner and the machine that it is bound
// to: a machine id, a node name, or "" for any. A run that is over or is to end wants nothing: pags.Conflict.
func (s *Service) Command(ctx context.Context, id pags.RunID, n int) (relay.Call, pags.UserID, string, error) {
	run, st, err := s.pending(ctx, id, n, browse.MoveCall)
	if err != nil {
		return relay.Call{}, "", "", err
	}
	cmd := *st.Move.Command
	if cmd.File != nil {
		i := slices.IndexFunc(run.Browse.Files, func(f pags.File) bool { return f.Name == cmd.File.Name })
		if i < 0 {
			return relay.Call{}, "", "", pags.Errorf(pags.Internal, "run %s has no file %q", id, cmd.File.Name)
		}
		signed, err := s.Blobs.PresignGet(ctx, run.Browse.Files[i].Key, fileLife)
		if err != nil {
			return relay.Call{}, "", "", fmt.Errorf("sign a file's address: %w", err)
		}
		file := *cmd.File
		file.URL, cmd.File = signed.URL, &file
	}
	call := relay.Call{RunID: id, Step: n, InstanceID: run.InstanceID, Fence: run.Fence, Deadline: s.Clock.Now().Add(relay.CommandLimit).UTC(), Command: cmd}
	pin := string(run.MachineID) // the run stays with its machine
	if pin == "" {
		inst, err := s.Instances.Load(ctx, run.InstanceID)
		if err != nil {
			return relay.Call{}, "", "", fmt.Errorf("instance of run %s: %w", id, err)
		}
		pin, _ = inst.Config["runnerNode"].(string)
	}
	return call, run.UserID, pin, nil
}

// Question is the interaction that a step wants, without id, status and time of creation.
func (s *Service) Question(ctx context.Context, id pags.RunID, n int) (pags.Interaction, error) {
	run, st, err := s.pending(ctx, id, n, browse.MoveAsk)
	if err != nil {
		return pags.Interaction{}, err
	}
	q := st.Move.Question
	return pags.Interaction{UserID: run.UserID, RunID: id, InstanceID: run.InstanceID, Step: n, Reason: q.Reason, Title: q.Title, Detail: q.Detail,
		Request: q.Request, Allowed: q.Allowed, Picture: q.Picture, ExpiresAt: st.At.Add(q.Wait).UTC()}, nil
}

func (s *Service) pending(ctx context.Context, id pags.RunID, n int, kind string) (pags.Run, *step, error) {
	run, err := s.Runs.Load(ctx, id)
	if err != nil {
		return run, nil, err
	}
	if run.Status.Over() {
		return run, nil, pags.Errorf(pags.Conflict, "run %s is over (%s)", id, run.Status)
	}
	rows, err := s.steps(ctx, id, false, n)
	if err != nil {
		return run, nil, err
	}
	if rows[0] == nil || rows[0].Move.Kind != kind {
		return run, nil, pags.Errorf(pags.NotFound, "step %d of run %s is no %s", n, id, kind)
	}
	if c := rows[0].Move.Command; run.CancelAsked && (c == nil || c.Action != relay.ActClose) { // closing the page is part of the end
		return run, nil, pags.Errorf(pags.Conflict, "run %s is to end", id)
	}
	return run, rows[0], nil
}
