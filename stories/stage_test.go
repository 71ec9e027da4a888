// Package stories plays whole flows with the real binary: host, runner and CLI as processes, a real browser, a site that
// counts what it receives and a model that follows a script.
//
//	stage_test.go   the stage that every story begins with
//	desk_test.go    a small site and its script      person_test.go  the person who answers
//	kill_test.go    death at every crash point       execution_test.go  several executions, a runner that is lost
//	canary_test.go  secrets, and where they are not
//	toolbox_test.go a host with an API to call (upstream/); programkill_test.go, resume_test.go, hostile_test.go (hostile/),
//	badcall_test.go, toolcanary_test.go, programcli_test.go and mcp_test.go play with programs
package stories

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// binary is what all stories play with, and codecache what its sandbox compiled; both are made once.
var binary, codecache string

func TestMain(m *testing.M) { os.Exit(play(m)) }

// players is how many stories that wait most of their time are played at once, for each processor.
const players = 2

func play(m *testing.M) int {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) { // not asked for otherwise
		_ = f.Value.Set(strconv.Itoa(players * runtime.GOMAXPROCS(0)))
	}
	dir, err := os.MkdirTemp("", "pags-stories-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary, codecache = filepath.Join(dir, "pags"), filepath.Join(dir, "codecache")
	if err := os.Mkdir(codecache, 0o700); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if out, err := exec.Command("go", "build", "-o", binary, "../runner/cmd/pags").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the binary: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// log keeps what host and runner say; processes write to it at once.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.buf.Write(p) }

func (l *log) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.buf.String() }

// scene is a stage with everything that a run needs around it. Its processes, its site and its model end with the test;
// what host and runner said is shown if the test failed.
type scene struct {
	*stage.Stage
	t     *testing.T
	ctx   context.Context
	log   *log
	page  *httptest.Server  // the site; nil without one
	model *modeltest.Server // nil without a script
	cli   *log              // everything that the CLI printed
}

// newScene makes a stage on a home of its own; nothing runs on it yet. site and script may be nil.
func newScene(t *testing.T, site http.Handler, script modeltest.Script) *scene {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	s := &scene{t: t, ctx: ctx, log: &log{}, cli: &log{}}
	st, err := stage.New(binary, filepath.Join(t.TempDir(), "home"), s.log)
	s.must(err)
	s.Stage = st
	t.Cleanup(s.endBrowsers)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("host and runner said:\n%s", s.log)
		}
	})
	if site != nil {
		s.page = httptest.NewServer(site)
		t.Cleanup(s.page.Close)
	}
	if script != nil {
		s.model = modeltest.New(script)
		t.Cleanup(s.model.Close)
	}
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// serve starts the host.
func (s *scene) serve(env []string, args ...string) *stage.Process {
	s.t.Helper()
	p, err := s.Serve(s.ctx, env, args...)
	if p != nil {
		s.t.Cleanup(func() { s.end(p) })
	}
	s.must(err)
	return p
}

// up starts a runner without a window.
func (s *scene) up(env []string, args ...string) *stage.Process {
	s.t.Helper()
	p, err := s.Up(s.ctx, env, append([]string{"--headless"}, args...)...)
	if p != nil {
		s.t.Cleanup(func() { s.end(p) })
	}
	s.must(err)
	return p
}

// end ends a process with its children, whatever state it is in.
func (s *scene) end(p *stage.Process) {
	p.Reap()
	<-p.Done()
}

// endBrowsers ends what is left of the browsers of this home. A Chromium has a process group of its own and outlives a
// killed runner for a moment.
func (s *scene) endBrowsers() {
	err := stage.Await(context.Background(), 20*time.Second, "the browsers to end", func() (bool, error) {
		left := s.browsers()
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(left) == 0, nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

// browsers are the processes that were started with a profile in this home.
func (s *scene) browsers() []int {
	out, err := exec.Command("ps", "-axww", "-o", "pid=,args=").Output()
	if err != nil {
		s.t.Errorf("list processes: %v", err)
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		pid, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(pid); err == nil && strings.Contains(args, "--user-data-dir="+s.Home+"/") {
			pids = append(pids, n)
		}
	}
	return pids
}

// ready stores a key for the scripted model and subscribes to the browser agent, which may then visit the site.
func (s *scene) ready(modelKey string) (instance string) {
	s.t.Helper()
	base, err := s.model.Start()
	s.must(err)
	_, err = s.Must(s.ctx, modelKey, "keys", "set", "anthropic", "--base-url", base, "--model", "scripted-1")
	s.must(err)
	instance = s.run("", "instances", "subscribe", "browser", "--name", "Story")
	if s.page != nil {
		allowed, _ := json.Marshal([]string{s.host()})
		s.run("", "instances", "set", instance, "allowHosts", string(allowed))
	}
	return instance
}

// host is the site's host and port.
func (s *scene) host() string { return strings.TrimPrefix(s.page.URL, "http://") }

// call runs one command to its end, whatever that is, and keeps what it printed.
func (s *scene) call(stdin string, args ...string) stage.Result {
	s.t.Helper()
	res, err := s.CLI(s.ctx, stdin, args...)
	s.must(err)
	_, _ = fmt.Fprintf(s.cli, "$ pags %s\n%s%s", strings.Join(args, " "), res.Out, res.Err)
	return res
}

// run runs a command that has to succeed and returns what it printed, trimmed.
func (s *scene) run(stdin string, args ...string) string {
	s.t.Helper()
	res := s.call(stdin, args...)
	if res.Code != 0 {
		s.t.Fatalf("pags %s: exit %d\n%s%s", strings.Join(args, " "), res.Code, res.Out, res.Err)
	}
	return strings.TrimSpace(res.Out)
}

// read runs a command with --json and reads what it prints into v.
func (s *scene) read(v any, args ...string) {
	s.t.Helper()
	out := s.run("", append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), v); err != nil {
		s.t.Fatalf("pags %s printed no JSON: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// token is the access token of the CLI's session on this home, for requests that the CLI does not make.
func (s *scene) token() string {
	s.t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.Home, "session.json"))
	s.must(err)
	var session struct {
		AccessToken string `json:"accessToken"`
	}
	s.must(json.Unmarshal(raw, &session))
	if session.AccessToken == "" {
		s.t.Fatalf("the session file holds no access token: %d bytes", len(raw))
	}
	return session.AccessToken
}

// await polls a condition; it fails the test with what was waited for.
func (s *scene) await(limit time.Duration, what string, ok func() bool) {
	s.t.Helper()
	s.must(stage.Await(s.ctx, limit, what, func() (bool, error) { return ok(), nil }))
}

// runs lists the runs.
func (s *scene) runs() []pags.Run {
	s.t.Helper()
	var all []pags.Run
	s.read(&all, "runs", "list")
	return all
}
