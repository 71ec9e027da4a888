package main

import (
	"context"

	"github.com/proagentstore/pags/bench/relaytest"
)

// relayNumbers compares a live message from console to runner and back with a bare forwarder of frames, and measures a call
// with its rows.
func relayNumbers(ctx context.Context, b *bench) ([]number, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	t, err := relaytest.RoundTrips(ctx, dir, 500)
	if err != nil {
		return nil, err
	}
	return []number{{"relay.rtt_ratio", median(t.Live) / median(t.Bare), "ratio", 3}, {"relay.call_ms", median(t.Call), "ms", 3}}, nil
}
