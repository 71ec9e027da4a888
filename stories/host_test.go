package stories

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

func TestHost_CL01_LeftoversOfACrashNeverBlockAStart(t *testing.T) {
	bystander := exec.Command("sleep", "999")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for name, pid := range map[string]string{"a dead process": strconv.Itoa(dead.Process.Pid), "a process of somebody else": strconv.Itoa(bystander.Process.Pid),
		"no number": "abc", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, nil, nil)
			s.must(os.MkdirAll(s.Home, 0o700))
			owner := `{"pid":` + pid + `,"url":"http://127.0.0.1:1","version":"v0"}`
			if pid == "" {
				owner = ""
			}
			for file, text := range map[string]string{"serve.json": owner, "pags.db.pid": pid + "\n"} {
				s.must(os.WriteFile(filepath.Join(s.Home, file), []byte(text), 0o600))
			}
			s.serve(nil).Stop()
			if _, err := os.Stat(filepath.Join(s.Home, "serve.json")); !os.IsNotExist(err) {
				t.Errorf("a host that stopped still says that it runs: %v", err)
			}
		})
	}
	if !alive(bystander.Process.Pid) {
		t.Error("somebody else's process was killed")
	}
}

func TestHost_CL01_OfTwoStartsOneWinsAndTheOtherSaysWhich(t *testing.T) {
	s := newScene(t, nil, nil)
	var both [2]*running
	for i := range both {
		both[i] = s.begin(nil, "serve", "--port", "0", "--json")
	}
	var winner, loser *running
	select {
	case <-both[0].done:
		winner, loser = both[1], both[0]
	case <-both[1].done:
		winner, loser = both[0], both[1]
	case <-time.After(20 * time.Second):
		t.Fatal("two hosts run on one folder")
	}
	var said struct {
		URL string
		PID int
	}
	winner.says(s, 10*time.Second, "}")
	s.must(json.Unmarshal([]byte(winner.out.String()), &said))
	if code := loser.ended(s, time.Second); code != 1 || !strings.Contains(flat(loser.errs.String()), "process id "+strconv.Itoa(said.PID)) {
		t.Errorf("the other one: exit %d %s", code, loser.errs)
	}
	// later, when the first one is up, a start also says where
	late := s.begin(nil, "serve", "--port", "0")
	if code := late.ended(s, 10*time.Second); code != 1 || !strings.Contains(flat(late.errs.String()), "at "+said.URL) {
		t.Errorf("a late one: exit %d %s", code, late.errs)
	}
	if res, err := http.Get(said.URL + "/health"); err != nil || res.StatusCode != 200 {
		t.Errorf("the first one suffered: %v", err)
	}
}

func TestHost_ATakenPortIsSaidAndSolved(t *testing.T) {
	s := newScene(t, nil, nil)
	l, err := net.Listen("tcp", "127.0.0.1:4788")
	if err == nil {
		defer func() { _ = l.Close() }()
	} // else another program has it, which serves as well
	free := s.begin(nil, "serve")
	free.says(s, 10*time.Second, "Next")
	if !strings.Contains(flat(free.errs.String()), "Port 4788 is taken by another program, so this host is at port ") {
		t.Errorf("it said: %s%s", free.out, free.errs)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	asked := s.begin([]string{"PAGS_HOME=" + t.TempDir()}, "serve", "--port", strconv.Itoa(port))
	if code := asked.ended(s, 10*time.Second); code != 1 || !strings.Contains(flat(asked.errs.String()), "port "+strconv.Itoa(port)+" is taken by another program; try --port ") {
		t.Errorf("exit %d %s", code, asked.errs)
	}
}

func TestHost_StopsQuicklyAndLosesNothing(t *testing.T) {
	s := newScene(t, nil, nil)
	host := s.serve(nil)
	s.withKey()
	var before []pags.Run
	for _, name := range []string{"One", "Two", "Three"} {
		s.run("", "instances", "subscribe", "browser", "--name", name)
		s.busy(name)
	}
	s.await(10*time.Second, "all to wait", func() bool {
		before = s.runs()
		for _, r := range before {
			if r.Status != pags.RunWaiting {
				return false
			}
		}
		return true
	})
	idle, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://")) // a client that holds its connection
	s.must(err)
	defer func() { _ = idle.Close() }()
	began := time.Now()
	s.must(syscall.Kill(host.Pid(), syscall.SIGTERM))
	<-host.Done()
	if took := time.Since(began); took > 2*time.Second || host.Err().Error() != "exit 0" {
		t.Errorf("it took %s and ended with %v", took, host.Err())
	}
	s.serve(nil)
	after := s.runs()
	if len(after) != 3 {
		t.Fatalf("%d runs are left", len(after))
	}
	for i, r := range after {
		if r.ID != before[i].ID || r.Status != pags.RunWaiting || r.Execution != before[i].Execution {
			t.Errorf("before %+v\nafter  %+v", before[i], r)
		}
		s.run("", "runs", "cancel", string(r.ID))
		if res := s.call("", "runs", "watch", string(r.ID)); !strings.Contains(res.Out, "Cancelled by the owner.") {
			t.Errorf("cancelled after the restart: %s", res.Out)
		}
	}
}

// ask makes a raw request; header is names and values in turn.
func (s *scene) ask(method, path, host string, header ...string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.ctx, method, s.URL()+path, nil)
	s.must(err)
	if host != "" {
		req.Host = host
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(body)
}

func TestHost_AnswersUnderItsOwnNamesAndToItsOwnPagesOnly(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.run("", "agents", "list")
	auth := "Bearer " + s.token()
	port := strconv.Itoa(s.Port)
	for _, c := range []struct {
		what, path, host, origin string
		status                   int
	}{
		{"its address", "/v1/auth/me", "", "", 200},
		{"its name", "/v1/auth/me", "localhost:" + port, "", 200},
		{"its own page", "/v1/auth/me", "", "http://127.0.0.1:" + port, 200},
		{"a name that was rebound to the loopback", "/v1/auth/me", "evil.example:" + port, "", 421},
		{"a rebound name with its own origin", "/v1/auth/me", "evil.example:" + port, "http://evil.example:" + port, 421},
		{"its name on another port", "/v1/auth/me", "localhost:1", "", 421},
		{"a page of another site", "/v1/auth/me", "", "https://evil.example", 403},
		{"a sandboxed page", "/v1/auth/me", "", "null", 403},
		{"a page of another local program", "/v1/auth/me", "", "http://127.0.0.1:1", 403},
		{"the socket for another site", "/ws?ticket=x", "", "https://evil.example", 403},
		{"pictures for another site", "/blobs/x", "", "https://evil.example", 403},
		{"the console under another name", "/", "evil.example", "", 421},
	} {
		header := []string{"Authorization", auth}
		if c.origin != "" {
			header = append(header, "Origin", c.origin)
		}
		status, body := s.ask("GET", c.path, c.host, header...)
		if status != c.status || status >= 400 && !strings.Contains(body, `"detail"`) {
			t.Errorf("%s: %d, not %d: %s", c.what, status, c.status, body)
		}
	}
	if addresses, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addresses {
			if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
				if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.IP.String(), port), time.Second); err == nil {
					_ = c.Close()
					t.Errorf("it can be reached from elsewhere, at %s", ip.IP)
				}
			}
		}
	}
}

func TestHost_SessionFileIsForItsOwnerOnly(t *testing.T) {
	s := newScene(t, nil, nil)
	host := s.serve(nil)
	file := filepath.Join(s.Home, "session.json")
	for _, name := range []string{"session.json", "master.key", "pags.db", "serve.json"} {
		if info, err := os.Stat(filepath.Join(s.Home, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	s.must(os.Chmod(file, 0o644))
	if res := s.call("", "status"); res.Code != 1 || !strings.Contains(flat(res.Err), "chmod 600") {
		t.Errorf("a readable session: exit %d %q", res.Code, res.Err)
	}
	s.must(os.Chmod(file, 0o600))
	s.run("", "status")
	host.Stop()
	s.must(os.Chmod(filepath.Join(s.Home, "master.key"), 0o644))
	refused := s.begin(nil, "serve", "--port", "0")
	if code := refused.ended(s, 10*time.Second); code != 1 || !strings.Contains(flat(refused.errs.String()), "chmod 600") {
		t.Errorf("a readable master key: exit %d %s", code, refused.errs)
	}
}

func TestHost_ARestartKeepsSessionsAndInstancesAndAMovedPortIsFollowed(t *testing.T) {
	s := newScene(t, nil, nil)
	host := s.serve(nil)
	id := s.run("", "instances", "subscribe", "browser", "--name", "Mine")
	console := s.console()
	host.Stop()
	host = s.serve(nil)
	if status, body := s.ask("GET", "/v1/auth/me", "", "Authorization", "Bearer "+console); status != 200 {
		t.Errorf("the console's session is gone: %d %s", status, body)
	}
	host.Stop()
	s.Port++ // the next one; a test that finds it taken fails with that text
	s.serve(nil)
	var all []pags.Instance
	s.read(&all, "instances", "list")
	if len(all) != 1 || string(all[0].ID) != id {
		t.Errorf("left are %+v", all)
	}
}

// console signs in as the console does and returns its access token.
func (s *scene) console() string {
	s.t.Helper()
	status, body := s.useLink(s.link())
	var in struct{ AccessToken string }
	if status != 200 || json.Unmarshal([]byte(body), &in) != nil || in.AccessToken == "" {
		s.t.Fatalf("sign in: %d %s", status, body)
	}
	return in.AccessToken
}

func (s *scene) link() string {
	s.t.Helper()
	var link struct{ URL string }
	s.read(&link, "open")
	return link.URL
}

func (s *scene) useLink(link string) (int, string) {
	s.t.Helper()
	_, token, _ := strings.Cut(link, "#")
	body, _ := json.Marshal(map[string]string{"token": token, "label": "console", "deliver": "body"})
	res, err := http.Post(s.URL()+"/v1/auth/link", "application/json", strings.NewReader(string(body)))
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	raw, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(raw)
}

func TestHost_ALinkWorksOnce(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	link := s.link()
	if status, body := s.useLink(link); status != 200 {
		t.Fatalf("the first time: %d %s", status, body)
	}
	if status, body := s.useLink(link); status != 410 || !strings.Contains(body, "was used") {
		t.Errorf("the second time: %d %s", status, body)
	}
	other := t.TempDir()
	if res := s.call("", "login", s.link(), "--home", other); res.Code != 0 {
		t.Fatalf("login: %s", res.Err)
	}
	s.run("", "status", "--home", other)
	s.run("", "logout", "--home", other)
	if res := s.call("", "status", "--home", other); res.Code != 1 || !strings.Contains(res.Err, "not signed in") {
		t.Errorf("after logout: exit %d %q", res.Code, res.Err)
	}
}

func TestHost_PublicURL(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil, "--public-url", "https://pags.example.com/")
	if link := s.link(); !strings.HasPrefix(link, "https://pags.example.com/signin#") {
		t.Errorf("the link is %s", link)
	}
	for host, want := range map[string]int{"pags.example.com": 200, "other.example.com": 421, "": 200} {
		if status, body := s.ask("GET", "/health", host); status != want {
			t.Errorf("asked as %q: %d %s", host, status, body)
		}
	}
	if status, body := s.ask("GET", "/health", "pags.example.com", "Origin", "https://pags.example.com"); status != 200 {
		t.Errorf("its own page: %d %s", status, body)
	}
	for _, bad := range []string{"pags.example.com", "ftp://x", "https://x/path", "https://"} {
		refused := s.begin([]string{"PAGS_HOME=" + t.TempDir()}, "serve", "--port", "0", "--public-url", bad)
		if code := refused.ended(s, 10*time.Second); code != 2 || !strings.Contains(flat(refused.errs.String()), "is not an origin such as") {
			t.Errorf("--public-url %q: exit %d %s", bad, code, refused.errs)
		}
	}
}
