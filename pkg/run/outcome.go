package run

import "github.com/proagentstore/pags/pkg/pags"

// StatusOf is the run status of an outcome. The table is total over pags.Outcomes; anything else is failed (spec 5.1).
func StatusOf(o pags.Outcome) pags.RunStatus {
	switch o {
	case pags.OutcomeDone, pags.OutcomeReady:
		return pags.RunCompleted
	case pags.OutcomeCancelled:
		return pags.RunCancelled
	}
	return pags.RunFailed
}

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
