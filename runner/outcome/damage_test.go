package outcome

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
)

func TestOpen_ADamagedFileIsSaidAndNotReplaced(t *testing.T) {
	clock := porttest.NewClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	good := filepath.Join(t.TempDir(), "good.db")
	s, err := Open(good, clock)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		call := relay.Call{RunID: pags.RunID(fmt.Sprintf("run_%d", i)), Step: 1, InstanceID: "ins_1", Fence: 1, Command: relay.Command{Action: relay.ActType, Text: strings.Repeat("x", 900)}}
		if _, _, err := s.Intent(call); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	noise := bytes.Repeat([]byte{0xA5, 0x17, 0xFE}, len(raw))
	for name, body := range map[string][]byte{
		"cut short":                  raw[:2*page+100],
		"another kind of file":       []byte("hi\n"),
		"everything but its heads":   append(append([]byte{}, raw[:2*page]...), noise[:len(raw)-2*page]...),
		"its heads are written over": append(append([]byte{}, noise[:2*page]...), raw[2*page:]...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "outcomes.db")
			if err := os.WriteFile(path, body, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path, clock); err == nil || !strings.Contains(err.Error(), "is damaged; put a backup") {
				t.Fatalf("got %v", err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, body) {
				t.Error("the file was changed")
			}
		})
	}
}
