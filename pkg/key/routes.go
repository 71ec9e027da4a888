package key

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// Routes are those of the family /v1/keys. Only a person's own session changes or tries keys.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "works only on the caller's own keys"}
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/keys", ID: "listKeys", Tag: "keys", Summary: "Your model keys: last four characters only", Exempt: own}, s.listRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPut, Path: "/v1/keys/{provider}", ID: "setKey", Tag: "keys", Summary: "Store a model key", Person: true, MaxBody: 8 << 10, Exempt: own}, s.setRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodDelete, Path: "/v1/keys/{provider}", ID: "removeKey", Tag: "keys", Summary: "Forget a model key", Person: true, Status: http.StatusNoContent, Exempt: own}, s.removeRoute)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodPost, Path: "/v1/keys/{provider}/test", ID: "testKey", Tag: "keys", Summary: "Ask the model for one word", Person: true, Bucket: httpapi.BucketStrict, Exempt: own}, s.testRoute)
}

type (
	// ProviderPath names a provider in the path.
	ProviderPath struct {
		Provider string `path:"provider" maxLength:"40" doc:"anthropic or openai"`
	}
	keyOutput  struct{ Body Key }
	listOutput struct{ Body httpapi.Page[Key] }
	testOutput struct{ Body Tested }
	setBody    struct {
		Key     string `json:"key" minLength:"8" maxLength:"500" doc:"sealed at once; never given back"`
		BaseURL string `json:"baseUrl,omitempty" maxLength:"500" doc:"another server that speaks the provider's API"`
		Model   string `json:"model,omitempty" maxLength:"120"`
	}
	setInput struct {
		ProviderPath
		Body setBody
	}
)

func (s *Service) listRoute(ctx context.Context, _ *struct{}) (*listOutput, error) {
	keys, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID)
	return &listOutput{httpapi.Page[Key]{Items: keys}}, err
}

func (s *Service) setRoute(ctx context.Context, in *setInput) (*keyOutput, error) {
	k, err := s.Set(ctx, httpapi.CallerFrom(ctx).UserID, in.Provider, in.Body.Key, in.Body.BaseURL, in.Body.Model)
	return &keyOutput{k}, err
}

func (s *Service) removeRoute(ctx context.Context, in *ProviderPath) (*struct{}, error) {
	return nil, s.Remove(ctx, httpapi.CallerFrom(ctx).UserID, in.Provider)
}

func (s *Service) testRoute(ctx context.Context, in *ProviderPath) (*testOutput, error) {
	out, err := s.Test(ctx, httpapi.CallerFrom(ctx).UserID, in.Provider)
	return &testOutput{out}, err
}
