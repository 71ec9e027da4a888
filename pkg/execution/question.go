package execution

import (
	"context"
	"encoding/json"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
)

// Question drafts what a person is asked about a call: everything but id, status and time of creation. What needs nobody any
// more, and a run that is over or is to end, is pags.Conflict: the program looks again instead.
func (s *Service) Question(ctx context.Context, id pags.RunID, seq, round int) (pags.Interaction, error) {
	run, err := s.runs.Load(ctx, id)
	if err != nil {
		return pags.Interaction{}, err
	}
	if run.Status.Over() || run.CancelAsked {
		return pags.Interaction{}, pags.Errorf(pags.Conflict, "run %s is over or is to end", id)
	}
	entries, err := s.entries(ctx, id)
	if err != nil {
		return pags.Interaction{}, err
	}
	c, pause := callOf(entries, seq)
	if c == nil || pause == nil {
		return pags.Interaction{}, pags.Errorf(pags.Conflict, "call %d of run %s waits for nobody", seq, id)
	}
	x := pags.Interaction{UserID: run.UserID, RunID: id, Step: seq, Reason: pause.Reason, ExpiresAt: earlier(lastPause(entries, seq), s.Clock.Now().UTC()).Add(humanWait)}
	x.Personal = run.Code != nil && run.Code.Personal
	if pause.Reason == pags.WaitUnknown {
		return doubtful(x, c, pause.Detail), nil
	}
	j, err := s.tools.Judge(ctx, s.call(run, *c))
	if err != nil {
		return pags.Interaction{}, err
	}
	if j.Result != nil || j.Ask == nil {
		return pags.Interaction{}, pags.Errorf(pags.Conflict, "call %d of run %s needs nobody any more", seq, id)
	}
	x.Reason, x.Title, x.Detail, x.Request, x.Allowed = j.Ask.Reason, j.Ask.Title, j.Ask.Detail, j.Ask.Request, j.Ask.Allowed
	if x.Request == nil {
		x.Request = map[string]any{}
	}
	x.Request["digest"] = j.Digest
	return x, nil
}

// doubtful asks about a call that may have happened.
func doubtful(x pags.Interaction, c *codemode.Call, why string) pags.Interaction {
	x.Title = "Did " + guard.Visible(c.Path) + " happen?"
	x.Detail = "The call was sent, and nobody knows what became of it: " + why + ". Look at the other side first. " +
		"Accept says that it happened and lets the program go on; retry says that it did not and does it again; decline gives the program an error."
	x.Request = map[string]any{"path": c.Path, "args": shownArgs(c.Args)}
	x.Allowed = []string{pags.AnswerAccept, pags.AnswerRetry, pags.AnswerDecline}
	return x
}

// shownArgs are arguments for a person, bounded as in an approval (spec tool-runtime 1d: 4,000 characters).
func shownArgs(raw json.RawMessage) any {
	if len(raw) > 4000 {
		return clip(string(raw), 4000)
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return v
}

// callOf finds a call and what it waits for, nil if it waits for nothing.
func callOf(entries []codemode.Entry, seq int) (c *codemode.Call, pause *codemode.Pause) {
	for _, e := range entries {
		if e.Seq != seq {
			continue
		}
		switch e.Kind {
		case codemode.EntryCall:
			c = &codemode.Call{Seq: seq, Path: e.Path, Args: e.Args}
		case codemode.EntryPause:
			pause = e.Pause
		case codemode.EntryAnswer, codemode.EntrySent:
			pause = nil
		}
	}
	return c, pause
}
