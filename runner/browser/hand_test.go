package browser

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// The whole way through the sample site, as a brain would go it.
func TestHand_FillsInTheSampleSite(t *testing.T) {
	u := start(t, "/?key="+t.Name())
	u.secret(site.Password, pagesAt.URL)
	u.click(`link "Apply for`)
	u.typeIn(`textbox "Username"`, "ada")
	u.ok(relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Password"`), Secret: handle, Enter: true})
	u.title("About you")
	u.typeIn(`textbox "Full name"`, "Ada Example")
	u.typeIn(`textbox "First visit"`, "9 March 2026")
	u.typeIn(`textbox "Phone"`, "555 0100") // inside a frame
	u.typeIn(`combobox "City"`, "Springf")
	u.click(`option "Springfield, Missouri"`)
	u.click(`button "Continue"`)
	u.title("Your visit")
	u.shows("Have you used a laser cutter before?")
	u.ok(relay.Command{Action: relay.ActCheck, Ref: u.ref(`radio "No`)})
	u.typeIn(`textbox "Membership number"`, site.Membership)
	u.want(relay.StatusOK, "bill.pdf", relay.Command{Action: relay.ActUpload, Ref: u.ref(`button "Proof of address"`), File: file(t, "bill.pdf", "12345")})
	u.click(`button "Continue"`)
	u.title("Check and submit")
	u.shows("bill.pdf (5 bytes)")
	u.ok(relay.Command{Action: relay.ActCheck, Ref: u.ref(`checkbox`)})
	u.click(`button "Submit application"`)
	u.title("Application received")
	got := demo.Submissions()[t.Name()]
	if got.Count != 1 || got.Fields["visit"] != "2026-03-09" || got.Fields["phone"] != "555 0100" || got.Fields["city"] != "Springfield, Missouri" || got.Fields["laser"] != "no" {
		t.Fatalf("got %+v", got)
	}
}

func file(t *testing.T, name, body string) *relay.FileRef {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
	t.Cleanup(s.Close)
	sum := sha256.Sum256([]byte(body))
	return &relay.FileRef{Name: name, URL: s.URL + "/signed", ContentType: "application/pdf", Size: int64(len(body)), SHA256: hex.EncodeToString(sum[:])}
}

func TestUpload_ThroughAButtonAndOnlyTheAnnouncedFile(t *testing.T) {
	u := start(t, "/upload")
	u.want(relay.StatusOK, "a_b.pdf", relay.Command{Action: relay.ActUpload, Ref: u.ref(`button "Choose a file"`), File: file(t, "a/b.pdf", "123")})
	u.shows("a_b.pdf 3")
	u.ok(relay.Command{Action: relay.ActUpload, Ref: u.ref(`button "Photo"`), File: file(t, "me.jpg", "x")})
	u.shows("photo me.jpg")
	other := file(t, "x.pdf", "abc")
	other.SHA256 = strings.Repeat("0", 64)
	u.want(relay.StatusFailed, "checksum", relay.Command{Action: relay.ActUpload, Ref: u.ref(`button "Photo"`), File: other})
	long := file(t, "x.pdf", "abc")
	long.Size = 2
	u.want(relay.StatusFailed, "size", relay.Command{Action: relay.ActUpload, Ref: u.ref(`button "Photo"`), File: long})
}

func TestFields_SayWhatTheyWantInsteadOfPretending(t *testing.T) {
	u := start(t, "/closed")
	u.want(relay.StatusFailed, "disabled", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Send"`)})
	u.want(relay.StatusFailed, "read-only", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Fixed"`), Text: "y"})
	u.want(relay.StatusFailed, "“Small”, “Large”", relay.Command{Action: relay.ActSelect, Ref: u.ref(`combobox "Size"`), Text: "Medium"})
	u.want(relay.StatusFailed, "use select", relay.Command{Action: relay.ActClick, Ref: u.ref(`combobox "Size"`)})
	u.want(relay.StatusOK, "“Large”", relay.Command{Action: relay.ActSelect, Ref: u.ref(`combobox "Size"`), Text: "l"})
	u.want(relay.StatusOK, "“Small”", relay.Command{Action: relay.ActSelect, Ref: u.ref(`combobox "Size"`), Text: "small"})
	u.want(relay.StatusFailed, "disabled", relay.Command{Action: relay.ActSelect, Ref: u.ref(`combobox "Size"`), Text: "Huge"})
	u.want(relay.StatusFailed, "no e9999", relay.Command{Action: relay.ActClick, Ref: "e9999"})
	u.want(relay.StatusFailed, "needs a ref", relay.Command{Action: relay.ActClick, Ref: "button[Send]"})
	u.want(relay.StatusFailed, "not a checkbox", relay.Command{Action: relay.ActCheck, Ref: u.ref(`button "Low"`)})
	u.want(relay.StatusFailed, "is not a key", relay.Command{Action: relay.ActKey, Key: "Press Enter!"})
	u.want(relay.StatusFailed, "no tab 77", relay.Command{Action: relay.ActTab, Tab: 77})
	u.want(relay.StatusFailed, "does not know", relay.Command{Action: "dance"})
	u.ok(relay.Command{Action: relay.ActScroll, Direction: "down"})
	u.click(`button "Low"`) // below the fold
	u.title("low")
}

func TestType_FieldThatFormatsByKeys(t *testing.T) {
	u := start(t, "/mask")
	res := u.typeIn(`textbox "Card"`, "12345678")
	if !strings.Contains(res.Feedback, "“1234 5678”") {
		t.Fatalf("got %q", res.Feedback)
	}
}

func TestSee_Challenges(t *testing.T) {
	u := start(t, "/captcha")
	for _, c := range []struct{ path, want string }{{"/captcha", "recaptcha"}, {"/badge", ""}, {"/robot", "text"}, {"/p2", ""}} {
		u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + c.path})
		if got := u.last.Seen.Challenge; got != c.want {
			t.Errorf("%s: got %q, want %q", c.path, got, c.want)
		}
	}
	u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/captcha"})
	u.click(`button "Solve"`)
	if got := u.last.Seen.Challenge; got != "" {
		t.Errorf("solved, and still %q", got)
	}
}

func TestSee_LongPagesAreCutWithAMark(t *testing.T) {
	u := start(t, "/p2")
	page := shared.leases[u.call.InstanceID].current().page
	if _, err := page.Evaluate(`() => { for (let i = 0; i < 4000; i++) { const b = document.createElement("button"); b.textContent = "Кнопка номер " + i; document.body.append(b); } }`); err != nil {
		t.Fatal(err)
	}
	res := u.ok(relay.Command{Action: relay.ActSnapshot})
	text := []rune(res.Seen.Snapshot)
	if !res.Seen.Truncated || !strings.Contains(res.Seen.Snapshot, "more characters were cut") || len(text) > maxSnapshot || len(text) < maxSnapshot-1000 {
		t.Fatalf("truncated %v, %d characters", res.Seen.Truncated, len(text))
	}
}

func TestSee_SamePageHasTheSameDigest(t *testing.T) {
	u := start(t, "/p2")
	first := u.ok(relay.Command{Action: relay.ActSnapshot}).Seen
	second := u.ok(relay.Command{Action: relay.ActSnapshot}).Seen
	if first.Digest == "" || first.Digest != second.Digest || !first.GuardSupported {
		t.Fatalf("got %q and %q", first.Digest, second.Digest)
	}
}

func TestDownload_IsKeptUnderASafeNameAndReported(t *testing.T) {
	u := start(t, "/p2")
	u.want(relay.StatusOK, "price list.csv", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/file"})
	found, _ := filepath.Glob(filepath.Join(shared.o.DataDir, "downloads", "*", "*price list.csv"))
	if len(found) != 1 {
		t.Fatalf("kept: %v", found)
	}
}

func TestCancel_BeforeTheEffectDoesNothing(t *testing.T) {
	u := start(t, "/popup")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res := u.doIn(ctx, relay.Command{Action: relay.ActClick, Ref: u.ref(`link "Apply"`)})
	if res.Status != relay.StatusCancelled {
		t.Fatalf("got %s %q", res.Status, res.Feedback)
	}
	u.ok(relay.Command{Action: relay.ActSnapshot})
	if len(u.last.Seen.Tabs) != 1 {
		t.Fatal("it was clicked")
	}
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	if res := u.doIn(ctx, relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/never"}); res.Status != relay.StatusCancelled {
		t.Fatalf("while loading: got %s %q", res.Status, res.Feedback)
	}
}

func TestHand_InstancesDoNotWaitForEachOther(t *testing.T) {
	var all sync.WaitGroup
	users := make([]*user, 3)
	for i := range users {
		users[i] = start(t, "")
		users[i].call.InstanceID += pags.InstanceID(fmt.Sprint("_", i))
	}
	for i, u := range users {
		all.Go(func() {
			res := u.do(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/login"})
			if res.Status != relay.StatusOK {
				t.Errorf("%d: %s %s", i, res.Status, res.Feedback)
				return
			}
			res = u.do(relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Username"`), Text: fmt.Sprint("user", i)})
			if res.Status != relay.StatusOK || !strings.Contains(res.Seen.Snapshot, fmt.Sprint("user", i)) {
				t.Errorf("%d: %s %s", i, res.Status, res.Feedback)
			}
		})
	}
	all.Wait()
}

func TestHand_PageClosedByThePersonIsOpenedAgain(t *testing.T) {
	u := start(t, "/readonly")
	ref := u.ref(`button "Publish"`)
	if err := shared.leases[u.call.InstanceID].current().page.Close(); err != nil {
		t.Fatal(err)
	}
	u.want(relay.StatusFailed, "nothing was done", relay.Command{Action: relay.ActClick, Ref: ref})
	u.title("readonly")
	u.click(`button "Publish"`)
	u.title("published")
}

func TestHand_BusyPageIsReportedAndNavigationGoesOn(t *testing.T) {
	u := start(t, "/freeze")
	res := u.do(relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Freeze"`)})
	if res.Status == relay.StatusOK && !strings.Contains(res.Feedback, "could not be read") {
		t.Fatalf("got %s %q", res.Status, res.Feedback)
	}
	u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/p2"})
	u.title("p2")
}

func TestHand_KilledChromiumAndKilledDriverAreSaidAndStartedAgain(t *testing.T) {
	u := start(t, "")
	own := New(Options{DataDir: t.TempDir(), Headless: true, Clock: wall{}})
	t.Cleanup(func() { _ = own.Close() })
	u.hand = own
	others := drivers(t)
	u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/readonly"})
	for _, kill := range []func(){
		func() { killChromium(t, own) },
		func() {
			for pid := range drivers(t) {
				if !others[pid] {
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Fatal(err)
					}
				}
			}
		},
	} {
		ref := u.ref(`button "Publish"`)
		kill()
		res := u.do(relay.Command{Action: relay.ActClick, Ref: ref})
		if res.Status != relay.StatusFailed && res.Status != relay.StatusUnknown {
			t.Fatalf("got %s %q", res.Status, res.Feedback)
		}
		u.ok(relay.Command{Action: relay.ActSnapshot})
		u.title("readonly")
	}
}

// drivers are the Playwright drivers that this process runs.
func drivers(t *testing.T) map[int]bool {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("needs /proc")
	}
	found := map[int]bool{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); strings.Contains(string(line), "run-driver") && len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			found[pid] = true
		}
	}
	return found
}

// killChromium ends the browser process that this hand started, found by its profile, and waits until the hand noticed.
func killChromium(t *testing.T, h *Hand) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("needs /proc")
	}
	killed := false
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if strings.Contains(string(line), "--user-data-dir="+filepath.Join(h.o.DataDir, "profile")) && !strings.Contains(string(line), "--type=") {
			killed = syscall.Kill(pid, syscall.SIGKILL) == nil || killed
		}
	}
	if !killed || !h.until(t.Context(), 20*time.Second, h.engine.dead.Load) {
		t.Fatal("Chromium was not killed, or nobody noticed")
	}
}

func TestHand_StartsNothingBeforeItsFirstCommand(t *testing.T) {
	h := New(Options{DataDir: filepath.Join(t.TempDir(), "x"), Clock: wall{}})
	if h.engine != nil {
		t.Fatal("started")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if res := h.Do(context.Background(), relay.Call{Command: relay.Command{Action: relay.ActSnapshot}}, nil); res.Status != relay.StatusFailed || !strings.Contains(res.Feedback, "shutting down") {
		t.Fatalf("after Close: %s %q", res.Status, res.Feedback)
	}
}

func TestHand_WithoutABrowserSaysWhatToDo(t *testing.T) {
	t.Setenv("PAGS_CHROMIUM", "/nowhere/chrome")
	h := New(Options{DataDir: t.TempDir(), Clock: wall{}})
	res := h.Do(context.Background(), relay.Call{Command: relay.Command{Action: relay.ActNavigate, URL: "http://example.com"}}, nil)
	if res.Status != relay.StatusFailed || !strings.Contains(res.Feedback, "PAGS_CHROMIUM") {
		t.Fatalf("got %s %q", res.Status, res.Feedback)
	}
}
