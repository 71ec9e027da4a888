package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Request asks for a browser task. MessageID is the caller's Idempotency-Key, of any length and content.
type Request struct {
	URL       string
	Objective string
	DryRun    bool
	Approve   string
	MaxSteps  int
	Files     []Upload
	MessageID string
}

// Start makes a run and begins its execution. One message id starts one run: a repeat answers that run, also after it ended;
// the id with another request is pags.Conflict. An instance that is busy is pags.Conflict with the run that holds it.
// If the execution cannot begin right now the run stays queued and reconcile begins it.
func (s *Service) Start(ctx context.Context, caller httpapi.Caller, id pags.InstanceID, req Request) (pags.Run, error) {
	inst, err := s.Instances.Owned(ctx, caller.UserID, id)
	if err != nil {
		return pags.Run{}, err
	}
	msg := message{user: caller.UserID, of: "browse", scope: string(id), id: req.MessageID, digest: digest(req)}
	if run, found, err := s.earlier(ctx, msg); err != nil || found {
		if err == nil && run.Status == pags.RunQueued && run.Execution == "" { // the first time did not get this far
			run = s.begin(ctx, run)
		}
		return run, err
	}
	run, err := s.draft(ctx, caller, inst, req)
	if err != nil {
		return pags.Run{}, err
	}
	if run.Browse.Files, err = s.keepFiles(ctx, id, req.Files); err != nil {
		return pags.Run{}, err
	}
	run, isNew, err := s.create(ctx, run, msg)
	if err != nil || !isNew {
		return run, err
	}
	if err := s.Instances.Touch(ctx, id); err != nil {
		s.Log.WarnContext(ctx, "instance not touched", "instance", id, "error", err)
	}
	return s.begin(ctx, run), nil
}

// begin launches the first execution; one that cannot begin now is reconcile's.
func (s *Service) begin(ctx context.Context, run pags.Run) pags.Run {
	started, err := s.launch(ctx, run, 0)
	if err != nil {
		s.Log.WarnContext(ctx, "execution not started; reconcile will", "run", run.ID, "error", err)
		return run
	}
	return started
}

// create writes lock, run, open row, first event and message id at once.
func (s *Service) create(ctx context.Context, run pags.Run, msg message) (pags.Run, bool, error) {
	for range races {
		held, free, err := s.lockOf(ctx, run.InstanceID)
		if err != nil {
			return run, false, err
		}
		if free == nil {
			holder, err := s.Load(ctx, held.RunID)
			if err != nil && !pags.Is(err, pags.NotFound) {
				return run, false, err
			}
			if err == nil && !holder.Status.Over() { // a lock is stale exactly when its run is over
				// The same message, delivered twice at once: its twin took the lock after we looked for it.
				if earlier, found, err := s.earlier(ctx, msg); err != nil || found {
					return earlier, false, err
				}
				return run, false, pags.Errorf(pags.Conflict, "this instance is busy with run %s (%s); wait for it or cancel it", holder.ID, holder.Status).With(holder)
			}
			free = port.And(port.Eq("runId", string(held.RunID)), port.Eq("fence", held.Fence))
		}
		run.Fence = held.Fence + 1
		writes, err := s.startWrites(run, free, msg)
		if err != nil {
			return run, false, err
		}
		err = s.write(ctx, writes)
		var cancelled *port.Cancelled
		if err == nil {
			s.pushes.push(ctx, run, []pags.Event{queuedEvent(run)})
			return run, true, nil
		}
		if !errors.As(err, &cancelled) {
			return run, false, fmt.Errorf("start a run on %s: %w", run.InstanceID, err)
		}
		if earlier, found, err := s.earlier(ctx, msg); err != nil || found { // the same message, delivered twice at once
			return earlier, false, err
		}
	}
	return run, false, pags.Errorf(pags.Unavailable, "instance %s changes too fast; try again", run.InstanceID)
}

// write makes a run exist, with everything that it begins with.
func (s *Service) write(ctx context.Context, writes []port.Write) error {
	crash.Here(crash.RunStartBefore)
	err := s.Table.Transact(ctx, pags.NewToken()[:36], writes...)
	if err == nil {
		crash.Here(crash.RunStartAfter)
	}
	return err
}

// lockOf reads the lock; free is the condition to take it, nil if a run is named there.
func (s *Service) lockOf(ctx context.Context, id pags.InstanceID) (held lock, free *port.Cond, err error) {
	it, err := s.Table.Get(ctx, lockKey(id))
	if pags.Is(err, pags.NotFound) {
		return lock{}, port.NotExists(), nil
	}
	if err != nil {
		return lock{}, nil, fmt.Errorf("read the lock of %s: %w", id, err)
	}
	if err := port.Decode(it, &held); err != nil {
		return lock{}, nil, err
	}
	if held.RunID == "" {
		free = port.And(port.Eq("runId", ""), port.Eq("fence", held.Fence))
	}
	return held, free, nil
}

// startWrites are what every run begins with, and the lock of its instance where it has one.
func (s *Service) startWrites(run pags.Run, free *port.Cond, msg message) ([]port.Write, error) {
	it, err := head{Run: run, Version: 1}.item()
	if err != nil {
		return nil, err
	}
	event, err := port.Encode(eventKey(run.ID, 1), queuedEvent(run))
	if err != nil {
		return nil, err
	}
	open := openKey(run.ID)
	writes := []port.Write{
		port.Put(it).When(port.NotExists()),
		port.Put(event).When(port.NotExists()),
		port.Put(port.Item{port.AttrPK: open.PK, port.AttrSK: open.SK}),
	}
	if run.InstanceID != "" {
		held, err := port.Encode(lockKey(run.InstanceID), lock{RunID: run.ID, Fence: run.Fence})
		if err != nil {
			return nil, err
		}
		writes = append(writes, port.Put(held).When(free))
	}
	if msg.id != "" {
		key := msg.key()
		row := port.Item{port.AttrPK: key.PK, port.AttrSK: key.SK, "digest": msg.digest, "runId": string(run.ID)}
		writes = append(writes, port.Put(row.Expiring(run.CreatedAt.Add(messageLife))).When(port.NotExists()))
	}
	return writes, nil
}

func queuedEvent(run pags.Run) pags.Event {
	return pags.Event{RunID: run.ID, Seq: 1, At: run.CreatedAt, Kind: "queued", Text: "Asked for: " + run.Title}
}

// message is what a start is remembered by.
type message struct {
	user   pags.UserID
	of     string // what is started
	scope  string // one id may be used once in each
	id     string
	digest string
}

// key maps an id of any length and content to a legal one without collisions.
func (m message) key() port.Key {
	sum := sha256.Sum256([]byte(m.scope + "\n" + m.id))
	return port.Key{PK: "U#" + string(m.user), SK: "IDEM#" + m.of + "-" + hex.EncodeToString(sum[:])}
}

// earlier finds the run that the message started before.
func (s *Service) earlier(ctx context.Context, m message) (pags.Run, bool, error) {
	if m.id == "" {
		return pags.Run{}, false, nil
	}
	it, err := s.Table.Get(ctx, m.key())
	if pags.Is(err, pags.NotFound) {
		return pags.Run{}, false, nil
	}
	if err != nil {
		return pags.Run{}, false, fmt.Errorf("look for an earlier start: %w", err)
	}
	if it["digest"] != m.digest {
		return pags.Run{}, false, pags.Errorf(pags.Conflict, "this Idempotency-Key started another task already; use a new key for a different one")
	}
	first, _ := it["runId"].(string)
	run, err := s.Load(ctx, pags.RunID(first))
	return run, err == nil, err
}

func digest(req Request) string {
	req.MessageID = ""
	raw, _ := json.Marshal(req) // of plain data: cannot fail
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
