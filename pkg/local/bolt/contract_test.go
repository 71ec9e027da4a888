package bolt_test

import (
	"path/filepath"
	"testing"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func open(t *testing.T, clock port.Clock) *bolt.Table {
	t.Helper()
	table, err := bolt.Open(filepath.Join(t.TempDir(), "pags.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return table
}

func TestTable_Contract(t *testing.T) {
	porttest.Table(t, func(t *testing.T, clock *porttest.Clock) port.Table { return open(t, clock) })
}
