package account_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

const (
	publicURL  = "https://pags.example.test"
	setupToken = "set-up-token-of-the-test"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// stage is one stack with its area.
type stage struct {
	*account.Service
	api   *httpapi.API
	clock *porttest.Clock
	table *httpapitest.Recorder
	vault port.Vault
	log   *bytes.Buffer
}

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func newStage(t *testing.T) *stage {
	t.Helper()
	clock := porttest.NewClock(noon)
	bolted, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bolted.Close() })
	s := &stage{clock: clock, table: httpapitest.Record(bolted), vault: httpapitest.NewVault(), log: &bytes.Buffer{}}
	s.Service, s.api = s.process(false)
	return s
}

// process is one more process of the same stack.
func (s *stage) process(plain bool) (*account.Service, *httpapi.API) {
	svc := account.New(account.Deps{Table: s.table, Vault: s.vault, Clock: s.clock, PublicURL: publicURL, SetupHash: sha(setupToken), PlainCookies: plain})
	api := httpapi.New(httpapi.Config{Verifier: svc, Clock: s.clock, PublicURL: publicURL, Log: slog.New(slog.NewJSONHandler(s.log, nil))})
	account.Routes(api, svc)
	return svc, api
}

func (s *stage) user(t *testing.T) pags.User {
	t.Helper()
	u, _, err := s.EnsureLocalAccount(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (s *stage) session(t *testing.T, uid pags.UserID, person bool) (refresh, access string, session pags.Session) {
	t.Helper()
	refresh, access, session, err := s.NewSession(t.Context(), uid, "test", person)
	if err != nil {
		t.Fatal(err)
	}
	return refresh, access, session
}

// other makes a second user; the product has no route for it yet.
func (s *stage) other(t *testing.T) pags.User {
	t.Helper()
	u := pags.User{ID: pags.NewUserID(s.clock.Now()), Login: "other", Name: "Other", Roles: []string{"user"}, CreatedAt: s.clock.Now()}
	it, err := port.Encode(port.Key{PK: "U#" + string(u.ID), SK: "PROFILE"}, u)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.table.Write(t.Context(), port.Put(it)); err != nil {
		t.Fatal(err)
	}
	return u
}

type signIn struct {
	AccessToken, RefreshToken string
	User                      pags.User
	Session                   pags.Session
}

func TestRoutes_OwnershipOfEveryRoute(t *testing.T) {
	httpapitest.Ownership(t, func(t *testing.T) httpapitest.World {
		s := newStage(t)
		owner, stranger, bad := s.user(t), s.other(t), s.other(t)
		_, ownerToken, session := s.session(t, owner.ID, true)
		_, strangerToken, _ := s.session(t, stranger.ID, true)
		_, suspendedToken, _ := s.session(t, bad.ID, true)
		if err := s.SetSuspended(t.Context(), bad.ID, true); err != nil {
			t.Fatal(err)
		}
		token, _, err := s.NewProgramToken(t.Context(), owner.ID, "program", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return httpapitest.World{API: s.api, Table: s.table, Owner: ownerToken, Stranger: strangerToken, Suspended: suspendedToken,
			Params: map[string]string{"id": string(session.ID)},
			Inputs: map[string]httpapitest.Input{"revokeToken": {Params: map[string]string{"id": string(token.ID)}}}}
	})
}

func TestSetUp_OnceAndOnlyWithTheToken(t *testing.T) {
	s := newStage(t)
	body := map[string]string{"token": setupToken, "login": "ana", "name": "Ana"}
	wrong := map[string]string{"token": setupToken + "x", "login": "ana", "name": "Ana"}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/auth/setup", "", wrong), 401, "set-up token is wrong")
	cfg := httpapitest.Read[map[string]any](t, httpapitest.Do(t, s.api, "GET", "/v1/auth/config", "", nil), 200)
	if cfg["setUp"] != false || cfg["canSetUp"] != true {
		t.Errorf("before: %v", cfg)
	}
	made := httpapitest.Read[struct {
		User pags.User
		Link account.Link
	}](t, httpapitest.Do(t, s.api, "POST", "/v1/auth/setup", "", body), 201)
	if made.User.Login != "ana" || made.Link.URL != publicURL+"/signin#"+made.Link.Token || !made.Link.ExpiresAt.Equal(noon.Add(10*time.Minute)) {
		t.Errorf("%+v", made)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/auth/setup", "", body), 409, "sign in with a link")
	cfg = httpapitest.Read[map[string]any](t, httpapitest.Do(t, s.api, "GET", "/v1/auth/config", "", nil), 200)
	if cfg["setUp"] != true || cfg["canSetUp"] != false {
		t.Errorf("after: %v", cfg)
	}
	in := httpapitest.Read[signIn](t, httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": made.Link.Token}), 200)
	me := httpapitest.Read[map[string]any](t, httpapitest.Do(t, s.api, "GET", "/v1/auth/me", in.AccessToken, nil), 200)
	if me["login"] != "ana" || me["session"].(map[string]any)["person"] != true {
		t.Errorf("%v", me)
	}
	off := account.New(account.Deps{Table: s.table, Vault: s.vault, Clock: s.clock})
	if _, _, err := off.SetUp(t.Context(), "", "x", "x"); !pags.Is(err, pags.Forbidden) {
		t.Errorf("a stack without a set-up token takes an empty one: %v", err)
	}
}

func TestFirstAccount_ManyProcessesMakeOne(t *testing.T) {
	s := newStage(t)
	ids := make([]pags.UserID, 8)
	created := make([]bool, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			svc, _ := s.process(false)
			u, made, err := svc.EnsureLocalAccount(context.Background())
			if err != nil {
				t.Error(err)
			}
			ids[i], created[i] = u.ID, made
		})
	}
	wg.Wait()
	makers := 0
	for i := range ids {
		if ids[i] != ids[0] || ids[i] == "" {
			t.Errorf("two accounts: %v", ids)
		}
		if created[i] {
			makers++
		}
	}
	if makers != 1 {
		t.Errorf("%d said they made it", makers)
	}
}

func TestLink_GoodOnceAndForTenMinutes(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	link, err := s.NewLink(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	codes := map[int]int{}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			w := httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": link.Token})
			mu.Lock()
			codes[w.Code]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if codes[200] != 1 || codes[410] != 5 {
		t.Errorf("one link was taken: %v", codes)
	}
	if page, err := s.Sessions(t.Context(), u.ID, 50, ""); err != nil || len(page.Items) != 1 {
		t.Errorf("%d sessions, %v", len(page.Items), err)
	}
	late, _ := s.NewLink(t.Context(), u.ID)
	s.clock.Advance(10 * time.Minute)
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": late.Token}), 410, "ask for a new one")
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": pags.NewToken()}), 410, "ask for a new one")
	fresh, _ := s.NewLink(t.Context(), u.ID)
	if err := s.SetSuspended(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": fresh.Token}), 403, "suspended")
}

func TestRefresh_MC05_TwinsStaySignedInAndLateReuseEndsTheSession(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	token, _, session := s.session(t, u.ID, true)
	var wg sync.WaitGroup
	answers := make([]account.Tokens, 2)
	for i := range answers {
		wg.Go(func() {
			svc, _ := s.process(false)
			var err error
			if answers[i], err = svc.Refresh(context.Background(), token); err != nil {
				t.Errorf("twin %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if answers[0].Refresh == answers[1].Refresh || answers[0].Refresh == token {
		t.Error("a refresh token was handed out twice")
	}
	for i, a := range answers {
		if _, err := s.Verify(t.Context(), a.Access); err != nil {
			t.Errorf("access token of twin %d: %v", i, err)
		}
	}
	s.clock.Advance(20 * time.Second)
	next, err := s.Refresh(t.Context(), answers[0].Refresh)
	if err != nil {
		t.Fatalf("the pair is not signed in: %v", err)
	}
	if _, err := s.Refresh(t.Context(), answers[1].Refresh); err != nil {
		t.Fatalf("the other twin, within the grace: %v", err)
	}
	s.clock.Advance(10 * time.Minute)
	if _, err := s.Refresh(t.Context(), token); !pags.Is(err, pags.Unauthenticated) {
		t.Fatalf("late reuse: %v", err)
	}
	if _, err := s.Refresh(t.Context(), next.Refresh); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("the family outlived the reuse: %v", err)
	}
	if _, err := s.Verify(t.Context(), next.Access); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("an access token of the family outlived the reuse: %v", err)
	}
	if page, _ := s.Sessions(t.Context(), u.ID, 50, ""); len(page.Items) != 0 {
		t.Errorf("session %s is still listed", session.ID)
	}
}

func TestRefresh_SituationsOfOneToken(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	for name, c := range map[string]struct {
		run   func(t *testing.T, token string) error
		alive bool // the session goes on afterwards
		ok    bool
	}{
		"just replaced, 60 s later": {func(t *testing.T, token string) error {
			_, _ = s.Refresh(t.Context(), token)
			s.clock.Advance(60 * time.Second)
			_, err := s.Refresh(t.Context(), token)
			return err
		}, true, true},
		"just replaced, 61 s later": {func(t *testing.T, token string) error {
			_, _ = s.Refresh(t.Context(), token)
			s.clock.Advance(61 * time.Second)
			_, err := s.Refresh(t.Context(), token)
			return err
		}, false, false},
		"replaced two generations ago, at once": {func(t *testing.T, token string) error {
			next, _ := s.Refresh(t.Context(), token)
			_, _ = s.Refresh(t.Context(), next.Refresh)
			_, err := s.Refresh(t.Context(), token)
			return err
		}, false, false},
		"a guess with the right ids does not end the session": {func(t *testing.T, token string) error {
			part := strings.Split(token, ".")
			_, err := s.Refresh(t.Context(), part[0]+"."+part[1]+"."+pags.NewToken()+"."+pags.NewToken())
			return err
		}, true, false},
		"nonsense": {func(t *testing.T, token string) error {
			for _, bad := range []string{"", "...", "usr_.ses_..", token + ".x", strings.Repeat("a", 5000), "usr_x.ses_y.z.w"} {
				if _, err := s.Refresh(t.Context(), bad); !pags.Is(err, pags.Unauthenticated) {
					t.Errorf("%.20q: %v", bad, err)
				}
			}
			return pags.Errorf(pags.Unauthenticated, "as each of them")
		}, true, false},
		"a month without use": {func(t *testing.T, token string) error {
			s.clock.Advance(account.SessionLife)
			_, err := s.Refresh(t.Context(), token)
			return err
		}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			token, access, session := s.session(t, u.ID, true)
			err := c.run(t, token)
			if (err == nil) != c.ok || err != nil && !pags.Is(err, pags.Unauthenticated) {
				t.Errorf("%v", err)
			}
			listed := false
			page, err := s.Sessions(t.Context(), u.ID, 200, "")
			for _, x := range page.Items {
				listed = listed || x.ID == session.ID
			}
			if _, verr := s.Verify(t.Context(), access); err != nil || listed != c.alive || (verr == nil) != c.alive {
				t.Errorf("session listed %v, token %v, want alive %v", listed, verr, c.alive)
			}
		})
	}
}

func TestRefresh_ManyClientsAtOnceAllGoOn(t *testing.T) {
	s := newStage(t)
	token, _, _ := s.session(t, s.user(t).ID, true)
	var last account.Tokens
	for range 12 {
		var err error
		if last, err = s.Refresh(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Refresh(t.Context(), last.Refresh); err != nil {
		t.Errorf("the newest token: %v", err)
	}
}

func TestRefreshRoute_CookieAndBody(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	link, _ := s.NewLink(t.Context(), u.ID)
	w := httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": link.Token, "label": "laptop"}, "Sec-Fetch-Site", "same-origin")
	in := httpapitest.Read[signIn](t, w, 200)
	cookie := w.Result().Cookies()[0]
	if in.RefreshToken != "" || in.Session.Label != "laptop" || !in.Session.Person {
		t.Errorf("%+v", in)
	}
	if cookie.Name != "__Host-pags" || !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("cookie %+v", cookie)
	}
	sent := "__Host-pags=" + cookie.Value
	for name, headers := range map[string][]string{
		"no word about the page": nil, "another site": {"Sec-Fetch-Site", "cross-site"}, "a sibling site": {"Sec-Fetch-Site", "same-site"},
		"another origin": {"Origin", "https://evil.example.test"}, "no origin": {"Origin", "null"}, "same host over http": {"Origin", "http://pags.example.test"},
		"a good origin with a bad site": {"Origin", publicURL, "Sec-Fetch-Site", "cross-site"},
	} {
		w := httpapitest.Do(t, s.api, "POST", "/v1/auth/refresh", "", nil, append(headers, "Cookie", sent)...)
		if p := httpapitest.Refused(t, w, 403, "only from "+publicURL); p.Code != pags.Forbidden || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Origin", publicURL}} {
		w := httpapitest.Do(t, s.api, "POST", "/v1/auth/refresh", "", nil, append(headers, "Cookie", sent)...)
		again := httpapitest.Read[signIn](t, w, 200)
		if again.RefreshToken != "" || again.AccessToken == "" || w.Result().Cookies()[0].Value == cookie.Value {
			t.Errorf("%v: %+v", headers, again)
		}
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "POST", "/v1/auth/refresh", "", nil), 401, "sign in")

	refresh, _, _ := s.session(t, u.ID, false)
	w = httpapitest.Do(t, s.api, "POST", "/v1/auth/refresh", "", map[string]string{"refreshToken": refresh})
	if got := httpapitest.Read[signIn](t, w, 200); got.RefreshToken == "" || got.RefreshToken == refresh || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%+v %v", got, w.Header())
	}
	link, _ = s.NewLink(t.Context(), u.ID)
	w = httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": link.Token}, "Origin", "https://evil.example.test")
	httpapitest.Refused(t, w, 403, "only from")
	w = httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": link.Token, "deliver": "body"})
	if got := httpapitest.Read[signIn](t, w, 200); got.RefreshToken == "" || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%+v", got)
	}
	_, plain := s.process(true)
	link, _ = s.NewLink(t.Context(), u.ID)
	w = httpapitest.Do(t, plain, "POST", "/v1/auth/link", "", map[string]string{"token": link.Token})
	if c := w.Result().Cookies()[0]; c.Name != "pags_refresh" || c.Secure || !c.HttpOnly {
		t.Errorf("plain cookie %+v", c)
	}
}

func TestSignOut_EndsTheSessionAndTheCookie(t *testing.T) {
	s := newStage(t)
	refresh, access, _ := s.session(t, s.user(t).ID, true)
	w := httpapitest.Do(t, s.api, "POST", "/v1/auth/signout", access, nil)
	if c := w.Result().Cookies(); w.Code != 204 || len(c) != 1 || c[0].MaxAge >= 0 {
		t.Errorf("%d %v", w.Code, c)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/auth/me", access, nil), 401, "sign in again")
	if _, err := s.Refresh(t.Context(), refresh); !pags.Is(err, pags.Unauthenticated) {
		t.Errorf("%v", err)
	}
}

func TestSessions_PagesAndRevoke(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	_, access, own := s.session(t, u.ID, true)
	_, robot, _ := s.session(t, u.ID, false)
	for range 5 {
		s.session(t, u.ID, false)
	}
	seen := map[pags.SessionID]bool{}
	cursor := ""
	for {
		page := httpapitest.Read[httpapi.Page[pags.Session]](t, httpapitest.Do(t, s.api, "GET", "/v1/auth/sessions?limit=3&cursor="+cursor, access, nil), 200)
		for _, x := range page.Items {
			seen[x.ID] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d sessions listed, not 7", len(seen))
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "DELETE", "/v1/auth/sessions/"+string(own.ID), robot, nil), 403, "person")
	if w := httpapitest.Do(t, s.api, "DELETE", "/v1/auth/sessions/"+string(own.ID), access, nil); w.Code != 204 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/auth/me", access, nil), 401, "")
	audit, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(u.ID), Prefix: "AUDIT#", Filter: port.Eq("action", "session.revoked")})
	if err != nil || len(audit.Items) != 1 {
		t.Errorf("%d audit rows, %v", len(audit.Items), err)
	}
}

func TestAccount_NoTokenIsStoredOrLogged(t *testing.T) {
	s := newStage(t)
	u := s.user(t)
	link, _ := s.NewLink(t.Context(), u.ID)
	in := httpapitest.Read[signIn](t, httpapitest.Do(t, s.api, "POST", "/v1/auth/link", "", map[string]string{"token": link.Token, "deliver": "body"}), 200)
	again := httpapitest.Read[signIn](t, httpapitest.Do(t, s.api, "POST", "/v1/auth/refresh", "", map[string]string{"refreshToken": in.RefreshToken}), 200)
	httpapitest.Do(t, s.api, "POST", "/v1/auth/refresh", "", map[string]string{"refreshToken": in.RefreshToken, "extra": "1"})
	rows, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(u.ID), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(rows.Items)
	family := strings.Split(in.RefreshToken, ".")[2]
	for name, secret := range map[string]string{"link": link.Token, "refresh": in.RefreshToken, "new refresh": again.RefreshToken, "family": family, "access": in.AccessToken} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("the %s token is stored", name)
		}
		if bytes.Contains(s.log.Bytes(), []byte(secret)) {
			t.Errorf("the %s token is in the log", name)
		}
	}
	if s.log.Len() == 0 || len(rows.Items) < 2 {
		t.Error("nothing was looked at")
	}
}
