package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/proagentstore/pags/pkg/mcp"
	"github.com/proagentstore/pags/pkg/pags"
)

func TestTools_AreThreeWithAllHintsInEveryEra(t *testing.T) {
	s := newStage(t)
	for _, era := range eras {
		got, err := s.session(t, "agent", era).ListTools(t.Context(), protocol.ListToolsRequest{})
		if err != nil {
			t.Fatalf("%s: %v", era, err)
		}
		var names []string
		for _, x := range got.Tools {
			names = append(names, x.Name)
			a := x.Annotations
			if a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil || x.Title == "" {
				t.Errorf("%s: hints of %s: %+v", era, x.Name, a)
			}
			raw, _ := json.Marshal(x)
			var schema struct {
				InputSchema struct {
					Type                 string
					Properties           object
					Required             []string
					AdditionalProperties *bool
				}
			}
			if err := json.Unmarshal(raw, &schema); err != nil || schema.InputSchema.Type != "object" || len(schema.InputSchema.Required) == 0 || schema.InputSchema.AdditionalProperties == nil || *schema.InputSchema.AdditionalProperties {
				t.Errorf("%s: schema of %s: %s", era, x.Name, raw)
			}
		}
		if strings.Join(names, " ") != "execute resume search" {
			t.Errorf("%s lists %v", era, names)
		}
	}
}

func TestExecute_ItsDescriptionNamesWhatIsConnected(t *testing.T) {
	s := newStage(t)
	text := func(token string) string {
		got, err := s.session(t, token, eras[0]).ListTools(t.Context(), protocol.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return got.Tools[0].Description
	}
	mine := text("agent")
	for _, want := range []string{"tools.search(", "tools.describe.tool(", "return", "resumePayload"} {
		if !strings.Contains(mine[:512], want) {
			t.Errorf("the first 512 characters do not say %q: %s", want, mine[:512])
		}
	}
	if n := strings.Count(mine, "\n- tools."); n != 50 {
		t.Errorf("%d sources are named", n)
	}
	for _, want := range []string{"- tools.src00.main (Source 0): pets.tool0, pets.tool1, pets.tool2, pets.tool3, pets.tool4 and 2 more", "- and 4 more; find them with search",
		"- tools.src02.main (Source 2): pets.tool1, pets.tool2, pets.tool3, pets.tool4, pets.tool5 and 1 more"} {
		if !strings.Contains(mine, want) {
			t.Errorf("it does not say %q:\n%s", want, mine)
		}
	}
	if strings.Contains(mine, "src01") {
		t.Error("it names a source whose tools are all blocked")
	}
	if bens := text("ben"); strings.Contains(bens, "src") || strings.Contains(bens, "Connected") {
		t.Errorf("another user reads %s", bens)
	}
}

func TestExecute_ResultErrorAndConsole(t *testing.T) {
	s := newStage(t)
	a := s.call(t, "agent", "execute", object{"code": `give {"n":12345678901234567}`, "title": "Count"})
	a.says(t, false, `{"n":12345678901234567}`)
	if a.structured["status"] != "completed" || a.structured["executionId"] != "run_1" || a.structured["result"] == nil {
		t.Errorf("%v", a.structured)
	}
	if s.started[0].Title != "Count" || s.started[0].Key != "" {
		t.Errorf("%+v", s.started)
	}
	s.call(t, "agent", "execute", object{"code": `give "plain text"`}).says(t, false, "plain text")
	s.call(t, "agent", "execute", object{"code": "nothing"}).says(t, false, "returned no value")
	s.call(t, "agent", "execute", object{"code": "log careful now"}).says(t, false, "Console:\n[warn] careful now")
	a = s.call(t, "agent", "execute", object{"code": "throw it"})
	a.says(t, true, "TypeError: no such thing (line 1, column 7)", "1 | throw it", "at main line 1, column 7")
	if e, _ := a.structured["error"].(object); e["line"] != 1.0 || e["kind"] != "error" {
		t.Errorf("%v", a.structured)
	}
	s.call(t, "agent", "execute", object{"code": "run on"}).says(t, false, "Still running", `{"executionId":"run_6","action":"wait"}`)
}

func TestExecute_LongResultsAreCutInTheTextOnly(t *testing.T) {
	s := newStage(t)
	raw, _ := json.Marshal(strings.Repeat("ä", 40_000))
	a := s.call(t, "agent", "execute", object{"code": "give " + string(raw)})
	if n := len([]rune(a.text)); n < 30_000 || n > 30_200 || !strings.Contains(a.text, "30000 of 40000 characters") {
		t.Errorf("the text has %d characters: …%s", n, a.text[len(a.text)-150:])
	}
	if whole, _ := a.structured["result"].(string); len([]rune(whole)) != 40_000 {
		t.Errorf("the structured copy has %d", len([]rune(whole)))
	}
}

func TestExecute_ArgumentsAreCheckedWhereTheAgentReadsIt(t *testing.T) {
	s := newStage(t)
	for name, args := range map[string]object{
		"no code": {}, "empty code": {"code": ""}, "no text": {"code": 7}, "another argument": {"code": "x", "timeout": 5}, "too long": {"code": strings.Repeat("x", 200_001)},
	} {
		if a := s.call(t, "agent", "execute", args); !a.bad || a.text == "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if len(s.started) != 0 {
		t.Errorf("%d were started", len(s.started))
	}
}

func TestExecute_TroubleOfOursIsNotShown(t *testing.T) {
	s := newStage(t)
	s.call(t, "agent", "execute", object{"code": "panic now"}).says(t, true, "something went wrong on our side")
	s.trouble = errors.New("dial table-host:8000: refused")
	a := s.call(t, "agent", "execute", object{"code": "x"})
	a.says(t, true, "something went wrong on our side")
	if strings.Contains(a.text, "table-host") || !strings.Contains(s.log.String(), "table-host") || !strings.Contains(s.log.String(), "secret insides") {
		t.Errorf("shown %q, logged %s", a.text, s.log)
	}
	s.trouble = pags.Errorf(pags.Conflict, "too many programs run at once; wait for one to end")
	s.call(t, "agent", "execute", object{"code": "x"}).says(t, true, "too many programs run at once")
}

func TestSearch_GivesPathsToCall(t *testing.T) {
	s := newStage(t)
	a := s.call(t, "agent", "search", object{"query": "pets"})
	a.says(t, false, "tools.petstore.main.pets.list: Lists pets for pets", "pets.delete: Deletes [a person is asked first]", "3 more fit")
	if items, _ := a.structured["items"].([]any); len(items) != 2 || a.structured["total"] != 5.0 {
		t.Errorf("%v", a.structured)
	}
	s.call(t, "ben", "search", object{"query": "pets"}).says(t, false, "No tool fits")
	if a := s.call(t, "agent", "search", object{"query": "pets", "limit": 1000}); !a.bad {
		t.Errorf("%+v", a)
	}
}

func TestFront_WhoMaySendWhat(t *testing.T) {
	s := newStage(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		name   string
		header []string
		status int
		says   string // in the challenge
	}{
		{"a program", nil, 200, ""},
		{"a person's own session", []string{"Authorization", "Bearer person"}, 200, ""},
		{"nobody", []string{"Authorization", ""}, 401, `resource_metadata="` + publicURL + `/.well-known/oauth-protected-resource/mcp"`},
		{"a token that is none", []string{"Authorization", "Bearer lost"}, 401, `error="invalid_token"`},
		{"another scheme", []string{"Authorization", "Basic agent"}, 401, `Bearer realm="pags", scope="tools"`},
		{"two tokens", []string{"Authorization", "Bearer agent, Bearer agent"}, 401, ""},
		{"a token without the scope", []string{"Authorization", "Bearer answerer"}, 403, `error="insufficient_scope"`},
		{"a suspended user", []string{"Authorization", "Bearer suspended"}, 403, ""},
		{"when tokens cannot be checked", []string{"Authorization", "Bearer unlucky"}, 503, ""},
		{"a page of another site", []string{"Origin", "https://evil.example"}, 403, ""},
		{"a page from nowhere", []string{"Origin", "null"}, 403, ""},
		{"our own page", []string{"Origin", publicURL}, 200, ""},
		{"our own page by its other name", []string{"Origin", "http://localhost:4788"}, 200, ""},
		{"a page of another program here", []string{"Origin", "http://localhost:3000"}, 403, ""},
	} {
		res, body := s.post(t, ping, c.header...)
		if res.StatusCode != c.status || !strings.Contains(res.Header.Get("WWW-Authenticate"), c.says) || strings.Contains(body, "secret-host") {
			t.Errorf("%s: %d %v %s", c.name, res.StatusCode, res.Header, body)
		}
		if c.status == 401 && !strings.Contains(res.Header.Get("WWW-Authenticate"), "resource_metadata") {
			t.Errorf("%s: no way in is named", c.name)
		}
	}
	for _, method := range []string{"GET", "DELETE", "PUT", "OPTIONS"} {
		r, _ := http.NewRequestWithContext(t.Context(), method, s.url+mcp.Path, nil)
		r.Header.Set("Authorization", "Bearer agent")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 405 || res.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d", method, res.StatusCode)
		}
	}
	res, err := http.Get(s.url + mcp.MetadataPath)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, _ := io.ReadAll(res.Body)
	var doc struct {
		Resource string   `json:"resource"`
		Scopes   []string `json:"scopes_supported"`
	}
	if json.Unmarshal(raw, &doc) != nil || doc.Resource != publicURL+"/mcp" || len(doc.Scopes) != 2 {
		t.Errorf("metadata: %s", raw)
	}
}

func TestFront_GarbageIsNeverOurFault(t *testing.T) {
	s := newStage(t)
	modern := []string{"Mcp-Protocol-Version", "2026-07-28"}
	bodies := []string{"", " ", "null", "true", "7", `"x"`, "[]", "{}", "{", "}", "\x00\xff", `{"jsonrpc":"2.0"}`, `{"method":7}`, `{"method":"tools/call"}`, `{"id":null,"method":"tools/call"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":"x","_meta":7}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"9999-99-99"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 10_000) + `"}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`, `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}`,
	}
	for _, body := range bodies {
		for _, header := range [][]string{nil, modern, {"Content-Type", "text/plain"}, {"Content-Type", ""}, {"Mcp-Session-Id", "no-such-session"}, {"Accept", "text/html"}, {"Last-Event-ID", "7"}, {"Mcp-Protocol-Version", "1"}, {"Mcp-Method", "x", "Mcp-Name", "y", modern[0], modern[1]}} {
			if res, got := s.post(t, body, header...); res.StatusCode >= 500 {
				t.Errorf("%d for %.80q with %v: %s", res.StatusCode, body, header, got)
			}
		}
	}
	if len(s.started) != 0 {
		t.Errorf("%d programs were started", len(s.started))
	}
	if res, _ := s.post(t, `{"a":"`+strings.Repeat("x", 4<<20)+`"}`); res.StatusCode != 413 {
		t.Errorf("more than 4 MB: %d", res.StatusCode)
	}
}

func TestProtocol_NoSessionIsNeededForAnything(t *testing.T) {
	s := newStage(t)
	res, body := s.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"code":"give 7"}}}`)
	if res.StatusCode != 200 || res.Header.Get("Mcp-Session-Id") != "" || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") || !strings.Contains(body, `"text":"7"`) {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	res, body = s.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if res.StatusCode != 200 || res.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(body, "2025-06-18") || !strings.Contains(body, "tools.search(") {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	_, _ = s.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"code":"x"}}}`, "Idempotency-Key", "once-1")
	if got := s.started[len(s.started)-1].Key; got != "once-1" {
		t.Errorf("key %q", got)
	}
}

func TestProtocol_ManyAtOnceKeepTheirOwnAnswers(t *testing.T) {
	s := newStage(t)
	c := s.session(t, "agent", eras[0])
	failed := make(chan error, 40)
	for i := range 40 {
		go func() {
			var r protocol.CallToolRequest
			r.Params.Name, r.Params.Arguments = "execute", object{"code": fmt.Sprintf("give %d", 1000+i)}
			out, err := c.CallTool(t.Context(), r)
			if err == nil && out.Content[0].(protocol.TextContent).Text != fmt.Sprint(1000+i) {
				err = fmt.Errorf("%d got %v", i, out.Content)
			}
			failed <- err
		}()
	}
	for range 40 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}
