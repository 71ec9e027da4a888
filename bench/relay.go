package main

import (
	"context"

	"github.com/proagentstore/pags/bench/relaytest"
)

// relayNumber compares a call that goes from the cloud to a runner and back with a bare forwarder of frames.
func relayNumber(ctx context.Context, b *bench) ([]number, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	call, bare, err := relaytest.RoundTrips(ctx, dir, 300)
	if err != nil {
		return nil, err
	}
	return []number{{"relay.rtt_ratio", median(call) / median(bare), "ratio", 3}}, nil
}
