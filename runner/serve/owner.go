package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/proagentstore/pags/runner/home"
)

// Owner is what a running host writes about itself, for people and for a second start. It only tells: who owns the folder is
// decided by the lock on the database, which dies with its process, so a file left by a crash never blocks a start.
type Owner struct {
	PID       int       `json:"pid"`
	URL       string    `json:"url"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"startedAt"`
}

// ReadOwner reads the file; ok is false where there is none or it makes no sense.
func ReadOwner(dir home.Dir) (o Owner, ok bool) {
	raw, err := os.ReadFile(dir.Owner())
	if err != nil || json.Unmarshal(raw, &o) != nil || o.PID <= 0 || o.URL == "" {
		return Owner{}, false
	}
	return o, true
}

func writeOwner(dir home.Dir, o Owner) error {
	raw, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	return home.WriteFile(dir.Owner(), append(raw, '\n'))
}

// removeOwner forgets us; a file that somebody else wrote meanwhile stays.
func removeOwner(dir home.Dir) error {
	if o, ok := ReadOwner(dir); ok && o.PID != os.Getpid() {
		return nil
	}
	if err := os.Remove(dir.Owner()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// taken explains that another host has the folder.
func taken(dir home.Dir, pid int) error {
	who := "another pags host"
	if pid > 0 {
		who = fmt.Sprintf("the pags host with process id %d", pid)
	}
	at := ""
	if o, ok := ReadOwner(dir); ok && (pid == 0 || o.PID == pid) {
		at = " at " + o.URL
	}
	return fmt.Errorf("%s already runs on the folder %s%s; use that one, stop it, or start here with --data ANOTHER_FOLDER", who, dir, at)
}
