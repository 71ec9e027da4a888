package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/driver"
)

// leftBehind starts a Chromium that has the profile and does not end by itself.
func leftBehind(t *testing.T, profile string) *exec.Cmd {
	t.Helper()
	if missing != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	path, err := driver.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--no-first-run", "--user-data-dir="+profile, "--remote-debugging-port=0", "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { _ = cmd.Wait(); close(over) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-over })
	if !shared.until(t.Context(), 30*time.Second, func() bool { _, err := os.Readlink(filepath.Join(profile, lockName)); return err == nil }) {
		t.Fatal("it did not take the profile")
	}
	return cmd
}

func TestHand_AnOrphanThatHoldsTheProfileIsEnded(t *testing.T) {
	for name, frozen := range map[string]bool{"one that goes on": false, "one that is frozen": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			orphan := leftBehind(t, filepath.Join(dir, "profile"))
			if frozen {
				if err := orphan.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			u := start(t, "")
			u.hand = New(Options{DataDir: dir, Headless: true, Clock: wall{}})
			t.Cleanup(func() { _ = u.hand.Close() })
			u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/readonly"})
			u.title("readonly")
			if hasProfile(t.Context(), orphan.Process.Pid, filepath.Join(dir, "profile")) {
				t.Error("the orphan is still there")
			}
		})
	}
}

func TestEvict_TouchesNobodyElse(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	sleeper := exec.Command("sleep", "60")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() })
	for what, held := range map[string]string{
		"a process that is no browser": fmt.Sprintf("%s-%d", name, sleeper.Process.Pid),
		"ourselves":                    fmt.Sprintf("%s-%d", name, os.Getpid()),
		"a process that is gone":       name + "-4194303",
		"no process":                   name + "-x",
		"the first of all processes":   name + "-1",
		"another computer":             "other-host-1",
	} {
		t.Run(what, func(t *testing.T) {
			profile := t.TempDir()
			if err := os.Symlink(held, filepath.Join(profile, lockName)); err != nil {
				t.Fatal(err)
			}
			if err := shared.evict(t.Context(), profile); err != nil {
				t.Fatal(err)
			}
			if err := sleeper.Process.Signal(syscall.Signal(0)); err != nil {
				t.Fatalf("it was ended: %v", err)
			}
			_, err := os.Readlink(filepath.Join(profile, lockName))
			if gone := os.IsNotExist(err); gone != (what == "another computer") {
				t.Errorf("the lock is gone: %v", gone)
			}
		})
	}
	if commandLine(context.Background(), sleeper.Process.Pid) != "sleep 60" {
		t.Error("a command line is not read")
	}
}
