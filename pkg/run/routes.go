package run

import (
	"context"
	"net/http"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Routes are those of the family /v1/runs.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "lists only the caller's own runs"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/runs", ID: "listRuns", Summary: "Runs of yours, newest first", Tag: "runs", Exempt: own}, s.listRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/runs/{id}", ID: "getRun", Summary: "One run", Tag: "runs"}, s.getRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/runs/{id}/events", ID: "listRunEvents", Summary: "A run's timeline after an event number", Tag: "runs"}, s.eventsRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/runs/{id}/cancel", ID: "cancelRun", Summary: "Ask a run to end", Tag: "runs", Status: http.StatusAccepted}, s.cancelRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/runs/{id}/pictures/{name}", ID: "getRunPicture", Summary: "Where to fetch a step's picture", Tag: "runs"}, s.pictureRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/runs/{id}/export", ID: "exportRun", Summary: "Everything about a run", Tag: "runs"}, s.exportRoute)
}

// InstanceRoutes are those that live below /v1/instances.
func InstanceRoutes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/instances/{id}/browse", ID: "startBrowse", Summary: "Start a browser task", Tag: "runs", Status: http.StatusAccepted}, s.browseRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/instances/{id}/tasks", ID: "listTasks", Summary: "Runs of an instance in their older form", Tag: "tasks"}, s.tasksRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/instances/{id}/tasks/{task}", ID: "getTask", Summary: "One run in its older form", Tag: "tasks"}, s.taskRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/instances/{id}/tasks/{task}/cancel", ID: "cancelTask", Summary: "Ask a run to end", Tag: "tasks"}, s.cancelTaskRoute)
}

type (
	runPath struct {
		ID pags.RunID `path:"id" maxLength:"40"`
	}
	runOutput struct{ Body pags.Run }
	listInput struct {
		httpapi.Paging
		Kind       pags.RunKind    `query:"kind" enum:"browse,code"`
		Status     pags.RunStatus  `query:"status" enum:"queued,running,waiting,completed,failed,cancelled"`
		InstanceID pags.InstanceID `query:"instanceId" maxLength:"40"`
	}
	listOutput  struct{ Body httpapi.Page[pags.Run] }
	eventsInput struct {
		ID    pags.RunID `path:"id" maxLength:"40"`
		After int64      `query:"after" minimum:"0" doc:"number of the last event that you have"`
		Limit int        `query:"limit" minimum:"1" maximum:"500" default:"100"`
	}
	eventsBody struct {
		Items     []pags.Event   `json:"items" doc:"in order, without gaps"`
		LastEvent int64          `json:"lastEvent" doc:"number of the run's newest event"`
		Status    pags.RunStatus `json:"status"`
	}
	eventsOutput struct{ Body eventsBody }
	pictureInput struct {
		ID   pags.RunID `path:"id" maxLength:"40"`
		Name string     `path:"name" maxLength:"40" doc:"the step's number, such as 3.jpg"`
	}
	pictureBody struct {
		URL       string    `json:"url"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	pictureOutput struct{ Body pictureBody }
	exportOutput  struct{ Body Export }
	browseBody    struct {
		URL       string   `json:"url,omitempty" maxLength:"2000" doc:"where to begin; url of the instance's settings if left out"`
		Objective string   `json:"objective,omitempty" maxLength:"8000" doc:"what is to be reached; the agent's goal if left out"`
		DryRun    bool     `json:"dryRun,omitempty" doc:"everything but the final step"`
		Approve   string   `json:"approve,omitempty" enum:"commit,never" doc:"never: do final steps without asking; only from your own session"`
		MaxSteps  int      `json:"maxSteps,omitempty" minimum:"1" maximum:"60" doc:"the instance's maxSteps if left out, or 40"`
		Files     []Upload `json:"files,omitempty" maxItems:"5" doc:"what the agent may upload"`
	}
	browseInput struct {
		ID        pags.InstanceID `path:"id" maxLength:"40"`
		MessageID string          `header:"Idempotency-Key" maxLength:"1000" doc:"one key starts one run; any text"`
		Body      browseBody
	}
	tasksInput struct {
		ID pags.InstanceID `path:"id" maxLength:"40"`
		httpapi.Paging
	}
	tasksBody struct {
		Tasks      []Task `json:"tasks"`
		NextCursor string `json:"nextCursor,omitempty"`
	}
	tasksOutput struct{ Body tasksBody }
	taskPath    struct {
		ID   pags.InstanceID `path:"id" maxLength:"40"`
		Task pags.RunID      `path:"task" maxLength:"40"`
	}
	taskOutput struct{ Body Task }
)

func (s *Service) listRoute(ctx context.Context, in *listInput) (*listOutput, error) {
	page, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, Filter{Kind: in.Kind, Status: in.Status, InstanceID: in.InstanceID, Cursor: in.Cursor, Limit: in.Limit})
	return &listOutput{page}, err
}

func (s *Service) getRoute(ctx context.Context, in *runPath) (*runOutput, error) {
	run, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &runOutput{run}, err
}

func (s *Service) eventsRoute(ctx context.Context, in *eventsInput) (*eventsOutput, error) {
	run, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := s.Events(ctx, in.ID, in.After, in.Limit)
	return &eventsOutput{eventsBody{Items: events, LastEvent: run.LastEvent, Status: run.Status}}, err
}

func (s *Service) cancelRoute(ctx context.Context, in *runPath) (*runOutput, error) {
	run, err := s.Cancel(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &runOutput{run}, err
}

func (s *Service) pictureRoute(ctx context.Context, in *pictureInput) (*pictureOutput, error) {
	signed, err := s.Picture(ctx, httpapi.CallerFrom(ctx).UserID, in.ID, in.Name)
	return &pictureOutput{pictureBody{URL: signed.URL, ExpiresAt: signed.ExpiresAt}}, err
}

func (s *Service) exportRoute(ctx context.Context, in *runPath) (*exportOutput, error) {
	out, err := s.Export(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &exportOutput{out}, err
}

func (s *Service) browseRoute(ctx context.Context, in *browseInput) (*runOutput, error) {
	b := in.Body
	run, err := s.Start(ctx, httpapi.CallerFrom(ctx), in.ID, Request{URL: b.URL, Objective: b.Objective, DryRun: b.DryRun, Approve: b.Approve,
		MaxSteps: b.MaxSteps, Files: b.Files, MessageID: in.MessageID})
	return &runOutput{run}, err
}

func (s *Service) tasksRoute(ctx context.Context, in *tasksInput) (*tasksOutput, error) {
	uid := httpapi.CallerFrom(ctx).UserID
	if _, err := s.Instances.Owned(ctx, uid, in.ID); err != nil {
		return nil, err
	}
	page, err := s.List(ctx, uid, Filter{InstanceID: in.ID, Cursor: in.Cursor, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	body := tasksBody{NextCursor: page.NextCursor}
	for _, r := range page.Items {
		body.Tasks = append(body.Tasks, taskOf(r))
	}
	return &tasksOutput{body}, nil
}

// ofInstance reads a run of the user that belongs to the instance.
func (s *Service) ofInstance(ctx context.Context, in *taskPath) (pags.Run, error) {
	run, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.Task)
	if err == nil && run.InstanceID != in.ID {
		err = pags.Errorf(pags.NotFound, "instance %s has no task %s", in.ID, in.Task)
	}
	return run, err
}

func (s *Service) taskRoute(ctx context.Context, in *taskPath) (*taskOutput, error) {
	run, err := s.ofInstance(ctx, in)
	return &taskOutput{taskOf(run)}, err
}

func (s *Service) cancelTaskRoute(ctx context.Context, in *taskPath) (*taskOutput, error) {
	if _, err := s.ofInstance(ctx, in); err != nil {
		return nil, err
	}
	run, err := s.Cancel(ctx, httpapi.CallerFrom(ctx).UserID, in.Task)
	return &taskOutput{taskOf(run)}, err
}
