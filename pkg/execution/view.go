package execution

import (
	"context"
	"encoding/json"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/pags"
)

// Execution is a program's run as people and their clients see it.
type Execution struct {
	ID           pags.RunID         `json:"id,omitempty" doc:"of the run; empty for a call that was over at once"`
	Status       string             `json:"status" enum:"pending,running,waiting_for_interaction,completed,failed,cancelled"`
	RunStatus    pags.RunStatus     `json:"runStatus,omitempty" enum:"queued,running,waiting,completed,failed,cancelled"`
	WaitingFor   pags.WaitReason    `json:"waitingFor,omitempty" enum:"approval,value,challenge,stuck,signin,runner,time,unknown"`
	Detail       string             `json:"detail,omitempty" doc:"one sentence on how it ended or what it waits for"`
	Title        string             `json:"title"`
	Tool         string             `json:"tool,omitempty" doc:"the one tool that it calls, if it is only a call"`
	Via          string             `json:"via,omitempty" doc:"where it was started"`
	AutoApprove  bool               `json:"autoApprove,omitempty"`
	Code         string             `json:"code,omitempty" doc:"the program; not in lists"`
	Result       any                `json:"result,omitempty" doc:"what the program gave"`
	Error        *codemode.Failure  `json:"error,omitempty"`
	Logs         []codemode.Line    `json:"logs" doc:"console lines, each once; not in lists"`
	Interactions []pags.Interaction `json:"interactions" doc:"questions that are open; not in lists"`
	Calls        int                `json:"calls" doc:"calls of tools made so far"`
	Resume       string             `json:"resume,omitempty" doc:"the command that continues it"`
	URL          string             `json:"url,omitempty" doc:"its page in the console"`
	CreatedAt    time.Time          `json:"createdAt,omitzero"`
	EndedAt      time.Time          `json:"endedAt,omitzero"`
}

// summary is an execution without what has to be read beside its run.
func (s *Service) summary(r pags.Run) Execution {
	x := Execution{ID: r.ID, Status: Status(r), RunStatus: r.Status, WaitingFor: r.WaitingFor, Detail: r.Detail, Title: r.Title,
		URL: s.PublicURL + "/runs/" + string(r.ID), CreatedAt: r.CreatedAt, EndedAt: r.EndedAt}
	if c := r.Code; c != nil {
		x.Tool, x.Via, x.AutoApprove, x.Calls = c.Tool, c.Via, c.AutoApprove, c.Calls
	}
	if x.Status == waiting {
		x.Resume = "pags resume " + string(r.ID)
	}
	return x
}

// view is an execution with its program, result, console lines and open questions.
func (s *Service) view(ctx context.Context, r pags.Run) (Execution, error) {
	x := s.summary(r)
	var err error
	if x.Code, err = s.program(ctx, r.ID); err != nil {
		return x, err
	}
	if r.Status.Over() {
		return x, s.ending(ctx, r, &x)
	}
	entries, err := s.entries(ctx, r.ID)
	if err != nil {
		return x, err
	}
	x.Logs, x.Calls = codemode.Lines(entries), calls(entries)
	if r.Status != pags.RunWaiting {
		return x, nil
	}
	asked, err := s.asks.OfRun(ctx, r.ID)
	for _, i := range asked {
		if i.Status == pags.InteractionOpen {
			x.Interactions = append(x.Interactions, i)
		}
	}
	return x, err
}

func (s *Service) ending(ctx context.Context, r pags.Run, x *Execution) error {
	end, err := s.result(ctx, r.ID)
	if err != nil {
		return err
	}
	if end == nil { // ended from outside: given up, or cancelled before it began
		x.Error = &codemode.Failure{Kind: codemode.FailCancelled, Message: r.Detail}
		if r.Status == pags.RunFailed {
			x.Error.Kind = "internal"
		}
		return nil
	}
	x.Error, x.Logs, x.Calls = end.Failure, end.Lines, end.Calls
	if len(end.Value) > 0 {
		x.Result = json.RawMessage(end.Value)
	}
	return nil
}
