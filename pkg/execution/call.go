package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// CallRequest asks for one call of one tool.
type CallRequest struct {
	Path        string
	Args        json.RawMessage
	Via         string
	AutoApprove bool
	Key         string
	Wait        int
}

// directLimit is how long a read may take while its caller waits; a function that serves requests lives 29 s.
const directLimit = maxWait * time.Second

// CallTool calls one tool. What only reads and needs nobody is answered at once, if it is quick. Everything else becomes a program of one line, and
// so a run that survives what happens to us, waits for people, and is continued like any other.
func (s *Service) CallTool(ctx context.Context, caller httpapi.Caller, req CallRequest) (Execution, error) {
	if req.AutoApprove && !caller.Person {
		return Execution{}, pags.Errorf(pags.Forbidden, "only your own session may waive approvals; leave autoApprove out and answer what it asks")
	}
	if len(req.Args) == 0 {
		req.Args = json.RawMessage("{}")
	}
	if req.Via == "" {
		req.Via = "http"
	}
	j, err := s.tools.Judge(ctx, Call{User: caller.UserID, Via: req.Via, Path: req.Path, Args: req.Args, AutoApprove: req.AutoApprove})
	if err != nil {
		return Execution{}, err
	}
	if j.Result != nil || j.Ask == nil && j.ReadOnly {
		r, err := s.atOnce(ctx, j)
		if err != nil {
			return Execution{}, err
		}
		if r != nil {
			return Execution{Status: "completed", Title: j.Address, Tool: j.Address, Via: req.Via, Result: encode(*r)}, nil
		}
	}
	path, err := json.Marshal(j.Address)
	if err != nil {
		return Execution{}, fmt.Errorf("write a program that calls %s: %w", j.Address, err)
	}
	args, err := literal(req.Args)
	if err != nil {
		return Execution{}, pags.Wrap(err, pags.Unprocessable, "args is not one JSON value")
	}
	code := fmt.Sprintf("// Calls %s once.\nreturn await tools[%s](%s);\n", j.Address, path, args)
	if len(code) > maxCode {
		return Execution{}, pags.Errorf(pags.TooLarge, "the arguments have %d bytes of JSON; what may change something is called with at most %d at once, or from a program that makes them", len(args), maxCode-1000)
	}
	return s.Start(ctx, caller, Request{
		Code:  code,
		Title: clip("Call "+j.Address, maxTitle), Via: req.Via, Tool: j.Address, AutoApprove: req.AutoApprove, Key: req.Key, Wait: req.Wait,
	})
}

// atOnce makes a call that may be made again; nil says that it takes longer than a caller should wait.
func (s *Service) atOnce(ctx context.Context, j Judgement) (*catalog.Result, error) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	type end struct {
		r   catalog.Result
		err error
	}
	done := make(chan end, 1)
	go func() {
		r, err := s.tools.Send(within, j, nil)
		done <- end{r, err}
	}()
	select {
	case e := <-done:
		return &e.r, e.err
	case <-s.Clock.After(directLimit):
		stop()
		<-done
		return nil, ctx.Err()
	}
}
