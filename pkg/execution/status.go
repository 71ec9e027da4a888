package execution

import "github.com/proagentstore/pags/pkg/pags"

// Statuses are the older ones of an execution (spec tool-runtime 0).
var Statuses = []string{"pending", "running", "waiting_for_interaction", "completed", "failed", "cancelled"}

const waiting = "waiting_for_interaction"

// Status is the older status of a run. It is total.
func Status(r pags.Run) string {
	switch r.Status {
	case pags.RunQueued:
		return "pending"
	case pags.RunRunning:
		return "running"
	case pags.RunWaiting:
		if r.WaitingFor == pags.WaitTime || r.WaitingFor == pags.WaitRunner {
			return "running" // nobody has to do anything
		}
		return waiting
	case pags.RunCompleted:
		return "completed"
	case pags.RunCancelled:
		return "cancelled"
	}
	return "failed"
}
