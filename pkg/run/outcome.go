package run

import "github.com/proagentstore/pags/pkg/pags"

// TaskStatus is the older task status of a run (spec 3.8): cancelled stays cancelled, blocked stays blocked, an unknown outcome
// is failed.
func TaskStatus(r pags.Run) string {
	switch r.Status {
	case pags.RunQueued:
		return "queued"
	case pags.RunRunning:
		return "running"
	case pags.RunCompleted:
		return "completed"
	case pags.RunCancelled:
		return "cancelled"
	case pags.RunWaiting:
		switch r.WaitingFor {
		case pags.WaitApproval:
			return "needs_approval"
		case pags.WaitValue, pags.WaitChallenge, pags.WaitStuck, pags.WaitSignin, pags.WaitUnknown:
			return "needs_human"
		}
		return "running" // for a machine or for time: nobody has to do anything
	}
	if r.Outcome == pags.OutcomeBlocked {
		return "blocked"
	}
	return "failed"
}
