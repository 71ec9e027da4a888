package tool_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/rule"
	"github.com/proagentstore/pags/pkg/tool"
)

const me = httpapitest.OwnerID

const document = `
openapi: 3.0.3
info: {title: GitHub}
servers: [{url: https://api.github.test}]
paths:
  /repos/{owner}/issues:
    parameters: [{name: owner, in: path, required: true, schema: {type: string}}]
    get: {tags: [issues], operationId: list, summary: List issues, parameters: [{name: limit, in: query, schema: {type: integer, maximum: 100}}]}
    post:
      tags: [issues]
      operationId: create
      summary: Create an issue
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [title], properties: {title: {type: string}, body: {type: string}}}}}}
  /repos/{owner}:
    parameters: [{name: owner, in: path, required: true, schema: {type: string}}]
    delete: {tags: [repos], operationId: deleteRepo, summary: Delete a repository}
  /payments:
    post: {tags: [payments], operationId: pay, summary: Pay, parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]}
  /settings:
    put: {tags: [settings], operationId: replaceSettings, summary: Replace settings}
`

// sources is one source with one connection, and what happens when it is called.
type sources struct {
	mu      sync.Mutex
	source  *catalog.Source
	held    map[string]string // by address
	off     map[string]string
	fail    error
	answer  func(ctx context.Context) (catalog.Result, error)
	sent    []map[string]any
	keys    []string
	order   *[]string
	dirFail error
	host    string
}

func (s *sources) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.order = append(*s.order, what)
}

func (s *sources) Resolve(_ context.Context, _ pags.UserID, path string) (*catalog.Bound, *catalog.Failure, error) {
	s.note("resolve")
	if s.fail != nil {
		return nil, nil, s.fail
	}
	for i := range s.source.Tools {
		t := &s.source.Tools[i]
		full := "github.main." + strings.Join(t.Path, ".")
		if path != full && path != t.Address() {
			continue
		}
		return &catalog.Bound{Address: full, Source: "github", Connection: "main", Tool: t, Digest: "definition-" + t.Name + s.held[full],
			Held: s.held[full], Off: s.off[full], Host: cmp.Or(s.host, "api.github.test")}, nil, nil
	}
	return nil, s.dir().Index.NotFound(path), nil
}

func (s *sources) dir() *catalog.Directory {
	flags := map[string]catalog.Flags{}
	for _, t := range s.source.Tools {
		a := "github.main." + strings.Join(t.Path, ".")
		flags[a] = catalog.Flags{ReadOnly: t.ReadOnly, Destructive: t.Destructive, Held: s.held[a]}
	}
	return &catalog.Directory{Index: catalog.NewIndex(s.source.Entries("github.main")), Flags: func(a string) catalog.Flags { return flags[a] },
		Places: []catalog.Place{{Namespace: "github.main", Source: "github", Connection: "main", Name: "GitHub", Tools: len(s.source.Tools)}}}
}

func (s *sources) Directory(context.Context, pags.UserID) (*catalog.Directory, error) {
	return s.dir(), s.dirFail
}

func (s *sources) Send(ctx context.Context, _ pags.UserID, b *catalog.Bound, args map[string]any, key string) (catalog.Result, error) {
	s.note("send")
	s.mu.Lock()
	s.sent, s.keys = append(s.sent, args), append(s.keys, key)
	s.mu.Unlock()
	return s.answer(ctx)
}

// policies are rules that can be away.
type policies struct {
	rules []rule.Rule
	fail  error
	order *[]string
}

func (p *policies) Rules(context.Context, pags.UserID) (rule.Rules, error) {
	*p.order = append(*p.order, "policies")
	return rule.Compile(p.rules), p.fail
}

// trail keeps what is written to it, or fails.
type trail struct {
	intents, outcomes       []port.Write
	failIntent, failOutcome error
	order                   *[]string
}

func (t *trail) Intent(_ context.Context, w port.Write) error {
	*t.order = append(*t.order, "intent")
	if t.failIntent == nil {
		t.intents = append(t.intents, w)
	}
	return t.failIntent
}

func (t *trail) Outcome(ctx context.Context, w port.Write) error {
	*t.order = append(*t.order, "outcome")
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.failOutcome == nil {
		t.outcomes = append(t.outcomes, w)
	}
	return t.failOutcome
}

func factsOf(w port.Write) map[string]any {
	f, _ := w.Item["facts"].(map[string]any)
	return f
}

type stage struct {
	*tool.Service
	api      *httpapi.API
	sources  *sources
	policies *policies
	trail    *trail
	table    *httpapitest.Recorder
	clock    *porttest.Clock
	log      *bytes.Buffer
	order    []string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	src, err := catalog.Import(t.Context(), []byte(document), catalog.Options{Namespace: "github"})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{clock: porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)), log: &bytes.Buffer{}}
	bolted, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: s.clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bolted.Close() })
	s.table = httpapitest.Record(bolted)
	s.sources = &sources{source: src, held: map[string]string{}, off: map[string]string{}, order: &s.order}
	s.sources.answer = func(context.Context) (catalog.Result, error) {
		return catalog.Result{OK: true, Data: map[string]any{"id": json.Number("1")}, HTTP: &catalog.HTTP{Status: 200}}, nil
	}
	s.policies, s.trail = &policies{order: &s.order}, &trail{order: &s.order}
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	s.Service = tool.New(tool.Deps{Table: s.table, Clock: s.clock, Log: log, Sources: s.sources, Policies: s.policies})
	s.api = httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: s.clock, Log: log})
	tool.Routes(s.api, s.Service)
	return s
}

func call(path, args string) tool.Call {
	return tool.Call{User: me, Via: "code", Run: "run_1", Seq: 3, Key: "run_1:3", Path: path, Args: json.RawMessage(args)}
}

func (s *stage) judge(t testing.TB, c tool.Call) tool.Judgement {
	t.Helper()
	j, err := s.Judge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// granted judges a call and consents to whatever is asked.
func (s *stage) granted(t testing.TB, c tool.Call) tool.Judgement {
	t.Helper()
	j, err := s.judge(t, c).Granted("int_1", s.judge(t, c).Digest)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// audit reads the audit rows that were written to the table.
func (s *stage) audit(t testing.TB) []port.Item {
	t.Helper()
	page, err := s.table.Query(t.Context(), port.Query{PK: "U#" + string(me), Prefix: "AUDIT#"})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// did checks and forgets the order in which others were asked.
func (s *stage) did(t testing.TB, want ...string) {
	t.Helper()
	if !slices.Equal(s.order, want) {
		t.Errorf("asked %v, not %v", s.order, want)
	}
	s.order = nil
}

// lost is an error of a call of which nobody knows whether it took effect, as a source gives it.
type lost struct{ error }

func (lost) UnknownOutcome() string { return "the connection broke" }

var errLost = fmt.Errorf("send the call: %w", lost{pags.Errorf(pags.Upstream, "the connection broke")})

const (
	list   = "github.main.issues.list"
	create = "github.main.issues.create"
	remove = "github.main.repos.deleteRepo"
	good   = `{"owner":"o","body":{"title":"Ü"}}`
)
