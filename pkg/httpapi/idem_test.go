package httpapi_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

type madeThing struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type makeIn struct {
	httpapi.Keyed
	Body struct {
		Name string `json:"name"`
	}
}

func idemAPI(t *testing.T, clock port.Clock, table port.Table, made *atomic.Int64, before func()) *httpapi.API {
	api := httpapi.New(httpapi.Config{Verifier: httpapitest.People(), Clock: clock})
	answers := httpapi.Answers{Table: table, Clock: clock}
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/things", ID: "make", Tag: "x", Status: 201},
		func(ctx context.Context, in *makeIn) (*struct{ Body madeThing }, error) {
			thing, err := httpapi.Idempotent(ctx, answers, in.IdempotencyKey, in.Body, func(keep func(madeThing) ([]port.Write, error)) (madeThing, error) {
				before()
				thing := madeThing{ID: pags.NewToken(), Name: in.Body.Name}
				extra, err := keep(thing)
				if err != nil {
					return thing, err
				}
				err = table.Transact(ctx, thing.ID[:36], append(extra, port.Put(port.Item{"pk": "THING#" + thing.ID, "sk": "META"}))...)
				if err == nil {
					made.Add(1)
				}
				return thing, err
			})
			return &struct{ Body madeThing }{thing}, err
		})
	return api
}

func TestIdempotent_ARepeatGetsTheFirstAnswer(t *testing.T) {
	clock := porttest.NewClock(noon)
	var made atomic.Int64
	api := idemAPI(t, clock, openTable(t, clock), &made, func() {})
	post := func(token, name, key string) string {
		w := httpapitest.Do(t, api, "POST", "/v1/things", token, map[string]string{"name": name}, "Idempotency-Key", key)
		return httpapitest.Read[madeThing](t, w, 201).ID
	}
	first := post(httpapitest.OwnerToken, "a", "k1")
	if again := post(httpapitest.OwnerToken, "a", "k1"); again != first || made.Load() != 1 {
		t.Errorf("a repeat made %d things: %s, %s", made.Load(), first, again)
	}
	w := httpapitest.Do(t, api, "POST", "/v1/things", httpapitest.OwnerToken, map[string]string{"name": "b"}, "Idempotency-Key", "k1")
	httpapitest.Refused(t, w, 409, "use a new key")
	if other := post(httpapitest.StrangerToken, "a", "k1"); other == first {
		t.Error("another user's key answered with this user's thing")
	}
	unkeyed := post(httpapitest.OwnerToken, "a", "")
	if post(httpapitest.OwnerToken, "a", "k2") == first || unkeyed == post(httpapitest.OwnerToken, "a", "") {
		t.Error("another key, or none, did not make another thing")
	}
	clock.Advance(24*time.Hour + time.Second)
	if post(httpapitest.OwnerToken, "a", "k1") == first {
		t.Error("a key was kept longer than a day")
	}
	w = httpapitest.Do(t, api, "POST", "/v1/things", httpapitest.OwnerToken, map[string]string{"name": "a"}, "Idempotency-Key", strings.Repeat("k", 121))
	httpapitest.Refused(t, w, 422, "header.Idempotency-Key")
}

func TestIdempotent_TwinsAtTheSameMomentMakeOneThing(t *testing.T) {
	clock := porttest.NewClock(noon)
	var made atomic.Int64
	var ready sync.WaitGroup
	ready.Add(2) // both have looked for an answer before either makes the thing
	api := idemAPI(t, clock, openTable(t, clock), &made, func() { ready.Done(); ready.Wait() })
	ids := make([]string, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			w := httpapitest.Do(t, api, "POST", "/v1/things", httpapitest.OwnerToken, map[string]string{"name": "a"}, "Idempotency-Key", "twin")
			ids[i] = httpapitest.Read[madeThing](t, w, 201).ID
		})
	}
	wg.Wait()
	if ids[0] != ids[1] || made.Load() != 1 {
		t.Errorf("twins made %d things: %v", made.Load(), ids)
	}
}
