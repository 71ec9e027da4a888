package wire

import (
	"context"
	"encoding/json"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/run"
	"github.com/proagentstore/pags/pkg/tool"
)

// The joints of programs: runs, questions and the dispatch path in the words of executions.

// programs gives executions the runs.
type programs struct{ *run.Service }

func (p programs) Open(ctx context.Context, d execution.Draft) (pags.Run, error) {
	return p.Service.Open(ctx, run.Draft(d))
}

func (p programs) Programs(ctx context.Context, uid pags.UserID, cursor string, limit int) (httpapi.Page[pags.Run], error) {
	return p.List(ctx, uid, run.Filter{Kind: pags.KindCode, Cursor: cursor, Limit: limit})
}

// asks gives executions the interactions.
type asks struct{ *interaction.Service }

func (a asks) Of(ctx context.Context, id pags.RunID, call, round int) (pags.Interaction, error) {
	return a.OfRef(ctx, id, interaction.Ref{Step: call, Round: round})
}

func (a asks) Answer(ctx context.Context, caller httpapi.Caller, id pags.InteractionID, said pags.Answer) (pags.Interaction, error) {
	return a.Service.Answer(ctx, caller, id, interaction.Said{Kind: said.Kind, Value: said.Value, Content: said.Content, Note: said.Note})
}

// tools gives executions the dispatch path.
type tools struct{ *tool.Service }

func (t tools) Judge(ctx context.Context, c execution.Call) (execution.Judgement, error) {
	j, err := t.Service.Judge(ctx, tool.Call(c))
	out := execution.Judgement{Address: j.Address, Result: j.Result, ReadOnly: j.ReadOnly, Keyed: j.Keyed, Digest: j.Digest, Handle: j}
	if q := j.Ask; q != nil {
		out.Ask = &execution.Question{Reason: q.Reason, Title: q.Title, Detail: q.Detail, Request: q.Request, Allowed: q.Allowed}
	}
	return out, err
}

func (t tools) Send(ctx context.Context, j execution.Judgement, trail execution.Trail) (catalog.Result, error) {
	judged, err := t.judged(j)
	if err == nil && j.Consent != "" {
		judged, err = judged.Granted(string(j.Consent), j.Digest)
	}
	if err != nil {
		return catalog.Result{}, err
	}
	return t.Service.Send(ctx, judged, trail)
}

func (t tools) Ended(ctx context.Context, j execution.Judgement, how string, trail execution.Trail) error {
	judged, err := t.judged(j)
	if err != nil {
		return err
	}
	return t.Service.Ended(ctx, judged, tool.Status(how), trail)
}

func (tools) judged(j execution.Judgement) (tool.Judgement, error) {
	judged, ok := j.Handle.(tool.Judgement)
	if !ok {
		return judged, pags.Errorf(pags.Internal, "a call of %s was not judged here", j.Address)
	}
	return judged, nil
}

// questions asks the room whose run it is.
type questions struct{ house *House }

func (q questions) Question(ctx context.Context, id pags.RunID, ref interaction.Ref) (pags.Interaction, error) {
	kind, err := kindOf(ctx, q.house, id)
	switch {
	case err != nil:
		return pags.Interaction{}, err
	case kind == pags.KindCode:
		return q.house.Executions.Question(ctx, id, ref.Step, ref.Round)
	}
	return q.house.Turns.Question(ctx, id, ref.Step)
}

// journals reads the journal of the room whose run it is.
type journals struct{ house *House }

func (j journals) Steps(ctx context.Context, id pags.RunID) ([]map[string]any, error) {
	kind, err := kindOf(ctx, j.house, id)
	switch {
	case err != nil:
		return nil, err
	case kind == pags.KindCode:
		return j.house.Executions.Journal(ctx, id)
	}
	return j.house.Turns.Steps(ctx, id)
}

func kindOf(ctx context.Context, h *House, id pags.RunID) (pags.RunKind, error) {
	r, err := h.Runs.Load(ctx, id)
	return r.Kind, err
}

// checkForm holds a form to its schema, in sentences.
func checkForm(schema any, content map[string]any) []string {
	raw, err := json.Marshal(schema)
	if err != nil {
		return []string{"the form has no usable schema"}
	}
	var said []string
	for _, p := range catalog.CheckForm(raw, content) {
		said = append(said, p.At+" "+p.Message)
	}
	return said
}
