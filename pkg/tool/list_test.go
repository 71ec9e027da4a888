package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
	"github.com/proagentstore/pags/pkg/tool"
)

const owner, robot = httpapitest.OwnerToken, httpapitest.RobotToken

// ask calls a tool of the house and gives its result as JSON has it.
func (s *stage) ask(t *testing.T, path, args string) (ok bool, data map[string]any, text string) {
	t.Helper()
	j := s.judge(t, call(path, args))
	r, err := s.Send(t.Context(), j, s.trail)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	if r.Error != nil {
		text = r.Error.Message
	}
	_ = json.Unmarshal(raw, &data)
	return r.OK, data, text + string(raw)
}

func paths(data map[string]any, name string) []string {
	var out []string
	for _, it := range data[name].([]any) {
		out = append(out, it.(map[string]any)["path"].(string))
	}
	return out
}

func TestRoutes_OwnershipOfEveryRoute(t *testing.T) {
	httpapitest.Ownership(t, func(t *testing.T) httpapitest.World {
		s := newStage(t)
		return httpapitest.World{API: s.api, Table: s.table, Owner: owner, Stranger: httpapitest.StrangerToken, Suspended: httpapitest.SuspendedToken,
			Inputs: map[string]httpapitest.Input{"describeTool": {Query: "path=" + list}}}
	})
}

func TestHouse_EveryToolOfTheHouseIsDescribedAndAnswered(t *testing.T) {
	for path, args := range map[string]string{"search": `{"query":"issues"}`, "discover": `{"query":"create an issue","includeSchemas":true}`, "describe.tool": `{"path":"` + list + `"}`,
		"catalog.namespaces": `{}`, "catalog.tools": `{"namespace":"github.main","includeSchemas":true}`} {
		s := newStage(t)
		s.policies.rules = []rule.Rule{{ID: "1", Pattern: "*", Action: rule.RequireApproval}} // no policy is about the house
		j := s.judge(t, call(path, args))
		if j.Ask != nil || j.Result != nil || j.Bound != nil || !j.ReadOnly || j.Digest == "" {
			t.Errorf("%s: %+v", path, j)
		}
		ok, data, _ := s.ask(t, path, args)
		if !ok || len(data) == 0 {
			t.Errorf("%s: %v", path, data)
		}
		if ok, d, _ := s.ask(t, "describe.tool", `{"path":"`+path+`","includeSchemas":true}`); !ok || d["path"] != path || d["inputSchema"] == nil || d["inputTypeScript"] == "" {
			t.Errorf("%s describes itself as %v", path, d)
		}
		if f := s.judge(t, call(path, `{"nonsense":1}`)).Result; f == nil || f.Error.Code != catalog.CodeInvalidArguments || !strings.Contains(f.Error.Message, "Accepted: ") && path != "catalog.namespaces" {
			t.Errorf("%s takes nonsense: %+v", path, f)
		}
	}
}

func TestSearch_FindsWithinTheLimitsOfTheSpec(t *testing.T) {
	s := newStage(t)
	ok, data, _ := s.ask(t, "tools.search", `{"query":"create issue"}`)
	if !ok || paths(data, "items")[0] != create || data["total"].(float64) < 1 || data["hasMore"] != false {
		t.Errorf("%v", data)
	}
	first := data["items"].([]any)[0].(map[string]any)
	if first["asks"] != true || first["policy"] != nil {
		t.Errorf("a program is told %v", first)
	}
	if _, data, _ := s.ask(t, "search", `{"namespace":"github.main","limit":2,"offset":1}`); len(paths(data, "items")) != 2 || data["total"] != 5.0 || data["nextOffset"] != 3.0 {
		t.Errorf("a namespace in parts: %v", data)
	}
	if _, data, _ := s.ask(t, "search", `{}`); data["total"] != 0.0 || data["items"] == nil {
		t.Errorf("nothing is asked for: %v", data)
	}
	for _, args := range []string{`{"query":"x","limit":201}`, `{"query":"x","limit":0}`, `{"query":"x","offset":-1}`, `{"query":7}`} {
		if j := s.judge(t, call("search", args)); j.Result == nil || j.Result.Error.Code != catalog.CodeInvalidArguments {
			t.Errorf("%s: %+v", args, j.Result)
		}
	}
	_, data, _ = s.ask(t, "discover", `{"query":"create an issue","limit":2,"includeSchemas":true}`)
	best := data["results"].([]any)[0].(map[string]any)
	if data["bestPath"] != create || len(data["results"].([]any)) > 2 || !strings.Contains(best["inputTypeScript"].(string), "title") {
		t.Errorf("%v", data)
	}
	if _, data, _ = s.ask(t, "discover", `{"query":"zeppelin"}`); data["bestPath"] != nil || len(data["results"].([]any)) != 0 {
		t.Errorf("%v", data)
	}
}

func TestBlocked_ToolsAreHiddenEverywhereAndRefusedOnCall(t *testing.T) {
	s := newStage(t)
	s.policies.rules = []rule.Rule{{ID: "1", Pattern: "github.main.issues.*", Action: rule.Block}, {ID: "2", Pattern: list, Action: rule.Approve}}
	for _, c := range [][2]string{{"search", `{"query":"create issue"}`}, {"search", `{"namespace":"github.main","limit":200}`}, {"discover", `{"query":"create issue"}`},
		{"catalog.tools", `{"namespace":"github.main"}`}, {"describe.tool", `{"path":"github.main.issues.creat"}`}} {
		if _, _, text := s.ask(t, c[0], c[1]); strings.Contains(text, create) {
			t.Errorf("%s %s shows a blocked tool: %s", c[0], c[1], text)
		}
	}
	if _, data, _ := s.ask(t, "search", `{"namespace":"github.main"}`); data["total"] != 4.0 || !slices.Contains(paths(data, "items"), list) {
		t.Errorf("what a narrower rule allows is shown: %v", data)
	}
	if _, data, _ := s.ask(t, "catalog.namespaces", `{}`); data["namespaces"].([]any)[0].(map[string]any)["tools"] != 4.0 {
		t.Errorf("the count is not that of the listing: %v", data)
	}
	ok, _, text := s.ask(t, "describe.tool", `{"path":"`+create+`"}`)
	_, _, never := s.ask(t, "describe.tool", `{"path":"zeppelin.x.y"}`)
	if ok || strings.ReplaceAll(text, create, "") != strings.ReplaceAll(never, "zeppelin.x.y", "") {
		t.Errorf("a blocked tool is not described like one that never was: %q %q", text, never)
	}
	if f := s.judge(t, call(create, good)).Result; f == nil || f.Error.Code != catalog.CodeBlocked {
		t.Errorf("%+v", f)
	}
	s.policies.rules = []rule.Rule{{ID: "1", Pattern: "*", Action: rule.Block}}
	if _, data, _ := s.ask(t, "catalog.namespaces", `{}`); data["total"] != 0.0 {
		t.Errorf("a namespace without a tool that may be seen: %v", data)
	}
}

func TestListRoute_ListsSearchesAndShowsBlockedToolsToTheirOwner(t *testing.T) {
	s := newStage(t)
	s.sources.held[remove] = "changed"
	s.policies.rules = []rule.Rule{{ID: "pol_1", Pattern: create, Action: rule.Block}}
	get := func(token, query string) tool.Listing {
		t.Helper()
		return httpapitest.Read[tool.Listing](t, httpapitest.Do(t, s.api, "GET", "/v1/tools"+query, token, nil), 200)
	}
	all := get(owner, "")
	if all.Total != 4 || all.HasMore || !slices.IsSortedFunc(all.Items, func(a, b tool.Found) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("%+v", all)
	}
	for _, it := range all.Items {
		if it.Path == create || it.Policy == nil || it.Policy.Reason == "" || it.Path == remove && (it.Held != "changed" || !it.Destructive) {
			t.Errorf("%+v", it)
		}
	}
	if more := get(owner, "?includeBlocked=true"); more.Total != 5 || more.Items[0].Path != create || more.Items[0].Policy.RuleID != "pol_1" {
		t.Errorf("%+v", more)
	}
	if found := get(owner, "?query=list+issues&namespace=github"); len(found.Items) == 0 || found.Items[0].Path != list || found.Items[0].Score == 0 {
		t.Errorf("%+v", found)
	}
	if part := get(owner, "?namespace=github.main&limit=3&offset=3"); len(part.Items) != 1 || part.HasMore {
		t.Errorf("%+v", part)
	}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/tools?includeBlocked=true", robot, nil), 403, "person")
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/tools?limit=201", owner, nil), 422, "limit")
	s.policies.fail = errors.New("away")
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/tools", owner, nil), 500, "")
}

func TestNamespacesRoute_PagesByTheLastOne(t *testing.T) {
	s := newStage(t)
	page := httpapitest.Read[httpapi.Page[catalog.Place]](t, httpapitest.Do(t, s.api, "GET", "/v1/tools/namespaces?limit=1", owner, nil), 200)
	if len(page.Items) != 1 || page.Items[0].Namespace != "github.main" || page.Items[0].Tools != 5 || page.NextCursor != "" {
		t.Errorf("%+v", page)
	}
	page = httpapitest.Read[httpapi.Page[catalog.Place]](t, httpapitest.Do(t, s.api, "GET", "/v1/tools/namespaces?cursor=github.main", owner, nil), 200)
	if page.Items == nil || len(page.Items) != 0 {
		t.Errorf("after the last: %+v", page)
	}
}

func TestDescribeRoute_SaysWhatItTakesWhereItGoesAndWhatIsDecided(t *testing.T) {
	s := newStage(t)
	s.sources.held[create] = "new"
	d := httpapitest.Read[tool.Described](t, httpapitest.Do(t, s.api, "GET", "/v1/tools/describe?path=github.issues.create", owner, nil), 200)
	if d.Path != create || d.Source != "github" || d.Connection != "main" || d.Held != "new" || !d.Asks || d.Method != "POST" || d.Host != "api.github.test" || d.Policy.Action != rule.RequireApproval {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(d.InputTypeScript, "title: string") || !json.Valid(d.InputSchema) || len(d.InputSchema) == 0 {
		t.Errorf("%s\n%s", d.InputTypeScript, d.InputSchema)
	}
	if d := httpapitest.Read[tool.Described](t, httpapitest.Do(t, s.api, "GET", "/v1/tools/describe?includeSchemas=false&path="+create, owner, nil), 200); d.InputSchema != nil {
		t.Errorf("%s", d.InputSchema)
	}
	p := httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/tools/describe?path=github.main.issues.creat", owner, nil), 404, create)
	if !strings.Contains(fmt.Sprint(p.About), create) {
		t.Errorf("%+v", p)
	}
	s.policies.rules = []rule.Rule{{ID: "1", Pattern: create, Action: rule.Block}}
	httpapitest.Refused(t, httpapitest.Do(t, s.api, "GET", "/v1/tools/describe?path="+create, owner, nil), 404, "no tool")
	if d := httpapitest.Read[tool.Described](t, httpapitest.Do(t, s.api, "GET", "/v1/tools/describe?includeBlocked=true&path="+create, owner, nil), 200); d.Policy.Action != rule.Block {
		t.Errorf("%+v", d)
	}
}

func TestPersonAsk_IsAFormWhoseWordsAreTheProgramsOwn(t *testing.T) {
	s := newStage(t)
	in := call("person.ask", `{"message":"Which\nbranch\u202e?","schema":{"type":"object","properties":{"branch":{"type":"string"}},"required":["branch"]}}`)
	in.AutoApprove = true // waives approvals, not questions
	q := s.judge(t, in).Ask
	if q == nil || q.Reason != pags.WaitValue || q.Title != "A program asks: Which branch<U+202E>?" || strings.Join(q.Allowed, " ") != "form decline" {
		t.Fatalf("%+v", q)
	}
	if !strings.Contains(q.Detail, "not by pags") || q.Request["message"] != "Which\nbranch<U+202E>?" || !strings.Contains(string(q.Schema), "branch") || q.Request["schema"] == nil {
		t.Errorf("%+v", q)
	}
	if q := s.judge(t, call("person.ask", `{"message":"Go on?"}`)).Ask; q == nil || q.Schema != nil || q.Request["schema"] != nil {
		t.Errorf("without a schema: %+v", q)
	}
	for args, says := range map[string]string{
		`{}`:                           "message",
		`{"message":""}`:               "message",
		`{"message":"x","schema":"y"}`: "schema",
		`{"message":"x","schema":{"type":"array"}}`:                                      "object",
		`{"message":"x","schema":{"properties":{"a":{"type":"text"}}}}`:                  "schema",
		`{"message":"x","schema":{"description":"` + strings.Repeat("x", 16_001) + `"}}`: "16000",
		`{"message":"x","form":{}}`:                                                      "unknown argument",
	} {
		if r := s.judge(t, call("person.ask", args)).Result; r == nil || r.Error.Code != catalog.CodeInvalidArguments || !strings.Contains(r.Error.Message, says) {
			t.Errorf("%.60s: %+v", args, r)
		}
	}
	s.order = nil
	if _, err := s.Send(t.Context(), s.granted(t, in), s.trail); err == nil {
		t.Error("the house answers in the person's place")
	}
}
