package cli

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is an 80-column terminal: what a person holds, and what was shown there.
type screen struct {
	t     *testing.T
	host  *os.File
	guest *os.File
	mu    sync.Mutex
	shown strings.Builder
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	if err := unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	guest, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guest.Close() })
	if err := unix.IoctlSetWinsize(int(guest.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, host: host, guest: guest}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := host.Read(buf)
			s.mu.Lock()
			s.shown.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// types waits for a text and then types.
func (s *screen) types(after, keys string) {
	s.t.Helper()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(s.text(), after); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("it never showed %q: %q", after, s.text())
		}
	}
	if _, err := s.host.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// start runs a command on the screen.
func (s *screen) start(ctx context.Context, home string, args ...string) <-chan int {
	done := make(chan int, 1)
	a := &app{build: Build{Version: "test"}, out: s.guest, err: s.guest, in: s.guest, now: time.Now}
	go func() { done <- a.run(ctx, append([]string{"--home", home}, args...)) }()
	return done
}

func TestTerminal_ACallAsksAndGoesOn(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	h := newStand(t, map[string]any{"POST /v1/tools/call": waiting(approval("int_1")), "POST /v1/executions/" + runID + "/resume": sequence(waiting(form("int_2", petForm)), done(object{"ok": true, "data": "gone"}))})
	s := newScreen(t)
	ended := s.start(t.Context(), h.home, "call", "petstore.main.pets.delete", `{"id":7}`)
	s.types("Go on? [y/N] ", "y\r")
	s.types("legs (integer): ", "4\r")
	s.types("name (string): ", "Rex\r")
	s.types("[cat]: ", "\r")
	s.types("[none]: ", "\r")
	if code := <-ended; code != 0 {
		t.Errorf("exit %d: %q", code, s.text())
	}
	s.types(`"data": "gone"`, "")
	if q := h.last("POST", "/v1/executions/"+runID+"/resume"); !equalJSON(q.Body["content"], object{"legs": 4, "name": "Rex", "kind": "cat"}) {
		t.Errorf("%v", q.Body)
	}
}

func TestTerminal_CtrlCAtAQuestionLetsTheRunWait(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	h := newStand(t, map[string]any{"POST /v1/executions": waiting(approval("int_1"))})
	s := newScreen(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := s.start(ctx, h.home, "exec", "-e", "1")
	s.types("Go on? [y/N] ", "")
	cancel(errInterrupted)
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
	s.types("The run goes on without you", "")
	if n := h.count("POST", "/v1/executions/"+runID+"/resume"); n != 0 {
		t.Errorf("%d answers", n)
	}
}

func TestTerminal_ValuesOfAConnectionAreTypedHidden(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	h := newStand(t, map[string]any{"GET /v1/sources/petstore": sourceOf("petstore", nil), "POST /v1/connections": connected})
	s := newScreen(t)
	ended := s.start(t.Context(), h.home, "connections", "add", "petstore", "--method", "login")
	for _, name := range []string{"username", "password"} {
		s.types("petstore "+name+": ", "")
		for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			mode, err := unix.IoctlGetTermios(int(s.guest.Fd()), unix.TCGETS)
			if err != nil || time.Now().After(end) {
				t.Fatalf("%s is shown while it is typed: %v", name, err)
			}
			if mode.Lflag&unix.ECHO == 0 {
				break
			}
		}
		s.types("", "typed-"+name+"\r")
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit %d: %q", code, s.text())
	}
	if q := h.last("POST", "/v1/connections"); !equalJSON(q.Body["values"], object{"username": "typed-username", "password": "typed-password"}) {
		t.Errorf("%v", q.Body)
	}
	if strings.Contains(s.text(), "typed-") {
		t.Errorf("it was shown: %q", s.text())
	}
}
