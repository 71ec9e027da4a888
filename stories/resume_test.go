package stories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/account"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/keyfile"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/runner/home"
)

// order is a program that has to be approved once.
func order(item string) string {
	return fmt.Sprintf(`console.log("before"); const r = await tools.stub.main.orders.placeOrder({ body: { item: %q } }); console.log("after"); return r.ok;`, item)
}

// asks sends JSON with a token; the answer is read into out if it is there.
func (s *scene) asks(token, method, path string, in, out any) (status int, said string) {
	s.t.Helper()
	raw, err := json.Marshal(in)
	s.must(err)
	req, err := http.NewRequestWithContext(s.ctx, method, s.URL()+path, bytes.NewReader(raw))
	s.must(err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	s.must(err)
	if out != nil && res.StatusCode < 300 {
		s.must(json.Unmarshal(body, out))
	}
	return res.StatusCode, string(body)
}

// someone makes a second user and a session for it, in the store itself: the product has no way to. The host must be down.
func (s *scene) someone() (token string) {
	s.t.Helper()
	dir := home.Dir(s.Home)
	table, err := bolt.Open(dir.Database(), bolt.Options{Clock: clock.Real{}})
	s.must(err)
	defer func() { s.must(table.Close()) }()
	vault, err := keyfile.Open(dir.MasterKey())
	s.must(err)
	u := pags.User{ID: pags.NewUserID(time.Now()), Login: "other", Name: "Other", Roles: []string{"user"}, CreatedAt: time.Now().UTC()}
	it, err := port.Encode(port.Key{PK: "U#" + string(u.ID), SK: "PROFILE"}, u)
	s.must(err)
	s.must(table.Write(s.ctx, port.Put(it)))
	people := account.New(account.Deps{Table: table, Vault: vault, Clock: clock.Real{}, PublicURL: s.URL()})
	_, access, _, err := people.NewSession(s.ctx, u.ID, "other", true)
	s.must(err)
	return access
}

// Letter e, an answer after the expiry, is pkg/execution's, where the clock can be moved; agents are in mcp_test.go.
func TestResume_MC08_FromAnySessionAfterARestartTwiceAndNotByAnother(t *testing.T) {
	t.Parallel()
	b := newToolbox(t)
	b.host.Stop()
	other := b.someone()
	b.open(nil)
	paused := func(item string) (execution, map[string]any) {
		x := b.settled(b.exec(order(item)))
		if x.Status != "waiting_for_interaction" || len(x.Interactions) != 1 || len(b.about(item)) != 0 {
			t.Fatalf("%s: %+v, upstream has %v", item, x, b.about(item))
		}
		return x, map[string]any{"interactionId": x.Interactions[0].ID, "action": "accept", "waitSeconds": 20}
	}
	once := func(what string, x execution) {
		t.Helper()
		b.get(x.path(), &x)
		item := what[:strings.Index(what, ":")]
		if x.Status != "completed" || x.Result != true || !reflect.DeepEqual(x.texts(), []string{"before", "after"}) || len(b.about(item)) != 1 || b.about(item)[b.effect(item)] != 1 {
			t.Errorf("%s: %+v, upstream has %v", what, x, b.about(item))
		}
	}

	x, answer := paused("console-session")
	if status, said := b.asks(b.console(), http.MethodPost, x.path()+"/resume", answer, nil); status != 200 {
		t.Errorf("from a console: %d %s", status, said)
	}
	once("console-session: from a new session", x)

	x, _ = paused("other-folder")
	elsewhere := t.TempDir()
	b.run("", "login", b.link(), "--home", elsewhere)
	if out := b.run("", "resume", string(x.ID), "--home", elsewhere); !strings.HasSuffix(strings.TrimSpace(out), "true") {
		t.Errorf("from another folder's command line: %s", out)
	}
	once("other-folder: from another machine's command line", x)

	x, answer = paused("restart")
	b.host.Stop()
	b.open(nil)
	if status, said := b.asks(b.token(), http.MethodPost, x.path()+"/resume", answer, nil); status != 200 {
		t.Errorf("after a restart: %d %s", status, said)
	}
	once("restart: after a restart", x)

	x, answer = paused("twice")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			var got execution
			if status, said := b.asks(b.token(), http.MethodPost, x.path()+"/resume", answer, &got); status != 200 || got.Status != "completed" || got.Result != true {
				t.Errorf("one of six at once: %d %s", status, said)
			}
		})
	}
	all.Wait()
	answer["action"] = "decline"
	if got := b.again(x, answer); got.Status != "completed" || got.Result != true {
		t.Errorf("once more, with another answer: %+v", got)
	}
	once("twice: by six at once and then again", x)

	x, answer = paused("another-user")
	for path, in := range map[string]any{x.path() + "/resume": answer, "/v1/interactions/" + string(x.Interactions[0].ID) + "/answer": map[string]any{"kind": "accept"}, x.path() + "/cancel": nil} {
		if status, said := b.asks(other, http.MethodPost, path, in, nil); status != 404 {
			t.Errorf("another user at %s: %d %s", path, status, said)
		}
	}
	for _, path := range []string{x.path(), x.path() + "/steps", "/v1/runs/" + string(x.ID), "/v1/runs/" + string(x.ID) + "/export"} {
		if status, said := b.asks(other, http.MethodGet, path, nil, nil); status != 404 {
			t.Errorf("another user reads %s: %d %s", path, status, said)
		}
	}
	if y := b.again(x, map[string]any{"interactionId": x.Interactions[0].ID, "action": "accept", "waitSeconds": 20}); y.Status != "completed" {
		t.Errorf("its owner, after another tried: %+v", y)
	}
	once("another-user: its owner", x)
}

func TestResume_WhatNobodyKnowsToHaveHappenedIsAsked(t *testing.T) {
	t.Parallel()
	b := newToolbox(t)
	for action, want := range map[string]struct {
		times int
		ends  string
	}{"accept": {1, "completed"}, "retry": {2, "waiting_for_interaction"}, "decline": {1, "failed"}} {
		x := b.exec(fmt.Sprintf(`return await tools.stub.main.drops.drop({ body: { item: %q } })`, action))
		x = b.resume(x, x.Interactions[0], "accept")
		if len(x.Interactions) != 1 || x.Interactions[0].Reason != pags.WaitUnknown {
			t.Fatalf("the line broke after the effect: %+v", x)
		}
		unknown := x
		x = b.resume(x, x.Interactions[0], action)
		if n := b.about(`"` + action + `"`); x.Status != want.ends || n[`POST /drops {"item":"`+action+`"}`] != want.times {
			t.Errorf("%s: %+v, upstream has %v", action, x, n)
		}
		if action == "retry" && (len(x.Interactions) != 1 || x.Interactions[0].ID == unknown.Interactions[0].ID) {
			t.Errorf("the second time is another question: %+v", x.Interactions)
		}
		if action == "decline" && x.Error.Code != "unknown" {
			t.Errorf("declined: %+v", x.Error)
		}
	}
}

func (b *toolbox) effect(item string) string { return `POST /orders {"item":"` + item + `"}` }

// again sends an answer with the CLI's session.
func (b *toolbox) again(x execution, answer map[string]any) (next execution) {
	b.t.Helper()
	if status, said := b.asks(b.token(), http.MethodPost, x.path()+"/resume", answer, &next); status != 200 {
		b.t.Errorf("answered again: %d %s", status, said)
	}
	return next
}
