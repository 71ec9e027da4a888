package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/driver"
)

// One Chromium serves the whole package; a test is an instance of its own.
var (
	shared  *Hand
	pagesAt *httptest.Server // the sample site and the case files
	console *httptest.Server // the platform's own origin
	demo    *site.Site
	missing error
)

type wall struct{}

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }

func TestMain(m *testing.M) {
	demo = site.New()
	mux := http.NewServeMux()
	mux.Handle("/", demo)
	mux.Handle("/cases/", http.StripPrefix("/cases/", http.FileServer(http.Dir("testdata"))))
	pagesAt = httptest.NewServer(mux)
	console = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = fmt.Fprint(w, "<title>inbox</title>owner's inbox")
	}))
	dir, err := os.MkdirTemp("", "pags-browser-")
	if err != nil {
		panic(err)
	}
	if _, err := driver.Chromium(); err != nil {
		missing = err
	} else if _, _, err := driver.FindNode(context.Background()); err != nil {
		missing = err
	}
	shared = New(Options{DataDir: dir, Headless: true, Clock: wall{}, OwnOrigins: []string{console.URL}, NavigateLimit: 2 * time.Second})
	code := m.Run()
	_ = shared.Close()
	pagesAt.CloseClientConnections()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// user plays the brain for one instance.
type user struct {
	t    *testing.T
	hand *Hand
	call relay.Call
	last relay.Result
	up   *slots
}

type slots struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

func (s *slots) Upload(_ context.Context, name, kind string, body []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%d/%s", len(s.bodies), name)
	s.bodies[key] = body
	return key, nil
}

func start(t *testing.T, path string) *user {
	t.Helper()
	if missing != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	u := &user{t: t, hand: shared, up: &slots{bodies: map[string][]byte{}}}
	u.call = relay.Call{RunID: pags.RunID("run_" + t.Name()), InstanceID: pags.InstanceID("ins_" + t.Name())}
	u.call.Command.AllowHosts = []string{strings.TrimPrefix(pagesAt.URL, "http://")}
	t.Cleanup(func() { u.do(relay.Command{Action: relay.ActClose}) })
	if path != "" {
		u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + path})
	}
	return u
}

// do performs a command with the user's guard and hosts.
func (u *user) do(c relay.Command) relay.Result {
	u.t.Helper()
	return u.doIn(context.Background(), c)
}

func (u *user) doIn(ctx context.Context, c relay.Command) relay.Result {
	u.t.Helper()
	call := u.call
	call.Step++
	u.call.Step = call.Step
	if c.Guard == "" {
		c.Guard = call.Command.Guard
	}
	if c.AllowHosts == nil {
		c.AllowHosts = call.Command.AllowHosts
	}
	call.Command = c
	u.last = u.hand.Do(ctx, call, u.up)
	return u.last
}

func (u *user) want(status, feedback string, c relay.Command) relay.Result {
	u.t.Helper()
	res := u.do(c)
	if res.Status != status || !strings.Contains(strings.ToLower(res.Feedback), strings.ToLower(feedback)) {
		u.t.Fatalf("%s %s %s: got %s %q, want %s with %q\n%s", c.Action, c.Ref, c.Key, res.Status, res.Feedback, status, feedback, u.outline())
	}
	return res
}

func (u *user) ok(c relay.Command) relay.Result { u.t.Helper(); return u.want(relay.StatusOK, "", c) }

func (u *user) outline() string {
	if u.last.Seen == nil {
		return ""
	}
	return u.last.Seen.URL + " " + u.last.Seen.Title + "\n" + u.last.Seen.Snapshot
}

// ref finds the n-th line of the outline (from 1) that matches, and answers its ref.
func (u *user) ref(pattern string, n ...int) string {
	u.t.Helper()
	all := regexp.MustCompile(`(?m)^.*`+pattern+`.*\[ref=((?:f\d+)?e\d+)\]`).FindAllStringSubmatch(u.last.Seen.Snapshot, -1)
	at := 1
	if len(n) > 0 {
		at = n[0]
	}
	if len(all) < at {
		u.t.Fatalf("no %s in\n%s", pattern, u.outline())
	}
	return all[at-1][1]
}

func (u *user) click(pattern string, n ...int) relay.Result {
	u.t.Helper()
	return u.ok(relay.Command{Action: relay.ActClick, Ref: u.ref(pattern, n...)})
}

func (u *user) typeIn(pattern, text string) relay.Result {
	u.t.Helper()
	return u.ok(relay.Command{Action: relay.ActType, Ref: u.ref(pattern), Text: text})
}

func (u *user) title(want string) {
	u.t.Helper()
	if u.last.Seen == nil || u.last.Seen.Title != want {
		u.t.Fatalf("title is not %q: %s %s", want, u.last.Feedback, u.outline())
	}
}

func (u *user) shows(text string) {
	u.t.Helper()
	if !strings.Contains(u.outline(), text) {
		u.t.Fatalf("the outline does not show %q:\n%s", text, u.outline())
	}
}

func truth(b bool) *bool { return &b }
