package run

import (
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// Task is the older view of a run (spec platform 2.20).
type Task struct {
	ID               pags.RunID     `json:"id"`
	Type             string         `json:"type"`
	Status           string         `json:"status" enum:"queued,running,needs_human,needs_approval,blocked,completed,failed,cancelled"`
	Input            map[string]any `json:"input"`
	Output           map[string]any `json:"output,omitempty"`
	Error            string         `json:"error,omitempty"`
	RequiresApproval bool           `json:"requiresApproval"`
	CreatedAt        time.Time      `json:"createdAt"`
	UpdatedAt        time.Time      `json:"updatedAt"`
}

// taskOf shows a run as a task.
func taskOf(r pags.Run) Task {
	t := Task{ID: r.ID, Type: "browser.task", Status: TaskStatus(r), CreatedAt: r.CreatedAt, UpdatedAt: r.LastAliveAt, RequiresApproval: r.WaitingFor == pags.WaitApproval}
	if b := r.Browse; b != nil {
		t.Input = map[string]any{"url": b.URL, "objective": b.Objective, "dryRun": b.DryRun}
	}
	if r.Status.Over() {
		t.Output = map[string]any{"outcome": string(r.Outcome), "detail": r.Detail}
	}
	if r.Status == pags.RunFailed {
		t.Error = r.Detail
	}
	return t
}
