package account

import (
	"context"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

const (
	tag     = "auth"
	ownOnly = "works on the caller's own account only; it names nobody else's thing"
)

// Routes registers /v1/auth.
func Routes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": ownOnly}
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/auth/config", ID: "getAuthConfig", Tag: tag, Public: true, Summary: "How people sign in here"}, s.config)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/auth/setup", ID: "setUpStack", Tag: tag, Public: true, Status: 201, MaxBody: smallBody, Bucket: httpapi.BucketStrict, Summary: "Make the first account with the set-up token"}, s.setUp)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/auth/link", ID: "useLink", Tag: tag, Public: true, MaxBody: smallBody, Bucket: httpapi.BucketStrict, Summary: "Sign in with a one-time link"}, s.useLink)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/auth/links", ID: "createLink", Tag: tag, Person: true, Status: 201, Exempt: own, Summary: "Make a sign-in link for another device"}, s.createLink)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/auth/refresh", ID: "refreshSession", Tag: tag, Public: true, MaxBody: smallBody, Bucket: httpapi.BucketRefresh, Summary: "Get a new access token"}, s.refresh)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/auth/signout", ID: "signOut", Tag: tag, Status: 204, Exempt: own, Summary: "End this session"}, s.signOut)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/auth/me", ID: "getMe", Tag: tag, Exempt: own, Summary: "Who am I"}, s.me)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/auth/sessions", ID: "listSessions", Tag: tag, Exempt: own, Summary: "Where I am signed in"}, s.listSessions)
	httpapi.Handle(api, httpapi.Route{Method: "DELETE", Path: "/v1/auth/sessions/{id}", ID: "revokeSession", Tag: tag, Person: true, Status: 204, Summary: "End one of my sessions"}, s.revokeSession)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/auth/tokens", ID: "createToken", Tag: tag, Person: true, Status: 201, MaxBody: smallBody, Exempt: own, Summary: "Make an access token for a program; its text is shown this once"}, s.createToken)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/auth/tokens", ID: "listTokens", Tag: tag, Person: true, Exempt: own, Summary: "My tokens for programs"}, s.listTokens)
	httpapi.Handle(api, httpapi.Route{Method: "DELETE", Path: "/v1/auth/tokens/{id}", ID: "revokeToken", Tag: tag, Person: true, Status: 204, Summary: "End one of my tokens for programs"}, s.revokeToken)
}

// smallBody is plenty for a token and two names; these routes are open to everyone.
const smallBody = 8 << 10

type none struct{}

type configOut struct {
	Body struct {
		Methods []string `json:"methods" doc:"link: one-time sign-in links"`
		SetUp   bool     `json:"setUp" doc:"the first account exists"`
		CanSet  bool     `json:"canSetUp" doc:"the set-up route would take the set-up token"`
	}
}

func (s *Service) config(ctx context.Context, _ *none) (*configOut, error) {
	done, err := s.isSetUp(ctx)
	if err != nil {
		return nil, err
	}
	out := &configOut{}
	out.Body.Methods, out.Body.SetUp, out.Body.CanSet = []string{"link"}, done, !done && s.SetupHash != ""
	return out, nil
}

type setUpIn struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"200"`
		Login string `json:"login" minLength:"1" maxLength:"60" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$"`
		Name  string `json:"name" minLength:"1" maxLength:"80"`
	}
}
type setUpOut struct {
	Body struct {
		User pags.User `json:"user"`
		Link Link      `json:"link"`
	}
}

func (s *Service) setUp(ctx context.Context, in *setUpIn) (*setUpOut, error) {
	out := &setUpOut{}
	var err error
	out.Body.User, out.Body.Link, err = s.SetUp(ctx, in.Body.Token, in.Body.Login, in.Body.Name)
	return out, err
}

// signedIn is the answer to signing in and to refreshing.
type signedIn struct {
	SetCookie string `header:"Set-Cookie"`
	Body      struct {
		AccessToken  string       `json:"accessToken" doc:"send it as Authorization: Bearer"`
		ExpiresAt    time.Time    `json:"expiresAt"`
		RefreshToken string       `json:"refreshToken,omitempty" doc:"only for callers that keep it themselves; good once"`
		User         pags.User    `json:"user"`
		Session      pags.Session `json:"session"`
	}
}

func (s *Service) answer(t Tokens, inBody bool) *signedIn {
	out := &signedIn{}
	out.Body.AccessToken, out.Body.ExpiresAt, out.Body.User, out.Body.Session = t.Access, t.ExpiresAt, t.User, t.Session
	if inBody {
		out.Body.RefreshToken = t.Refresh
	} else {
		out.SetCookie = s.cookie(t.Refresh, SessionLife)
	}
	return out
}

type useLinkIn struct {
	Site
	Body struct {
		Token   string `json:"token" minLength:"1" maxLength:"200"`
		Label   string `json:"label,omitempty" maxLength:"60" doc:"what to call this place; console if empty"`
		Deliver string `json:"deliver,omitempty" enum:"cookie,body" doc:"where the refresh token goes; cookie if empty"`
	}
}

func (s *Service) useLink(ctx context.Context, in *useLinkIn) (*signedIn, error) {
	if s.foreign(in.Site) { // another page must not sign a visitor in to an account of its choice
		return nil, s.own(in.Site)
	}
	label := in.Body.Label
	if label == "" {
		label = "console"
	}
	t, err := s.UseLink(ctx, in.Body.Token, label)
	if err != nil {
		return nil, err
	}
	return s.answer(t, in.Body.Deliver == "body"), nil
}

type linkOut struct{ Body Link }

func (s *Service) createLink(ctx context.Context, _ *none) (*linkOut, error) {
	link, err := s.NewLink(ctx, httpapi.CallerFrom(ctx).UserID)
	return &linkOut{link}, err
}

type refreshIn struct {
	Site
	HostCookie  string `cookie:"__Host-pags"`
	PlainCookie string `cookie:"pags_refresh"`
	Body        *struct {
		RefreshToken string `json:"refreshToken,omitempty" maxLength:"400"`
	}
}

func (s *Service) refresh(ctx context.Context, in *refreshIn) (*signedIn, error) {
	if in.Body != nil && in.Body.RefreshToken != "" {
		t, err := s.Refresh(ctx, in.Body.RefreshToken)
		if err != nil {
			return nil, err
		}
		return s.answer(t, true), nil
	}
	token := in.HostCookie
	if s.PlainCookies {
		token = in.PlainCookie
	}
	if token == "" {
		return nil, pags.Errorf(pags.Unauthenticated, "there is no session here; sign in")
	}
	if err := s.own(in.Site); err != nil {
		return nil, err
	}
	t, err := s.Refresh(ctx, token)
	if err != nil {
		return nil, err
	}
	return s.answer(t, false), nil
}

type signOutOut struct {
	SetCookie string `header:"Set-Cookie"`
}

func (s *Service) signOut(ctx context.Context, _ *none) (*signOutOut, error) {
	c := httpapi.CallerFrom(ctx)
	if err := s.Revoke(ctx, c.UserID, c.SessionID, "signed out"); err != nil && !pags.Is(err, pags.NotFound) {
		return nil, err
	}
	return &signOutOut{s.cookie("", 0)}, nil
}

type meOut struct {
	Body struct {
		pags.User
		Session struct {
			ID     pags.SessionID `json:"id"`
			Person bool           `json:"person"`
		} `json:"session"`
	}
}

func (s *Service) me(ctx context.Context, _ *none) (*meOut, error) {
	c := httpapi.CallerFrom(ctx)
	u, err := s.User(ctx, c.UserID)
	out := &meOut{}
	out.Body.User, out.Body.Session.ID, out.Body.Session.Person = u, c.SessionID, c.Person
	return out, err
}

type sessionsOut struct{ Body httpapi.Page[pags.Session] }

func (s *Service) listSessions(ctx context.Context, in *httpapi.Paging) (*sessionsOut, error) {
	page, err := s.Sessions(ctx, httpapi.CallerFrom(ctx).UserID, in.Limit, in.Cursor)
	return &sessionsOut{page}, err
}

type sessionIn struct {
	ID pags.SessionID `path:"id" maxLength:"60"`
}

func (s *Service) revokeSession(ctx context.Context, in *sessionIn) (*struct{}, error) {
	return nil, s.Revoke(ctx, httpapi.CallerFrom(ctx).UserID, in.ID, "by the owner")
}

type createTokenIn struct {
	Body struct {
		Name   string   `json:"name" minLength:"1" maxLength:"60" doc:"what the program is called"`
		Scopes []string `json:"scopes,omitempty" maxItems:"2" enum:"tools,interactions:answer" doc:"tools if empty; interactions:answer lets the program answer approvals in its owner's place"`
		Days   int      `json:"days,omitempty" minimum:"1" maximum:"365" doc:"how long it lives; 90 if empty"`
	}
}
type createTokenOut struct {
	Body struct {
		ProgramToken
		Token string `json:"token" doc:"the token itself; it is not kept and cannot be shown again"`
	}
}

// createToken takes no Idempotency-Key: its answer would have to be kept, and it is not to be kept.
func (s *Service) createToken(ctx context.Context, in *createTokenIn) (*createTokenOut, error) {
	out := &createTokenOut{}
	var err error
	out.Body.ProgramToken, out.Body.Token, err = s.NewProgramToken(ctx, httpapi.CallerFrom(ctx).UserID, in.Body.Name, in.Body.Scopes, in.Body.Days)
	return out, err
}

type tokensOut struct{ Body httpapi.Page[ProgramToken] }

func (s *Service) listTokens(ctx context.Context, in *httpapi.Paging) (*tokensOut, error) {
	page, err := s.ProgramTokens(ctx, httpapi.CallerFrom(ctx).UserID, in.Limit, in.Cursor)
	return &tokensOut{page}, err
}

type tokenIn struct {
	ID pags.TokenID `path:"id" maxLength:"60"`
}

func (s *Service) revokeToken(ctx context.Context, in *tokenIn) (*struct{}, error) {
	return nil, s.RevokeProgramToken(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
}
