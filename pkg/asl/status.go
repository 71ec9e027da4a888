package asl

import (
	"context"
	"encoding/json"
	"time"
)

// Pauses between attempts to tell a status change; the last one repeats.
var tellPauses = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute}

// announce tells a status in the background, a later one after an earlier one. The end of an execution is told until it
// is taken, then the execution is settled.
func (x *execution) announce(status string) {
	event := x.event(status)
	if status == Running {
		if x.e.o.StatusChanged == nil {
			return
		}
		begun := make(chan struct{})
		x.begun = begun
		x.e.telling.Go(func() {
			defer close(begun)
			if err := x.e.o.StatusChanged(x.e.calls, event); err != nil {
				x.e.o.Log.Warn("status change not taken", "execution", x.id, "status", status, "error", err)
			}
		})
		return
	}
	head := x.p.head
	x.e.telling.Go(func() {
		if x.begun != nil {
			<-x.begun
		}
		if x.tell(status, event) {
			x.settle(head)
		}
	})
}

// tell repeats until the change is taken; false when the engine closes first.
func (x *execution) tell(status string, event json.RawMessage) bool {
	for n := 0; x.e.o.StatusChanged != nil; n++ {
		err := x.e.o.StatusChanged(x.e.calls, event)
		if err == nil {
			break
		}
		x.e.o.Log.Warn("status change not taken", "execution", x.id, "status", status, "error", err)
		select {
		case <-x.e.o.Clock.After(tellPauses[min(n, len(tellPauses)-1)]):
		case <-x.e.closing:
			return false
		}
	}
	return true
}

// settle marks the execution as told. If the journal refuses, it is told once more after a restart.
func (x *execution) settle(head Head) {
	head.Settled = true
	if err := x.e.o.Journal.Append(context.Background(), Batch{Execution: x.id, Head: head}); err != nil {
		x.e.o.Log.Warn("settle execution", "execution", x.id, "error", err)
	}
	x.drop()
}

// event is what EventBridge delivers for a status change of a standard workflow.
func (x *execution) event(status string) json.RawMessage {
	h, s := x.p.head, x.p.start
	at, stopped := s.At, any(nil)
	detail := map[string]any{"executionArn": x.id, "stateMachineArn": machineOf(x.id), "name": s.Name, "status": status,
		"startDate": number(s.At.UnixMilli()), "input": string(s.Input), "inputDetails": map[string]any{"included": true},
		"output": nil, "outputDetails": nil, "error": nil, "cause": nil}
	if status != Running {
		at, stopped = h.Stopped, number(h.Stopped.UnixMilli())
	}
	detail["stopDate"] = stopped
	switch status {
	case Succeeded:
		detail["output"], detail["outputDetails"] = string(h.Output), map[string]any{"included": true}
	case Failed, TimedOut, Aborted:
		detail["error"], detail["cause"] = h.Error, h.Cause
	}
	return encode(map[string]any{"version": "0", "id": requestID(callKey(x.id, h.LastEvent)), "account": "000000000000",
		"region": "local", "source": "aws.states", "detail-type": "Step Functions Execution Status Change",
		"time": at.UTC().Format(time.RFC3339), "resources": []any{x.id}, "detail": detail})
}
