package source_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/source"
)

func TestDiscover_FindsADescriptionFromAnyAddressOfTheAPI(t *testing.T) {
	doc := describe("", bearer, op("GET /me getMe"))
	for name, c := range map[string]struct {
		at         map[string]string // what lies where
		header     string            // Link of the front page
		ask        string
		spec       string
		confidence string
	}{
		"the address is the description":        {at: map[string]string{"/docs/api.json": doc}, ask: "/docs/api.json", spec: "/docs/api.json", confidence: "high"},
		"below the address":                     {at: map[string]string{"/v1/openapi.json": doc, "/openapi.json": doc}, ask: "/v1", spec: "/v1/openapi.json", confidence: "high"},
		"at the origin":                         {at: map[string]string{"/v3/api-docs": doc}, ask: "/some/resource", spec: "/v3/api-docs", confidence: "medium"},
		"the front page links to it (RFC 8631)": {at: map[string]string{"/": "<html>hello</html>", "/hidden/it": doc}, header: `</hidden/it>; rel="service-desc"`, ask: "/", spec: "/hidden/it", confidence: "high"},
		"the page has a link element":           {at: map[string]string{"/docs": `<html><link rel="service-desc" href="/x/y.yaml"></html>`, "/x/y.yaml": doc}, ask: "/docs", spec: "/x/y.yaml", confidence: "high"},
		"a documentation page configures it":    {at: map[string]string{"/docs": `<script>SwaggerUIBundle({ url: "./v9/spec.json" })</script>`, "/v9/spec.json": doc}, ask: "/docs", spec: "/v9/spec.json", confidence: "high"},
		"something else lies at a usual place":  {at: map[string]string{"/openapi.json": `{"openapi":"9.9"}`, "/swagger.json": `{"a":1}`, "/openapi.yml": doc}, ask: "/", spec: "/openapi.yml", confidence: "high"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, local)
			up := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
				body, ok := c.at[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				if c.header != "" {
					w.Header().Set("Link", c.header)
				}
				fmt.Fprint(w, body)
			})
			page := httpapitest.Read[httpapi.Page[source.Found]](t, s.do(t, "POST", "/v1/sources/discover", owner, m{"url": up.URL + c.ask}), 200)
			if len(page.Items) != 1 {
				t.Fatalf("%+v", page)
			}
			got := page.Items[0]
			if got.Kind != "openapi" || got.SpecURL != up.URL+c.spec || got.Confidence != c.confidence || got.Endpoint != up.URL || got.Tools != 1 || got.Namespace != "shop" || got.Auth[0].Kind != "bearer" || got.Auth[0].Confidence != "high" {
				t.Errorf("%+v", got)
			}
			if made := s.add(t, m{"url": up.URL + c.ask}); made.URL != up.URL+c.spec {
				t.Errorf("a refresh would read %s", made.URL)
			}
		})
	}
}

func TestDiscover_WhatIsNothingIsUnknownWithAdvice(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		ask    string
		code   string
		says   string
	}{
		"a plain site":            {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>shop</html>") }, "/", "notFound", "paste the document"},
		"a site that wants a key": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }, "/", "signIn", "headers"},
		"GraphQL":                 {http.NotFound, "/api/graphql", "kindNotRead", "graphql"},
		"MCP":                     {http.NotFound, "/mcp", "kindNotRead", "mcp"},
		"a damaged description":   {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"openapi":"3.0.0", "paths": {`) }, "/", "syntax", "line"},
		"Swagger 1":               {says(`{"swagger":"1.2"}`), "/", "notFound", "version"},
	} {
		t.Run(name, func(t *testing.T) {
			s, up := newStage(t, local), newUpstream(t, c.answer)
			got, err := s.Discover(t.Context(), up.URL+c.ask, nil)
			if err != nil || len(got) != 1 || got[0].Kind != "unknown" || got[0].Confidence != "low" || got[0].Tools != 0 {
				t.Fatalf("%+v %v", got, err)
			}
			found := false
			for _, w := range got[0].Warnings {
				found = found || w.Code == c.code && strings.Contains(w.Message, c.says)
			}
			if !found {
				t.Errorf("%+v", got[0].Warnings)
			}
			if len(up.seen()) > 45 {
				t.Error("too many guesses")
			}
			if _, err := s.Service.Add(t.Context(), uid, source.Given{URL: up.URL + c.ask}, "", "", ""); err == nil {
				t.Error("it was added")
			}
		})
	}
	s := newStage(t, local)
	up := newUpstream(t, says("{}"))
	up.Close()
	if got, err := s.Discover(t.Context(), up.URL, nil); err != nil || !strings.Contains(got[0].Warnings[0].Message, "cannot be reached") {
		t.Errorf("nobody there: %+v %v", got, err)
	}
	httpapitest.Refused(t, s.do(t, "POST", "/v1/sources/discover", owner, m{"url": "http://169.254.169.254/"}), 400, "address not allowed")
	httpapitest.Refused(t, s.do(t, "POST", "/v1/sources/discover", owner, m{"url": up.URL, "headers": m{"Host": "elsewhere"}}), 422, "Host")
	httpapitest.Refused(t, s.do(t, "POST", "/v1/sources/discover", owner, m{"url": "nothing"}), 422, "absolute")
}

func TestDiscover_GivenHeadersReachTheOriginOnlyAndAreNotStored(t *testing.T) {
	const secret = "canary-0123456789"
	s := newStage(t, local)
	elsewhere := newUpstream(t, says(describe("https://shop.example.test", nil, op("GET /me getMe"))))
	up := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Api-Key") != secret:
			http.Error(w, "no", http.StatusUnauthorized)
		case r.URL.Path == "/moved.json":
			http.Redirect(w, r, elsewhere.URL+"/spec.json", http.StatusFound)
		default:
			fmt.Fprint(w, describe("", bearer, op("GET /me getMe")))
		}
	})
	s.table.Reset()
	got, err := s.Discover(t.Context(), up.URL+"/openapi.json", map[string]string{"X-Api-Key": secret})
	if err != nil || got[0].Kind != "openapi" || len(s.table.Written()) != 0 {
		t.Errorf("%+v %v %v", got, err, s.table.Written())
	}
	if got, err := s.Discover(t.Context(), up.URL+"/moved.json", map[string]string{"X-Api-Key": secret}); err != nil || got[0].Kind != "openapi" {
		t.Errorf("%+v %v", got, err)
	}
	for _, c := range elsewhere.seen() {
		if c.Header.Get("X-Api-Key") != "" {
			t.Error("another host got the header")
		}
	}
	if c := up.seen()[0]; c.Header.Get("User-Agent") != "pags/1.2.3" {
		t.Errorf("User-Agent %q", c.Header.Get("User-Agent"))
	}
}

func TestAdd_ByURL_RelativeServersAreResolvedAndForeignReferencesLeftOut(t *testing.T) {
	s := newStage(t, local)
	foreign := newUpstream(t, says(`{"type":"object"}`))
	up := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/specs/v3/openapi.json" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, describe("../api", nil, op("POST /items makeItem", m{"requestBody": m{"content": m{"application/json": m{"schema": m{"$ref": foreign.URL + "/s.json"}}}}})))
	})
	made := s.add(t, m{"url": up.URL + "/specs/v3/openapi.json", "slug": "shop"})
	warned := false
	for _, w := range made.Warnings {
		warned = warned || w.Code == "externalReference"
	}
	if !warned || len(foreign.seen()) != 0 {
		t.Errorf("%+v", made.Warnings)
	}
	up.seen()
	s.send(t, "shop.main.shop.makeItem", m{"body": m{"a": 1}}, "")
	if c := up.seen(); len(c) != 1 || c[0].Path != "/specs/api/items" {
		t.Errorf("%+v", c)
	}
}

func TestFetch_ADocumentThatIsTooLargeOrTooSlowIsRefused(t *testing.T) {
	s := newStage(t, local)
	up := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(65<<20))
		w.WriteHeader(200)
	})
	_, err := s.Service.Add(t.Context(), uid, source.Given{URL: up.URL + "/openapi.json"}, "", "", "")
	if code(err) != "tooLarge" || !strings.Contains(err.Error(), "64 MB") {
		t.Errorf("%v", err)
	}
	if n := len(up.seen()); n != 1 {
		t.Errorf("%d requests for one large document", n)
	}
	up.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	if _, err := s.Service.Add(t.Context(), uid, source.Given{URL: up.URL + "/openapi.json"}, "", "", ""); err == nil {
		t.Error("a circle of redirects")
	}
}

func TestDiscover_HeadersStayWithTheOriginAlsoWhenARedirectAndItsLinksLeaveIt(t *testing.T) {
	elsewhere := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/spec.json" {
			fmt.Fprint(w, describe("https://api.example.com", bearer, op("GET /me getMe")))
			return
		}
		fmt.Fprint(w, `<html><link rel="service-desc" href="/spec.json"></html>`)
	})
	s, up := newStage(t, local), newUpstream(t, nil)
	up.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/docs", http.StatusFound)
	})
	got, err := s.Discover(t.Context(), up.URL+"/api", map[string]string{"X-Api-Key": token})
	if err != nil || len(got) != 1 || got[0].SpecURL != elsewhere.URL+"/spec.json" {
		t.Fatalf("%+v %v", got, err)
	}
	for _, c := range up.seen() {
		if c.Header.Get("X-Api-Key") != token {
			t.Errorf("%s of the given origin went without the header", c.Path)
		}
	}
	for _, c := range elsewhere.seen() {
		if c.Header.Get("X-Api-Key") != "" {
			t.Errorf("%s of another origin got the header", c.Path)
		}
	}
}
