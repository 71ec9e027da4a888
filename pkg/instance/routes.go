package instance

import (
	"context"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

const tag = "instances"

// Routes registers what belongs to an instance itself under /v1/instances; runs and machines add theirs.
func Routes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/instances/{agentId}/subscribe", ID: "subscribe", Tag: tag, Status: 201, Exempt: map[string]string{"stranger": "names an agent, which everyone may subscribe to"}, Summary: "Make a private copy of an agent"}, s.subscribe)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/instances/my/instances", ID: "listInstances", Tag: tag, Exempt: map[string]string{"stranger": "lists only the caller's own things"}, Summary: "My instances, newest first"}, s.list)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/instances/{id}", ID: "getInstance", Tag: tag, Summary: "One instance"}, s.show)
	httpapi.Handle(api, httpapi.Route{Method: "PUT", Path: "/v1/instances/{id}/name", ID: "renameInstance", Tag: tag, Summary: "Give another name"}, s.rename)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/instances/{id}/config", ID: "getConfig", Tag: tag, Summary: "The configuration"}, s.getConfig)
	httpapi.Handle(api, httpapi.Route{Method: "PATCH", Path: "/v1/instances/{id}/config", ID: "setConfig", Tag: tag, Summary: "Change one key of the configuration; null removes it"}, s.patchConfig)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/instances/{id}/runner-node", ID: "getRunnerNode", Tag: tag, Summary: "The machine it is pinned to"}, s.getNode)
	httpapi.Handle(api, httpapi.Route{Method: "PUT", Path: "/v1/instances/{id}/runner-node", ID: "setRunnerNode", Tag: tag, Summary: "Pin to a machine; null unpins"}, s.putNode)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/instances/{id}/cancel", ID: "cancelInstance", Tag: tag, Summary: "Retire an instance"}, s.cancel)
}

// InstanceView is an instance with what a list shows of its agent.
type InstanceView struct {
	pags.Instance
	InstanceID pags.InstanceID `json:"instanceId" doc:"the same as id"`
	AgentName  string          `json:"agentName"`
	AgentSlug  string          `json:"agentSlug"`
	Icon       string          `json:"icon"`
	Runtime    string          `json:"runtime,omitempty" doc:"what the person's machine must offer"`
	ReadOnly   bool            `json:"readOnly"`
	RunnerNode string          `json:"runnerNode,omitempty"`
}

func (s *Service) view(ctx context.Context, in pags.Instance) InstanceView {
	v := InstanceView{Instance: in, InstanceID: in.ID}
	v.RunnerNode, _ = in.Config[keyRunnerNode].(string)
	if a, err := s.Agents.Get(ctx, in.AgentID); err == nil { // an instance outlives its template
		v.AgentName, v.AgentSlug, v.Icon, v.Runtime, v.ReadOnly = a.Name, a.Slug, a.Icon, a.Capabilities.Runtime, a.ReadOnly
	}
	return v
}

type viewOut struct{ Body InstanceView }

func (s *Service) answer(ctx context.Context, in pags.Instance, err error) (*viewOut, error) {
	if err != nil {
		return nil, err
	}
	return &viewOut{s.view(ctx, in)}, nil
}

type subscribeIn struct {
	httpapi.Keyed
	AgentID pags.AgentID `path:"agentId" maxLength:"60" doc:"id or slug"`
	Body    *struct {
		DisplayName string `json:"displayName,omitempty" maxLength:"60" doc:"the agent's name and a number if left out"`
	}
}

func (s *Service) subscribe(ctx context.Context, in *subscribeIn) (*viewOut, error) {
	name := ""
	if in.Body != nil {
		name = in.Body.DisplayName
	}
	made, err := s.Subscribe(ctx, httpapi.CallerFrom(ctx).UserID, in.AgentID, name, in.IdempotencyKey)
	return s.answer(ctx, made, err)
}

type listIn struct {
	httpapi.Paging
	IncludeCanceled bool `query:"includeCanceled"`
}

type listOut struct{ Body httpapi.Page[InstanceView] }

func (s *Service) list(ctx context.Context, in *listIn) (*listOut, error) {
	page, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, in.IncludeCanceled, in.Limit, in.Cursor)
	if err != nil {
		return nil, err
	}
	out := &listOut{}
	out.Body.NextCursor = page.NextCursor
	for _, in := range page.Items {
		v := s.view(ctx, in)
		v.Config = map[string]any{} // of the configuration a list shows only the pin (spec platform 1.3)
		out.Body.Items = append(out.Body.Items, v)
	}
	return out, nil
}

// OneInstance names an instance in the path.
type OneInstance struct {
	ID pags.InstanceID `path:"id" maxLength:"60"`
}

func (s *Service) show(ctx context.Context, in *OneInstance) (*viewOut, error) {
	got, err := s.Owned(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return s.answer(ctx, got, err)
}

type renameIn struct {
	OneInstance
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"60"`
	}
}

func (s *Service) rename(ctx context.Context, in *renameIn) (*viewOut, error) {
	got, err := s.Rename(ctx, httpapi.CallerFrom(ctx).UserID, in.ID, in.Body.Name)
	return s.answer(ctx, got, err)
}

func (s *Service) cancel(ctx context.Context, in *OneInstance) (*viewOut, error) {
	got, err := s.Cancel(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return s.answer(ctx, got, err)
}

type configOut struct {
	Body struct {
		Config map[string]any `json:"config"`
		Keys   []string       `json:"keys" doc:"what can be set"`
	}
}

func (s *Service) configOf(in pags.Instance, err error) (*configOut, error) {
	if err != nil {
		return nil, err
	}
	out := &configOut{}
	out.Body.Config, out.Body.Keys = in.Config, configNames()
	return out, nil
}

func (s *Service) getConfig(ctx context.Context, in *OneInstance) (*configOut, error) {
	return s.configOf(s.Owned(ctx, httpapi.CallerFrom(ctx).UserID, in.ID))
}

type patchIn struct {
	OneInstance
	Body struct {
		Key   string `json:"key" maxLength:"60" enum:"specialInstructions,settings,runnerNode,allowHosts,maxSteps"`
		Value any    `json:"value,omitempty" doc:"null removes the key"`
	}
}

func (s *Service) patchConfig(ctx context.Context, in *patchIn) (*configOut, error) {
	c := httpapi.CallerFrom(ctx)
	return s.configOf(s.SetConfig(ctx, c.UserID, in.ID, in.Body.Key, in.Body.Value, c.Person))
}

type nodeOut struct {
	Body struct {
		RunnerNode *string `json:"runnerNode" doc:"null: whichever machine is live"`
	}
}

func nodeOf(in pags.Instance, err error) (*nodeOut, error) {
	if err != nil {
		return nil, err
	}
	out := &nodeOut{}
	if pin, ok := in.Config[keyRunnerNode].(string); ok {
		out.Body.RunnerNode = &pin
	}
	return out, nil
}

func (s *Service) getNode(ctx context.Context, in *OneInstance) (*nodeOut, error) {
	return nodeOf(s.Owned(ctx, httpapi.CallerFrom(ctx).UserID, in.ID))
}

type nodeIn struct {
	OneInstance
	Body struct {
		RunnerNode *string `json:"runnerNode" maxLength:"120" nullable:"true" doc:"name or id of a machine; null unpins"`
	}
}

func (s *Service) putNode(ctx context.Context, in *nodeIn) (*nodeOut, error) {
	var value any
	if in.Body.RunnerNode != nil {
		value = *in.Body.RunnerNode
	}
	c := httpapi.CallerFrom(ctx)
	return nodeOf(s.SetConfig(ctx, c.UserID, in.ID, keyRunnerNode, value, c.Person))
}
