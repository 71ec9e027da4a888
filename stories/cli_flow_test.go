package stories

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// begin starts a command that goes on for a while.
func (s *scene) begin(env []string, args ...string) *running {
	s.t.Helper()
	cmd := exec.Command(s.Binary, args...)
	cmd.Env = append(append(os.Environ(), "PAGS_HOME="+s.Home, "NO_COLOR=1"), env...)
	r := &running{cmd: cmd, out: &log{}, errs: &log{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = r.out, r.errs
	cmd.WaitDelay = 3 * time.Second
	s.must(cmd.Start())
	go func() { _ = cmd.Wait(); close(r.done) }()
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); <-r.done })
	return r
}

type running struct {
	cmd       *exec.Cmd
	out, errs *log
	done      chan struct{}
}

// ended waits for the end and gives the exit code.
func (r *running) ended(s *scene, limit time.Duration) int {
	s.t.Helper()
	select {
	case <-r.done:
	case <-time.After(limit):
		s.t.Fatalf("%v still runs after %s:\n%s%s", r.cmd.Args, limit, r.out, r.errs)
	}
	return r.cmd.ProcessState.ExitCode()
}

// says waits until the command printed a text.
func (r *running) says(s *scene, limit time.Duration, text string) {
	s.t.Helper()
	for end := time.Now().Add(limit); !strings.Contains(flat(r.out.String()), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%v did not say %q in %s:\n%s%s", r.cmd.Args[1:], text, limit, r.out, r.errs)
		}
	}
}

func TestCLI_FollowingARunSurvivesARestartOfTheHost(t *testing.T) {
	s := newScene(t, nil, nil)
	host := s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "One")
	run := s.busy("One")
	watch := s.begin(nil, "runs", "watch", string(run.ID))
	watch.says(s, 10*time.Second, "waiting")
	host.Stop()
	s.serve(nil)
	s.run("", "runs", "cancel", string(run.ID))
	if code := watch.ended(s, 30*time.Second); code != 1 {
		t.Errorf("exit %d: %s%s", code, watch.out, watch.errs)
	}
	out := watch.out.String()
	if strings.Count(out, "Asked for") != 1 || !strings.HasSuffix(strings.TrimSpace(out), "cancelled  Cancelled by the owner.") {
		t.Errorf("it showed:\n%s", out)
	}
}

// asker is a model that asks for a value and is done when it has it.
func asker(turn modeltest.Turn) modeltest.Answer {
	switch {
	case len(turn.Tools) == 0:
		return modeltest.Say("ready")
	case strings.Contains(turn.Text(), "the owner answered: blue"):
		return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": "It is blue."})
	}
	return modeltest.Call("request_user_info", map[string]any{"question": "Which colour?", "secret": false, "field": "Colour"})
}

func TestCLI_APersonIsAskedAndAnswersOnce(t *testing.T) {
	s := newScene(t, newDesk("pw"), asker)
	s.serve(nil)
	s.ready("key-of-a-test")
	runner := s.begin(nil, "up", "--headless")
	runner.says(s, 20*time.Second, "connected")

	res := s.call("", "browse", "Story", "--url", s.page.URL, "--objective", "Find a colour", "--wait")
	if res.Code != 20 || !strings.Contains(res.Out, "Which colour?") {
		t.Fatalf("exit %d\n%s%s", res.Code, res.Out, res.Err)
	}
	narrow(t, "pags browse --wait", res.Out)
	var inbox []pags.Interaction
	s.read(&inbox, "inbox")
	if len(inbox) != 1 || !strings.Contains(res.Out, "pags answer "+string(inbox[0].ID)+" --value TEXT") {
		t.Fatalf("%+v\n%s", inbox, res.Out)
	}
	id := string(inbox[0].ID)
	narrow(t, "pags inbox", s.run("", "inbox"))
	again := s.call("", "runs", "watch", string(inbox[0].RunID), "--json")
	if again.Code != 20 {
		t.Errorf("watching a paused run: exit %d", again.Code)
	}
	for line := range strings.Lines(again.Out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %q", line)
		}
	}
	if res := s.call("", "answer", id, "--accept"); res.Code != 1 || !strings.Contains(res.Err, "value") {
		t.Errorf("an answer of another kind: exit %d %q", res.Code, res.Err)
	}
	if res := s.call("", "answer", id, "--value", "blue", "--wait"); res.Code != 0 || !strings.Contains(res.Out, "completed") {
		t.Errorf("exit %d\n%s%s", res.Code, res.Out, res.Err)
	}
	if res := s.call("", "answer", id, "--value", "red"); res.Code != 1 || !strings.Contains(res.Err, "answered already") {
		t.Errorf("a second answer: exit %d %q", res.Code, res.Err)
	}
	narrow(t, "pags runs show", s.run("", "runs", "show", string(inbox[0].RunID)))

	// ctrl-C on the runner: it ends, and its browser with it
	children := descendants(t, runner.cmd.Process.Pid)
	if len(children) < 2 {
		t.Fatalf("the runner has %d children; a driver and a browser were expected", len(children))
	}
	s.must(runner.cmd.Process.Signal(os.Interrupt))
	if code := runner.ended(s, 15*time.Second); code != 130 {
		t.Errorf("ctrl-C: exit %d %s", code, runner.errs)
	}
	s.await(5*time.Second, "the end of the browser", func() bool {
		for _, pid := range children {
			if alive(pid) {
				return false
			}
		}
		return true
	})
}

// descendants are a process's children, and theirs.
func descendants(t *testing.T, pid int) []int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	return below(pid, string(out))
}

func TestCLI_CL06_CtrlCLeavesTheRunAlone(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "One")
	watch := s.begin(nil, "browse", "One", "--url", "https://example.com", "--objective", "Look", "--wait")
	watch.says(s, 10*time.Second, "waiting")
	s.must(watch.cmd.Process.Signal(os.Interrupt))
	if code := watch.ended(s, 5*time.Second); code != 130 || !strings.Contains(flat(watch.errs.String()), "The run goes on without you. Watch again: pags runs watch run_") {
		t.Errorf("exit %d: %s", code, watch.errs)
	}
	if r := s.runs()[0]; r.Status != pags.RunWaiting || r.CancelAsked {
		t.Errorf("the run is %+v", r)
	}
}

func TestCLI_ASecondRunnerIsRefusedAndForceTakesOver(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.run("", "agents", "list") // leaves an access token in the session file
	first := s.begin(nil, "up", "--headless")
	first.says(s, 20*time.Second, "connected")

	second := s.begin(nil, "up", "--headless")
	if code := second.ended(s, 10*time.Second); code != 1 || !strings.Contains(flat(second.errs.String()), "another pags up (process ") || !strings.Contains(second.errs.String(), "--force") {
		t.Errorf("a second one from the same folder: exit %d %s", code, second.errs)
	}

	// the same machine key from another folder: the host decides
	other := filepath.Join(t.TempDir(), "copy")
	s.must(os.MkdirAll(filepath.Join(other, "runner"), 0o700))
	for _, name := range []string{"session.json", "runner/machine.key"} {
		raw, err := os.ReadFile(filepath.Join(s.Home, name))
		s.must(err)
		s.must(os.WriteFile(filepath.Join(other, name), raw, 0o600))
	}
	copied := s.begin([]string{"PAGS_HOME=" + other}, "up", "--headless")
	copied.says(s, 20*time.Second, "blocked")
	if out := flat(copied.out.String()); !strings.Contains(out, "another pags up already serves") || !strings.Contains(out, "--force") {
		t.Errorf("refused with: %s", out)
	}
	s.must(copied.cmd.Process.Signal(syscall.SIGTERM))
	if code := copied.ended(s, 10*time.Second); code != 0 {
		t.Errorf("SIGTERM: exit %d %s", code, copied.errs)
	}
	forced := s.begin([]string{"PAGS_HOME=" + other}, "up", "--headless", "--force")
	forced.says(s, 20*time.Second, "connected")
	first.says(s, 20*time.Second, "took over")
	s.must(forced.cmd.Process.Signal(syscall.SIGTERM))
	forced.ended(s, 10*time.Second)

	third := s.begin(nil, "up", "--headless", "--force")
	third.says(s, 30*time.Second, "connected")
	if code := first.ended(s, 10*time.Second); code != 0 {
		t.Errorf("the first one: exit %d %s", code, first.errs)
	}
}

// proxy notes what it is asked and refuses it.
type proxy struct {
	mu   sync.Mutex
	seen []string
}

func (p *proxy) all() string { p.mu.Lock(); defer p.mu.Unlock(); return strings.Join(p.seen, "\n") }

func (p *proxy) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err == nil {
			p.mu.Lock()
			p.seen = append(p.seen, req.Method+" "+req.Host+" "+req.Header.Get("Proxy-Authorization"))
			p.mu.Unlock()
			_, _ = io.WriteString(c, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
		}
		_ = c.Close()
	}
}

func TestCLI_CL04_TheProxyIsUsedButNeverForThisMachine(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	defer func() { _ = l.Close() }()
	p := &proxy{}
	go p.serve(l)
	address := "http://user:p%40ss-word@" + l.Addr().String()
	env := []string{"HTTPS_PROXY=" + address, "HTTP_PROXY=" + address, "NO_PROXY=.internal", "https_proxy=", "http_proxy=", "no_proxy="}
	res, err := s.CLIEnv(s.ctx, env, "", "status")
	s.must(err)
	if res.Code != 0 || p.all() != "" {
		t.Errorf("this machine through the proxy: exit %d %q %s", res.Code, p.all(), res.Err)
	}
	s.must(os.WriteFile(filepath.Join(s.Home, "session.json"), []byte(`{"server":"https://pags.example.test","refreshToken":"rt"}`), 0o600))
	res, err = s.CLIEnv(s.ctx, env, "", "status")
	s.must(err)
	if p.all() != "CONNECT pags.example.test:443 Basic dXNlcjpwQHNzLXdvcmQ=" {
		t.Errorf("the proxy saw %q", p.all())
	}
	if res.Code != 1 || !strings.Contains(flat(res.Err), "cannot be reached") || !strings.Contains(res.Err, "HTTPS_PROXY") {
		t.Errorf("exit %d %q", res.Code, res.Err)
	}
	env[0] = "HTTPS_PROXY=http://user:p%40ss-word@ not an address"
	bad, err := s.CLIEnv(s.ctx, env, "", "status")
	s.must(err)
	for _, said := range []string{res.Out + res.Err, bad.Out + bad.Err} {
		if strings.Contains(said, "ss-word") {
			t.Errorf("the proxy's password was printed: %q", said)
		}
	}
}
