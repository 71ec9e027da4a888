package source_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/source"
)

func TestRoutes_OwnershipOfEveryRoute(t *testing.T) {
	httpapitest.Ownership(t, func(t *testing.T) httpapitest.World {
		s := newStage(t, local)
		var up *upstream
		up = newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/openapi.json" {
				fmt.Fprint(w, describe(up.URL, bearer, op("GET /me getMe"), op("GET /file getFile")))
				return
			}
			w.Header().Set("Content-Type", "application/pdf")
			w.Write(make([]byte, 50<<10))
		})
		s.add(t, m{"url": up.URL + "/openapi.json", "slug": "shop"})
		s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": "token-123456"}})
		id := s.send(t, "shop.main.shop.getFile", nil, "").Data.(catalog.File).Blob
		return httpapitest.World{API: s.api, Table: s.table, Owner: owner, Stranger: stranger, Suspended: httpapitest.SuspendedToken,
			Params: map[string]string{"slug": "shop", "source": "shop", "name": "main", "id": id},
			Inputs: map[string]httpapitest.Input{
				"discoverSource": {Body: m{"url": up.URL}}, "previewSource": {Body: m{"url": up.URL}}, "addSource": {Body: m{"url": up.URL, "slug": "other"}},
				"changeSource": {Body: m{"name": "Another"}}, "acceptSource": {Body: m{}}, "refreshSource": {Body: m{}},
				"addConnection":    {Body: m{"source": "shop", "name": "second", "method": "bearer", "values": m{"token": "token-123456"}}},
				"changeConnection": {Body: m{"enabled": false}},
			}}
	})
}

func TestSources_OnlyAPersonChangesThem(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", bearer, op("GET /me getMe")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Method: "token", Values: map[string]string{"token": "token-123456"}})
	for _, c := range [][2]string{{"POST", "/v1/sources"}, {"PATCH", "/v1/sources/shop"}, {"DELETE", "/v1/sources/shop"}, {"POST", "/v1/sources/shop/accept"},
		{"POST", "/v1/connections"}, {"PATCH", "/v1/connections/shop/main"}, {"DELETE", "/v1/connections/shop/main"}} {
		s.table.Reset()
		httpapitest.Refused(t, s.do(t, c[0], c[1], robot, m{}), 403, "person")
		if w := s.table.Written(); len(w) != 0 {
			t.Errorf("%v wrote %v", c, w)
		}
	}
}

func TestAdd_APastedDescriptionBecomesToolsAtOnce(t *testing.T) {
	s := newStage(t, local)
	body := m{"document": describe("https://shop.example.test/v1", nil, op("GET /items listItems"), op("POST /items createItem")), "name": "My shop", "slug": "shop"}
	made := httpapitest.Read[source.Source](t, s.do(t, "POST", "/v1/sources", owner, body), 201)
	if made.Slug != "shop" || made.Name != "My shop" || made.Tools != 2 || made.Revision != 1 || made.Held != 0 || made.Status != "ready" || made.Connections != 1 || !made.Enabled || made.Format != "openapi 3.1.0" {
		t.Errorf("%+v", made)
	}
	if got := httpapitest.Read[source.Source](t, s.do(t, "GET", "/v1/sources/shop", owner, nil), 200); got.Name != made.Name || got.Connections != 1 {
		t.Errorf("%+v", got)
	}
	if b := s.bound(t, "shop.main.shop.listItems"); b.Host != "shop.example.test" || b.Held != "" || b.Off != "" || b.Tool.Request.Method != "GET" || len(b.Digest) != 32 {
		t.Errorf("%+v", b)
	}
	if c := httpapitest.Read[source.Connection](t, s.do(t, "GET", "/v1/connections/shop/main", owner, nil), 200); c.Kind != "none" || c.Namespace != "shop.main" || len(c.Inputs) != 0 {
		t.Errorf("a source that asks for nothing is connected to at once: %+v", c)
	}
	audited(t, s, "source.add")
}

// audited checks that the newest audit row is about that.
func audited(t *testing.T, s *stage, action string) {
	t.Helper()
	page, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(uid), Prefix: "AUDIT#", Desc: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range page.Items {
		if it["action"] == action {
			return
		}
	}
	t.Errorf("no audit row %s in %d", action, len(page.Items))
}

func TestAdd_TheSlugComesFromTheTitleAndIsTakenOnce(t *testing.T) {
	s := newStage(t, local)
	doc := describe("https://shop.example.test", bearer, op("GET /me getMe"))
	made := s.add(t, m{"document": doc})
	if made.Slug != "shop" || made.Connections != 0 {
		t.Errorf("%+v", made)
	}
	p := httpapitest.Refused(t, s.do(t, "POST", "/v1/sources", owner, m{"document": doc}), 409, `a source "shop" already (Shop)`)
	if about, _ := p.About.(map[string]any); about["slug"] != "shop" {
		t.Errorf("the conflict is about %v", p.About)
	}
	if got := httpapitest.Read[source.Source](t, s.do(t, "POST", "/v1/sources", stranger, m{"document": doc}), 201); got.Slug != "shop" {
		t.Errorf("another person's slug is free: %+v", got)
	}
	if got := s.add(t, m{"document": strings.Replace(doc, `"Shop"`, `"Person API"`, 1)}); got.Slug != "person_api" {
		t.Errorf("a title that is a reserved word: %s", got.Slug)
	}
	httpapitest.Refused(t, s.do(t, "POST", "/v1/sources", owner, m{"document": doc, "slug": "describe"}), 422, "reserved")
	httpapitest.Refused(t, s.do(t, "POST", "/v1/sources", owner, m{"document": doc, "slug": "Big"}), 422, "slug")
}

func TestAdd_WhatIsWrongIsSaidWithItsPlace(t *testing.T) {
	s := newStage(t, local)
	for name, c := range map[string]struct {
		body   m
		status int
		says   string
	}{
		"nothing":                  {m{}, 422, "url"},
		"both":                     {m{"url": "https://a.example.test", "document": "{}"}, 422, "not both"},
		"no address":               {m{"url": "shop"}, 422, "absolute"},
		"another scheme":           {m{"url": "ftp://a.example.test/"}, 422, "absolute"},
		"not a description":        {m{"document": `{"hello":"world"}`}, 422, "openapi"},
		"a page":                   {m{"document": `<html></html>`}, 400, "web page"},
		"no operations":            {m{"document": describe("https://a.example.test", nil)}, 422, "nothing to call"},
		"a base that is no base":   {m{"document": describe("", nil, op("GET /me getMe")), "baseUrl": "https://a.example.test/?x=1"}, 422, "baseUrl"},
		"cloud metadata as a base": {m{"document": describe("", nil, op("GET /me getMe")), "baseUrl": "http://169.254.169.254/"}, 400, "address not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			httpapitest.Refused(t, s.do(t, "POST", "/v1/sources", owner, c.body), c.status, c.says)
		})
	}
	p := httpapitest.Refused(t, s.do(t, "POST", "/v1/sources", owner, m{"document": "openapi: 3.0.0\npaths:\n  /a: [\n"}), 400, "line ")
	if d, _ := p.About.(map[string]any); d["line"] == nil || d["reason"] == nil {
		t.Errorf("no line and reason: %v", p.About)
	}
}

func TestAdd_ARepeatWithTheSameKeyAddsNothing(t *testing.T) {
	s := newStage(t, local)
	body := m{"document": describe("https://shop.example.test", nil, op("GET /me getMe"))}
	var all sync.WaitGroup
	got := make([]int, 6)
	for i := range got {
		all.Go(func() { got[i] = s.do(t, "POST", "/v1/sources", owner, body, "Idempotency-Key", "once").Code })
	}
	all.Wait()
	for _, c := range got {
		if c != 201 {
			t.Errorf("%v", got)
			break
		}
	}
	if page := httpapitest.Read[httpapi.Page[source.Source]](t, s.do(t, "GET", "/v1/sources", owner, nil), 200); len(page.Items) != 1 {
		t.Errorf("%d sources", len(page.Items))
	}
	httpapitest.Refused(t, s.do(t, "POST", "/v1/sources", owner, m{"document": body["document"], "slug": "two"}, "Idempotency-Key", "once"), 409, "Idempotency-Key")
}

func TestAdd_AtMostAHundredSourcesAndTwentyConnectionsAlsoAtTheSameTime(t *testing.T) {
	s := newStage(t, local)
	doc := describe("https://shop.example.test", bearer, op("GET /me getMe"))
	for i := range source.MaxSources - 2 {
		s.add(t, m{"document": doc, "slug": fmt.Sprintf("s%d", i)})
	}
	race := func(n int, try func(i int) error) (ok int) {
		var all sync.WaitGroup
		errs := make([]error, n)
		for i := range n {
			all.Go(func() { errs[i] = try(i) })
		}
		all.Wait()
		for _, err := range errs {
			switch code(err) {
			case "":
				ok++
			case "conflict", "unavailable":
			default:
				t.Error(err)
			}
		}
		return ok
	}
	s.deps.Table = &together{Table: s.table, want: 6, all: make(chan struct{})}
	s.restart()
	if n := race(6, func(i int) error {
		_, err := s.Service.Add(t.Context(), uid, source.Given{Document: doc}, "", fmt.Sprintf("late%d", i), "")
		return err
	}); n != 2 {
		t.Errorf("%d more than 98 were added", n)
	}
	if n := race(25, func(i int) error {
		_, err := s.Service.Connect(t.Context(), uid, source.NewConnection{Source: "s1", Name: fmt.Sprintf("c%d", i), Method: "none"}, "")
		return err
	}); n != source.MaxConnections {
		t.Errorf("%d connections", n)
	}
	if got, _ := s.Get(t.Context(), uid, "s1"); got.Connections != source.MaxConnections {
		t.Errorf("%d are counted", got.Connections)
	}
	if err := s.Disconnect(t.Context(), uid, "s1", "c0"); err != nil && code(err) != "notFound" {
		t.Error(err)
	}
}

// together lets transactions through once as many as wanted have come to that point.
type together struct {
	port.Table
	want int64
	here atomic.Int64
	all  chan struct{}
}

func (g *together) Transact(ctx context.Context, token string, writes ...port.Write) error {
	if g.here.Add(1) == g.want {
		close(g.all)
	}
	<-g.all
	return g.Table.Transact(ctx, token, writes...)
}

func TestPreview_ShowsWhatWouldComeAndStoresNothing(t *testing.T) {
	s := newStage(t, local)
	var ops []m
	for i := range 250 {
		ops = append(ops, op(fmt.Sprintf("GET /t%03d tool%03d", i, i), m{"tags": []string{fmt.Sprint("group", i%3)}}))
	}
	s.table.Reset()
	p := httpapitest.Read[source.Preview](t, s.do(t, "POST", "/v1/sources/preview", owner, m{"document": describe("", bearer, ops...)}), 200)
	if p.Tools != 250 || len(p.Items) != 200 || len(p.Groups) != 3 || p.Groups[0].Count != 84 || !p.NeedsBase || p.Auth[0].Kind != "bearer" || p.Namespace != "shop" {
		t.Errorf("%d tools, %d items, %v, base %v, %v", p.Tools, len(p.Items), p.Groups, p.NeedsBase, p.Auth)
	}
	p = httpapitest.Read[source.Preview](t, s.do(t, "POST", "/v1/sources/preview", owner, m{"document": describe("", bearer, ops...), "baseUrl": "https://shop.example.test"}), 200)
	for _, w := range p.Warnings {
		if w.Code == "baseNeeded" || p.NeedsBase {
			t.Errorf("a base was given: %+v", w)
		}
	}
	if w := s.table.Written(); len(w) != 0 {
		t.Errorf("written: %v", w)
	}
}

func TestList_ReadsNoCatalogAndIsPaged(t *testing.T) {
	s := newStage(t, local)
	doc := describe("https://shop.example.test", nil, op("GET /me getMe"))
	for _, slug := range []string{"c", "a", "b"} {
		s.add(t, m{"document": doc, "slug": slug})
	}
	s.deps.Blobs = nil // a read of one would panic
	s.restart()
	one := httpapitest.Read[httpapi.Page[source.Source]](t, s.do(t, "GET", "/v1/sources?limit=2", owner, nil), 200)
	two := httpapitest.Read[httpapi.Page[source.Source]](t, s.do(t, "GET", "/v1/sources?limit=2&cursor="+one.NextCursor, owner, nil), 200)
	if len(one.Items) != 2 || len(two.Items) != 1 || one.Items[0].Slug != "a" || two.Items[0].Slug != "c" || two.NextCursor != "" {
		t.Errorf("%+v %+v", one, two)
	}
	conns := httpapitest.Read[httpapi.Page[source.Connection]](t, s.do(t, "GET", "/v1/connections?source=b", owner, nil), 200)
	if len(conns.Items) != 1 || conns.Items[0].Source != "b" {
		t.Errorf("%+v", conns)
	}
	if none := httpapitest.Read[httpapi.Page[source.Source]](t, s.do(t, "GET", "/v1/sources", stranger, nil), 200); len(none.Items) != 0 {
		t.Errorf("a stranger sees %+v", none)
	}
}

func TestChange_SwitchesAndMovesASource(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", nil, op("GET /me getMe")), "slug": "shop"})
	before := s.bound(t, "shop.main.shop.getMe")
	got := httpapitest.Read[source.Source](t, s.do(t, "PATCH", "/v1/sources/shop", owner, m{"enabled": false, "name": "Store", "baseUrl": "https://eu.example.test/v2/"}), 200)
	if got.Enabled || got.Name != "Store" || got.BaseURL != "https://eu.example.test/v2" {
		t.Errorf("%+v", got)
	}
	b := s.bound(t, "shop.main.shop.getMe")
	if b.Off != "source" || b.Host != "eu.example.test" || b.Digest == before.Digest {
		t.Errorf("%+v", b)
	}
	if d, err := s.Directory(t.Context(), uid); err != nil || len(d.Places) != 0 {
		t.Errorf("what is off can be found: %v %v", d.Places, err)
	}
	httpapitest.Refused(t, s.do(t, "PATCH", "/v1/sources/shop", owner, m{"baseUrl": "http://169.254.169.254/"}), 400, "address not allowed")
	httpapitest.Refused(t, s.do(t, "PATCH", "/v1/sources/shop", owner, m{"name": " "}), 422, "name")
	audited(t, s, "source.change")
}

func TestRemove_TakesConnectionsValuesAndBlobsAlong(t *testing.T) {
	s := newStage(t, local)
	s.add(t, m{"document": describe("https://shop.example.test", bearer, op("GET /me getMe")), "slug": "shop"})
	for _, name := range []string{"a", "b"} {
		s.connect(t, source.NewConnection{Source: "shop", Name: name, Method: "token", Values: map[string]string{"token": "token-123456"}})
	}
	b := s.bound(t, "shop.a.shop.getMe")
	if w := s.do(t, "DELETE", "/v1/sources/shop", owner, nil); w.Code != 204 {
		t.Fatal(w.Body)
	}
	if f := mustFail(t, s, "shop.a.shop.getMe"); f.Code != "tool_not_found" {
		t.Errorf("%+v", f)
	}
	if r, err := s.Send(t.Context(), uid, b, nil, ""); err != nil || r.OK || r.Error.Code != "tool_not_found" {
		t.Errorf("a tool that was resolved before: %+v %v", r, err)
	}
	left, err := s.blobs.List(t.Context(), "sources/", "", 100)
	if err != nil || len(left) != 0 {
		t.Errorf("blobs stay behind: %v %v", left, err)
	}
	if page, _ := s.table.Query(t.Context(), port.Query{PK: "U#" + string(uid), Prefix: "CONNECTION#"}); len(page.Items) != 0 {
		t.Errorf("%d connections stay behind", len(page.Items))
	}
	s.add(t, m{"document": describe("https://shop.example.test", bearer, op("GET /me getMe")), "slug": "shop"})
	audited(t, s, "source.remove")
}

func mustFail(t *testing.T, s *stage, path string) *catalog.Failure {
	t.Helper()
	b, f, err := s.Resolve(t.Context(), uid, path)
	if err != nil || f == nil {
		t.Fatalf("%s: %+v %v", path, b, err)
	}
	return f
}

func TestNew_WithoutACheckNothingIsCalled(t *testing.T) {
	s := newStage(t, local)
	s.deps.CheckURL = nil
	s.restart()
	up := newUpstream(t, says("{}"))
	_, err := s.Service.Add(t.Context(), uid, source.Given{URL: up.URL}, "", "", "")
	if err != guard.ErrAddress || len(up.seen()) != 0 {
		t.Errorf("%v", err)
	}
}
