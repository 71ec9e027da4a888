package instance_test

import (
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/agent"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/instance"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// BenchmarkRead is a signed-in read through everything but the socket: token, session, limits, validation, one item.
func BenchmarkRead(b *testing.B) {
	clock := porttest.NewClock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC))
	table, err := bolt.Open(filepath.Join(b.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	accounts := account.New(account.Deps{Table: table, Vault: httpapitest.NewVault(), Clock: clock, PublicURL: "http://127.0.0.1:1"})
	u, _, err := accounts.EnsureLocalAccount(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	_, access, _, err := accounts.NewSession(b.Context(), u.ID, "bench", true)
	if err != nil {
		b.Fatal(err)
	}
	s := instance.New(instance.Deps{Table: table, Clock: clock, Agents: agent.New(agent.Deps{})})
	in, err := s.Subscribe(b.Context(), u.ID, "browser", "", "")
	if err != nil {
		b.Fatal(err)
	}
	api := httpapi.New(httpapi.Config{Verifier: accounts, Clock: clock, Limiter: httpapi.NewLimits(table, clock)})
	instance.Routes(api, s)
	h := api.Handler()
	for b.Loop() {
		r := httptest.NewRequest("GET", "/v1/instances/"+string(in.ID), nil)
		r.Header.Set("Authorization", "Bearer "+access)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 {
			clock.Advance(time.Second) // the bucket is used up; a new minute comes
			if w.Code != 429 {
				b.Fatal(w.Code, w.Body)
			}
		}
	}
}
