// Package relaytest measures the relay beside a bare WebSocket server that forwards frames of the same size from one client
// to another and back.
//
// Live is a message of the wire from a console to a runner and back over the hub of the local host, without rows: no route
// of the product asks a runner for something that is not durable yet, so a function of ours that only forwards stands in.
// Call is what the product does: row of the call, frame to the runner, its hand (which does nothing), frame back, outcome on
// the row, the waiting task told. Its rows are kept without waiting for the disk, which has its own numbers
// (api.write_over_bare_ms, browse.step_overhead_ms).
//
//	relaytest.go  the comparison
//	live.go       console to runner and back
//	product.go    calls
//	bare.go       the forwarder
package relaytest

import (
	"context"
	"fmt"
	"time"
)

// What a frame carries, in bytes: a short command one way, a small page the other.
const there, back = 400, 2000

// Times are round trips.
type Times struct{ Live, Call, Bare []time.Duration }

// trip is one way to go there and back.
type trip interface {
	roundTrip(i int) error
	close()
}

// RoundTrips measures n of each, after a tenth unmeasured.
func RoundTrips(ctx context.Context, dir string, n int) (t Times, err error) {
	for _, kind := range []struct {
		into *[]time.Duration
		open func() (trip, error)
	}{
		{&t.Bare, func() (trip, error) { return newForwarder(ctx) }},
		{&t.Live, func() (trip, error) { return newLive(ctx) }},
		{&t.Call, func() (trip, error) { return newProduct(ctx, dir) }},
	} {
		way, err := kind.open()
		if err != nil {
			return t, err
		}
		*kind.into, err = timed(n, way.roundTrip)
		way.close()
		if err != nil {
			return t, fmt.Errorf("%T: %w", way, err)
		}
	}
	return t, nil
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
