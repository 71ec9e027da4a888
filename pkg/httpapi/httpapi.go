// Package httpapi is the HTTP surface of every area: a route is data plus a typed function, and everything between the
// socket and that function happens here, in this order:
//
//	edge.go     correlation id, security headers, panics, access log, unknown paths and methods
//	auth.go     bearer token, kind of session
//	limit.go    requests a minute
//	(huma)      path, query, header and body against the types of the function
//	idem.go     answers kept for an Idempotency-Key, where an area asks for it
//	problem.go  errors as problem+json; the only table from codes to statuses
//	document.go the OpenAPI 3.1 document
//
// Areas list their routes first, in routes.go, and never see a status code.
package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// DefaultMaxBody is the largest request body where a route says nothing; API Gateway itself stops at 6 MB with base64.
const DefaultMaxBody = 4 << 20

// Caller is who asks. A public route has the zero Caller.
type Caller struct {
	UserID    pags.UserID
	SessionID pags.SessionID
	Person    bool // a person holds the session
	Roles     []string

	TokenID pags.TokenID // of a program's token; empty for a session
	Scopes  []string     // what that token reaches; a session has none and needs none
}

// Scopes of tokens for programs.
const (
	ScopeTools  = "tools"               // search, call and read tools; run programs and read them
	ScopeAnswer = "interactions:answer" // answer approvals in the owner's place
)

// Program reports whether a program's token asks, which reaches only what its scopes name.
func (c Caller) Program() bool { return c.TokenID != "" || len(c.Scopes) > 0 }

// Has reports whether the caller may do what the scope stands for: a session always, a program if its token names it.
func (c Caller) Has(scope string) bool { return !c.Program() || slices.Contains(c.Scopes, scope) }

// Verifier tells who holds a bearer token. It answers pags.Unauthenticated for one that is not good (any more),
// pags.Forbidden for a suspended user, and fails closed: any other error is answered as such and nothing runs.
type Verifier interface {
	Verify(ctx context.Context, bearer string) (Caller, error)
}

// Config is what an API needs. Only Limiter may be nil (no limits).
type Config struct {
	Verifier  Verifier
	Clock     port.Clock
	Log       *slog.Logger
	Version   string
	PublicURL string // https://… turns on Strict-Transport-Security
	Limiter   Limiter
}

// Route describes one operation.
type Route struct {
	Method, Path, ID, Summary, Tag string

	Public  bool   // no session needed
	Person  bool   // of sessions, only a person's own
	Scope   string // what a program's token must name to get here; "" means that no program's token does
	Status  int    // success status, 0 = 200
	MaxBody int64  // 0 = DefaultMaxBody
	Bucket  Bucket // whose requests a minute it counts against; "" = BucketDefault

	// Exempt names exceptions for the generated ownership test with their reason, such as
	// "stranger": "lists only the caller's own things". Keys: stranger, suspended.
	Exempt map[string]string
}

// API collects routes and serves them.
type API struct {
	cfg    Config
	mux    *http.ServeMux
	huma   huma.API
	routes []Route
	names  *namer
}

// New makes an API without routes.
func New(cfg Config) *API {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	names := newNamer()
	api := &API{cfg: cfg, mux: http.NewServeMux(), names: names}
	api.huma = humago.New(api.mux, humaConfig(cfg, names))
	return api
}

// Handle registers a route. I and O are huma structs: fields tagged path, query, header, cookie, and Body. Unknown body
// fields are refused by name. h answers errors made by pags.Errorf; any other error is an internal one.
func Handle[I, O any](api *API, r Route, h func(ctx context.Context, in *I) (*O, error)) {
	mustBeRead(reflect.TypeFor[I](), r)
	if r.MaxBody == 0 {
		r.MaxBody = DefaultMaxBody
	}
	if r.Bucket == "" {
		r.Bucket = BucketDefault
	}
	api.routes = append(api.routes, r)
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary, Tags: []string{r.Tag},
		DefaultStatus:   r.Status,
		MaxBodyBytes:    r.MaxBody + 1, // huma refuses a body of exactly its limit
		BodyReadTimeout: -1 * time.Second,
		Errors:          documentedErrors(r),
		Middlewares:     huma.Middlewares{api.note(r), api.authenticate(r), api.limit(r)},
		Metadata:        map[string]any{},
	}
	if !r.Public {
		op.Security = []map[string][]string{{securityScheme: {}}}
		if r.Scope != "" {
			op.Security = append(op.Security, map[string][]string{tokenScheme: {r.Scope}})
		}
	}
	fill := sliceFiller[O]()
	huma.Register(api.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := h(ctx, in)
		if err != nil {
			return nil, api.problem(ctx, err)
		}
		if out != nil {
			fill(out)
		}
		return out, nil
	})
}

// mustBeRead panics on an input that embeds an unexported struct: huma passes over it, and its parameters would stay empty
// without a word.
func mustBeRead(in reflect.Type, r Route) {
	for i := range in.NumField() {
		f := in.Field(i)
		if !f.Anonymous || f.Type.Kind() != reflect.Struct {
			continue
		}
		if !f.IsExported() {
			panic(fmt.Sprintf("httpapi: the input of %s %s embeds %s, which is unexported and so never filled in; export it", r.Method, r.Path, f.Type))
		}
		mustBeRead(f.Type, r)
	}
}

// Routes lists what was registered, in order.
func (a *API) Routes() []Route { return append([]Route(nil), a.routes...) }

// Handler serves the routes.
func (a *API) Handler() http.Handler { return http.HandlerFunc(a.serve) }
