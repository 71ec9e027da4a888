package source_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/source"
)

const token = "tok-canary-0123456789-WXYZ"

func TestConnect_EveryMethodReachesTheAPIInItsPlace(t *testing.T) {
	up := newUpstream(t, says(`{}`))
	oauth := m{"sign": m{"type": "oauth2", "flows": m{"authorizationCode": m{"authorizationUrl": "https://a.example.test/a", "tokenUrl": "https://a.example.test/t", "scopes": m{"read": "Read"}}}}}
	for name, c := range map[string]struct {
		auth   m
		method string
		values map[string]string
		header string
		want   string
		query  string
	}{
		"bearer of the description":      {bearer, "token", map[string]string{"token": token}, "Authorization", "Bearer " + token, ""},
		"basic of the description":       {basic, "login", map[string]string{"username": "ana", "password": token}, "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("ana:"+token)), ""},
		"a password made of spaces":      {basic, "login", map[string]string{"username": "ana", "password": "        "}, "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("ana:        ")), ""},
		"basic with an empty password":   {basic, "login", map[string]string{"username": token, "password": ""}, "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(token+":")), ""},
		"a key in a header":              {apiKey("header", "X-Api-Key"), "key", map[string]string{"key": token}, "X-Api-Key", token, ""},
		"a key in the query":             {apiKey("query", "k"), "key", map[string]string{"key": token + "/&"}, "", "", "k=" + token + "%2F%26"},
		"a key in a cookie":              {apiKey("cookie", "sid"), "key", map[string]string{"key": token}, "Cookie", "sid=" + token, ""},
		"a pasted token":                 {nil, "bearer", map[string]string{"token": token}, "Authorization", "Bearer " + token, ""},
		"a pasted user and password":     {nil, "basic", map[string]string{"username": "ana", "password": token}, "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("ana:"+token)), ""},
		"a header of one's own":          {nil, "header:X-Shop-Token", map[string]string{"key": token}, "X-Shop-Token", token, ""},
		"a query parameter of one's own": {nil, "query:auth", map[string]string{"key": token}, "", "", "auth=" + token},
		"a cookie of one's own":          {nil, "cookie:sid", map[string]string{"key": token}, "Cookie", "sid=" + token, ""},
		"a token of an OAuth API":        {oauth, "bearer", map[string]string{"token": token}, "Authorization", "Bearer " + token, ""},
		"nothing":                        {bearer, "none", nil, "Authorization", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, local)
			up.seen()
			s.add(t, m{"document": describe(up.URL, c.auth, op("GET /me getMe")), "slug": "shop"})
			body := m{"source": "shop", "name": "mine", "method": c.method}
			if c.values != nil {
				body["values"] = c.values
			}
			made := httpapitest.Read[source.Connection](t, s.do(t, "POST", "/v1/connections", owner, body), 201)
			if made.Method != c.method || made.Namespace != "shop.mine" {
				t.Errorf("%+v", made)
			}
			if r := s.send(t, "shop.mine.shop.getMe", nil, ""); !r.OK {
				t.Fatalf("%+v", r.Error)
			}
			got := up.seen()[0]
			if c.header != "" && got.Header.Get(c.header) != c.want || got.Query != c.query {
				t.Errorf("%s: %q, query %q", c.header, got.Header.Get(c.header), got.Query)
			}
			if got.Header.Get("User-Agent") != "pags/1.2.3" {
				t.Errorf("User-Agent %q", got.Header.Get("User-Agent"))
			}
		})
	}
}

func TestConnect_WhatIsRefused(t *testing.T) {
	s := newStage(t, local)
	oauth := m{"sign": m{"type": "oauth2", "flows": m{"authorizationCode": m{"authorizationUrl": "https://a.example.test/a", "tokenUrl": "https://a.example.test/t", "scopes": m{}}}}}
	made := s.add(t, m{"document": describe("https://shop.example.test", oauth, op("GET /me getMe")), "slug": "shop"})
	if made.Auth[0].Kind == "oauth2" && made.Auth[0].Supported {
		t.Errorf("OAuth is offered: %+v", made.Auth[0])
	}
	for name, c := range map[string]struct {
		body   m
		status int
		says   string
	}{
		"OAuth":                           {m{"method": "sign", "values": m{"token": token}}, 422, "paste"},
		"a method that nobody knows":      {m{"method": "magic"}, 422, "it is one of"},
		"no value":                        {m{"method": "bearer"}, 422, "a value for token"},
		"an empty value":                  {m{"method": "bearer", "values": m{"token": "  "}}, 422, "a value for token"},
		"a value of another name":         {m{"method": "bearer", "values": m{"key": token}}, 422, "takes token"},
		"a value where none is taken":     {m{"method": "none", "values": m{"key": token}}, 422, "takes no values"},
		"a secret too short to be masked": {m{"method": "bearer", "values": m{"token": "abc12"}}, 422, "fewer than 6"},
		"a line break":                    {m{"method": "bearer", "values": m{"token": "abcdef\nX-Evil: 1"}}, 422, "line break"},
		"a header that is ours":           {m{"method": "header:Host", "values": m{"key": token}}, 422, "Host"},
		"a header with a line break":      {m{"method": "header:X\r\nY", "values": m{"key": token}}, 422, "header"},
		"a colon in a user name":          {m{"method": "basic", "values": m{"username": "a:b", "password": token}}, 422, "colon"},
		"a name like a path":              {m{"method": "none", "name": "a.b"}, 422, "name"},
		"cloud metadata as a base":        {m{"method": "none", "baseUrl": "http://169.254.169.254/"}, 400, "address not allowed"},
		"a variable that is an address":   {m{"method": "none", "variables": m{"region": "x@evil.example.test"}}, 422, "region"},
		"a source that is not there":      {m{"source": "other", "method": "none"}, 404, "no such source"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.body["source"] == nil {
				c.body["source"] = "shop"
			}
			w := s.do(t, "POST", "/v1/connections", owner, c.body)
			httpapitest.Refused(t, w, c.status, c.says)
			if strings.Contains(w.Body.String(), token) {
				t.Errorf("the value comes back: %s", w.Body)
			}
		})
	}
	s.connect(t, source.NewConnection{Source: "shop", Method: "none"})
	httpapitest.Refused(t, s.do(t, "POST", "/v1/connections", owner, m{"source": "shop", "method": "none"}), 409, `"main" already`)
}

func TestConnect_ValuesAreSealedAndOnlyTheirEndIsShown(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", bearer, op("GET /me getMe")), "slug": "shop"})
	body := m{"source": "shop", "method": "token", "values": m{"token": token}}
	w := s.do(t, "POST", "/v1/connections", owner, body, "Idempotency-Key", "one")
	made := httpapitest.Read[source.Connection](t, w, 201)
	if made.Hints["token"] != "WXYZ" || strings.Contains(w.Body.String(), token) {
		t.Errorf("%s", w.Body)
	}
	if again := httpapitest.Read[source.Connection](t, s.do(t, "POST", "/v1/connections", owner, body, "Idempotency-Key", "one"), 201); !again.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("%+v", again)
	}
	short := httpapitest.Read[source.Connection](t, s.do(t, "POST", "/v1/connections", owner, m{"source": "shop", "name": "short", "method": "token", "values": m{"token": "elevenchars"}}), 201)
	if len(short.Hints) != 0 {
		t.Errorf("a short value has a hint: %v", short.Hints)
	}
	// what another user's row, or another connection's, holds cannot be opened as one's own
	it, err := s.table.Get(t.Context(), port.Key{PK: "U#" + string(uid), SK: "CONNECTION#shop#main"})
	if err != nil {
		t.Fatal(err)
	}
	it["sk"], it["name"] = "CONNECTION#shop#copy", "copy"
	if err := s.table.Write(t.Context(), port.Put(it)); err != nil {
		t.Fatal(err)
	}
	if r := s.send(t, "shop.copy.shop.getMe", nil, ""); r.OK || r.Error.Code != catalog.CodeValueMissing {
		t.Errorf("%+v", r)
	}
	audited(t, s, "connection.add")
}

func TestSend_WithoutAValueNothingIsSent(t *testing.T) {
	s, up := newStage(t, local), newUpstream(t, says("{}"))
	s.add(t, m{"document": describe(up.URL, bearer, op("GET /me getMe")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}})
	if err := s.table.Write(t.Context(), port.Update(port.Key{PK: "U#" + string(uid), SK: "CONNECTION#shop#main"}).Setting("sealed", "")); err != nil {
		t.Fatal(err)
	}
	r := s.send(t, "shop.main.shop.getMe", nil, "")
	if r.OK || r.Error.Code != catalog.CodeValueMissing || !strings.Contains(r.Error.Message, "token") || !strings.Contains(r.Error.Message, "console") || len(up.seen()) != 0 {
		t.Errorf("%+v", r.Error)
	}
}

func TestChangeConnection_NewValuesAndPlacesHoldFromTheNextCall(t *testing.T) {
	s, up, eu := newStage(t, local), newUpstream(t, says("{}")), newUpstream(t, says("{}"))
	s.add(t, m{"document": describe(up.URL, basic, op("GET /me getMe")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "login", Values: map[string]string{"username": "ana", "password": "password-one"}})
	change := func(body m) source.Connection {
		return httpapitest.Read[source.Connection](t, s.do(t, "PATCH", "/v1/connections/shop/main", owner, body), 200)
	}
	s.do(t, "POST", "/v1/connections/shop/main/test", owner, nil)
	up.seen()
	if got := change(m{"values": m{"password": "password-two"}, "baseUrl": eu.URL}); got.Status != "" || got.Hints["password"] != "-two" || got.BaseURL != eu.URL {
		t.Errorf("%+v", got)
	}
	s.send(t, "shop.main.shop.getMe", nil, "")
	if c := eu.seen(); len(up.seen()) != 0 || len(c) != 1 || c[0].Header.Get("Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("ana:password-two")) {
		t.Errorf("the user name stayed, the password did not: %+v", c)
	}
	b := s.bound(t, "shop.main.shop.getMe")
	change(m{"enabled": false})
	if r, _ := s.Send(t.Context(), uid, b, nil, ""); r.OK || r.Error.Code != catalog.CodeBlocked {
		t.Errorf("%+v", r)
	}
	if s.bound(t, "shop.main.shop.getMe").Off != "connection" {
		t.Error("it is not off")
	}
	change(m{"enabled": true, "baseUrl": ""})
	if r, _ := s.Send(t.Context(), uid, b, nil, ""); r.OK || r.Error.Code != catalog.CodeBinding || !strings.Contains(r.Error.Message, "changed") {
		t.Errorf("a call approved for another place: %+v", r)
	}
	httpapitest.Refused(t, s.do(t, "PATCH", "/v1/connections/shop/main", owner, m{"values": m{"token": token}}), 422, "takes username and password")
	httpapitest.Refused(t, s.do(t, "PATCH", "/v1/connections/shop/main", owner, m{"baseUrl": "http://169.254.169.254"}), 400, "address not allowed")
	if w := s.do(t, "DELETE", "/v1/connections/shop/main", owner, nil); w.Code != 204 {
		t.Error(w.Body)
	}
	if r, err := s.Send(t.Context(), uid, b, nil, ""); err != nil || r.OK || !strings.Contains(r.Error.Message, "removed") {
		t.Errorf("%+v %v", r, err)
	}
	if len(eu.seen())+len(up.seen()) != 0 {
		t.Error("something was sent")
	}
	if got, _ := s.Get(t.Context(), uid, "shop"); got.Connections != 0 {
		t.Errorf("%d connections", got.Connections)
	}
	audited(t, s, "connection.change")
	audited(t, s, "connection.remove")
}

func TestVariables_FillTheServersOfTheDescription(t *testing.T) {
	s, up := newStage(t, local), newUpstream(t, says("{}"))
	doc := strings.Replace(describe("HERE", nil, op("GET /me getMe")), `{"url":"HERE"}`, `{"url":"`+up.URL+`/{region}","variables":{"region":{"default":"us"}}}`, 1)
	s.add(t, m{"document": doc, "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Name: "eu", Method: "none", Variables: map[string]string{"region": "eu"}})
	s.send(t, "shop.main.shop.getMe", nil, "")
	s.send(t, "shop.eu.shop.getMe", nil, "")
	if c := up.seen(); c[0].Path != "/us/me" || c[1].Path != "/eu/me" {
		t.Errorf("%+v", c)
	}
}

func TestTest_ChoosesAHarmlessCallAndRemembersTheVerdict(t *testing.T) {
	param := func(name string) m {
		return m{"parameters": []m{{"name": name, "in": "query", "required": true, "schema": m{"type": "string"}}}}
	}
	risky := []m{op("POST /me makeMe"), op("GET /items/{id} getItem", m{"parameters": []m{{"name": "id", "in": "path", "required": true, "schema": m{"type": "string"}}}}), op("GET /find find", param("q"))}
	for name, c := range map[string]struct {
		status int
		want   string
		says   string
	}{"it works": {200, "healthy", "GET /me answered 200 OK"}, "the credential is over": {401, "expired", "new one"}, "it is not allowed": {403, "expired", "more access"},
		"the API is down": {503, "degraded", "GET /me"}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, local)
			up := newUpstream(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(c.status) })
			s.add(t, m{"document": describe(up.URL, bearer, append(risky, op("GET /items listItems"), op("GET /me getMe"))...), "slug": "shop"})
			s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}})
			got := httpapitest.Read[source.Checked](t, s.do(t, "POST", "/v1/connections/shop/main/test", robot, nil), 200)
			if got.Status != c.want || got.HTTPStatus != c.status || !strings.Contains(got.Detail, c.says) {
				t.Errorf("%+v", got)
			}
			if calls := up.seen(); len(calls) != 1 || calls[0].Method+calls[0].Path != "GET/me" {
				t.Errorf("%+v", calls)
			}
			kept := httpapitest.Read[source.Connection](t, s.do(t, "GET", "/v1/connections/shop/main", owner, nil), 200)
			if kept.Status != c.want || !kept.CheckedAt.Equal(s.clock.Now()) || kept.Detail != got.Detail {
				t.Errorf("%+v", kept)
			}
		})
	}
	s, up := newStage(t, local), newUpstream(t, says("{}"))
	s.add(t, m{"document": describe(up.URL, bearer, risky...), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}})
	if got, err := s.Test(t.Context(), uid, "shop", "main"); err != nil || got.Status != "unknown" || len(up.seen()) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	up.Close()
	s.add(t, m{"document": describe(up.URL, nil, op("GET /me getMe")), "slug": "dead"})
	if got, err := s.Test(t.Context(), uid, "dead", "main"); err != nil || got.Status != "degraded" || !strings.Contains(got.Detail, "cannot be reached") {
		t.Errorf("%+v %v", got, err)
	}
}

func TestConnections_AMethodIsBoundAsItWasWhenItWasChosen(t *testing.T) {
	s, up := newStage(t, local), newUpstream(t, says("{}"))
	doc := func(auth m) string { return describe(up.URL, auth, op("GET /me getMe")) }
	s.add(t, m{"document": doc(apiKey("header", "X-Api-Key")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "key", Values: map[string]string{"key": token}})
	if _, err := s.Refresh(t.Context(), uid, "shop", doc(apiKey("query", "logged"))); err != nil {
		t.Fatal(err)
	}
	s.send(t, "shop.main.shop.getMe", nil, "")
	if c := up.seen()[0]; c.Query != "" || c.Header.Get("X-Api-Key") != token {
		t.Errorf("the description moved the key: %+v", c)
	}
}

func TestConnect_ACredentialOfADescriptionIsNoArgument(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", apiKey("query", "k"), op("GET /me getMe", m{"parameters": []m{{"name": "k", "in": "query", "schema": m{"type": "string"}}}})), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "key", Values: map[string]string{"key": token}})
	if b := s.bound(t, "shop.main.shop.getMe"); strings.Contains(string(b.Tool.Input), `"k"`) {
		t.Errorf("%s", b.Tool.Input)
	}
	if r := s.send(t, "shop.main.shop.getMe", m{"k": "mine"}, ""); r.OK || r.Error.Code != catalog.CodeInvalidArguments {
		t.Errorf("%+v", fmt.Sprint(r))
	}
}

func TestResolve_AnotherConnectionUnderTheSameNameIsNotWhatWasConsentedTo(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"slug": "shop", "document": describe("https://shop.example.test", bearer, op("POST /items createItem"))})
	in := source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": token}}
	s.connect(t, in)
	before := s.bound(t, "shop.main.shop.createItem")
	if _, err := s.ChangeConnection(t.Context(), uid, "shop", "main", source.ConnectionChange{Values: map[string]string{"token": "a-fresh-token-of-it"}}); err != nil {
		t.Fatal(err)
	}
	if b := s.bound(t, "shop.main.shop.createItem"); b.Digest != before.Digest {
		t.Error("a fresh token of the same account makes consents void")
	}
	if err := s.Disconnect(t.Context(), uid, "shop", "main"); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	s.connect(t, in)
	if b := s.bound(t, "shop.main.shop.createItem"); b.Digest == before.Digest {
		t.Error("a consent goes on for another account")
	}
	if r, err := s.Send(t.Context(), uid, before, m{}, ""); err != nil || r.OK || r.Error.Code != "binding_error" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestConnect_ANameThatNoProgramCouldSayIsRefused(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"slug": "shop", "document": describe("https://shop.example.test", bearer, op("POST /items createItem"))})
	_, err := s.Service.Connect(t.Context(), uid, source.NewConnection{Source: "shop", Name: "then", Method: "none"}, "")
	if code(err) != "unprocessable" || !strings.Contains(err.Error(), "reserved") {
		t.Error(err)
	}
}
