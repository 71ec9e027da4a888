package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/mcp"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/rule"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const (
	ana, ben  = pags.UserID("usr_ana"), pags.UserID("usr_ben")
	publicURL = "http://127.0.0.1:4788"
)

// people are tokens by what they may.
var people = map[string]httpapi.Caller{
	"agent":    {UserID: ana, TokenID: "tok_1", Scopes: []string{"tools"}},
	"trusted":  {UserID: ana, TokenID: "tok_2", Scopes: []string{"tools", "interactions:answer"}},
	"answerer": {UserID: ana, TokenID: "tok_3", Scopes: []string{"interactions:answer"}},
	"person":   {UserID: ana, SessionID: "ses_1", Person: true},
	"robot":    {UserID: ana, SessionID: "ses_2"},
	"ben":      {UserID: ben, TokenID: "tok_4", Scopes: []string{"tools", "interactions:answer"}},
}

// world stands for everything behind the facade: programs whose one effect needs an approval, or a form.
type world struct {
	mu      sync.Mutex
	clock   *porttest.Clock
	runs    map[pags.RunID]*mcp.Execution
	owners  map[pags.RunID]pags.UserID
	asked   map[pags.InteractionID]*pags.Interaction
	done    []string // effects, by question
	started []mcp.StartRequest
	trouble error // of every call of executions
	raced   bool  // somebody answers between reading a question and answering it
}

func newWorld() *world {
	return &world{clock: porttest.NewClock(noon), runs: map[pags.RunID]*mcp.Execution{}, owners: map[pags.RunID]pags.UserID{}, asked: map[pags.InteractionID]*pags.Interaction{}}
}

func (w *world) Verify(_ context.Context, bearer string) (httpapi.Caller, error) {
	switch bearer {
	case "suspended":
		return httpapi.Caller{}, pags.Errorf(pags.Forbidden, "this account is suspended")
	case "unlucky":
		return httpapi.Caller{}, fmt.Errorf("read a token from table secret-host:8000")
	}
	if c, ok := people[bearer]; ok {
		return c, nil
	}
	return httpapi.Caller{}, pags.Errorf(pags.Unauthenticated, "this token is not known")
}

// Start runs a "program": its text says how it goes.
func (w *world) Start(_ context.Context, c httpapi.Caller, in mcp.StartRequest) (mcp.Execution, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = append(w.started, in)
	if w.trouble != nil {
		return mcp.Execution{}, w.trouble
	}
	id := pags.RunID(fmt.Sprintf("run_%d", len(w.runs)+1))
	x := &mcp.Execution{ID: id, Status: "completed", Title: in.Title, URL: publicURL + "/runs/" + string(id), Calls: 1}
	verb, rest, _ := strings.Cut(in.Code, " ")
	switch verb {
	case "give":
		x.Result = json.RawMessage(rest)
	case "log":
		x.Logs = []codemode.Line{{Level: "warn", Text: rest}}
	case "throw":
		x.Status, x.Error = "failed", &codemode.Failure{Kind: codemode.FailThrown, Name: "TypeError", Message: "no such thing", Line: 1, Column: 7, Stack: []codemode.Frame{{Function: "main", Line: 1, Column: 7}}}
	case "run":
		x.Status = "running"
	case "panic":
		panic("secret insides")
	case "approve":
		w.ask(x, c.UserID, false)
	case "twice":
		w.ask(x, c.UserID, false)
		w.asked[x.Interactions[0].ID].Detail = "again"
	case "form":
		w.ask(x, c.UserID, true)
	}
	w.runs[id], w.owners[id] = x, c.UserID
	return *x, nil
}

func (w *world) ask(x *mcp.Execution, uid pags.UserID, form bool) {
	i := &pags.Interaction{ID: pags.InteractionID(fmt.Sprintf("int_%d", len(w.asked)+1)), UserID: uid, RunID: x.ID, Reason: pags.WaitApproval, Title: "Delete the pet Rex?", Status: pags.InteractionOpen,
		Allowed: []string{"accept", "decline"}, Request: map[string]any{"path": "petstore.main.pets.delete", "args": map[string]any{"id": 7}}, CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	if form {
		i.Reason, i.Title, i.Allowed = pags.WaitValue, "Which pet?", []string{"form", "decline"}
		i.Request = map[string]any{"schema": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}
	}
	w.asked[i.ID] = i
	x.Status, x.Interactions = "waiting_for_interaction", []pags.Interaction{*i}
}

func (w *world) own(c httpapi.Caller, id pags.RunID) (*mcp.Execution, error) {
	if w.trouble != nil {
		return nil, w.trouble
	}
	if w.owners[id] != c.UserID || c.UserID == "" {
		return nil, pags.Errorf(pags.NotFound, "there is no execution %s", id)
	}
	return w.runs[id], nil
}

func (w *world) Get(_ context.Context, c httpapi.Caller, id pags.RunID) (mcp.Execution, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x, err := w.own(c, id)
	if err != nil {
		return mcp.Execution{}, err
	}
	return *x, nil
}

// Resume does the effect exactly when an open question is accepted, as executions promise.
func (w *world) Resume(_ context.Context, c httpapi.Caller, in mcp.ResumeRequest) (mcp.Execution, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x, err := w.own(c, in.ID)
	if err != nil {
		return mcp.Execution{}, err
	}
	if in.Action == "cancel" {
		x.Status, x.Interactions = "cancelled", nil
		return *x, nil
	}
	i := w.asked[in.Interaction]
	if w.raced {
		i.Status, i.Answer = pags.InteractionAnswered, &pags.Answer{Kind: "decline"}
		x.Status, x.Result, x.Interactions = "completed", json.RawMessage(`"declined"`), nil
		return mcp.Execution{}, pags.Errorf(pags.Conflict, "it was answered already")
	}
	if i.Status != pags.InteractionOpen {
		return mcp.Execution{}, pags.Errorf(pags.Gone, "the time for an answer is over")
	}
	i.Status, i.Answer = pags.InteractionAnswered, &pags.Answer{Kind: in.Action}
	again := i.Detail == "again"
	switch in.Action {
	case "accept":
		w.done = append(w.done, string(i.ID))
		raw, _ := json.Marshal(map[string]any{"done": i.ID, "content": in.Content})
		x.Status, x.Result, x.Interactions = "completed", raw, nil
	case "decline":
		x.Status, x.Result, x.Interactions = "completed", json.RawMessage(`"declined"`), nil
	}
	if again {
		x.Result = nil
		w.ask(x, c.UserID, false)
	}
	return *x, nil
}

// expire ends every open question, as time does.
func (w *world) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock.Advance(2 * time.Hour)
	for _, i := range w.asked {
		i.Status = pags.InteractionExpired
		x := w.runs[i.RunID]
		x.Status, x.Interactions, x.Error = "failed", nil, &codemode.Failure{Kind: codemode.FailThrown, Message: "nobody answered", Code: "expired"}
	}
}

// questions reads interactions of the world.
type questions struct{ *world }

func (q questions) Get(_ context.Context, uid pags.UserID, id pags.InteractionID) (pags.Interaction, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i, ok := q.asked[id]
	if !ok || i.UserID != uid {
		return pags.Interaction{}, pags.Errorf(pags.NotFound, "there is no interaction %s", id)
	}
	return *i, nil
}

func (w *world) Search(_ context.Context, c httpapi.Caller, in mcp.SearchRequest) (mcp.SearchResult, error) {
	if c.UserID != ana {
		return mcp.SearchResult{}, nil
	}
	return mcp.SearchResult{Items: []mcp.Tool{{Path: "petstore.main.pets.list", Description: "Lists\npets for " + in.Query}, {Path: "petstore.main.pets.delete", Description: "Deletes", Asks: true}}, Total: 5}, nil
}

// Directory has many sources for ana, none for others.
func (w *world) Directory(_ context.Context, uid pags.UserID) (*catalog.Directory, error) {
	if uid != ana {
		return &catalog.Directory{Index: catalog.NewIndex(nil)}, nil
	}
	var entries []catalog.Entry
	d := &catalog.Directory{}
	for s := range 55 {
		ns := fmt.Sprintf("src%02d.main", s)
		d.Places = append(d.Places, catalog.Place{Namespace: ns, Name: fmt.Sprintf("Source %d", s)})
		for n := range 7 {
			entries = append(entries, catalog.Entry{Address: fmt.Sprintf("%s.pets.tool%d", ns, n), Name: "tool"})
		}
	}
	d.Index = catalog.NewIndex(entries)
	return d, nil
}

func (w *world) Rules(context.Context, pags.UserID) (rule.Rules, error) {
	return rule.Compile([]rule.Rule{{ID: "pol_1", Pattern: "src01.*", Action: rule.Block}, {ID: "pol_2", Pattern: "src02.main.pets.tool0", Action: rule.Block}}), nil
}

type stage struct {
	*world
	url string
	log *bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	return onStage(t, newWorld())
}

// onStage is one more process over the same world.
func onStage(t *testing.T, w *world) *stage {
	t.Helper()
	s := &stage{world: w, log: &bytes.Buffer{}}
	h := mcp.New(mcp.Deps{Verifier: w, Executions: w, Interactions: questions{w}, Tools: w, Catalog: w, Policies: w, Clock: w.clock,
		Log: slog.New(slog.NewJSONHandler(s.log, nil)), Version: "1.2.3", PublicURL: publicURL})
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// session is a new client of some protocol version.
func (s *stage) session(t *testing.T, token, version string) *client.Client {
	t.Helper()
	tr, err := transport.NewStreamableHTTP(s.url+mcp.Path, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(tr, client.WithProtocolVersion(version))
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var in protocol.InitializeRequest
	in.Params.ProtocolVersion = version
	in.Params.ClientInfo = protocol.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), in); err != nil {
		t.Fatalf("%s cannot begin: %v", version, err)
	}
	return c
}

// eras are the newest protocol version and those that clients still speak.
var eras = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}

type answer struct {
	text       string
	bad        bool
	structured map[string]any
}

// call calls a tool in a session of its own.
func (s *stage) call(t *testing.T, token, tool string, args any) answer {
	t.Helper()
	return s.callIn(t, s.session(t, token, eras[0]), tool, args)
}

func (s *stage) callIn(t *testing.T, c *client.Client, tool string, args any) answer {
	t.Helper()
	var r protocol.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, args
	out, err := c.CallTool(t.Context(), r)
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	a := answer{bad: out.IsError}
	for _, part := range out.Content {
		if text, ok := part.(protocol.TextContent); ok {
			a.text += text.Text
		}
	}
	raw, _ := json.Marshal(out.StructuredContent)
	_ = json.Unmarshal(raw, &a.structured)
	return a
}

func (a answer) says(t *testing.T, bad bool, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if a.bad != bad || !strings.Contains(a.text, text) {
			t.Errorf("isError %v, not %v with %q:\n%s", a.bad, bad, text, a.text)
		}
	}
}

// post sends any bytes and gives what came back.
func (s *stage) post(t *testing.T, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+mcp.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer agent")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Del(header[i])
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(raw)
}

type object = map[string]any
