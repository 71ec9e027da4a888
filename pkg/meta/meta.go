// Package meta tells about the host itself: that it lives, what its API is, with which keys its tokens are signed, and how
// things stand for the caller.
package meta

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Keys gives the public half of the signing keys, as a JSON Web Key Set (RFC 7517).
type Keys func(ctx context.Context) (any, error)

// Counts gives how many things of a kind the user has; only what costs one read.
type Counts func(ctx context.Context, user pags.UserID) (map[string]int, error)

// Deps is what the area needs.
type Deps struct {
	Version  string
	Host     string // "aws" or "local"
	Document []byte // the API's OpenAPI 3.1 document
	Keys     Keys
	Counts   Counts // nil: none
}

// Service is the area.
type Service struct{ Deps }

// New makes the area.
func New(d Deps) *Service { return &Service{d} }

// Routes are those outside of any other family.
func Routes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/health", ID: "getHealth", Tag: "meta", Summary: "Whether the host lives; touches no state", Public: true, Bucket: httpapi.BucketNone}, s.health)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/v1/openapi.json", ID: "getOpenapi", Tag: "meta", Summary: "This API's OpenAPI 3.1 document", Public: true, Bucket: httpapi.BucketNone}, s.document)
	httpapi.Handle(api, httpapi.Route{Method: http.MethodGet, Path: "/.well-known/jwks.json", ID: "getJwks", Tag: "meta", Summary: "Public keys of access tokens (RFC 7517)", Public: true, Bucket: httpapi.BucketNone}, s.jwks)
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
		// Counts is empty where the host counts nothing.
		Counts map[string]int `json:"counts" doc:"the caller's things by kind, such as instances"`
	}
}

func (s *Service) status(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	out := &statusOutput{}
	out.Body.Version, out.Body.Host, out.Body.Counts = s.Version, s.Host, map[string]int{}
	if s.Counts != nil {
		var err error
		if out.Body.Counts, err = s.Counts(ctx, httpapi.CallerFrom(ctx).UserID); err != nil {
			return nil, err
		}
	}
	return out, nil
}
