package policy

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

// Routes are those of the family /v1/policies. Only a person's own session changes policies: nothing that a policy binds may
// loosen it. Only a person checks patterns, since a check names tools that are blocked too.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "works only on the caller's own policies"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/policies", ID: "listPolicies", Tag: "policies", Summary: "Your policies, oldest first", Exempt: own}, s.listRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/policies", ID: "createPolicy", Tag: "policies", Summary: "Lay down which calls go, are asked about, or never go", Status: http.StatusCreated, Person: true, MaxBody: 16 << 10, Exempt: own}, s.createRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/policies/check", ID: "checkPolicy", Tag: "policies", Summary: "What a pattern would be about", Person: true, MaxBody: 16 << 10, Exempt: own}, s.checkRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/policies/{id}", ID: "getPolicy", Tag: "policies", Summary: "One policy"}, s.showRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPatch, Path: "/v1/policies/{id}", ID: "changePolicy", Tag: "policies", Summary: "Change a policy", Person: true, MaxBody: 16 << 10}, s.changeRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodDelete, Path: "/v1/policies/{id}", ID: "removePolicy", Tag: "policies", Summary: "Remove a policy", Person: true, Status: http.StatusNoContent}, s.removeRoute)
}

type (
	// PolicyPath names a policy in the path.
	PolicyPath struct {
		ID pags.PolicyID `path:"id" maxLength:"60"`
	}
	policyOutput struct{ Body Policy }
	listOutput   struct{ Body httpapi.Page[Policy] }
	createInput  struct {
		httpapi.Keyed
		Body struct {
			Pattern string      `json:"pattern" minLength:"1" maxLength:"400" doc:"such as github.main.issues.*"`
			Action  rule.Action `json:"action" enum:"approve,require_approval,block"`
			Note    string      `json:"note,omitempty" maxLength:"200"`
		}
	}
	checkInput struct {
		Body struct {
			Pattern string `json:"pattern" minLength:"1" maxLength:"400"`
		}
	}
	checkOutput struct{ Body Reach }
	changeInput struct {
		PolicyPath
		Body struct {
			Pattern *string      `json:"pattern,omitempty" minLength:"1" maxLength:"400"`
			Action  *rule.Action `json:"action,omitempty" enum:"approve,require_approval,block"`
			Enabled *bool        `json:"enabled,omitempty"`
			Note    *string      `json:"note,omitempty" maxLength:"200"`
		}
	}
)

func (s *Service) listRoute(ctx context.Context, in *httpapi.Paging) (*listOutput, error) {
	page, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, in.Limit, in.Cursor)
	return &listOutput{page}, err
}

func (s *Service) createRoute(ctx context.Context, in *createInput) (*policyOutput, error) {
	p, err := s.Create(ctx, httpapi.CallerFrom(ctx).UserID, in.Body.Pattern, in.Body.Action, in.Body.Note, in.IdempotencyKey)
	return &policyOutput{p}, err
}

func (s *Service) checkRoute(ctx context.Context, in *checkInput) (*checkOutput, error) {
	c, err := s.Check(ctx, httpapi.CallerFrom(ctx).UserID, in.Body.Pattern)
	return &checkOutput{c}, err
}

func (s *Service) showRoute(ctx context.Context, in *PolicyPath) (*policyOutput, error) {
	p, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &policyOutput{p}, err
}

func (s *Service) changeRoute(ctx context.Context, in *changeInput) (*policyOutput, error) {
	p, err := s.Change(ctx, httpapi.CallerFrom(ctx).UserID, in.ID, Change{in.Body.Pattern, in.Body.Action, in.Body.Enabled, in.Body.Note})
	return &policyOutput{p}, err
}

func (s *Service) removeRoute(ctx context.Context, in *PolicyPath) (*struct{}, error) {
	return nil, s.Remove(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
}
