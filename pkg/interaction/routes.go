package interaction

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Routes are those of the family /v1/interactions.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "lists only the caller's own interactions"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/interactions", ID: "listInteractions", Summary: "The inbox: what waits for you", Tag: "interactions", Exempt: own}, s.listRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/interactions/{id}", ID: "getInteraction", Summary: "One question with its exact request", Tag: "interactions"}, s.getRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/interactions/{id}/answer", ID: "answerInteraction", Summary: "Answer a question, once", Tag: "interactions", Person: true, MaxBody: 64 << 10}, s.answerRoute)
}

type (
	listInput struct {
		httpapi.Paging
		Status string `query:"status" enum:"open,answered,expired,cancelled,all" default:"open"`
	}
	listOutput struct {
		Body httpapi.Page[pags.Interaction]
	}
	idInput struct {
		ID pags.InteractionID `path:"id" maxLength:"40"`
	}
	output     struct{ Body pags.Interaction }
	answerBody struct {
		Kind    string         `json:"kind" enum:"accept,decline,value,secret,form,retry"`
		Value   string         `json:"value,omitempty" maxLength:"4000" doc:"with kind value; the agent's model reads it"`
		Secret  string         `json:"secret,omitempty" maxLength:"4000" doc:"with kind secret; sealed at once, models see only a handle"`
		Content map[string]any `json:"content,omitempty" doc:"with kind form: what fits the schema in the request"`
		Note    string         `json:"note,omitempty" maxLength:"1000" doc:"a hint for the agent's next step"`
	}
	answerInput struct {
		ID   pags.InteractionID `path:"id" maxLength:"40"`
		Body answerBody
	}
)

func (s *Service) listRoute(ctx context.Context, in *listInput) (*listOutput, error) {
	page, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, in.Status, in.Cursor, in.Limit)
	return &listOutput{page}, err
}

func (s *Service) getRoute(ctx context.Context, in *idInput) (*output, error) {
	x, err := s.Get(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &output{x}, err
}

func (s *Service) answerRoute(ctx context.Context, in *answerInput) (*output, error) {
	x, err := s.Answer(ctx, httpapi.CallerFrom(ctx), in.ID, Said(in.Body))
	return &output{x}, err
}
