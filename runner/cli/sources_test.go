package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sourceOf(slug string, more object) object {
	s := object{"slug": slug, "name": "Pet\x1b[31m store", "format": "openapi 3.1.0", "enabled": true, "revision": 1, "tools": 12, "connections": 0, "held": 0, "status": "ready",
		"auth": []any{
			object{"id": "sign", "kind": "oauth2", "supported": false},
			object{"id": "key", "kind": "apiKey", "supported": true, "placements": []any{object{"in": "header", "name": "X-Key", "inputs": []string{"key"}}}},
			object{"id": "login", "kind": "basic", "supported": true, "placements": []any{object{"in": "header", "name": "Authorization", "inputs": []string{"username", "password"}}}},
		}, "warnings": []any{object{"code": "yamlRepaired", "line": 7, "message": "a colon was quoted"}}, "createdAt": time.Now(), "refreshedAt": time.Now()}
	for k, v := range more {
		s[k] = v
	}
	return s
}

func TestSources_AddShowsWhatItWillBeAndWhatComesNext(t *testing.T) {
	preview := object{"name": "Petstore", "namespace": "petstore", "format": "openapi 3.0.3", "description": strings.Repeat("Long text. ", 90), "needsBase": true, "tools": 12,
		"auth": sourceOf("x", nil)["auth"], "warnings": sourceOf("x", nil)["warnings"], "groups": []any{object{"name": "pets", "count": 9}, object{"name": "shop", "count": 3}}, "items": []any{}}
	s := newStand(t, map[string]any{"POST /v1/sources/preview": preview, "POST /v1/sources": sourceOf("petstore", nil)})
	file := filepath.Join(t.TempDir(), "a b.yaml")
	if err := os.WriteFile(file, []byte("openapi: 3.0.3"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.run("", "sources", "add", file, "--name", "Pets", "--slug", "petstore", "--base-url", "https://pets.test")
	r.ended(t, 0, "Operations 12", "Next: pags connections add petstore")
	r.ended(t, 0, "pets 9, shop 3", "")
	r.ended(t, 0, "line 7: a colon was quoted", "")
	r.ended(t, 0, "login (basic): username, password", "")
	r.ended(t, 0, "sign (oauth2): cannot be used yet", "")
	q := s.last("POST", "/v1/sources")
	if !equalJSON(q.Body, object{"document": "openapi: 3.0.3", "name": "Pets", "slug": "petstore", "baseUrl": "https://pets.test"}) || q.Key == "" {
		t.Errorf("%+v", q)
	}
	if q := s.last("POST", "/v1/sources/preview"); !equalJSON(q.Body, object{"document": "openapi: 3.0.3", "baseUrl": "https://pets.test"}) {
		t.Errorf("%+v", q)
	}
	s.run("openapi: 3.1.0", "sources", "add", "-").ended(t, 0, "petstore added, 12 tools", "")
	s.run("", "sources", "add", "https://x.test/openapi.json", "--preview").ended(t, 0, "Operations 12", "")
	if n := s.count("POST", "/v1/sources"); n != 2 {
		t.Errorf("--preview added something: %d", n)
	}
	if out := asJSON[object](t, s.run("", "sources", "add", "https://x.test/openapi.json", "--json")); out["slug"] != "petstore" {
		t.Errorf("%v", out)
	}
	s.run("", "sources", "add", file+"x").ended(t, 1, "", "no such file")
	s.routes["POST /v1/sources/preview"] = problem{422, "this is a web page"}
	s.run("", "sources", "add", "https://x.test/").ended(t, 1, "", "pags sources discover https://x.test/")
}

func TestSources_TheOtherCommands(t *testing.T) {
	s := newStand(t, map[string]any{
		"GET /v1/sources":                   object{"items": []any{sourceOf("petstore", object{"held": 2}), sourceOf("shop", object{"enabled": false})}},
		"GET /v1/sources/petstore":          sourceOf("petstore", object{"held": 2}),
		"POST /v1/sources/petstore/refresh": object{"changed": true, "drift": object{"added": []string{"a.b"}, "removed": []string{}, "changed": []string{"c.d"}}, "source": sourceOf("petstore", object{"held": 2})},
		"GET /v1/sources/petstore/drift":    object{"items": []any{object{"tool": "a.b", "kind": "new"}, object{"tool": "c.d", "kind": "changed"}}},
		"POST /v1/sources/petstore/accept":  sourceOf("petstore", nil),
		"DELETE /v1/sources/petstore":       "",
		"PATCH /v1/sources/petstore":        sourceOf("petstore", object{"enabled": false}),
		"POST /v1/sources/discover": sequence(
			object{"items": []any{object{"kind": "openapi", "confidence": "high", "endpoint": "https://x.test", "specUrl": "https://x.test/openapi.json", "name": "X", "tools": 3}}},
			object{"items": []any{object{"kind": "unknown", "warnings": []any{object{"message": "the address answered with a web page"}}}}}),
	})
	for _, c := range []struct{ args, out, errs string }{
		{"sources", "petstore ready, 2 held 12", ""},
		{"sources list", "shop off", ""},
		{"sources show petstore", "Pet[31m store", "Next: pags sources drift petstore"},
		{"sources refresh petstore", "1 added, 1 changed, 0 removed", "2 tools wait until you look at them: pags sources drift petstore"},
		{"sources drift petstore", "c.d changed", "pags sources accept petstore --revision "},
		{"sources accept petstore a.b c.d --revision 4", "accepted; 12 tools, 0 held", ""},
		{"sources set petstore --name Pets --disable --base-url=", "petstore off", ""},
		{"sources remove petstore", "petstore removed", ""},
		{"sources discover https://x.test", "pags sources add https://x.test/openapi.json", ""},
	} {
		s.run("", strings.Fields(c.args)...).ended(t, 0, c.out, c.errs)
	}
	if q := s.last("POST", "/v1/sources/petstore/accept"); !equalJSON(q.Body["tools"], []string{"a.b", "c.d"}) || !equalJSON(q.Body["revision"], 4) {
		t.Errorf("%+v", q)
	}
	if q := s.last("PATCH", "/v1/sources/petstore"); !equalJSON(q.Body, object{"name": "Pets", "enabled": false, "baseUrl": ""}) {
		t.Errorf("%+v", q)
	}
	s.run("", "sources", "set", "petstore").ended(t, 2, "", "say what to change")
	s.run("", "sources", "set", "petstore", "--enable", "--disable").ended(t, 2, "", "only one of these")
	s.run("", "sources", "discover", "https://y.test").ended(t, 1, "", "the address answered with a web page")
	s.run("", "sources", "discover", "y.test").ended(t, 2, "", "starts with https://")
	for _, args := range []string{"sources", "sources show petstore", "sources refresh petstore", "sources drift petstore", "sources remove petstore"} {
		if r := s.run("", append(strings.Fields(args), "--json")...); r.code != 0 || r.err != "" {
			t.Errorf("%s --json: %+v", args, r)
		} else {
			asJSON[any](t, r)
		}
	}
}

func connected(q request) any {
	return object{"source": q.Body["source"], "name": q.Body["name"], "method": q.Body["method"], "kind": "apiKey", "inputs": []string{"key"}, "hints": object{"key": "cret"}, "enabled": true}
}

func TestConnections_ValuesComeFromWhereNobodyLooks(t *testing.T) {
	s := newStand(t, map[string]any{"GET /v1/sources/petstore": sourceOf("petstore", nil), "POST /v1/connections": connected,
		"GET /v1/sources/open": sourceOf("open", object{"auth": []any{object{"id": "none", "kind": "none"}}}), "GET /v1/sources/shut": sourceOf("shut", object{"auth": []any{object{"id": "sign", "kind": "oauth2"}}})})
	t.Setenv("PETS_TEST_KEY", "env-secret")
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("file-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin, args string
		want        object
	}{
		{"pipe-secret\n", "petstore", object{"source": "petstore", "name": "main", "method": "key", "values": object{"key": "pipe-secret"}}},
		{"pipe-secret", "petstore --value key=-", object{"source": "petstore", "name": "main", "method": "key", "values": object{"key": "pipe-secret"}}},
		{"", "petstore --name work --value key=env:PETS_TEST_KEY --base-url https://b.test --variable region=eu", object{"source": "petstore", "name": "work", "method": "key", "values": object{"key": "env-secret"}, "baseUrl": "https://b.test", "variables": object{"region": "eu"}}},
		{"", "petstore --method key --value key=@" + file, object{"source": "petstore", "name": "main", "method": "key", "values": object{"key": "file-secret"}}},
		{"pw-secret", "petstore --method login --value username=env:PETS_TEST_KEY", object{"source": "petstore", "name": "main", "method": "login", "values": object{"username": "env-secret", "password": "pw-secret"}}},
		{"", "open", object{"source": "open", "name": "main", "method": "none", "values": object{}}},
	} {
		for _, more := range [][]string{nil, {"--json"}} {
			r := s.run(c.stdin, append(append([]string{"connections", "add"}, strings.Fields(c.args)...), more...)...)
			q := s.last("POST", "/v1/connections")
			if r.code != 0 || !equalJSON(q.Body, c.want) || q.Key == "" {
				t.Errorf("%s: exit %d %s asked %v", c.args, r.code, r.err, q.Body)
			}
			if strings.Contains(r.out+r.err, "-secret") {
				t.Errorf("%s printed a secret: %s%s", c.args, r.out, r.err)
			}
		}
	}
	before := s.count("POST", "/v1/connections")
	for args, says := range map[string]string{
		"petstore --value key=plain-secret":                             "does not belong on a command line",
		"petstore --value key":                                          "--value takes",
		"petstore --value lost=env:PETS_TEST_KEY":                       `takes no "lost"`,
		"petstore --value key=env:PETS_TEST_NONE":                       "is empty",
		"petstore --value key=- --value key=-":                          "",
		"petstore --method login":                                       "needs: username, password",
		"petstore --method login --value username=-":                    "needs: password",
		"petstore --method login --value username=- --value password=-": "only one value can come from standard input",
		"petstore --method sign":                                        "cannot be used yet",
		"petstore --method lost":                                        "it has: sign, key, login",
		"petstore --variable x --value key=env:PETS_TEST_KEY":           "is not NAME=VALUE",
	} {
		r := s.run("x", append([]string{"connections", "add"}, strings.Fields(args)...)...)
		r.ended(t, 2, "", says)
		if strings.Contains(r.out+r.err, "plain-secret") {
			t.Errorf("it repeats the secret: %s", r.err)
		}
	}
	s.run("", "connections", "add", "shut").ended(t, 1, "", "it has: sign")
	if n := s.count("POST", "/v1/connections") - before; n != 0 {
		t.Errorf("%d were made", n)
	}
}

func TestConnections_TheOtherCommands(t *testing.T) {
	one := object{"source": "petstore", "name": "main", "method": "key", "kind": "apiKey", "inputs": []string{"key"}, "hints": object{"key": "cret"}, "enabled": true, "status": "healthy", "checkedAt": time.Now(), "createdAt": time.Now()}
	path := "/v1/connections/petstore/main"
	s := newStand(t, map[string]any{"GET /v1/connections": object{"items": []any{one}}, "GET " + path: one, "DELETE " + path: "", "PATCH " + path: one,
		"POST " + path + "/test": sequence(object{"status": "healthy", "detail": "ok", "httpStatus": 200, "millis": 12}, object{"status": "expired", "detail": "the key was refused"})})
	s.run("", "connections", "list", "--source", "petstore").ended(t, 0, "petstore.main healthy key key …cret", "")
	if q := s.last("GET", "/v1/connections"); q.Query != "source=petstore" {
		t.Errorf("%+v", q)
	}
	s.run("", "connections", "show", "petstore").ended(t, 0, "healthy, tested 0 s ago", "")
	s.run("", "connections", "show", "petstore.main").ended(t, 0, "pags call petstore main --help", "")
	s.run("", "connections", "test", "petstore", "main").ended(t, 0, "healthy: HTTP 200 in 12 ms", "")
	s.run("", "connections", "test", "petstore").ended(t, 1, "", "expired: the key was refused")
	if r := s.run("", "connections", "test", "petstore", "--json"); r.code != 1 || asJSON[object](t, r)["status"] != "expired" || r.err != "" {
		t.Errorf("%+v", r)
	}
	s.run("new-secret\n", "connections", "set", "petstore", "--value", "key=-", "--enable").ended(t, 0, "petstore.main healthy key …cret", "")
	if q := s.last("PATCH", path); !equalJSON(q.Body, object{"enabled": true, "values": object{"key": "new-secret"}}) {
		t.Errorf("%+v", q)
	}
	s.run("", "connections", "set", "petstore.main").ended(t, 2, "", "say what to change")
	s.run("", "connections", "set", "petstore", "--value", "key=plain").ended(t, 2, "", "does not belong on a command line")
	s.run("", "connections", "remove", "petstore").ended(t, 0, "petstore.main removed", "")
}

func TestSources_ALocalAddressSaysHowTheHostIsOpenedForIt(t *testing.T) {
	no := problem{400, "address not allowed: use https and a public host name"}
	s := newStand(t, map[string]any{"POST /v1/sources/preview": no, "POST /v1/sources/discover": no,
		"POST /v1/connections/shop/work/test": object{"status": "expired", "detail": "GET /books: who are you?"}})
	for _, verb := range []string{"add", "discover"} {
		r := s.run("", "sources", verb, "http://127.0.0.1:3000/openapi.json")
		r.ended(t, 1, "", "pags serve --allow-host 127.0.0.1:3000")
		if strings.Contains(r.err, "sources discover") {
			t.Errorf("%s looks elsewhere: %s", verb, r.err)
		}
	}
	s.run("", "connections", "test", "shop", "work").ended(t, 1, "", "pags connections set shop work --value NAME=-")
}
