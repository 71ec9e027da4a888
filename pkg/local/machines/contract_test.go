package machines_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/asl"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestMachines_Contract(t *testing.T) {
	porttest.Brains(t, func(t *testing.T, defs map[string]json.RawMessage, functions port.Functions) porttest.BrainsPeer {
		for name, raw := range defs {
			for other := range defs {
				raw = json.RawMessage(strings.ReplaceAll(string(raw), "${"+other+"Arn}", asl.MachineARN(other)))
			}
			defs[name] = raw
		}
		clock := porttest.NewClock(t0)
		m, err := machines.New(machines.Options{Path: filepath.Join(t.TempDir(), "m.db"), Clock: clock,
			Functions: functions, Definitions: defs})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
		return porttest.BrainsPeer{Brains: m, Pass: clock.Advance, EventTypes: func(t *testing.T, id string) []string {
			events, err := m.History(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			types := make([]string, len(events))
			for i, e := range events {
				types[i] = e.Type
			}
			return types
		}}
	})
}
