// Package meta tells about the host itself: that it lives, what its API is, with which keys its tokens are signed, and how
// things stand for the caller.
package meta

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// Keys gives the public half of the signing keys, as a JSON Web Key Set (RFC 7517).
type Keys func(ctx context.Context) (any, error)

// Deps is what the area needs.
type Deps struct {
	Version  string
	Host     string // "aws" or "local"
	Document []byte // the API's OpenAPI 3.1 document
	Keys     Keys
}

// Service is the area.
type Service struct{ Deps }

// New makes the area.
func New(d Deps) *Service { return &Service{d} }

// Routes are those outside of any other family.
func Routes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/health", ID: "getHealth", Tag: "meta", Summary: "Whether the host lives; touches no state", Public: true}, s.health)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/openapi.json", ID: "getOpenapi", Tag: "meta", Summary: "This API's OpenAPI 3.1 document", Public: true}, s.document)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/.well-known/jwks.json", ID: "getJwks", Tag: "meta", Summary: "Public keys of access tokens (RFC 7517)", Public: true}, s.jwks)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/status", ID: "getStatus", Tag: "meta", Summary: "Which host this is",
		Exempt: map[string]string{"stranger": "tells about the host, and nothing about anybody's things"}}, s.status)
}

type healthOutput struct {
	Body struct {
		OK bool `json:"ok"`
	}
}

func (s *Service) health(context.Context, *struct{}) (*healthOutput, error) {
	out := &healthOutput{}
	out.Body.OK = true
	return out, nil
}

type rawOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

func (s *Service) document(context.Context, *struct{}) (*rawOutput, error) {
	return &rawOutput{ContentType: "application/json", CacheControl: "no-cache", Body: s.Document}, nil
}

type jwksOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         any
}

func (s *Service) jwks(ctx context.Context, _ *struct{}) (*jwksOutput, error) {
	keys, err := s.Keys(ctx)
	return &jwksOutput{CacheControl: "public, max-age=300", Body: keys}, err
}

type statusOutput struct {
	Body struct {
		Version string `json:"version"`
		Host    string `json:"host" enum:"aws,local"`
	}
}

func (s *Service) status(context.Context, *struct{}) (*statusOutput, error) {
	out := &statusOutput{}
	out.Body.Version, out.Body.Host = s.Version, s.Host
	return out, nil
}
