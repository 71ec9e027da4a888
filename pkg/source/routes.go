package source

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// Routes are those of the family /v1/sources. What changes a source is for a person's own session, but for a refresh: what it
// brings is held until a person accepts it.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "works only on the caller's own sources"}
	route := func(method, path, id, summary string) httpapi.Route {
		return httpapi.Route{Method: method, Path: path, ID: id, Tag: "sources", Summary: summary}
	}
	person := func(r httpapi.Route) httpapi.Route { r.Person = true; return r }
	caller := func(r httpapi.Route) httpapi.Route { r.Exempt = own; return r }
	created := func(r httpapi.Route) httpapi.Route { r.Status = http.StatusCreated; return r }
	httpapi.Handle(api, caller(route("POST", "/v1/sources/discover", "discoverSource", "Find the description of an API from any of its addresses")), s.discoverRoute)
	httpapi.Handle(api, caller(route("POST", "/v1/sources/preview", "previewSource", "What adding a source would give; nothing is stored")), s.previewRoute)
	httpapi.Handle(api, created(person(caller(route("POST", "/v1/sources", "addSource", "Add an API by its address or its description")))), s.addRoute)
	httpapi.Handle(api, caller(route("GET", "/v1/sources", "listSources", "Your sources")), s.listRoute)
	httpapi.Handle(api, route("GET", "/v1/sources/{slug}", "getSource", "One source"), s.getRoute)
	httpapi.Handle(api, person(route("PATCH", "/v1/sources/{slug}", "changeSource", "Rename, switch on or off, or give a base URL")), s.changeRoute)
	remove := person(route("DELETE", "/v1/sources/{slug}", "removeSource", "Remove a source with its connections and their values"))
	remove.Status = http.StatusNoContent
	httpapi.Handle(api, remove, s.removeRoute)
	httpapi.Handle(api, route("POST", "/v1/sources/{slug}/refresh", "refreshSource", "Read the description again; what is new or changed is held until it is accepted"), s.refreshRoute)
	httpapi.Handle(api, route("GET", "/v1/sources/{slug}/drift", "listDrift", "How tools differ from what was accepted"), s.driftRoute)
	httpapi.Handle(api, person(route("POST", "/v1/sources/{slug}/accept", "acceptSource", "Accept the definitions as they are now, all or the named ones")), s.acceptRoute)
}

type (
	// Given is a description by its address or as text, and how to take it.
	Given struct {
		URL      string `json:"url,omitempty" maxLength:"2000" doc:"of the description, or any address of the API"`
		Document string `json:"document,omitempty" maxLength:"4194304" doc:"the description itself, JSON or YAML; larger ones by url"`
		BaseURL  string `json:"baseUrl,omitempty" maxLength:"500" doc:"called instead of the addresses of the description"`
	}
	// SourcePath names a source in the path.
	SourcePath struct {
		Slug string `path:"slug" maxLength:"40"`
	}
	sourceOutput  struct{ Body Source }
	sourcesOutput struct{ Body httpapi.Page[Source] }
	discoverInput struct {
		Body struct {
			URL     string            `json:"url" minLength:"1" maxLength:"2000"`
			Headers map[string]string `json:"headers,omitempty" maxProperties:"10" doc:"sent to that origin only and never stored, for a description that is not public"`
		}
	}
	discoverOutput struct{ Body httpapi.Page[Found] }
	previewInput   struct{ Body Given }
	previewOutput  struct{ Body Preview }
	addInput       struct {
		httpapi.Keyed
		Body struct {
			Given
			Name string `json:"name,omitempty" maxLength:"120" doc:"the title of the description if left out"`
			Slug string `json:"slug,omitempty" maxLength:"40" pattern:"^[a-z][a-z0-9_]*$" doc:"made from the title if left out"`
		}
	}
	changeInput struct {
		SourcePath
		Body Change
	}
	refreshInput struct {
		SourcePath
		Body *struct {
			Document string `json:"document,omitempty" maxLength:"4194304" doc:"the new description, where the source was pasted"`
		}
	}
	refreshOutput struct{ Body Refreshed }
	driftInput    struct {
		SourcePath
		httpapi.Paging
	}
	driftOutput struct{ Body httpapi.Page[Drift] }
	acceptInput struct {
		SourcePath
		Body *struct {
			Tools    []string `json:"tools,omitempty" maxItems:"5000" doc:"paths as in drift; all if left out"`
			Revision int      `json:"revision,omitempty" minimum:"1" doc:"the source's revision that you looked at; if there is a newer one nothing is accepted"`
		}
	}
)

func (s *Service) discoverRoute(ctx context.Context, in *discoverInput) (*discoverOutput, error) {
	items, err := s.Discover(ctx, in.Body.URL, in.Body.Headers)
	return &discoverOutput{httpapi.Page[Found]{Items: items}}, err
}

func (s *Service) previewRoute(ctx context.Context, in *previewInput) (*previewOutput, error) {
	p, err := s.Preview(ctx, in.Body)
	return &previewOutput{p}, err
}

func (s *Service) addRoute(ctx context.Context, in *addInput) (*sourceOutput, error) {
	made, err := s.Add(ctx, httpapi.CallerFrom(ctx).UserID, in.Body.Given, in.Body.Name, in.Body.Slug, in.IdempotencyKey)
	return &sourceOutput{made}, err
}

func (s *Service) listRoute(ctx context.Context, in *httpapi.Paging) (*sourcesOutput, error) {
	page, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, in.Limit, in.Cursor)
	return &sourcesOutput{page}, err
}

func (s *Service) getRoute(ctx context.Context, in *SourcePath) (*sourceOutput, error) {
	got, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.Slug)
	return &sourceOutput{got}, err
}

func (s *Service) changeRoute(ctx context.Context, in *changeInput) (*sourceOutput, error) {
	got, err := s.Change(ctx, httpapi.CallerFrom(ctx).UserID, in.Slug, in.Body)
	return &sourceOutput{got}, err
}

func (s *Service) removeRoute(ctx context.Context, in *SourcePath) (*struct{}, error) {
	return nil, s.Remove(ctx, httpapi.CallerFrom(ctx).UserID, in.Slug)
}

func (s *Service) refreshRoute(ctx context.Context, in *refreshInput) (*refreshOutput, error) {
	document := ""
	if in.Body != nil {
		document = in.Body.Document
	}
	out, err := s.Refresh(ctx, httpapi.CallerFrom(ctx).UserID, in.Slug, document)
	return &refreshOutput{out}, err
}

func (s *Service) driftRoute(ctx context.Context, in *driftInput) (*driftOutput, error) {
	page, err := s.Drift(ctx, httpapi.CallerFrom(ctx).UserID, in.Slug, in.Limit, in.Cursor)
	return &driftOutput{page}, err
}

func (s *Service) acceptRoute(ctx context.Context, in *acceptInput) (*sourceOutput, error) {
	var tools []string
	revision := 0
	if in.Body != nil {
		tools, revision = in.Body.Tools, in.Body.Revision
	}
	got, err := s.Accept(ctx, httpapi.CallerFrom(ctx).UserID, in.Slug, tools, revision)
	return &sourceOutput{got}, err
}
