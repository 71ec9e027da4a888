package httpapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/proagentstore/pags/pkg/pags"
)

// note tells the access log which operation it is.
func (a *API) note(r Route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		callFrom(ctx.Context()).route = r.ID
		next(ctx)
	}
}

// authenticate lets a request pass whose Authorization header names a live session of the right kind. Nothing of the
// request was read before it, so a stranger cannot learn what the input should look like.
func (a *API) authenticate(r Route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if r.Public {
			next(ctx)
			return
		}
		c := callFrom(ctx.Context())
		token, said := bearer(ctx.Header("Authorization"))
		if said != "" {
			a.unauthenticated(ctx, said, "")
			return
		}
		caller, err := a.cfg.Verifier.Verify(ctx.Context(), token)
		if err != nil {
			if pags.Is(err, pags.Unauthenticated) {
				a.unauthenticated(ctx, a.problem(ctx.Context(), err).Detail, `, error="invalid_token"`)
				return
			}
			a.stop(ctx, a.problem(ctx.Context(), err))
			return
		}
		c.caller = caller
		if caller.Program() {
			if r.Scope == "" || !caller.Has(r.Scope) {
				a.outOfScope(ctx, r)
				return
			}
			next(ctx)
			return
		}
		if r.Person && !caller.Person {
			a.stop(ctx, newProblem(ctx.Context(), pags.Forbidden,
				"only a person's own session may do this; sign in yourself, in the console or with pags login"))
			return
		}
		next(ctx)
	}
}

// bearer reads the token. Tokens in query strings or cookies are not looked at: they leak and travel on their own.
func bearer(header string) (token, said string) {
	if header == "" {
		return "", "sign in first: send Authorization: Bearer and an access token"
	}
	scheme, token, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" || strings.ContainsAny(token, " ,\t") || len(token) > 4096 {
		return "", "the Authorization header must be Bearer and one access token"
	}
	return token, ""
}

// unauthenticated answers 401 with the challenge of RFC 6750.
func (a *API) unauthenticated(ctx huma.Context, detail, more string) {
	if p := a.countFailure(ctx); p != nil {
		a.stop(ctx, p)
		return
	}
	p := newProblem(ctx.Context(), pags.Unauthenticated, detail)
	p.headers.Set("WWW-Authenticate", `Bearer realm="pags"`+more)
	a.stop(ctx, p)
}

// outOfScope answers 403 with the challenge of RFC 6750: which scope would do, or that a person has to come.
func (a *API) outOfScope(ctx huma.Context, r Route) {
	detail, more := "no program's token reaches this; do it yourself, in the console or with pags on your machine", ""
	if r.Scope != "" {
		detail = "the token does not name the scope " + r.Scope + "; its owner makes one that does with pags tokens create --scope " + r.Scope
		more = `, scope="` + r.Scope + `"`
	}
	p := newProblem(ctx.Context(), pags.Forbidden, detail)
	p.headers.Set("WWW-Authenticate", `Bearer realm="pags", error="insufficient_scope"`+more)
	a.stop(ctx, p)
}

// stop answers a problem from a step before the handler.
func (a *API) stop(ctx huma.Context, p *Problem) {
	r, w := humago.Unwrap(ctx)
	a.refuse(w, r, p)
}
