package tool

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Routes are those of the family /v1/tools that find tools. Calling one is the business of runs.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "shows only the caller's own tools"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/tools", ID: "listTools", Tag: "tools", Scope: httpapi.ScopeTools, Summary: "Find tools by words, or list them by address", Exempt: own}, s.listRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/tools/namespaces", ID: "listNamespaces", Tag: "tools", Scope: httpapi.ScopeTools, Summary: "Connections and how many tools each has", Exempt: own}, s.placesRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/tools/describe", ID: "describeTool", Tag: "tools", Scope: httpapi.ScopeTools, Summary: "What one tool takes and gives", Exempt: own}, s.describeRoute)
}

// Shown is how a person asks for what their policies hide.
type Shown struct {
	IncludeBlocked bool `query:"includeBlocked" doc:"also tools that a policy blocks; only for your own session"`
}

func (q Shown) check(ctx context.Context) error {
	if q.IncludeBlocked && !httpapi.CallerFrom(ctx).Person {
		return pags.Errorf(pags.Forbidden, "blocked tools are shown to a person only; leave includeBlocked out")
	}
	return nil
}

type (
	listInput struct {
		Shown
		Query     string `query:"query" maxLength:"1000" doc:"what the tool should do"`
		Namespace string `query:"namespace" maxLength:"200" doc:"only addresses that begin so; alone it lists all of them"`
		Limit     int    `query:"limit" minimum:"0" maximum:"200" doc:"0: 12 for a search, 50 for a list"`
		Offset    int    `query:"offset" minimum:"0" maximum:"1000000"`
	}
	listOutput  struct{ Body Listing }
	placesInput struct {
		Shown
		httpapi.Paging
	}
	placesOutput  struct{ Body httpapi.Page[catalog.Place] }
	describeInput struct {
		Shown
		Path    string `query:"path" required:"true" minLength:"1" maxLength:"400" doc:"address of the tool, also without its connection where there is one"`
		Schemas bool   `query:"includeSchemas" default:"true" doc:"with the JSON Schemas"`
	}
	describeOutput struct{ Body Described }
)

func (s *Service) listRoute(ctx context.Context, in *listInput) (*listOutput, error) {
	if err := in.check(ctx); err != nil {
		return nil, err
	}
	a := Ask{Query: in.Query, Namespace: in.Namespace, All: true, Limit: in.Limit, Offset: in.Offset, Blocked: in.IncludeBlocked}
	if a.Limit == 0 {
		if a.Limit = 50; strings.TrimSpace(a.Query) != "" {
			a.Limit = 12
		}
	}
	found, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, a)
	return &listOutput{found}, err
}

// placesRoute pages by the last namespace that was given.
func (s *Service) placesRoute(ctx context.Context, in *placesInput) (*placesOutput, error) {
	if err := in.check(ctx); err != nil {
		return nil, err
	}
	places, err := s.Places(ctx, httpapi.CallerFrom(ctx).UserID, in.IncludeBlocked)
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		at := slices.IndexFunc(places, func(p catalog.Place) bool { return p.Namespace > in.Cursor })
		if at < 0 {
			at = len(places)
		}
		places = places[at:]
	}
	out := &placesOutput{}
	if len(places) > in.Limit {
		places = places[:in.Limit]
		out.Body.NextCursor = places[in.Limit-1].Namespace
	}
	out.Body.Items = places
	return out, nil
}

func (s *Service) describeRoute(ctx context.Context, in *describeInput) (*describeOutput, error) {
	if err := in.check(ctx); err != nil {
		return nil, err
	}
	d, miss, err := s.Describe(ctx, httpapi.CallerFrom(ctx).UserID, in.Path, in.Schemas, in.IncludeBlocked)
	if err != nil {
		return nil, err
	}
	if miss != nil {
		return nil, pags.Errorf(pags.NotFound, "%s", miss.Message).With(miss.Details)
	}
	return &describeOutput{d}, nil
}
