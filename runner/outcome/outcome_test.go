package outcome

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func open(t *testing.T, path string) (*Store, *porttest.Clock) {
	t.Helper()
	clock := porttest.NewClock(t0)
	s, err := Open(path, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, clock
}

func call(step int, fence int64, action string) relay.Call {
	return relay.Call{RunID: "run_1", Step: step, InstanceID: "ins_1", Fence: fence, Command: relay.Command{Action: action}}
}

func done(step int, text string) relay.Outcome {
	return relay.Outcome{RunID: "run_1", Step: step, Result: relay.Result{Status: relay.StatusOK, Feedback: text}}
}

func intent(t *testing.T, s *Store, c relay.Call, want Verdict) *relay.Outcome {
	t.Helper()
	v, o, err := s.Intent(c)
	if err != nil || v != want {
		t.Fatalf("intent of %d = %v, %v; want %v", c.Step, v, err, want)
	}
	return o
}

func TestStore_ARepeatedKeyGetsTheFirstOutcome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	s, _ := open(t, path)
	c := call(1, 1, relay.ActClick)
	intent(t, s, c, First)
	intent(t, s, c, Running)
	if _, err := s.Finish(done(1, "clicked")); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Finish(done(1, "second")); err != nil || o.Result.Feedback != "clicked" {
		t.Fatalf("second finish gave %+v, %v", o, err)
	}
	if o := intent(t, s, c, Known); o.Result.Feedback != "clicked" {
		t.Fatalf("repeat gave %+v", o)
	}
	_ = s.Close()
	s, _ = open(t, path)
	if o := intent(t, s, c, Known); o.Result.Feedback != "clicked" {
		t.Fatalf("after a restart: %+v", o)
	}
}

func TestStore_AnIntentWithoutOutcomeIsUnknownUnlessItOnlyLooks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	for step, action := range relay.Actions {
		s, _ := open(t, path)
		intent(t, s, call(step, 1, action), First)
		_ = s.Close() // the process ends without an outcome
		s, _ = open(t, path)
		want := Unknown
		switch action {
		case relay.ActSnapshot, relay.ActWait, relay.ActScroll, relay.ActTab, relay.ActClose:
			want = First
		}
		o := intent(t, s, call(step, 1, action), want)
		if want == Unknown {
			if o.Result.Status != relay.StatusUnknown {
				t.Fatalf("%s: %+v", action, o)
			}
			if again := intent(t, s, call(step, 1, action), Known); again.Result.Status != relay.StatusUnknown {
				t.Fatalf("%s: unknown did not stay: %+v", action, again)
			}
		}
		_ = s.Close()
	}
}

func TestStore_OutcomesStayListedUntilAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	s, _ := open(t, path)
	for i := 12; i >= 10; i-- {
		if _, err := s.Finish(done(i, "")); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := errors.Join(s.Acked("run_1", 11), s.Acked("run_1", 99)); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
	s, _ = open(t, path)
	all, err := s.Unacked()
	if err != nil || len(all) != 2 || all[0].Step != 12 || all[1].Step != 10 {
		t.Fatalf("unacknowledged: %+v, %v", all, err)
	}
}

func TestStore_AnOlderFenceIsStale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	s, _ := open(t, path)
	intent(t, s, call(1, 5, relay.ActClick), First)
	_ = s.Close()
	s, _ = open(t, path)
	intent(t, s, call(2, 4, relay.ActClick), Stale)
	other := call(3, 1, relay.ActClick)
	other.InstanceID = "ins_2"
	intent(t, s, other, First)
	intent(t, s, call(4, 5, relay.ActClick), First)
}

func TestStore_PruneKeepsWhatIsYoungRunningOrUnacknowledged(t *testing.T) {
	s, clock := open(t, filepath.Join(t.TempDir(), "o.db"))
	for i := 1; i <= 2; i++ {
		if _, err := s.Finish(done(i, "")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Acked("run_1", 1); err != nil {
		t.Fatal(err)
	}
	intent(t, s, call(3, 1, relay.ActClick), First)
	clock.Advance(Keep - time.Second)
	if n, err := s.Prune(); n != 0 || err != nil {
		t.Fatalf("pruned %d too early, %v", n, err)
	}
	clock.Advance(time.Second)
	if n, err := s.Prune(); n != 1 || err != nil {
		t.Fatalf("pruned %d, %v; want just the acknowledged one", n, err)
	}
	intent(t, s, call(1, 1, relay.ActClick), First)
	intent(t, s, call(2, 1, relay.ActClick), Known)
	intent(t, s, call(3, 1, relay.ActClick), Running)
}

func TestOpen_ASecondProcessIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	open(t, path)
	if _, err := Open(path, porttest.NewClock(t0)); !pags.Is(err, pags.Conflict) {
		t.Fatalf("second open: %v", err)
	}
}

// The tests below run this test binary again as another process, named by OUTCOME_CHILD.
func TestMain(m *testing.M) {
	switch os.Getenv("OUTCOME_CHILD") {
	case "":
		os.Exit(m.Run())
	case "full":
		fullDisk()
	case "write":
		writeForEver()
	}
}

func child(t *testing.T, what, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "OUTCOME_CHILD="+what, "OUTCOME_PATH="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// fullDisk lets no file grow any more and tries to write.
func fullDisk() {
	s, err := Open(os.Getenv("OUTCOME_PATH"), porttest.NewClock(t0))
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 8 << 10, Max: 8 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("rlimit:", err)
		os.Exit(1)
	}
	_, _, err = s.Intent(call(1, 1, relay.ActClick))
	fmt.Println("intent refused:", err != nil)
	os.Exit(0)
}

func TestIntent_AFullDiskIsRefusedBeforeAnythingIsDone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	out, err := child(t, "full", path).Output()
	if err != nil || !strings.Contains(string(out), "intent refused: true") {
		t.Fatalf("child said %q, %v", out, err)
	}
	s, _ := open(t, path) // with room again the same call is new: nothing half written stayed
	intent(t, s, call(1, 1, relay.ActClick), First)
}

// writeForEver finishes calls and prints each step once it is durable.
func writeForEver() {
	s, err := Open(os.Getenv("OUTCOME_PATH"), porttest.NewClock(t0))
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	for i := 1; ; i++ {
		if v, _, err := s.Intent(call(i, 1, relay.ActClick)); err != nil || v != First {
			os.Exit(2)
		}
		fmt.Println("intent", i)
		if _, err := s.Finish(done(i, "x")); err != nil {
			os.Exit(2)
		}
		fmt.Println("outcome", i)
	}
}

func TestStore_SurvivesKill9(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	cmd := child(t, "write", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	intents, outcomes := 0, 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var kind string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &kind, &n); err != nil {
			break // the last line may be cut
		}
		if kind == "intent" {
			intents = n
		} else {
			outcomes = n
		}
		if outcomes == 40 {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if outcomes < 40 {
		t.Fatalf("child wrote only %d outcomes", outcomes)
	}
	s, _ := open(t, path)
	for i := 1; i <= outcomes; i++ {
		intent(t, s, call(i, 1, relay.ActClick), Known)
	}
	if intents > outcomes {
		v, _, err := s.Intent(call(intents, 1, relay.ActClick))
		if err != nil || (v != Known && v != Unknown) {
			t.Fatalf("the intent that was printed is %v, %v", v, err)
		}
	}
}
