package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func openTable(t *testing.T, clock port.Clock) port.Table {
	t.Helper()
	table, err := bolt.Open(filepath.Join(t.TempDir(), "table.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	return table
}

// writes counts durable writes; failing makes them fail.
type countedTable struct {
	port.Table
	writes  atomic.Int64
	failing atomic.Bool
}

func (c *countedTable) Write(ctx context.Context, w port.Write) error {
	c.writes.Add(1)
	if c.failing.Load() {
		return errors.New("the table is away")
	}
	return c.Table.Write(ctx, w)
}

func TestLimits_CountEachBucketAndCallerOnTheirOwn(t *testing.T) {
	clock := porttest.NewClock(noon)
	table := &countedTable{Table: openTable(t, clock)}
	l := httpapi.NewLimits(table, clock)
	use := func(b httpapi.Bucket, who string) (httpapi.Verdict, error) { return l.Allow(t.Context(), b, who) }

	for i := range 240 {
		v, err := use(httpapi.BucketDefault, "u:a")
		if err != nil || !v.OK || v.Limit != 240 || v.Remaining != 239-i {
			t.Fatalf("request %d: %+v %v", i+1, v, err)
		}
	}
	if n := table.writes.Load(); n > 10 {
		t.Errorf("240 reads cost %d durable writes", n)
	}
	clock.Advance(20 * time.Second)
	if v, _ := use(httpapi.BucketDefault, "u:a"); v.OK || v.Reset != 40*time.Second {
		t.Errorf("request 241: %+v", v)
	}
	if v, _ := use(httpapi.BucketDefault, "u:b"); !v.OK {
		t.Error("another caller pays for the first")
	}
	if v, _ := use(httpapi.BucketStrict, "u:a"); !v.OK {
		t.Error("another bucket pays for the first")
	}
	clock.Advance(40 * time.Second)
	if v, _ := use(httpapi.BucketDefault, "u:a"); !v.OK || v.Remaining != 239 {
		t.Errorf("the next window: %+v", v)
	}
}

func TestLimits_StrictIsExactAcrossProcesses(t *testing.T) {
	clock := porttest.NewClock(noon)
	table := openTable(t, clock)
	processes := []*httpapi.Limits{httpapi.NewLimits(table, clock), httpapi.NewLimits(table, clock)}
	var passed atomic.Int64
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if v, err := processes[i%2].Allow(context.Background(), httpapi.BucketStrict, "a:192.0.2.1"); err == nil && v.OK {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 10 {
		t.Errorf("%d of 40 passed, not 10", passed.Load())
	}
	clock.Advance(time.Minute)
	if v, err := processes[0].Allow(t.Context(), httpapi.BucketStrict, "a:192.0.2.1"); err != nil || !v.OK || v.Remaining != 9 {
		t.Errorf("the next window: %+v %v", v, err)
	}
}

func TestLimits_DefaultLearnsFromOtherProcesses(t *testing.T) {
	clock := porttest.NewClock(noon)
	table := openTable(t, clock)
	passed := 0
	processes := []*httpapi.Limits{httpapi.NewLimits(table, clock), httpapi.NewLimits(table, clock)}
	for i := range 600 {
		if v, err := processes[i%2].Allow(t.Context(), httpapi.BucketDefault, "u:a"); err == nil && v.OK {
			passed++
		}
	}
	if passed < 240 || passed > 240+2*24 {
		t.Errorf("two processes let %d pass; 240 and at most a step each", passed)
	}
}

func TestLimits_WhenTheTableIsAway(t *testing.T) {
	clock := porttest.NewClock(noon)
	table := &countedTable{Table: openTable(t, clock)}
	table.failing.Store(true)
	l := httpapi.NewLimits(table, clock)
	if _, err := l.Allow(t.Context(), httpapi.BucketStrict, "a:x"); !pags.Is(err, pags.Unavailable) {
		t.Errorf("strict: %v", err)
	}
	passed := 0
	for range 300 {
		if v, err := l.Allow(t.Context(), httpapi.BucketDefault, "u:a"); err == nil && v.OK {
			passed++
		}
	}
	if passed != 240 {
		t.Errorf("default: %d passed", passed)
	}
}

func TestAPI_TooManyRequestsSaysWhenToComeBack(t *testing.T) {
	clock := porttest.NewClock(noon.Add(15 * time.Second))
	api := httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: clock, Limiter: httpapi.NewLimits(openTable(t, clock), clock)})
	none := func(context.Context, *struct{}) (*struct{}, error) { return nil, nil }
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/sign", ID: "sign", Tag: "x", Public: true, Bucket: httpapi.BucketStrict, Status: 204}, none)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/mine", ID: "mine", Tag: "x", Status: 204}, none)
	for i := range 11 {
		w := httpapitest.Do(t, api, "POST", "/v1/sign", "", nil)
		if i < 10 && (w.Code != http.StatusNoContent || w.Header().Get("X-RateLimit-Limit") != "10") {
			t.Fatalf("request %d: %d %v", i+1, w.Code, w.Header())
		}
		if i == 10 {
			p := httpapitest.Refused(t, w, 429, "try again in 45 s")
			if p.Code != pags.RateLimited || w.Header().Get("Retry-After") != "45" || w.Header().Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("%+v %v", p, w.Header())
			}
		}
	}
	if w := httpapitest.Do(t, api, "POST", "/v1/sign", "", nil, "X-Forwarded-For", "198.51.100.1"); w.Code != 429 {
		t.Errorf("a forwarded header opened a new bucket: %d", w.Code)
	}
	for i := range 241 {
		want := 401
		if i == 240 {
			want = 429
		}
		if w := httpapitest.Do(t, api, "GET", "/v1/mine", "guess", nil); w.Code != want {
			t.Fatalf("guess %d: %d", i+1, w.Code)
		}
	}
	if w := httpapitest.Do(t, api, "GET", "/v1/mine", httpapitest.OwnerToken, nil); w.Code != 204 {
		t.Errorf("guessing from an address locked out a signed-in user: %d", w.Code)
	}
}
