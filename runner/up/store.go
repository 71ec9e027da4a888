package up

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/home"
	"github.com/proagentstore/pags/runner/outcome"
)

// How long another process may take to end when this one takes its place: its last words, its browser.
const (
	leaveLimit = 15 * time.Second
	leaveLook  = 200 * time.Millisecond
)

// openStore opens the record of what was done, which one process at a time holds. With Force a process that has it is asked
// to end first, and waited for. The note beside it only tells who it is: what counts is the lock, which dies with its holder.
func openStore(ctx context.Context, o Options, dir string) (*outcome.Store, error) {
	path, note := filepath.Join(dir, "outcomes.db"), filepath.Join(dir, "up.pid")
	store, err := outcome.Open(path, o.Clock)
	if pags.Is(err, pags.Conflict) {
		who := holder(note)
		if !o.Force || who == 0 {
			return nil, pags.Wrap(err, pags.Conflict, "another pags up%s already serves this machine from %s; stop it, or start this one with --force to take over", named(who), dir)
		}
		if store, err = takeOver(ctx, o, path, who); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the record of what was done: %w", err)
	}
	if err := home.WriteFile(note, []byte(strconv.Itoa(os.Getpid())+"\n")); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

func takeOver(ctx context.Context, o Options, path string, pid int) (*outcome.Store, error) {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Signal(syscall.SIGTERM)
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, pags.Wrap(err, pags.Conflict, "the other pags up%s cannot be ended from here; stop it first", named(pid))
	}
	for end := o.Clock.Now().Add(leaveLimit); ; {
		store, err := outcome.Open(path, o.Clock)
		if !pags.Is(err, pags.Conflict) {
			return store, err
		}
		if o.Clock.Now().After(end) {
			return nil, pags.Wrap(err, pags.Conflict, "the other pags up%s does not end; stop it first", named(pid))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-o.Clock.After(leaveLook):
		}
	}
}

// holder reads the note; 0 where there is none that makes sense.
func holder(note string) int {
	raw, err := os.ReadFile(note)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || pid <= 0 || pid == os.Getpid() {
		return 0
	}
	return pid
}

func named(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}
