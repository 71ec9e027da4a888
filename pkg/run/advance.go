package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// races bounds how often a change is computed anew because the run changed under it.
const races = 200

// Advance changes a run once per key: head, numbered events and the mark of the key in one transaction. A repeated key
// changes nothing and returns the run as it is. change may be called several times and must only touch the run it is given.
// A run that is over is pags.Conflict. Consoles are told after the commit.
func (s *Service) Advance(ctx context.Context, id pags.RunID, key string, change func(*pags.Run) error, events ...pags.Event) (pags.Run, error) {
	return s.AdvanceWith(ctx, id, key, change, events)
}

// AdvanceWith is Advance with more writes in the same transaction. Where the condition of one of them does not hold, nothing
// is done and the error is its *port.ConditionFailed. A change that ends the run also frees the instance's lock and takes
// the run off the list of open ones.
func (s *Service) AdvanceWith(ctx context.Context, id pags.RunID, key string, change func(*pags.Run) error, events []pags.Event, extra ...port.Write) (pags.Run, error) {
	keepLock := false
	for range races {
		items, err := s.Table.GetMany(ctx, headKey(id), doneKey(id, key))
		if err != nil {
			return pags.Run{}, fmt.Errorf("read run %s: %w", id, err)
		}
		was, err := decodeHead(id, items[0])
		if err != nil {
			return pags.Run{}, err
		}
		if items[1] != nil {
			return was.Run, nil
		}
		if was.Status.Over() {
			return was.Run, pags.Errorf(pags.Conflict, "run %s is over (%s)", id, was.Status).With(was.Run)
		}
		next, numbered, err := s.apply(was, change, events)
		if err != nil {
			return was.Run, err
		}
		writes, err := s.changeWrites(was, next, key, numbered)
		if err != nil {
			return was.Run, err
		}
		own := len(writes)
		ends, lockAt := next.Status.Over(), -1
		if ends {
			writes = append(writes, port.Delete(openKey(id)))
			if own++; !keepLock && next.InstanceID != "" {
				lockAt = own
				writes = append(writes, port.Update(lockKey(next.InstanceID)).Setting("runId", "").When(port.Eq("runId", string(id))))
				own++
			}
			crash.Here(crash.RunEndBefore)
		}
		err = s.Table.Transact(ctx, pags.NewToken()[:36], append(writes, extra...)...)
		var cancelled *port.Cancelled
		switch {
		case err == nil:
			if ends {
				crash.Here(crash.RunEndAfter)
			}
			s.pushes.push(ctx, next.Run, numbered)
			return next.Run, nil
		case !errors.As(err, &cancelled):
			return was.Run, fmt.Errorf("change run %s: %w", id, err)
		case lockAt >= 0 && cancelled.Failed(lockAt) && !cancelled.Failed(0) && !cancelled.Failed(1):
			keepLock = true // it is another run's by now: not ours to free
			continue
		}
		for i, w := range extra {
			if cancelled.Failed(own+i) && !cancelled.Failed(0) && !cancelled.Failed(1) {
				return was.Run, &port.ConditionFailed{Key: w.Key, Item: cancelled.Reasons[own+i].Item}
			}
		}
	}
	return pags.Run{}, pags.Errorf(pags.Unavailable, "run %s changes too fast; try again", id)
}

// apply makes the changed head and numbers the events.
func (s *Service) apply(was head, change func(*pags.Run) error, events []pags.Event) (head, []pags.Event, error) {
	now := s.Clock.Now().UTC()
	next := was
	if change != nil {
		if err := change(&next.Run); err != nil {
			return was, nil, err
		}
	}
	next.Version++
	next.LastAliveAt = now
	if len(events) > 0 {
		next.LastProgressAt = now
	}
	if next.Status.Over() {
		next.EndedAt, next.WaitingFor = now, ""
	}
	numbered := make([]pags.Event, len(events))
	for i, e := range events {
		next.LastEvent++
		e.RunID, e.Seq, e.At = was.ID, next.LastEvent, now
		numbered[i] = e
	}
	return next, numbered, nil
}

// changeWrites are the head, the mark of the key, and the events, in that order.
func (s *Service) changeWrites(was, next head, key string, events []pags.Event) ([]port.Write, error) {
	it, err := next.item()
	if err != nil {
		return nil, err
	}
	done := doneKey(was.ID, key)
	writes := []port.Write{
		port.Put(it).When(port.Eq("version", was.Version)),
		port.Put(port.Item{port.AttrPK: done.PK, port.AttrSK: done.SK}).When(port.NotExists()),
	}
	for _, e := range events {
		it, err := port.Encode(eventKey(was.ID, e.Seq), e)
		if err != nil {
			return nil, err
		}
		writes = append(writes, port.Put(it).When(port.NotExists()))
	}
	return writes, nil
}

func decodeHead(id pags.RunID, it port.Item) (head, error) {
	if it == nil {
		return head{}, pags.Errorf(pags.NotFound, "there is no run %s", id)
	}
	var h head
	if err := port.Decode(it, &h); err != nil {
		return head{}, fmt.Errorf("read run %s: %w", id, err)
	}
	return h, nil
}
