package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// perTick bounds the open runs looked at in one tick (spec platform 5.6).
const perTick = 200

// Reconcile runs each minute and finishes what died half way, in independent domains: one failing does not stop the others.
func (s *Service) Reconcile(ctx context.Context, _ json.RawMessage) error {
	domains := []struct {
		name string
		do   func(context.Context) error
	}{
		{"answers whose tokens were not told", s.asks.Deliver},
		{"open runs", s.settleOpen},
	}
	var failed []error
	for _, d := range domains {
		if err := isolated(ctx, d.do); err != nil {
			s.Log.ErrorContext(ctx, "reconcile", "domain", d.name, "error", err)
			failed = append(failed, fmt.Errorf("%s: %w", d.name, err))
		}
	}
	return errors.Join(failed...)
}

// isolated turns a panic into an error.
func isolated(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return do(ctx)
}

// settleOpen looks at open runs, going round: a tick continues where the one before stopped, so that none is starved.
func (s *Service) settleOpen(ctx context.Context) error {
	place := port.Key{PK: "SYS", SK: "RECONCILE"}
	after := port.Item{}
	if it, err := s.Table.Get(ctx, place); err == nil {
		after = it
	} else if !pags.Is(err, pags.NotFound) {
		return fmt.Errorf("read the place of the last tick: %w", err)
	}
	next := port.Item{port.AttrPK: place.PK, port.AttrSK: place.SK}
	var failed []error
	stuck := 0
	for n := range shards {
		shard := openShard(n)
		from, _ := after[shard].(string)
		ids, last, err := s.openRuns(ctx, shard, from)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		next[shard] = last
		for _, id := range ids {
			if err := isolated(ctx, func(ctx context.Context) error { return s.settle(ctx, id) }); err != nil {
				s.Log.ErrorContext(ctx, "reconcile", "run", id, "error", err)
				stuck++
				failed = append(failed, fmt.Errorf("run %s: %w", id, err))
			}
		}
	}
	s.Log.InfoContext(ctx, "reconcile", "stuckRuns", stuck) // template.yaml makes a metric and an alarm of it
	if err := s.Table.Write(ctx, port.Put(next)); err != nil {
		failed = append(failed, fmt.Errorf("keep the place of this tick: %w", err))
	}
	return errors.Join(failed...)
}

// openRuns reads a shard's part of a tick; last is where to go on, "" from the beginning.
func (s *Service) openRuns(ctx context.Context, shard, from string) (ids []pags.RunID, last string, err error) {
	q := port.Query{PK: shard, Limit: perTick / shards}
	if from != "" {
		q.From = from + "\x01"
	}
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("list open runs of %s: %w", shard, err)
	}
	for _, it := range page.Items {
		ids = append(ids, pags.RunID(port.KeyOf(it).SK))
	}
	if page.Cursor != "" {
		last = string(ids[len(ids)-1])
	}
	return ids, last, nil
}

// ExecutionChanged settles the run of an execution that ended (EventBridge "Step Functions Execution Status Change").
func (s *Service) ExecutionChanged(ctx context.Context, e events.CloudWatchEvent) error {
	var detail struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(e.Detail, &detail); err != nil {
		return fmt.Errorf("read the status change: %w", err)
	}
	id, _, ok := parseExecution(detail.Name)
	if !ok || detail.Status == "RUNNING" {
		return nil
	}
	err := s.settle(ctx, id)
	if pags.Is(err, pags.NotFound) {
		return nil
	}
	return err
}
