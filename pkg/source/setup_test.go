package source_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/source"
)

const (
	owner, stranger, robot = httpapitest.OwnerToken, httpapitest.StrangerToken, httpapitest.RobotToken
	uid                    = httpapitest.OwnerID
)

// call is a request that an upstream got.
type call struct {
	Method, Path, Query, Body string
	Header                    http.Header
}

// upstream is an API on this machine. It answers as told and remembers what it was asked.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []call
	answer http.HandlerFunc
}

func newUpstream(t testing.TB, answer http.HandlerFunc) *upstream {
	u := &upstream{answer: answer}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		u.calls = append(u.calls, call{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header.Clone()})
		answer := u.answer
		u.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) answers(h http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answer = h
}

// seen gives the calls since the last time.
func (u *upstream) seen() []call {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := u.calls
	u.calls = nil
	return out
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}
}

type m = map[string]any

// op is an operation of a made-up description: "POST /items createItem" and what is special about it.
func op(line string, special ...m) m {
	f := strings.Fields(line)
	out := m{"operationId": f[2], "tags": []string{"shop"}, "responses": m{"200": m{"description": "ok"}}}
	for _, s := range special {
		for k, v := range s {
			out[k] = v
		}
	}
	return m{"method": strings.ToLower(f[0]), "path": f[1], "op": out}
}

// describe writes a description. auth are security schemes by name, applied to everything; base may be empty.
func describe(base string, auth m, ops ...m) string {
	doc := m{"openapi": "3.1.0", "info": m{"title": "Shop", "version": "1"}}
	if base != "" {
		doc["servers"] = []m{{"url": base}}
	}
	if auth != nil {
		doc["components"] = m{"securitySchemes": auth}
		var any []m
		for name := range auth {
			any = append(any, m{name: []string{}})
		}
		doc["security"] = any
	}
	paths := m{}
	for _, o := range ops {
		at, _ := paths[o["path"].(string)].(m)
		if at == nil {
			at = m{}
			paths[o["path"].(string)] = at
		}
		at[o["method"].(string)] = o["op"]
	}
	doc["paths"] = paths
	raw, _ := json.Marshal(doc)
	return string(raw)
}

var (
	bearer = m{"token": m{"type": "http", "scheme": "bearer"}}
	basic  = m{"login": m{"type": "http", "scheme": "basic"}}
)

func apiKey(in, name string) m { return m{"key": m{"type": "apiKey", "in": in, "name": name}} }

// stage is the area with real stores below it.
type stage struct {
	*source.Service
	api   *httpapi.API
	clock *porttest.Clock
	table *httpapitest.Recorder
	blobs *files.Blobs
	log   *bytes.Buffer
	deps  source.Deps
	dir   string
}

func newStage(t testing.TB, policy guard.Policy) *stage {
	return newStageWith(t, policy, guard.Client(policy))
}

func newStageWith(t testing.TB, policy guard.Policy, client *http.Client) *stage {
	t.Helper()
	s := &stage{clock: porttest.NewClock(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)), log: &bytes.Buffer{}, dir: t.TempDir()}
	bolted, err := bolt.Open(filepath.Join(s.dir, "table.db"), bolt.Options{Clock: s.clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bolted.Close() })
	t.Cleanup(client.CloseIdleConnections)
	if s.blobs, err = files.Open(files.Options{Dir: filepath.Join(s.dir, "blobs"), BaseURL: "http://127.0.0.1:1", Clock: s.clock}); err != nil {
		t.Fatal(err)
	}
	s.table = httpapitest.Record(bolted)
	log := slog.New(slog.NewJSONHandler(&locked{w: s.log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.deps = source.Deps{Table: s.table, Blobs: s.blobs, Vault: httpapitest.NewVault(), Clock: s.clock, Log: log, HTTP: client, Fetch: client, CheckURL: policy.CheckURL, Version: "1.2.3"}
	s.restart()
	return s
}

// restart makes the area anew on the same stores: nothing is in memory.
func (s *stage) restart() {
	s.Service = source.New(s.deps)
	s.api = httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: s.clock, Log: s.deps.Log, Limiter: httpapi.NewLimits(s.table, s.clock)})
	source.Routes(s.api, s.Service)
	source.ConnectionRoutes(s.api, s.Service)
	source.FileRoutes(s.api, s.Service)
}

type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

var local = guard.Policy{AllowPrivate: true}

// add puts a source there.
func (s *stage) add(t testing.TB, body m) source.Source {
	t.Helper()
	made, err := s.Service.Add(t.Context(), uid, source.Given{URL: str(body["url"]), Document: str(body["document"]), BaseURL: str(body["baseUrl"])}, str(body["name"]), str(body["slug"]), "")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func str(v any) string { s, _ := v.(string); return s }

func (s *stage) connect(t testing.TB, in source.NewConnection) source.Connection {
	t.Helper()
	made, err := s.Service.Connect(t.Context(), uid, in, "")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (s *stage) bound(t testing.TB, path string) *catalog.Bound {
	t.Helper()
	b, f, err := s.Resolve(t.Context(), uid, path)
	if err != nil || f != nil {
		t.Fatalf("%s: %v %v", path, f, err)
	}
	return b
}

func (s *stage) send(t testing.TB, path string, args m, key string) catalog.Result {
	t.Helper()
	r, err := s.Send(t.Context(), uid, s.bound(t, path), args, key)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (s *stage) do(t *testing.T, method, path, token string, body any, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	return httpapitest.Do(t, s.api, method, path, token, body, header...)
}

func code(err error) pags.Code {
	if err == nil {
		return ""
	}
	return pags.CodeOf(err)
}
