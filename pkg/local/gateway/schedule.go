package gateway

import (
	"context"
	"sync"
)

// RunSchedules calls the scheduled functions until ctx ends: once at the start, since a host that was down may owe a call,
// and then at each interval. A call that takes longer than the interval is not overlapped. It returns when all calls have.
func (g *Gateway) RunSchedules(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range g.stack.Schedules {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				g.tick(ctx, s)
				select {
				case <-ctx.Done():
					return
				case <-g.clock.After(s.Every):
				}
			}
		}()
	}
	all.Wait()
}

// tick calls a function with the event that EventBridge Scheduler sends where a schedule names no input.
func (g *Gateway) tick(ctx context.Context, s Schedule) {
	payload := plainJSON(map[string]any{
		"version": "0", "id": g.requestID(), "detail-type": "Scheduled Event", "source": "aws.scheduler",
		"account": pseudo["AWS::AccountId"], "region": pseudo["AWS::Region"],
		"time": g.clock.Now().UTC().Format("2006-01-02T15:04:05Z"), "resources": []string{s.Name}, "detail": "{}",
	})
	// Invoke logs what fails; the next tick is the retry.
	_, _ = g.Invoke(ctx, s.Function, payload)
}
