package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// DispatchInput asks a dispatcher elsewhere about one call of a run.
type DispatchInput struct {
	Op     string        `json:"op"` // admit, send
	RunID  pags.RunID    `json:"runId"`
	Call   codemode.Call `json:"call"`
	Rounds int           `json:"rounds"` // how often the call has left so far
}

// DispatchOutput is what it says. Failed is its own trouble, in words that a program may see.
type DispatchOutput struct {
	Admission *codemode.Admission `json:"admission,omitempty"`
	Answer    *codemode.Answer    `json:"answer,omitempty"`
	Failed    string              `json:"failed,omitempty"`
}

// remote asks a function that can reach what programs must not: connections, policies, the internet.
type remote struct {
	s   *Service
	run pags.RunID
	j   *journal
}

// maxAnswer is what an answer of a dispatcher elsewhere may have: Lambda carries 6 MB, and the rest is for what is around it.
const maxAnswer = 6<<20 - 64<<10

// Failures of calls that did not get through: codeTooLarge of arguments or an answer that do not fit between the functions, codeBusy
// of a call that was refused before anything ran.
const (
	codeTooLarge = "too_large"
	codeBusy     = "dispatcher_busy"
)

func (r remote) Admit(ctx context.Context, c codemode.Call) (codemode.Admission, error) {
	out, err := r.ask(ctx, "admit", c)
	if pags.Is(err, pags.TooLarge) { // it never left
		return *answered(catalog.Failed(&catalog.Failure{Code: codeTooLarge, Message: "the arguments are too large to be sent on: the most is 6 MB"})), nil
	}
	if err == nil && out.Admission == nil {
		err = pags.Errorf(pags.Internal, "the dispatcher gave no admission")
	}
	if err != nil {
		return codemode.Admission{}, err
	}
	return *out.Admission, nil
}

func (r remote) Send(ctx context.Context, c codemode.Call) (codemode.Answer, error) {
	out, err := r.ask(ctx, "send", c)
	if pags.Is(err, pags.RateLimited) { // the one refusal that surely comes before the call
		return *answered(catalog.Failed(&catalog.Failure{Code: codeBusy, Retryable: true,
			Message: "the call was not sent, since too many are on their way; make it again, or make fewer at once"})).Answer, nil
	}
	if err == nil && out.Answer == nil {
		err = pags.Errorf(pags.Internal, "the dispatcher gave no answer")
	}
	if err != nil {
		return codemode.Answer{}, err
	}
	return *out.Answer, nil
}

func (r remote) ask(ctx context.Context, op string, c codemode.Call) (DispatchOutput, error) {
	out, err := r.s.Dispatch(ctx, DispatchInput{Op: op, RunID: r.run, Call: c, Rounds: r.j.rounds(c.Seq)})
	if err == nil && out.Failed != "" {
		err = pags.Errorf(pags.Unavailable, "%s", out.Failed)
	}
	return out, err
}

// Serve is the other end: one call of a run that is not over, judged or sent. It knows nothing from before, so what is sent is
// judged once more; whatever a person was asked has been answered by then.
func (s *Service) Serve(ctx context.Context, in DispatchInput) (DispatchOutput, error) {
	run, err := s.runs.Load(ctx, in.RunID)
	if err == nil && (run.Status.Over() || run.Kind != pags.KindCode) {
		err = pags.Errorf(pags.Conflict, "run %s calls nothing", in.RunID)
	}
	if err != nil {
		return DispatchOutput{}, err
	}
	d := s.local(run, at{s}, func(int) int { return in.Rounds })
	in.Call.Run = run.ID
	admission, err := d.Admit(ctx, in.Call)
	if err != nil || in.Op == "admit" {
		return DispatchOutput{Admission: &admission}, s.trouble(ctx, err)
	}
	if admission.Answer != nil {
		return DispatchOutput{Answer: admission.Answer}, nil
	}
	if admission.Pause != nil {
		return DispatchOutput{Answer: &codemode.Answer{Pause: admission.Pause}}, nil
	}
	answer, err := d.Send(ctx, in.Call)
	var known *pags.Error
	if errors.As(err, &known) {
		return DispatchOutput{Failed: known.Message}, nil
	}
	return fitted(DispatchOutput{Answer: &answer}), s.trouble(ctx, err)
}

// fitted puts a failure in the place of an answer that could not be carried back: a call that was made must not end as one of
// which nobody knows.
func fitted(out DispatchOutput) DispatchOutput {
	raw, err := json.Marshal(out)
	if err == nil && len(raw) <= maxAnswer {
		return out
	}
	return DispatchOutput{Answer: &codemode.Answer{Value: encode(catalog.Failed(&catalog.Failure{Code: codeTooLarge,
		Message: fmt.Sprintf("the call was made, and its answer of %.1f MB is more than a program can be given here, which is 6 MB; ask for less at once", float64(len(raw))/(1<<20))}))}}
}

func (s *Service) trouble(ctx context.Context, err error) error {
	if err != nil {
		s.Log.ErrorContext(ctx, "a call could not be dispatched", "error", err.Error())
	}
	return err
}

// at writes audit rows at once.
type at struct{ s *Service }

func (a at) Intent(ctx context.Context, w port.Write) error  { return a.s.Table.Write(ctx, w) }
func (a at) Outcome(ctx context.Context, w port.Write) error { return a.s.Table.Write(ctx, w) }
