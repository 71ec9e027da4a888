// Package relaytest measures the relay: how long a call takes from the cloud to a runner and back, beside frames of the same
// size that a bare WebSocket server forwards from one client to another and back.
//
// There is no request of a console that a runner answers, so the call is measured: row of the call, frame to the runner, its
// hand (which does nothing), frame back, outcome on the row, the waiting task told. Rows are kept without waiting for the
// disk, which has its own numbers (api.write_over_bare_ms, browse.step_overhead_ms).
//
//	relaytest.go  the comparison
//	product.go    cloud and runner of the product, over the hub of the local host
//	bare.go       the forwarder
package relaytest

import (
	"context"
	"fmt"
	"time"
)

// pad is what a frame carries, in bytes: a short command one way, a small page the other.
const there, back = 400, 2000

// RoundTrips measures n of each, after a tenth unmeasured.
func RoundTrips(ctx context.Context, dir string, n int) (call, bare []time.Duration, err error) {
	p, err := newProduct(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	defer p.close()
	if call, err = timed(n, p.roundTrip); err != nil {
		return nil, nil, fmt.Errorf("a call: %w", err)
	}
	f, err := newForwarder(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	if bare, err = timed(n, f.roundTrip); err != nil {
		return nil, nil, fmt.Errorf("a bare frame: %w", err)
	}
	return call, bare, nil
}

func timed(n int, do func(i int) error) ([]time.Duration, error) {
	var times []time.Duration
	for i := range n + n/10 {
		began := time.Now()
		if err := do(i + 1); err != nil {
			return nil, err
		}
		if i >= n/10 {
			times = append(times, time.Since(began))
		}
	}
	return times, nil
}
