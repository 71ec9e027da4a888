package execution

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Routes are those of the family /v1/executions.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "works only on the caller's own executions"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/executions", ID: "startExecution", Summary: "Run a program", Tag: "executions", Scope: httpapi.ScopeTools, MaxBody: 1 << 20, Exempt: own}, s.startRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/executions", ID: "listExecutions", Summary: "Programs of yours, newest first", Tag: "executions", Scope: httpapi.ScopeTools, Exempt: own}, s.listRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/executions/{id}", ID: "getExecution", Summary: "One program with its result, console and open questions", Tag: "executions", Scope: httpapi.ScopeTools}, s.getRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/executions/{id}/steps", ID: "listExecutionSteps", Summary: "The calls that a program made", Tag: "executions", Scope: httpapi.ScopeTools}, s.stepsRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/executions/{id}/resume", ID: "resumeExecution", Summary: "Answer what a program asks and go on", Tag: "executions", Person: true, MaxBody: 128 << 10}, s.resumeRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/executions/{id}/cancel", ID: "cancelExecution", Summary: "Ask a program to end", Tag: "executions", Scope: httpapi.ScopeTools, Status: http.StatusAccepted}, s.cancelRoute)
}

// CallRoute is the one of the family /v1/tools that makes calls.
func CallRoute(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "calls only the caller's own tools"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/tools/call", ID: "callTool", Summary: "Call one tool; what needs a person becomes an execution", Tag: "tools", Scope: httpapi.ScopeTools, Exempt: own}, s.callRoute)
}

type (
	idInput struct {
		ID pags.RunID `path:"id" maxLength:"40"`
	}
	output struct{ Body Execution }

	startBody struct {
		Code        string `json:"code" maxLength:"200000" doc:"TypeScript: statements that may use await and return, a function, or a module with a default export"`
		Title       string `json:"title,omitempty" maxLength:"200" doc:"for people; the program's first line if left out"`
		Via         string `json:"via,omitempty" enum:"http,cli,console" doc:"where it comes from"`
		AutoApprove bool   `json:"autoApprove,omitempty" doc:"do what policies would ask about; only from your own session, and never what they block"`
		WaitSeconds *int   `json:"waitSeconds,omitempty" minimum:"0" maximum:"20" doc:"how long the answer may wait for a result or a pause; 20 if left out"`
	}
	startInput struct {
		Key  string `header:"Idempotency-Key" maxLength:"1000" doc:"one key starts one program; any text"`
		Body startBody
	}
	listInput  struct{ httpapi.Paging }
	listOutput struct {
		Body httpapi.Page[Execution]
	}
	stepsInput struct {
		ID pags.RunID `path:"id" maxLength:"40"`
		httpapi.Paging
	}
	stepsOutput struct{ Body httpapi.Page[Step] }
	resumeBody  struct {
		Action        string             `json:"action,omitempty" enum:"accept,decline,retry,cancel" default:"accept"`
		Content       map[string]any     `json:"content,omitempty" doc:"the filled form, where one is asked for"`
		InteractionID pags.InteractionID `json:"interactionId,omitempty" maxLength:"40" doc:"which question; needed where the program asked more than once"`
		Note          string             `json:"note,omitempty" maxLength:"1000"`
		WaitSeconds   *int               `json:"waitSeconds,omitempty" minimum:"0" maximum:"20"`
	}
	resumeInput struct {
		ID   pags.RunID `path:"id" maxLength:"40"`
		Body resumeBody
	}
	callBody struct {
		Path        string          `json:"path" minLength:"1" maxLength:"400" doc:"address of the tool"`
		Args        json.RawMessage `json:"args,omitempty" doc:"an object that fits the tool's input schema"`
		Via         string          `json:"via,omitempty" enum:"http,cli,console"`
		AutoApprove bool            `json:"autoApprove,omitempty" doc:"do what policies would ask about; only from your own session"`
		WaitSeconds *int            `json:"waitSeconds,omitempty" minimum:"0" maximum:"20"`
	}
	callInput struct {
		Key  string `header:"Idempotency-Key" maxLength:"1000" doc:"one key makes one call of what may have an effect; any text"`
		Body callBody
	}
)

func (s *Service) startRoute(ctx context.Context, in *startInput) (*output, error) {
	b := in.Body
	x, err := s.Start(ctx, httpapi.CallerFrom(ctx), Request{Code: b.Code, Title: b.Title, Via: b.Via, AutoApprove: b.AutoApprove, Key: in.Key, Wait: wait(b.WaitSeconds)})
	return &output{x}, err
}

func (s *Service) listRoute(ctx context.Context, in *listInput) (*listOutput, error) {
	runs, err := s.runs.Programs(ctx, httpapi.CallerFrom(ctx).UserID, in.Cursor, in.Limit)
	page := httpapi.Page[Execution]{NextCursor: runs.NextCursor}
	for _, r := range runs.Items {
		page.Items = append(page.Items, s.summary(r))
	}
	return &listOutput{page}, err
}

// Get reads an execution of the user; another's is pags.NotFound.
func (s *Service) Get(ctx context.Context, uid pags.UserID, id pags.RunID) (Execution, error) {
	run, err := s.owned(ctx, uid, id)
	if err != nil {
		return Execution{}, err
	}
	return s.view(ctx, run)
}

func (s *Service) getRoute(ctx context.Context, in *idInput) (*output, error) {
	x, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &output{x}, err
}

func (s *Service) stepsRoute(ctx context.Context, in *stepsInput) (*stepsOutput, error) {
	page, err := s.Steps(ctx, httpapi.CallerFrom(ctx).UserID, in.ID, in.Cursor, in.Limit)
	return &stepsOutput{page}, err
}

func (s *Service) resumeRoute(ctx context.Context, in *resumeInput) (*output, error) {
	b := in.Body
	x, err := s.Resume(ctx, httpapi.CallerFrom(ctx), in.ID, Answer{Action: b.Action, Content: b.Content, Interaction: b.InteractionID, Note: b.Note, Wait: wait(b.WaitSeconds)})
	return &output{x}, err
}

func (s *Service) cancelRoute(ctx context.Context, in *idInput) (*output, error) {
	x, err := s.Resume(ctx, httpapi.CallerFrom(ctx), in.ID, Answer{Action: "cancel"})
	return &output{x}, err
}

func (s *Service) callRoute(ctx context.Context, in *callInput) (*output, error) {
	b := in.Body
	x, err := s.CallTool(ctx, httpapi.CallerFrom(ctx), CallRequest{Path: b.Path, Args: b.Args, Via: b.Via, AutoApprove: b.AutoApprove, Key: in.Key, Wait: wait(b.WaitSeconds)})
	return &output{x}, err
}

// wait is how long a caller wants to wait: as long as it may, unless it says otherwise. Zero is an answer of its own.
func wait(seconds *int) int {
	if seconds == nil {
		return maxWait
	}
	return *seconds
}
