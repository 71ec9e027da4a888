package stories

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/stories/upstream"
)

// What connections hold. Letters and digits only, so that each looks the same in JSON, in a URL and in a form.
const (
	canaryBearer   = "Bq1canaryBearerToken74Mz"
	canaryHeader   = "Hv2canaryHeaderKey38Lp"
	canaryQuery    = "Qn3canaryQueryKey91Rt"
	canaryCookie   = "Ck4canaryCookieKey57Ws"
	canaryUser     = "Us5canaryUserName26Fd"
	canarySecret   = "Pw6canaryBasicPassword80Gh"
	canaryReplaced = "Rp7canaryReplacedToken19Jk"
)

// ways are the connections of this story: by name, the method and its values as arguments of the CLI.
var ways = map[string][]string{
	"bearer": {"token", "token=env:C_BEARER"}, "header": {"header", "key=env:C_HEADER"}, "query": {"query", "key=env:C_QUERY"},
	"cookie": {"cookie", "key=env:C_COOKIE"}, "login": {"login", "username=env:C_USER", "password=env:C_PASSWORD"},
}

// telling calls everything that says back what it was sent, with one connection, and prints it all.
const telling = `
const t = tools.stub.WAY;
const seen: any[] = [
  await t.echo.say({ q: "x" }), await t.fail.as({ status: 401 }), await t.fail.as({ status: 403 }), await t.fail.as({ status: 500 }), await t.fail.as({ status: 200 }),
  await t.files.read({ size: 2000 }), await t.files.read({ size: 50000 }), await t.away.go({ q: "y" }), await t.fail.before({ status: 404 }),
  await t.echo.send({ body: { item: "WAY" } }),
];
for (const s of seen) console.log(JSON.stringify(s));
try { JSON.parse(seen[0].data.headers.Authorization) } catch (e) { console.error(e) }
return { seen, backwards: JSON.stringify(seen[0]) };`

func TestCanary_ASecretOfAConnectionIsOnlyWhereItIsSealed(t *testing.T) {
	t.Parallel()
	b := &toolbox{scene: newScene(t, nil, nil), up: upstream.New()}
	other := upstream.New()
	t.Cleanup(func() { b.up.Close(); other.Close() })
	b.up.SendAway(other.URL)
	b.up.Accept(canaryBearer, canaryHeader, canaryQuery, canaryCookie, canaryUser+":"+canarySecret)
	env := []string{"C_BEARER=" + canaryBearer, "C_HEADER=" + canaryHeader, "C_QUERY=" + canaryQuery, "C_COOKIE=" + canaryCookie, "C_USER=" + canaryUser, "C_PASSWORD=" + canarySecret, "C_OLD=" + canaryReplaced}
	b.open(nil, "--log-level", "debug")
	told := map[string][]byte{}
	keep := func(where string, data string) { told[where] = []byte(data) }
	b.run("", "sources", "add", b.up.URL+"/openapi.json", "--slug", "stub")
	b.withEnv(env, "connections", "add", "stub", "--name", "old", "--method", "token", "--value", "token=env:C_OLD")
	b.call("", "connections", "test", "stub", "old")
	b.call("", "connections", "remove", "stub", "old")
	for name, way := range ways {
		args := []string{"connections", "add", "stub", "--name", name, "--method", way[0]}
		for _, v := range way[1:] {
			args = append(args, "--value", v)
		}
		b.withEnv(env, args...)
		b.call("", "connections", "test", "stub", name)
		x := b.settled(b.exec(strings.ReplaceAll(telling, "WAY", name)))
		for len(x.Interactions) > 0 {
			inbox, _ := json.Marshal(x.Interactions)
			keep("question of "+name, string(inbox))
			x = b.resume(x, x.Interactions[0], "accept")
		}
		if x.Status != "completed" || len(x.Logs) < 10 {
			t.Fatalf("%s: %+v", name, x)
		}
		if n := b.about("/echo"); len(n) == 0 {
			t.Errorf("%s: nothing arrived", name)
		}
		for _, path := range []string{x.path(), x.path() + "/steps?limit=200", "/v1/runs/" + string(x.ID), "/v1/runs/" + string(x.ID) + "/events", "/v1/runs/" + string(x.ID) + "/export"} {
			_, said := b.asks(b.token(), http.MethodGet, path, nil, nil)
			keep(path, said)
		}
		b.call("", "call", "stub", name, "echo", "say", `{"q":"`+name+`"}`)
		b.call("", "call", "stub", name, "fail", "as", `{"status":401}`, "--json")
		b.call("", "exec", "-e", "return await tools.stub."+name+".echo.say({})", "--json")
		_, said := b.asks(b.token(), http.MethodPost, "/v1/tools/call", map[string]any{"path": "stub." + name + ".echo.say", "args": map[string]any{}}, nil)
		keep("call of "+name, said)
	}
	token := b.run("", "tokens", "create", "--name", "agent")
	agent := b.agent(token, "execute", map[string]any{"code": "return [await tools.stub.bearer.echo.say({}), await tools.stub.login.fail.as({status: 500})]"})
	raw, _ := json.Marshal(agent.data)
	keep("what an agent got", agent.text+string(raw))
	for _, path := range []string{"/v1/connections", "/v1/sources/stub", "/v1/tools?namespace=stub.query", "/v1/tools/describe?path=stub.cookie.echo.say", "/v1/interactions?status=answered", "/v1/executions", "/v1/policies"} {
		_, said := b.asks(b.token(), http.MethodGet, path, nil, nil)
		keep(path, said)
	}
	b.preview(keep)
	for name, data := range files(t, b.Home) { // as a kill now would leave it: journals, audit rows, questions, blobs
		told[name+" at work"] = data
	}
	b.host.Stop()
	for name, data := range files(t, b.Home) {
		told[name] = data
	}
	keep("what the host said", b.log.String())
	keep("what the CLI printed", b.cli.String())
	keep("the other host of a redirect", fmt.Sprint(other.Seen()))
	if n := len(other.Seen()); n < len(ways)-1 { // of one the secret is in the address, and its redirect is not followed
		t.Errorf("%d redirects were followed", n)
	}
	basic := base64.StdEncoding.EncodeToString([]byte(canaryUser + ":" + canarySecret))
	for _, canary := range []string{canaryBearer, canaryHeader, canaryQuery, canaryCookie, canarySecret, canaryReplaced, basic} {
		for where, data := range told {
			if form := contains(data, canary); form != "" {
				t.Errorf("%s… is in %s (%s)", canary[:9], where, form)
			}
		}
	}
	for where, data := range told { // what proves that the echo was looked at
		if strings.HasPrefix(where, "call of ") && !strings.Contains(string(data), "[redacted]") {
			t.Errorf("%s masks nothing: %.300s", where, data)
		}
	}
	t.Logf("looked through %d places", len(told))
	if len(told) < 40 {
		t.Error("those are too few to be all")
	}
}

// withEnv runs a command that has to succeed with secrets in its environment.
func (b *toolbox) withEnv(env []string, args ...string) {
	b.t.Helper()
	res, err := b.CLIEnv(b.ctx, env, "", args...)
	b.must(err)
	_, _ = fmt.Fprintf(b.cli, "$ pags %s\n%s%s", strings.Join(args, " "), res.Out, res.Err)
	if res.Code != 0 {
		b.t.Fatalf("pags %s: exit %d\n%s%s", strings.Join(args, " "), res.Code, res.Out, res.Err)
	}
}

// preview looks for descriptions with a header that holds a secret, where the description is not to be had and the refusal
// repeats it.
func (b *toolbox) preview(keep func(where, what string)) {
	b.t.Helper()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, fmt.Sprint("refused: ", r.Header, r.URL), http.StatusUnauthorized)
	}))
	defer echo.Close()
	secret := map[string]any{"Authorization": "Bearer " + canaryBearer, "X-Api-Key": canaryHeader}
	for path, in := range map[string]any{"/v1/sources/discover": map[string]any{"url": echo.URL, "headers": secret}, "/v1/sources/preview": map[string]any{"url": echo.URL + "/x?api_key=" + canaryQuery},
		"/v1/sources": map[string]any{"url": echo.URL + "/openapi.json?api_key=" + canaryQuery}} {
		_, said := b.asks(b.token(), http.MethodPost, path, in, nil)
		keep("answer of "+path, said)
	}
	time.Sleep(50 * time.Millisecond) // for the log
}
