package run

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func TestStart_MakesARunThatRuns(t *testing.T) {
	h := newHouse(t)
	run := h.start(t, func(r *Request) { r.Files = []Upload{{Name: "cv.pdf", Data: []byte("pdf")}} })
	if run.Status != pags.RunQueued || run.Fence != 1 || run.Generation != 1 || run.MaxSteps != 40 || run.Browse.Approve != "commit" || run.Execution == "" {
		t.Errorf("run = %+v", run)
	}
	ex := h.brains.runs[run.Execution]
	if ex.Name != string(run.ID)+"-g1" || string(ex.Input) != `{"v":1,"runId":"`+string(run.ID)+`","generation":1,"step":0}` {
		t.Errorf("execution = %+v %s", ex, ex.Input)
	}
	f := run.Browse.Files[0]
	if body, _, err := h.Blobs.Get(t.Context(), f.Key, 0, 0); err != nil || string(body) != "pdf" || !strings.HasPrefix(f.Key, "files/ins_ada/") {
		t.Errorf("file = %+v %q %v", f, body, err)
	}
	if kinds := h.timeline(t, run.ID); len(kinds) != 1 || kinds[0] != "queued" {
		t.Error(kinds)
	}
}

func TestStart_Refuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		caller httpapi.Caller
		inst   pags.InstanceID
		req    Request
		want   pags.Code
	}{
		{"another person's instance", person(eve), adas, Request{URL: "https://x.test", Objective: "x"}, pags.NotFound},
		{"an instance that is over", person(ada), cancelled, Request{URL: "https://x.test", Objective: "x"}, pags.Conflict},
		{"an agent that does not browse", person(ada), chat, Request{URL: "https://x.test", Objective: "x"}, pags.Conflict},
		{"no address", person(ada), adas, Request{Objective: "x"}, pags.Unprocessable},
		{"half an address", person(ada), adas, Request{URL: "jobs.test", Objective: "x"}, pags.Unprocessable},
		{"another scheme", person(ada), adas, Request{URL: "file:///etc/passwd", Objective: "x"}, pags.Unprocessable},
		{"credentials in the address", person(ada), adas, Request{URL: "https://u:p@x.test/", Objective: "x"}, pags.Unprocessable},
		{"our own address", person(ada), adas, Request{URL: "https://PAGS.test/v1/keys", Objective: "x"}, pags.Unprocessable},
		{"a very long address", person(ada), adas, Request{URL: "https://x.test/" + strings.Repeat("a", 2000), Objective: "x"}, pags.Unprocessable},
		{"no objective", person(ada), adas, Request{URL: "https://x.test", Objective: "  "}, pags.Unprocessable},
		{"too many steps", person(ada), adas, Request{URL: "https://x.test", Objective: "x", MaxSteps: 61}, pags.Unprocessable},
		{"an odd approve", person(ada), adas, Request{URL: "https://x.test", Objective: "x", Approve: "always"}, pags.Unprocessable},
		{"a waiver by a machine", httpapi.Caller{UserID: ada}, adas, Request{URL: "https://x.test", Objective: "x", Approve: "never"}, pags.Forbidden},
		{"a file with a path", person(ada), adas, Request{URL: "https://x.test", Objective: "x", Files: []Upload{{Name: "../x", Data: []byte("x")}}}, pags.Unprocessable},
		{"an empty file", person(ada), adas, Request{URL: "https://x.test", Objective: "x", Files: []Upload{{Name: "x"}}}, pags.Unprocessable},
		{"large files", person(ada), adas, Request{URL: "https://x.test", Objective: "x", Files: []Upload{{Name: "x", Data: make([]byte, 2_500_001)}}}, pags.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			_, err := h.Start(t.Context(), c.caller, c.inst, c.req)
			wantCode(t, err, c.want)
			if len(h.brains.runs) != 0 {
				t.Error("an execution was started")
			}
		})
	}
	t.Run("without a model key", func(t *testing.T) {
		h := newHouse(t)
		h.keys = pags.Errorf(pags.Conflict, "add a key with `pags keys set`")
		_, err := h.Start(t.Context(), person(ada), adas, Request{URL: "https://x.test", Objective: "x"})
		wantCode(t, err, pags.Conflict)
	})
}

func TestStart_AgentDecidesWhatACallerCannot(t *testing.T) {
	h := newHouse(t)
	run, err := h.Start(t.Context(), person(ada), readOnly, Request{})
	if err != nil {
		t.Fatal(err)
	}
	if !run.Browse.ReadOnly || run.Browse.URL != "https://portal.test/" || run.Browse.Objective != "Say what is new" || run.MaxSteps != 12 {
		t.Errorf("%+v %+v", run, run.Browse)
	}
}

func TestStart_OneAtATime(t *testing.T) {
	h := newHouse(t)
	first := h.start(t, nil)
	_, err := h.Start(t.Context(), person(ada), adas, Request{URL: "https://x.test", Objective: "x"})
	wantCode(t, err, pags.Conflict)
	var e *pags.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if holder, ok := e.Detail.(pags.Run); !ok || holder.ID != first.ID {
		t.Errorf("detail = %+v", e.Detail)
	}
	if _, err := h.end(t.Context(), first.ID, "k", pags.OutcomeDone, "Done."); err != nil {
		t.Fatal(err)
	}
	second := h.start(t, nil)
	if second.Fence != 2 {
		t.Errorf("fence = %d, want 2: it only grows", second.Fence)
	}
}

func TestStart_ALockIsStaleExactlyWhenItsRunIsOver(t *testing.T) {
	h := newHouse(t)
	first := h.start(t, nil)
	if _, err := h.end(t.Context(), first.ID, "k", pags.OutcomeDone, "Done."); err != nil {
		t.Fatal(err)
	}
	left := lock{RunID: first.ID, Fence: 7} // as if freeing had been lost
	it, err := encodeLock(adas, left)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.table.Write(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	if run := h.start(t, nil); run.Fence != 8 {
		t.Errorf("fence = %d", run.Fence)
	}
}

func TestStart_ManyAtOnceGiveOneRun(t *testing.T) {
	h := newHouse(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range 16 {
		wg.Go(func() {
			_, err := h.Start(t.Context(), person(ada), adas, Request{URL: "https://x.test", Objective: "x"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			} else if !pags.Is(err, pags.Conflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made != 1 || len(h.brains.runs) != 1 {
		t.Errorf("%d runs, %d executions", made, len(h.brains.runs))
	}
}

func TestStart_SF07_OneMessageStartsOneRun(t *testing.T) {
	long := strings.Repeat("order/2026 line 7/", 7)[:120]
	for _, id := range []string{"m-1", long, long[:119] + "x", "ü/ /\n"} {
		t.Run(id, func(t *testing.T) {
			h := newHouse(t)
			send := func(text string) (pags.Run, error) {
				return h.Start(t.Context(), person(ada), adas, Request{URL: "https://x.test", Objective: text, MessageID: id})
			}
			first, err := send("pay")
			if err != nil {
				t.Fatal(err)
			}
			h.clock.Advance(time.Second)
			if again, err := send("pay"); err != nil || again.ID != first.ID {
				t.Errorf("a second later: %s, %v", again.ID, err)
			}
			if _, err := h.end(t.Context(), first.ID, "k", pags.OutcomeDone, "Paid."); err != nil {
				t.Fatal(err)
			}
			if again, err := send("pay"); err != nil || again.ID != first.ID || again.Status != pags.RunCompleted {
				t.Errorf("after the end: %+v, %v", again, err)
			}
			_, err = send("pay twice")
			wantCode(t, err, pags.Conflict)
			if len(h.brains.runs) != 1 {
				t.Errorf("%d executions", len(h.brains.runs))
			}
			for _, ex := range h.brains.runs {
				if len(ex.Name) > 80 || strings.ContainsFunc(ex.Name, func(r rune) bool {
					return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
				}) {
					t.Errorf("execution name %q is not legal", ex.Name)
				}
			}
		})
	}
	t.Run("ids do not collide, people do not meet", func(t *testing.T) {
		seen := map[string]bool{}
		for _, m := range []message{{user: ada, scope: string(adas), id: long}, {user: ada, scope: string(adas), id: long[:119] + "x"}, {user: eve, scope: string(adas), id: long}, {user: ada, scope: string(eves), id: long}, {user: ada, of: "code", id: long}} {
			k := m.key().String()
			if seen[k] {
				t.Errorf("%s is taken", k)
			}
			seen[k] = true
		}
	})
	t.Run("three at the same moment", func(t *testing.T) {
		h := newHouse(t)
		var wg sync.WaitGroup
		ids := make([]pags.RunID, 3)
		for i := range ids {
			wg.Go(func() {
				run, err := h.Start(t.Context(), person(ada), adas, Request{URL: "https://x.test", Objective: "pay", MessageID: "m-1"})
				if err != nil {
					t.Error(err)
				}
				ids[i] = run.ID
			})
		}
		wg.Wait()
		if ids[0] != ids[1] || ids[1] != ids[2] {
			t.Error(ids)
		}
	})
}

// meanwhile lets something happen right before the first read of a row.
type meanwhile struct {
	port.Table
	row  port.Key
	once *sync.Once
	do   func()
}

func (m meanwhile) Get(ctx context.Context, k port.Key) (port.Item, error) {
	if k == m.row {
		m.once.Do(m.do)
	}
	return m.Table.Get(ctx, k)
}

func TestStart_SF07_ATwinThatTookTheLockMeanwhileIsAnswered(t *testing.T) {
	h := newHouse(t)
	pay := Request{URL: "https://x.test", Objective: "pay", MessageID: "m-1"}
	var twin pags.Run
	h.Table = meanwhile{Table: h.table, row: lockKey(adas), once: &sync.Once{}, do: func() {
		h.Table = h.table
		var err error
		if twin, err = h.Start(t.Context(), person(ada), adas, pay); err != nil {
			t.Error(err)
		}
	}}
	again, err := h.Start(t.Context(), person(ada), adas, pay)
	if err != nil || again.ID != twin.ID || len(h.brains.runs) != 1 {
		t.Errorf("run %s, twin %s, %d executions, %v", again.ID, twin.ID, len(h.brains.runs), err)
	}
}

func TestStart_ARepeatBeginsWhatTheFirstTimeCouldNot(t *testing.T) {
	h := newHouse(t)
	send := func() pags.Run {
		run, err := h.Start(t.Context(), person(ada), adas, Request{URL: "https://x.test", Objective: "pay", MessageID: "m-1"})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	h.brains.down = pags.Errorf(pags.Unavailable, "down")
	first := send()
	if first.Execution != "" || first.Status != pags.RunQueued {
		t.Fatalf("begun after all: %+v", first)
	}
	if again := send(); again.ID != first.ID || again.Execution != "" {
		t.Fatalf("still down: %+v", again)
	}
	h.brains.down = nil
	if again := send(); again.ID != first.ID || again.Execution == "" || len(h.brains.runs) != 1 {
		t.Fatalf("not begun: %+v, %d executions", again, len(h.brains.runs))
	}
}
