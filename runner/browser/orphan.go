package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// lockName is the symbolic link in a profile by which Chromium knows who has it: host name, a dash, process id.
const lockName = "SingletonLock"

// evict ends a Chromium that a killed runner left behind. A second one would only hand its address over to it and end.
// The runner is alone in its folder (outcome store), so a browser that has this profile is nobody else's; that the process
// is a browser with this very profile is looked up before it is touched. A lock of another host name, as of a container
// that was started anew, is removed: Chromium would refuse the profile for good.
func (h *Hand) evict(ctx context.Context, profile string) error {
	lock := filepath.Join(profile, lockName)
	held, err := os.Readlink(lock)
	if err != nil {
		return nil // nobody has it; what else is wrong with the folder Chromium will say
	}
	dash := strings.LastIndexByte(held, '-')
	pid, err := strconv.Atoi(held[dash+1:])
	if dash < 0 || err != nil {
		return nil
	}
	if name, err := os.Hostname(); err == nil && name != held[:dash] {
		_ = os.Remove(lock)
		return nil
	}
	if pid <= 1 {
		return nil
	}
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{0, 1500 * time.Millisecond}, {syscall.SIGTERM, 2 * time.Second}, {syscall.SIGKILL, 5 * time.Second}} { // by itself first: its pipe is closed
		if !hasProfile(ctx, pid, profile) {
			return nil
		}
		if step.signal != 0 {
			h.o.Log.Warn("a browser that a killed runner left behind is ended", "pid", pid, "signal", step.signal.String())
			_ = syscall.Kill(pid, step.signal)
		}
		if h.until(ctx, step.wait, func() bool { return !hasProfile(ctx, pid, profile) }) {
			return nil
		}
	}
	return pags.Errorf(pags.Unavailable, "a browser of an earlier run (process %d) holds %s and does not end; end it and try again", pid, profile)
}

// hasProfile reports whether the process is the main one of a browser that was started with the profile.
func hasProfile(ctx context.Context, pid int, profile string) bool {
	line := commandLine(ctx, pid)
	return strings.Contains(line+" ", " --user-data-dir="+profile+" ") && !strings.Contains(line, " --type=")
}

// commandLine is a process's arguments with spaces between; empty if there is no such process, or it ended and was not
// collected yet.
func commandLine(ctx context.Context, pid int) string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		if _, err := os.Stat("/proc/self/cmdline"); err == nil { // Linux: it is gone
			return ""
		}
		if raw, err = exec.CommandContext(ctx, "ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output(); err != nil {
			return ""
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(string(raw), "\x00", " "))
}
