package main

import (
	"context"
	"path/filepath"

	"github.com/proagentstore/pags/pkg/asl/asltest"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/machines"
)

const (
	rounds    = 100_000 // in memory
	alone     = 500     // task transitions of one execution on disk
	crowd     = 64      // executions at once
	crowdEach = 400
)

// machineNumbers measures the interpreter: transitions in memory; durable ones of one execution against bare durable writes
// of the same disk; and durable ones of 64 executions together, which share commits.
func machineNumbers(ctx context.Context, b *bench) ([]number, error) {
	memory, err := asltest.InMemory(ctx, clock.Real{}, rounds)
	if err != nil {
		return nil, err
	}
	one, err := durable(ctx, b, 1, alone)
	if err != nil {
		return nil, err
	}
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	bare, err := bareWrites(filepath.Join(dir, "bare.db"), alone)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, t := range bare {
		total += t.Seconds()
	}
	many, err := durable(ctx, b, crowd, crowdEach)
	if err != nil {
		return nil, err
	}
	return []number{
		{"asl.transitions_per_s", memory, "1/s", 20_000},
		{"asl.durable_ratio", one / (float64(len(bare)) / total), "ratio", 0.4},
		{"asl.durable_64_per_s", many, "1/s", 5_000},
	}, nil
}

func durable(ctx context.Context, b *bench, executions, tasks int) (float64, error) {
	dir, err := b.folder()
	if err != nil {
		return 0, err
	}
	j, err := machines.NewJournal(nil, filepath.Join(dir, "machines.db"))
	if err != nil {
		return 0, err
	}
	return asltest.Load(ctx, clock.Real{}, j, executions, tasks)
}
