package stories

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is an 80-column terminal with a command on it.
type terminal struct {
	*scene
	host  *os.File // what a person holds
	guest *os.File // what the command has
	shown *log
}

// onTerminal starts a command on a terminal of its own, as its controlling one.
func (s *scene) onTerminal(env []string, args ...string) (*terminal, *exec.Cmd) {
	s.t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	s.must(err)
	s.t.Cleanup(func() { _ = host.Close() })
	s.must(unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	s.must(err)
	guest, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	s.must(err)
	s.t.Cleanup(func() { _ = guest.Close() })
	s.must(unix.IoctlSetWinsize(int(guest.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	t := &terminal{scene: s, host: host, guest: guest, shown: &log{}}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := host.Read(buf)
			_, _ = t.shown.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	cmd := exec.Command(s.Binary, args...)
	cmd.Env = append(append(os.Environ(), "PAGS_HOME="+s.Home, "TERM=xterm-256color"), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = guest, guest, guest
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.must(cmd.Start())
	return t, cmd
}

func (t *terminal) says(text string) {
	t.t.Helper()
	t.await(10*time.Second, text+" on the terminal", func() bool { return strings.Contains(t.shown.String(), text) })
}

func (t *terminal) mode() unix.Termios {
	t.t.Helper()
	m, err := unix.IoctlGetTermios(int(t.guest.Fd()), unix.TCGETS)
	t.must(err)
	return *m
}

func TestCLI_CL06_ColoursOnATerminalUnlessTheyAreUnwanted(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	for env, coloured := range map[string]bool{"A=b": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		term, cmd := s.onTerminal([]string{env}, "agents", "list")
		s.must(cmd.Wait())
		term.says("portal-watch")
		if got := strings.Contains(term.shown.String(), "\x1b["); got != coloured {
			t.Errorf("with %s: %q", env, term.shown)
		}
	}
}

func TestCLI_CL06_CtrlCAtAPromptLeavesTheTerminalAsItWas(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	term, cmd := s.onTerminal(nil, "keys", "set", "anthropic")
	before := term.mode()
	term.says("Key: ")
	s.await(5*time.Second, "hidden typing", func() bool { return term.mode().Lflag&unix.ECHO == 0 })
	_, err := term.host.WriteString("half a secr\x03")
	s.must(err)
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatalf("ctrl-C did not end it: %q", term.shown)
	}
	before.Lflag |= unix.ECHO // it may have been asked after the prompt hid it
	if after := term.mode(); after != before {
		t.Errorf("the terminal was %+v and is %+v", before, after)
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 || strings.Contains(term.shown.String(), "half") {
		t.Errorf("exit %d, shown %q", code, term.shown)
	}
}

func TestCLI_ASecretTypedAtThePromptIsNotShown(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	term, cmd := s.onTerminal(nil, "keys", "set", "anthropic")
	term.says("Key: ")
	s.await(5*time.Second, "hidden typing", func() bool { return term.mode().Lflag&unix.ECHO == 0 })
	_, err := term.host.WriteString("typed-by-hand-42\r")
	s.must(err)
	s.must(cmd.Wait())
	term.says("ends in d-42")
	if strings.Contains(term.shown.String(), "typed") {
		t.Errorf("shown %q", term.shown)
	}
}
