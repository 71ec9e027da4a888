package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Step is one call of a program, kept for good.
type Step struct {
	Seq           int                `json:"seq" doc:"from 1, in the order in which the program made them"`
	Path          string             `json:"path" doc:"as the program called it"`
	Args          any                `json:"args"`
	Status        string             `json:"status" enum:"pending,waiting,sent,completed,failed,unknown"`
	Result        any                `json:"result,omitempty"`
	Error         *codemode.Thrown   `json:"error,omitempty" doc:"what the call threw"`
	WaitingFor    pags.WaitReason    `json:"waitingFor,omitempty"`
	InteractionID pags.InteractionID `json:"interactionId,omitempty" doc:"the question about it"`
	LogsBefore    []codemode.Line    `json:"logsBefore,omitempty" doc:"console lines between the call before and this one"`
	At            time.Time          `json:"at"`
	EndedAt       time.Time          `json:"endedAt,omitzero"`
}

// Steps lists calls after a number, in their order.
func (s *Service) Steps(ctx context.Context, uid pags.UserID, id pags.RunID, cursor string, limit int) (httpapi.Page[Step], error) {
	var page httpapi.Page[Step]
	after := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 {
			return page, pags.Errorf(pags.Invalid, "cursor is not one of ours; leave it out to begin at the first step")
		}
		after = n
	}
	if _, err := s.owned(ctx, uid, id); err != nil {
		return page, err
	}
	entries, err := s.entries(ctx, id)
	if err != nil {
		return page, err
	}
	steps := fold(entries)
	steps = steps[min(after, len(steps)):]
	if len(steps) > limit {
		steps = steps[:limit]
		page.NextCursor = strconv.Itoa(after + limit)
	}
	asked, err := s.asks.OfRun(ctx, id)
	if err != nil {
		return page, err
	}
	for i := range steps {
		for _, x := range asked {
			if x.Step == steps[i].Seq {
				steps[i].InteractionID = x.ID
			}
		}
	}
	page.Items = steps
	return page, nil
}

// Journal shows every step, for the export of a run.
func (s *Service) Journal(ctx context.Context, id pags.RunID) ([]map[string]any, error) {
	entries, err := s.entries(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	raw, err := json.Marshal(fold(entries))
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("show the journal of %s: %w", id, err)
	}
	return out, nil
}

// fold makes steps of a journal. Calls are numbered as they are journaled, so the n-th step is call n.
func fold(entries []codemode.Entry) []Step {
	var steps []Step
	var lines []codemode.Line
	for _, e := range entries {
		at := time.UnixMilli(e.At).UTC()
		switch e.Kind {
		case codemode.EntryLine:
			lines = append(lines, *e.Line)
			continue
		case codemode.EntryCall:
			steps = append(steps, Step{Seq: e.Seq, Path: e.Path, Args: shown(e.Args), Status: "pending", LogsBefore: lines, At: at})
			lines = nil
			continue
		}
		if e.Seq < 1 || e.Seq > len(steps) {
			continue
		}
		st := &steps[e.Seq-1]
		switch e.Kind {
		case codemode.EntrySent:
			st.Status, st.WaitingFor = "sent", ""
		case codemode.EntryPause:
			st.Status, st.WaitingFor = "waiting", e.Pause.Reason
			if e.Pause.Reason == pags.WaitUnknown {
				st.Status = "unknown"
			}
		case codemode.EntryAnswer:
			st.Status, st.WaitingFor, st.EndedAt, st.Result, st.Error = "completed", "", at, shown(e.Value), e.Thrown
			if e.Thrown != nil || failed(e.Value) {
				st.Status = "failed"
			}
		}
	}
	return steps
}

// shown is JSON as it is; nothing for nothing.
func shown(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// failed reports whether a result says ok: false.
func failed(raw json.RawMessage) bool {
	var r struct {
		OK *bool `json:"ok"`
	}
	return json.Unmarshal(raw, &r) == nil && r.OK != nil && !*r.OK
}

// owned reads a program's run of the user; another's, or another kind's, is pags.NotFound.
func (s *Service) owned(ctx context.Context, uid pags.UserID, id pags.RunID) (pags.Run, error) {
	run, err := s.runs.Get(ctx, uid, id)
	if err == nil && run.Kind != pags.KindCode {
		err = pags.Errorf(pags.NotFound, "there is no execution %s", id)
	}
	return run, err
}
