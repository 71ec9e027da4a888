package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
)

// codeOutdated is the failure of a call whose definition or arguments are not those that were approved.
const codeOutdated = "approval_outdated"

// codeWithdrawn is what a call throws whose question was closed without an answer.
const codeWithdrawn = "withdrawn"

// How a call may end without being sent, in the words of audit rows.
const (
	endOK       = "ok"
	endFailed   = "failed"
	endDeclined = "declined"
	endUnknown  = "unknown"
)

// dispatcher is codemode's way to the dispatch path, for one slice.
type dispatcher struct {
	s     *Service
	run   pags.Run
	trail Trail
	// rounds is how often a call has left so far.
	rounds func(seq int) int

	mu     sync.Mutex
	judged map[int]Judgement // of calls that may go
}

func (s *Service) dispatcher(run pags.Run, j *journal) codemode.Dispatcher {
	if s.Dispatch != nil {
		return remote{s, run.ID, j}
	}
	return s.local(run, j, j.rounds)
}

func (s *Service) local(run pags.Run, trail Trail, rounds func(int) int) *dispatcher {
	return &dispatcher{s: s, run: run, trail: trail, rounds: rounds, judged: map[int]Judgement{}}
}

// call puts a program's call into the words of the dispatch path.
func (s *Service) call(run pags.Run, c codemode.Call) Call {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	via := "code"
	if run.Code.Tool != "" {
		via = run.Code.Via
	}
	return Call{User: run.UserID, Via: via, Run: run.ID, Seq: c.Seq, Key: c.Key, Path: c.Path, Args: args, AutoApprove: run.Code.AutoApprove}
}

// Admit implements codemode.Dispatcher.
func (d *dispatcher) Admit(ctx context.Context, c codemode.Call) (codemode.Admission, error) {
	j, err := d.s.tools.Judge(ctx, d.s.call(d.run, c))
	if err != nil {
		return codemode.Admission{}, fmt.Errorf("judge %s: %w", c.Path, err)
	}
	if c.Pause != nil && c.Pause.Reason == pags.WaitUnknown {
		if a, err := d.settled(ctx, c, j); a != nil || err != nil {
			return deref(a), err
		}
	}
	if j.Result == nil && j.Ask != nil {
		if a, err := d.asked(ctx, c, &j); a != nil || err != nil {
			return deref(a), err
		}
	}
	if j.Result != nil { // the path notes it, and then it is an answer
		result, err := d.s.tools.Send(ctx, j, d.trail)
		if err != nil {
			return codemode.Admission{}, err
		}
		return *answered(result), nil
	}
	d.mu.Lock()
	d.judged[c.Seq] = j
	d.mu.Unlock()
	return codemode.Admission{ReadOnly: j.ReadOnly, Keyed: j.Keyed}, nil
}

func deref(a *codemode.Admission) codemode.Admission {
	if a == nil {
		return codemode.Admission{}
	}
	return *a
}

// asked is what a person said before the call: nil lets it go, with their consent.
func (d *dispatcher) asked(ctx context.Context, c codemode.Call, j *Judgement) (*codemode.Admission, error) {
	wait := &codemode.Admission{Pause: &codemode.Pause{Reason: j.Ask.Reason, Detail: j.Ask.Title}}
	if c.Pause != nil && c.Pause.Reason != pags.WaitUnknown { // as it was put when it was first asked
		wait.Pause = c.Pause
	}
	x, err := d.s.asks.Of(ctx, d.run.ID, c.Seq, 0)
	if pags.Is(err, pags.NotFound) {
		return wait, nil
	}
	if err != nil {
		return nil, err
	}
	if x.Answer == nil || x.Status != pags.InteractionAnswered {
		if x.Status == pags.InteractionExpired {
			return thrown("ExpiredError", "expired", "expired: nobody answered in time, so "+c.Path+" was not done"), d.s.tools.Ended(ctx, *j, endDeclined, d.trail)
		}
		if gone, err := d.withdrawn(ctx, x); err != nil {
			return nil, err
		} else if gone {
			return thrown("WithdrawnError", codeWithdrawn, "the question about "+c.Path+" was withdrawn before anybody answered it, so it was not done"), d.s.tools.Ended(ctx, *j, endDeclined, d.trail)
		}
		return wait, nil
	}
	switch x.Answer.Kind {
	case pags.AnswerForm:
		content := x.Answer.Content
		if content == nil {
			content = map[string]any{}
		}
		return answered(catalog.Result{OK: true, Data: content}), d.s.tools.Ended(ctx, *j, endOK, d.trail)
	case pags.AnswerAccept:
		if x.Request["digest"] != j.Digest {
			return answered(catalog.Failed(&catalog.Failure{Code: codeOutdated,
				Message: "the tool's definition or the call changed after it was approved, so it was not done; run the program again to be asked anew"})), d.s.tools.Ended(ctx, *j, endFailed, d.trail)
		}
		j.Consent = x.ID
		return nil, nil
	}
	declined := codemode.Declined(c.Path)
	if x.Answer.Note != "" {
		declined.Message += " (" + x.Answer.Note + ")"
	}
	return &codemode.Admission{Answer: &codemode.Answer{Thrown: declined}}, d.s.tools.Ended(ctx, *j, endDeclined, d.trail)
}

// settled is what a person said of a call of which nobody knew whether it happened: nil does it again.
func (d *dispatcher) settled(ctx context.Context, c codemode.Call, j Judgement) (*codemode.Admission, error) {
	x, err := d.s.asks.Of(ctx, d.run.ID, c.Seq, d.rounds(c.Seq))
	wait := &codemode.Admission{Pause: c.Pause}
	if pags.Is(err, pags.NotFound) {
		return wait, nil
	}
	if err != nil {
		return nil, err
	}
	gone, err := d.withdrawn(ctx, x)
	switch {
	case err != nil:
		return nil, err
	case x.Status == pags.InteractionExpired, gone:
		return thrown("UnknownOutcomeError", "unknown", "nobody knows whether "+c.Path+" happened, and nobody said so in time; look before you do it again"), d.s.tools.Ended(ctx, j, endUnknown, d.trail)
	case x.Answer == nil:
		return wait, nil
	case x.Answer.Kind == pags.AnswerAccept:
		return answered(catalog.Result{OK: true, Data: map[string]any{"note": "a person looked: it happened; its answer is lost"}}), d.s.tools.Ended(ctx, j, endOK, d.trail)
	case x.Answer.Kind == pags.AnswerRetry:
		return nil, nil
	}
	return thrown("UnknownOutcomeError", "unknown", "nobody knows whether "+c.Path+" happened; a person said to leave it"), d.s.tools.Ended(ctx, j, endUnknown, d.trail)
}

// withdrawn reports whether nobody can answer a question any more although its program goes on. One that is to end is not told
// so: it would go on from there.
func (d *dispatcher) withdrawn(ctx context.Context, x pags.Interaction) (bool, error) {
	if x.Status != pags.InteractionCancelled {
		return false, nil
	}
	run, err := d.s.runs.Load(ctx, d.run.ID)
	return err == nil && !run.CancelAsked && !run.Status.Over(), err
}

func answered(r catalog.Result) *codemode.Admission {
	return &codemode.Admission{Answer: &codemode.Answer{Value: encode(r)}}
}

func thrown(name, code, message string) *codemode.Admission {
	return &codemode.Admission{Answer: &codemode.Answer{Thrown: &codemode.Thrown{Name: name, Code: code, Message: message}}}
}

// Send implements codemode.Dispatcher.
func (d *dispatcher) Send(ctx context.Context, c codemode.Call) (codemode.Answer, error) {
	d.mu.Lock()
	j, known := d.judged[c.Seq]
	delete(d.judged, c.Seq)
	d.mu.Unlock()
	if !known {
		return codemode.Answer{}, pags.Errorf(pags.Internal, "call %d was sent without having been admitted", c.Seq)
	}
	result, err := d.s.tools.Send(ctx, j, d.trail)
	var unknown interface{ UnknownOutcome() string }
	if errors.As(err, &unknown) {
		return codemode.Answer{Unknown: unknown.UnknownOutcome()}, nil
	}
	if err != nil {
		return codemode.Answer{}, err
	}
	crash.Here(crash.ToolAfter)
	return codemode.Answer{Value: encode(result)}, nil
}

// encode is a result as a program gets it.
func encode(r catalog.Result) json.RawMessage {
	raw, err := json.Marshal(r)
	if err != nil { // of a result that came as JSON: only data that cannot be written again
		raw, _ = json.Marshal(catalog.Failed(&catalog.Failure{Code: catalog.CodeUpstreamHTTP, Message: "the answer cannot be written as JSON"}))
	}
	return raw
}
