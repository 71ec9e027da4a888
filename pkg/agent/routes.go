package agent

import (
	"context"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

const tag = "agents"

// Routes registers /v1/agents.
func Routes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/agents", ID: "listAgents", Tag: tag, Public: true, Summary: "Agents one can subscribe to"}, s.list)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/agents/{id}", ID: "getAgent", Tag: tag, Public: true, Summary: "One agent, by id or slug"}, s.show)
}

type listIn struct {
	httpapi.Paging
	Category string `query:"category" maxLength:"40"`
	Text     string `query:"q" maxLength:"200" doc:"words that name, description or category contain"`
	Sort     string `query:"sort" enum:"popular,newest,name" default:"popular"`
}

type listOut struct{ Body httpapi.Page[pags.Agent] }

func (s *Service) list(ctx context.Context, in *listIn) (*listOut, error) {
	page, err := s.List(ctx, Find{Category: in.Category, Text: in.Text, Sort: in.Sort, Limit: in.Limit, Cursor: in.Cursor})
	return &listOut{page}, err
}

type showIn struct {
	ID pags.AgentID `path:"id" maxLength:"60"`
}

type showOut struct{ Body pags.Agent }

func (s *Service) show(ctx context.Context, in *showIn) (*showOut, error) {
	a, err := s.Get(ctx, in.ID)
	return &showOut{a}, err
}
