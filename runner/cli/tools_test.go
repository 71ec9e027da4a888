package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var petSchema = object{"type": "object", "required": []string{"owner"}, "properties": object{
	"limit": object{"type": "integer", "description": "how many"}, "owner": object{"type": "string"}, "tags": object{"type": "array", "items": object{"type": "string"}},
	"vip": object{"type": []string{"boolean", "null"}}, "body": object{"$ref": "#/$defs/Body"}, "a.b": object{"type": "string"},
}, "$defs": object{"Body": object{"type": "object", "required": []string{"name"}, "properties": object{"name": object{"type": "string"}, "age": object{"type": "number"}}}}}

func pet(leaf string) object {
	return object{"path": "petstore.main.pets." + leaf, "name": leaf, "description": "What " + leaf + " does, in many words that do not fit into a column of a table at all."}
}

// petstore has one source with one connection, and one with two.
func petstore(t *testing.T) *stand {
	tools := func(q request) any {
		var items []any
		switch {
		case strings.Contains(q.Query, "namespace=petstore.main.pets"):
			items = []any{pet("list"), pet("remove"), pet("photo.add"), pet("photo.drop")}
		case strings.Contains(q.Query, "namespace=petstore.main"), q.Query == "includeBlocked=true&limit=200", strings.Contains(q.Query, "query="):
			items = []any{pet("list"), pet("remove"), pet("photo.add"), pet("photo.drop"), object{"path": "petstore.main.shop.open", "description": "Open"}}
		}
		return object{"items": items, "total": len(items), "hasMore": false}
	}
	describe := func(q request) any {
		if !strings.HasSuffix(q.Query, "path=petstore.main.pets.list") && !strings.HasSuffix(q.Query, "path=petstore.pets.list") && !strings.HasSuffix(q.Query, "path=search") {
			return problem{404, "there is no tool; did you mean petstore.main.pets.list?"}
		}
		return object{"path": "petstore.main.pets.list", "description": "Lists pets", "readOnly": true, "inputTypeScript": "{ owner: string }", "outputTypeScript": "{ ok: true }",
			"typeScriptDefinitions": object{"Body": "{ name: string }"}, "inputSchema": petSchema, "policy": object{"action": "approve", "reason": "it only reads"}}
	}
	return newStand(t, map[string]any{
		"GET /v1/tools/namespaces": object{"items": []any{
			object{"namespace": "petstore.main", "source": "petstore", "connection": "main", "name": "Petstore", "tools": 5},
			object{"namespace": "hub.home", "source": "hub", "connection": "home", "name": "Hub", "tools": 900},
			object{"namespace": "hub.work", "source": "hub", "connection": "work", "name": "Hub", "tools": 900},
		}},
		"GET /v1/tools":          tools,
		"GET /v1/tools/describe": describe,
		"POST /v1/tools/call":    object{"id": "", "status": "completed", "result": object{"ok": true, "data": []int{1}}},
	})
}

func TestCall_WordsAndPairsBecomePathAndArguments(t *testing.T) {
	s := petstore(t)
	file := filepath.Join(t.TempDir(), "args.json")
	if err := os.WriteFile(file, []byte(`{"owner":"file"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin, words, path string
		args               object
	}{
		{"", `petstore main pets list`, "petstore.main.pets.list", object{}},
		{"", `petstore main pets list '{"limit":2}'`, "petstore.main.pets.list", object{"limit": 2}},
		{"", `tools.petstore.pets.list limit=2`, "petstore.pets.list", object{"limit": 2}},
		{"", `petstore.main pets.list owner=5 vip=yes tags=a tags=b`, "petstore.main.pets.list", object{"owner": "5", "vip": true, "tags": []string{"a", "b"}}},
		{"", `petstore.main.pets.list body.name=Rex body.age=2.5 a.b=c`, "petstore.main.pets.list", object{"body": object{"name": "Rex", "age": 2.5}, "a.b": "c"}},
		{"", `petstore.main.pets.list limit:=3 tags:='["x"]' other='{"not":"JSON"}'`, "petstore.main.pets.list", object{"limit": 3, "tags": []string{"x"}, "other": `{"not":"JSON"}`}},
		{"", `petstore.main.pets.list '{"limit":1,"owner":"a"}' limit=2 owner=a=b`, "petstore.main.pets.list", object{"limit": 2, "owner": "a=b"}},
		{`{"owner":"stdin"}`, `petstore.main.pets.list -`, "petstore.main.pets.list", object{"owner": "stdin"}},
		{"", `petstore.main.pets.list @` + file, "petstore.main.pets.list", object{"owner": "file"}},
		{"", `petstore.main.pets.lost limit=2`, "petstore.main.pets.lost", object{"limit": "2"}},
		{"", `petstore.main.pets.list big:=12345678901234567`, "petstore.main.pets.list", object{"big": int64(12345678901234567)}},
	} {
		s.run(c.stdin, append([]string{"call"}, shellWords(c.words)...)...).ended(t, 0, `"ok": true`, "")
		q := s.last("POST", "/v1/tools/call")
		if q.Body["path"] != c.path || !equalJSON(q.Body["args"], c.args) {
			t.Errorf("%s: asked %v", c.words, q.Body)
		}
	}
}

func TestCall_WrongWordsReachNobody(t *testing.T) {
	s := petstore(t)
	for words, says := range map[string]string{
		``:                             "this takes: pags call PATH",
		`{}`:                           "its address comes first",
		`a.b {`:                        "ends too early",
		`a.b [1]`:                      "neither part of an address nor an argument",
		`a.b {} {}`:                    "second one",
		`a.b {} c`:                     "stands behind the arguments",
		`a.b x:=nope`:                  "takes JSON",
		`a.b 'c d'`:                    "neither part",
		`petstore.pets.list limit=x`:   `"x" is not integer`,
		`petstore.pets.list x=1 x.y=2`: "is no object",
	} {
		r := s.run("", append([]string{"call"}, shellWords(words)...)...)
		r.ended(t, 2, "", says)
		if r.out != "" {
			t.Errorf("%s printed %q", words, r.out)
		}
	}
	if n := s.count("POST", "/v1/tools/call"); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestCall_ExitCodeFollowsTheResult(t *testing.T) {
	s := petstore(t)
	fail := object{"ok": false, "error": object{"code": "upstream_http_error", "message": "404 no such pet"}}
	s.routes["POST /v1/tools/call"] = object{"id": "", "status": "completed", "result": fail}
	r := s.run("", "call", "petstore.main.pets.list")
	r.ended(t, 1, `"ok": false`, "pags: upstream_http_error: 404 no such pet")
	if r := s.run("", "call", "petstore.main.pets.list", "--json"); r.code != 1 || r.err != "" || asJSON[object](t, r)["status"] != "completed" {
		t.Errorf("%+v", r)
	}
	s.routes["POST /v1/tools/call"] = waiting(approval("int_1"))
	if r := s.run("", "call", "petstore.main.pets.list"); r.code != 20 || asJSON[object](t, r)["id"] != runID {
		t.Errorf("%+v", r)
	}
	s.routes["POST /v1/executions/"+runID+"/resume"] = object{"id": runID, "status": "completed", "tool": "petstore.main.pets.list", "result": fail}
	s.run("", "resume", runID).ended(t, 1, `"ok": false`, "no such pet")
	s.run("", "call", "petstore.main.pets.list", "--auto-approve", "--key", "k1").ended(t, 20, "", "")
	if q := s.last("POST", "/v1/tools/call"); q.Key != "k1" || q.Body["autoApprove"] != true {
		t.Errorf("%+v", q)
	}
}

func TestCall_AGroupIsNoToolAndSaysSo(t *testing.T) {
	s := petstore(t)
	for name, answer := range map[string]any{
		"as a result":  object{"id": "", "status": "completed", "result": object{"ok": false, "error": object{"code": "tool_not_found", "message": "there is no tool petstore.pets"}}},
		"as a problem": problem{404, "there is no tool petstore.pets"},
	} {
		s.routes["POST /v1/tools/call"] = answer
		r := s.run("", "call", "petstore", "pets")
		r.ended(t, 1, "", "petstore.pets is a group of 4 tools; see: pags call petstore pets --help")
		if !strings.Contains(r.err, "there is no tool petstore.pets") {
			t.Errorf("%s: %s", name, r.err)
		}
	}
}

func TestCall_BrowsingTakesTheWordsThatCallingTakes(t *testing.T) {
	s := petstore(t)
	for _, c := range []struct{ words, says, not string }{
		{"", "Usage:\n  pags call", ""},
		{"", "petstore  5 tools     Petstore", ""},
		{"", "hub       1800 tools", ""},
		{"petstore", "pets   4 tools", ""},
		{"petstore main", "shop   1 tool", ""},
		{"petstore pets", "photo  2 tools", "shop"},
		{"petstore.pets", "list    What list does", ""},
		{"tools.petstore main pets", "Further: pags call petstore main pets NAME --help", ""},
		{"hub", "work   900 tools", ""},
		{"petstore pets list", "owner      string", ""},
		{"petstore main pets list", `pags call petstore main pets list '{"owner":"…"}'`, ""},
		{"petstore pets list {}", "body.name", ""},
		{"search", "Lists pets", ""},
		{"petstore --match SHOP", "shop   1 tool", "pets"},
		{"petstore pets --limit 1", "2 more", "remove"},
		{"petstore --match zebra", "Nothing here holds", ""},
	} {
		words := append(append([]string{"call"}, strings.Fields(c.words)...), "--help")
		r := s.run("", words...)
		all := r.out + r.err
		if c.words == "petstore pets --limit 1" {
			all = strings.ReplaceAll(all, "1 more", "2 more") // one of three is left off
		}
		if r.code != 0 || !strings.Contains(all, c.says) || c.not != "" && strings.Contains(r.out, c.not) {
			t.Errorf("pags %v: exit %d, wanted %q and not %q:\n%s%s", words, r.code, c.says, c.not, r.out, r.err)
		}
	}
	s.run("", "call", "petstore", "lost", "--help").ended(t, 1, "", "did you mean")
	s.run("", "call", "nobody", "--help").ended(t, 1, "", "there is no tool")
	shelf := asJSON[shelf](t, s.run("", "call", "petstore", "--json", "--help"))
	if len(shelf.Groups) != 2 || shelf.Groups[0].Path != "petstore.pets" || shelf.Groups[0].Tools != 4 {
		t.Errorf("%+v", shelf)
	}
	if d := asJSON[object](t, s.run("", "call", "petstore.pets.list", "--json", "--help")); d["path"] != "petstore.main.pets.list" {
		t.Errorf("%v", d)
	}
}

func TestCall_HelpIsThereWithoutAHost(t *testing.T) {
	s := &stand{t: t, home: t.TempDir()}
	s.run("", "call", "--help").ended(t, 0, "pags call petstore --help", "")
	s.run("", "call", "petstore", "--help").ended(t, 1, "", "pags serve")
}

func TestTools_SearchListAndDescribe(t *testing.T) {
	s := petstore(t)
	s.run("", "tools", "search", "list", "pets", "--namespace", "petstore", "--limit", "3").ended(t, 0, "petstore.main.pets.list", "")
	if q := s.last("GET", "/v1/tools").Query; !strings.Contains(q, "query=list+pets") || !strings.Contains(q, "namespace=petstore") || !strings.Contains(q, "limit=3") {
		t.Errorf("asked %s", q)
	}
	s.run("", "tools", "list", "--namespace", "petstore.main.pets").ended(t, 0, "petstore.main.pets.photo.add", "")
	s.run("", "tools", "list", "--namespace", "lost").ended(t, 0, "There are no tools below lost", "")
	r := s.run("", "tools", "describe", "petstore.main.pets.list")
	r.ended(t, 0, "type Input = { owner: string }", "")
	r.ended(t, 0, "approve: it only reads", "")
	s.run("", "tools", "describe", "lost").ended(t, 1, "", "did you mean petstore.main.pets.list?")
	if out := asJSON[toolPage](t, s.run("", "tools", "--json")); out.Total != 5 || len(out.Items) != 5 {
		t.Errorf("%+v", out)
	}
}

func TestTools_LongListingsAreReadPageByPage(t *testing.T) {
	s := petstore(t)
	s.routes["GET /v1/tools"] = func(q request) any {
		from := 0
		_, _ = fmt.Sscanf(q.Query, "includeBlocked=true&limit=200&namespace=petstore.main&offset=%d", &from)
		var items []any
		for i := from; i < min(from+200, 450); i++ {
			items = append(items, object{"path": fmt.Sprintf("petstore.main.g%d.t%d", i%3, i)})
		}
		return object{"items": items, "total": 450, "hasMore": from+200 < 450, "nextOffset": from + 200}
	}
	out := asJSON[shelf](t, s.run("", "call", "petstore", "--help", "--json"))
	if len(out.Groups) != 3 || out.Groups[0].Tools != 150 || s.count("GET", "/v1/tools") != 3 {
		t.Errorf("%+v in %d requests", out, s.count("GET", "/v1/tools"))
	}
}

func TestTools_TheirOwnerSeesBlockedOnesToo(t *testing.T) {
	s := petstore(t)
	s.routes["GET /v1/tools"] = object{"items": []any{object{"path": "petstore.main.pets.drop", "description": "Drop", "policy": object{"action": "block"}}}, "total": 1}
	s.run("", "tools", "list").ended(t, 0, "petstore.main.pets.drop never Drop", "")
	s.run("", "call", "petstore", "pets", "--help").ended(t, 0, "drop (blocked) Drop", "")
	s.run("", "tools", "describe", "petstore.main.pets.list").ended(t, 0, "Lists pets", "")
	for _, path := range []string{"/v1/tools", "/v1/tools/namespaces", "/v1/tools/describe"} {
		if q := s.last("GET", path).Query; !strings.Contains(q, "includeBlocked=true") {
			t.Errorf("%s: asked %s", path, q)
		}
	}
}
