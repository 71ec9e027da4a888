package stories

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// smallDisk mounts a file system of so many MB. It needs root, or sudo without a password.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	var as []string
	if os.Geteuid() != 0 {
		as = []string{"sudo", "-n"}
	}
	run := func(args ...string) ([]byte, error) {
		args = append(append([]string{}, as...), args...)
		return exec.Command(args[0], args[1:]...).CombinedOutput()
	}
	if out, err := run("mount", "-t", "tmpfs", "-o", "size="+size+",mode=0777", "tmpfs", dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("a small disk cannot be mounted: %v %s", err, out)
		}
		t.Skipf("a small disk cannot be mounted: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := run("umount", "-l", dir); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

// fill leaves no space; free gives it back.
func (s *scene) fill(dir string) (free func()) {
	s.t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	s.must(err)
	for _, chunk := range []int{1 << 20, 64 << 10, 4 << 10} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, chunk))
		}
	}
	_ = f.Close()
	var st unix.Statfs_t
	s.must(unix.Statfs(dir, &st))
	if st.Bavail > 0 {
		s.t.Fatalf("%d blocks are still free", st.Bavail)
	}
	return func() { s.must(os.Remove(path)) }
}

func TestBadInput_DiskFullUnderTheHost(t *testing.T) {
	disk := smallDisk(t, "6m")
	s := newScene(t, nil, nil)
	s.Home = filepath.Join(disk, "home")
	host := s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "Kept")
	run := s.busy("Kept")
	s.await(10*time.Second, "the run to wait", func() bool { return s.runs()[0].Status == pags.RunWaiting })
	token := s.token()
	free := s.fill(disk)

	// writes are refused with what to do once the file cannot grow any more; reads go on
	refused := ""
	for i := 0; i < 400 && refused == ""; i++ {
		body := strings.NewReader(`{"key":"specialInstructions","value":"` + strings.Repeat("x", 3900) + `"}`)
		req, err := http.NewRequestWithContext(s.ctx, "PATCH", s.URL()+"/v1/instances/"+string(run.InstanceID)+"/config", body)
		s.must(err)
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		refused = s.refusal(req)
		if refused == "" { // room inside the file is used up by new things
			req, err = http.NewRequestWithContext(s.ctx, "POST", s.URL()+"/v1/instances/browser/subscribe", strings.NewReader(`{}`))
			s.must(err)
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Set("Content-Type", "application/json")
			refused = s.refusal(req)
		}
	}
	if !strings.HasPrefix(refused, "503 ") || !strings.Contains(refused, "disk") || !strings.Contains(refused, "space") {
		t.Fatalf("with a full disk a write is answered %q", refused)
	}
	if code, body := s.ask("GET", "/v1/runs/"+string(run.ID), "", "Authorization", "Bearer "+token); code != 200 || !strings.Contains(body, `"waiting"`) {
		t.Errorf("a read: %d %s", code, body)
	}
	if host.Over() {
		t.Fatalf("the host ended: %v", host.Err())
	}
	free()
	s.over(run) // everything is kept and goes on
	s.run("", "instances", "subscribe", "browser", "--name", "After")
	host.Stop()
	s.serve(nil)
	if r := s.runs()[0]; r.ID != run.ID || r.Status != pags.RunCancelled {
		t.Errorf("after a restart: %+v", r)
	}
}

// refusal makes a request; "" is a success, else the status and what was said.
func (s *scene) refusal(req *http.Request) string {
	s.t.Helper()
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode < 300 {
		return ""
	}
	buf := make([]byte, 2000)
	n, _ := res.Body.Read(buf)
	return res.Status + string(buf[:n])
}

func TestBadInput_DiskFullUnderTheRunner(t *testing.T) {
	disk := smallDisk(t, "96m") // a browser profile has to fit
	desk := newDesk("pw")
	s := newScene(t, desk, modeltest.Steps(done("Looked.")))
	s.serve(nil)
	s.ready("key-of-a-test")
	s.must(os.Symlink(disk, filepath.Join(s.Home, "runner")))
	s.up(nil)
	first := s.call("", "browse", "Story", "--url", s.page.URL, "--objective", "Look", "--wait")
	if first.Code != 0 {
		t.Fatalf("with space: exit %d %s%s", first.Code, first.Out, first.Err)
	}
	free := s.fill(disk)
	var full strings.Builder
	for range 40 { // the record of outcomes has some room inside
		res := s.call("", "browse", "Story", "--url", s.page.URL, "--objective", "Look", "--wait")
		full.WriteString(res.Out)
		if res.Code != 0 {
			break
		}
	}
	if !strings.Contains(flat(full.String()), "cannot write to its disk") {
		t.Errorf("with a full disk:\n%s", &full)
	}
	free()
	if res := s.call("", "browse", "Story", "--url", s.page.URL, "--objective", "Look", "--wait"); res.Code != 0 {
		t.Errorf("with space again: exit %d %s%s", res.Code, res.Out, res.Err)
	}
}
