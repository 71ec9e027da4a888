package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/agent"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func newAPI(t *testing.T) *httpapi.API {
	t.Helper()
	api := httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))})
	agent.Routes(api, agent.New(agent.Deps{}))
	return api
}

func slugs(p httpapi.Page[pags.Agent]) string {
	var out []string
	for _, a := range p.Items {
		out = append(out, a.Slug)
	}
	return strings.Join(out, " ")
}

func TestAgents_List(t *testing.T) {
	api := newAPI(t)
	for query, want := range map[string]string{
		"":                            "browser portal-watch",
		"?sort=name":                  "browser portal-watch",
		"?sort=newest":                "browser portal-watch",
		"?category=monitoring":        "portal-watch",
		"?category=none":              "",
		"?q=PORTAL+reads":             "portal-watch",
		"?q=forms+monitoring":         "",
		"?limit=1":                    "browser",
		"?limit=200&sort=popular&q=a": "browser portal-watch",
	} {
		page := httpapitest.Read[httpapi.Page[pags.Agent]](t, httpapitest.Do(t, api, "GET", "/v1/agents"+query, "", nil), 200)
		if got := slugs(page); got != want || page.Items == nil {
			t.Errorf("%q: %q, not %q", query, got, want)
		}
	}
	one := httpapitest.Read[httpapi.Page[pags.Agent]](t, httpapitest.Do(t, api, "GET", "/v1/agents?limit=1", "", nil), 200)
	two := httpapitest.Read[httpapi.Page[pags.Agent]](t, httpapitest.Do(t, api, "GET", "/v1/agents?limit=1&cursor="+one.NextCursor, "", nil), 200)
	if slugs(two) != "portal-watch" || two.NextCursor != "" {
		t.Errorf("second part: %q, cursor %q", slugs(two), two.NextCursor)
	}
	httpapitest.Refused(t, httpapitest.Do(t, api, "GET", "/v1/agents?limit=201", "", nil), 422, "query.limit")
	httpapitest.Refused(t, httpapitest.Do(t, api, "GET", "/v1/agents?sort=price", "", nil), 422, "query.sort")
	httpapitest.Refused(t, httpapitest.Do(t, api, "GET", "/v1/agents?cursor=xyz", "", nil), 400, "cursor")
}

func TestAgents_Show(t *testing.T) {
	api := newAPI(t)
	a := httpapitest.Read[pags.Agent](t, httpapitest.Do(t, api, "GET", "/v1/agents/portal-watch", "", nil), 200)
	if !a.ReadOnly || a.Capabilities.Runtime != "browser" || a.Capabilities.Workflow != "BROWSER_TASK" || !a.FirstParty {
		t.Errorf("%+v", a)
	}
	b := httpapitest.Read[pags.Agent](t, httpapitest.Do(t, api, "GET", "/v1/agents/browser", "", nil), 200)
	if b.ReadOnly || len(b.Instructions) < 500 {
		t.Errorf("%+v", b)
	}
	httpapitest.Refused(t, httpapitest.Do(t, api, "GET", "/v1/agents/nobody", "", nil), 404, "no such agent")
}

func TestAgents_CallersCannotChangeTheEmbeddedData(t *testing.T) {
	s := agent.New(agent.Deps{})
	a, err := s.Get(t.Context(), "browser")
	if err != nil {
		t.Fatal(err)
	}
	a.Capabilities.Tools = append(a.Capabilities.Tools, "shell")
	a.Capabilities.Surfaces = append(a.Capabilities.Surfaces, "tmux")
	if b, _ := s.Get(t.Context(), "browser"); len(b.Capabilities.Tools)+len(b.Capabilities.Surfaces) != 0 {
		t.Errorf("%+v", b.Capabilities)
	}
}
