package turn_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/interaction"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/pkg/run"
	"github.com/proagentstore/pags/pkg/turn"
)

func TestStory_ATaskFromStartToEnd(t *testing.T) {
	secret := func(p port.Prompt) port.Reply {
		text := p.Messages[0].Parts[0].Text
		at := strings.Index(text, "{{secret:")
		return say("type", map[string]any{"ref": "e2", "element": "Password", "text": text[at : at+strings.Index(text[at:], "}}")+2]})
	}
	h := newHouse(t, nil,
		say("type", map[string]any{"ref": "e2", "element": "Name", "text": "Ada"}),
		say("request_user_info", map[string]any{"question": "Password?", "secret": true, "field": "Password"}),
		secret,
		click("e5"))
	commit := relay.Commit{Ref: "e5", Role: "button", Name: "Pay now", FormMethod: "post", Origin: "https://jobs.test", Digest: "d1"}
	var typed []pags.SecretID
	h.runner.act = func(c relay.Call) *relay.Result {
		if c.Command.Secret != "" {
			typed = append(typed, c.Command.Secret)
		}
		if c.Command.Ref == "e5" && c.Command.Action == relay.ActClick && (c.Command.Approved == nil || c.Command.Approved.Digest != commit.Digest) {
			return &relay.Result{Status: relay.StatusCommit, Commit: &commit, Seen: h.runner.seen("https://jobs.test/")}
		}
		return nil
	}
	r := h.begin(nil)
	var asked []pags.WaitReason
	c, _ := h.walk(r.ID, func(x pags.Interaction) *interaction.Said {
		asked = append(asked, x.Reason)
		if waiting := h.load(r.ID); waiting.Status != pags.RunWaiting || waiting.WaitingFor != x.Reason {
			t.Errorf("while asked: %+v", waiting)
		}
		if x.Reason == pags.WaitValue {
			return &interaction.Said{Kind: "secret", Secret: "canary-passw0rd"}
		}
		return &interaction.Said{Kind: "accept"}
	})
	done := h.load(r.ID)
	if c.Next != turn.NextDone || done.Status != pags.RunCompleted || done.Outcome != pags.OutcomeDone || done.Detail != "All done." {
		t.Fatalf("%+v", done)
	}
	if !slices.Equal(asked, []pags.WaitReason{pags.WaitValue, pags.WaitApproval}) || h.runner.count("click e5") != 1 || len(typed) != 1 {
		t.Errorf("asked %v, did %v, secrets %v", asked, h.runner.did, typed)
	}
	if done.InputTokens != 500 || done.OutputTokens != 50 || done.Model != "scripted" || done.MachineID != "mac_1" {
		t.Errorf("usage %+v", done)
	}
	kinds := h.kinds(r.ID)
	if kinds[0] != "queued" || kinds[1] != "started" || kinds[len(kinds)-1] != "ended" || !slices.Contains(kinds, "answered") {
		t.Error(kinds)
	}
	export, err := h.runs.Export(t.Context(), ada, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	everything, _ := json.Marshal(export)
	prompts, _ := json.Marshal(h.model.prompts)
	for name, text := range map[string]string{"export": string(everything), "prompts": string(prompts)} {
		if strings.Contains(text, "canary-passw0rd") {
			t.Errorf("%s hold the secret", name)
		}
	}
	if len(export.Steps) != done.Step || len(export.Interactions) != 2 {
		t.Errorf("%d steps of %d, %d interactions", len(export.Steps), done.Step, len(export.Interactions))
	}
	opened, err := h.asks.OpenSecret(t.Context(), inst, typed[0], r.ID)
	if err != nil || opened.Text != "canary-passw0rd" || opened.Origin != "https://jobs.test" {
		t.Errorf("%+v %v", opened, err)
	}
	if h.begin(nil).Fence != 2 {
		t.Error("the instance is not free")
	}
}

func TestDecide_SF05_ARetriedModelNeverRepeatsAnEffect(t *testing.T) {
	h := newHouse(t, nil, click("e5"), errServer, errServer)
	r := h.begin(func(r *run.Request) { r.Approve = "never" })
	c, _ := h.walk(r.ID, nil)
	if c.Next != turn.NextDone || h.runner.count("click e5") != 1 {
		t.Errorf("%+v, did %v", c, h.runner.did)
	}
	if n := len(h.model.prompts); n != 4 {
		t.Errorf("asked the model %d times, want 2 and the 2 failures", n)
	}
	if n := strings.Count(strings.Join(h.kinds(r.ID), " "), "note"); n != 1 {
		t.Errorf("%d notes for one outage", n)
	}
	t.Run("an effect whose reply is lost is asked about", func(t *testing.T) {
		h := newHouse(t, nil, click("e5"))
		paid := 0
		h.runner.act = func(c relay.Call) *relay.Result {
			if c.Command.Ref == "e5" {
				paid++
				return &relay.Result{Status: relay.StatusUnknown, Feedback: "an intent without an outcome"}
			}
			return nil
		}
		r := h.begin(func(r *run.Request) { r.Approve = "never" })
		var reason pags.WaitReason
		h.walk(r.ID, func(x pags.Interaction) *interaction.Said {
			reason = x.Reason
			return &interaction.Said{Kind: "decline"}
		})
		if got := h.load(r.ID); paid != 1 || reason != pags.WaitUnknown || got.Outcome != pags.OutcomeUnknown {
			t.Errorf("paid %d, asked %q, ended %s", paid, reason, got.Outcome)
		}
	})
}

func TestDecide_RepeatedFindsWhatWasDecided(t *testing.T) {
	h := newHouse(t, nil, click("e4"))
	r := h.begin(nil)
	decide := func(step int) turn.Cursor {
		t.Helper()
		c, err := h.turns.Decide(t.Context(), turn.Cursor{V: 1, RunID: r.ID, Generation: 1, Step: step})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := decide(0)
	if again := decide(0); again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
	if err := h.runner.call(t.Context(), r.ID, 1); err != nil {
		t.Fatal(err)
	}
	second := decide(1)
	before := len(h.kinds(r.ID))
	for range 3 {
		if again := decide(1); again != second {
			t.Errorf("%+v, then %+v", second, again)
		}
	}
	if len(h.model.prompts) != 1 {
		t.Errorf("paid the model %d times for one step", len(h.model.prompts))
	}
	if after := len(h.kinds(r.ID)); after != before {
		t.Errorf("%d events more", after-before)
	}
	if got := h.load(r.ID); got.InputTokens != 100 || got.Step != 2 {
		t.Errorf("%+v", got)
	}
}

func TestDecide_SF04_ARunnerThatDoesNotAnswer(t *testing.T) {
	t.Run("never took the command", func(t *testing.T) {
		h := newHouse(t, nil)
		h.runner.away = true
		r := h.begin(nil)
		c, _ := h.walk(r.ID, nil)
		got := h.load(r.ID)
		if c.Next != turn.NextFailed || got.Outcome != pags.OutcomeFailed || !strings.Contains(got.Detail, "runner did not answer") {
			t.Errorf("%+v %+v", c, got)
		}
		if took := h.clock.Now().Sub(t0); took < 10*time.Minute || took > 12*time.Minute {
			t.Errorf("it took %s", took)
		}
		if n := strings.Count(strings.Join(h.kinds(r.ID), " "), "waiting"); n != 1 {
			t.Errorf("said %d times that it waits", n)
		}
	})
	t.Run("took a harmless command", func(t *testing.T) {
		h := newHouse(t, nil)
		h.runner.away, h.runner.accepted = true, true
		r := h.begin(nil)
		h.walk(r.ID, nil)
		if got := h.load(r.ID); got.Outcome != pags.OutcomeFailed || h.clock.Now().Sub(t0) > 12*time.Minute {
			t.Errorf("%s %s after %s", got.Outcome, got.Detail, h.clock.Now().Sub(t0))
		}
	})
	t.Run("comes back in time", func(t *testing.T) {
		h := newHouse(t, nil)
		h.runner.away = true
		r := h.begin(nil)
		go func() {
			for h.clock.Now().Before(t0.Add(5 * time.Minute)) {
				time.Sleep(time.Millisecond)
			}
			h.runner.mu.Lock()
			h.runner.away = false
			h.runner.mu.Unlock()
		}()
		c, _ := walkSlowly(h, r.ID)
		if got := h.load(r.ID); c.Next != turn.NextDone || got.Status != pags.RunCompleted {
			t.Errorf("%+v %+v", c, got)
		}
	})
	t.Run("took the command and fell silent: unknown, so a person is asked", func(t *testing.T) {
		h := newHouse(t, nil)
		r := h.begin(func(r *run.Request) { r.Approve = "never" })
		h.runner.accepted = true
		silent := relay.CallKey(r.ID, 2)
		h.runner.act = func(c relay.Call) *relay.Result {
			if c.Step == 2 {
				h.runner.away = true
			}
			return nil
		}
		h.model.script = []any{func(port.Prompt) port.Reply {
			h.runner.mu.Lock()
			h.runner.away = true
			h.runner.mu.Unlock()
			return click("e5")
		}}
		var reason pags.WaitReason
		h.walk(r.ID, func(x pags.Interaction) *interaction.Said {
			reason = x.Reason
			return nil
		})
		if got := h.load(r.ID); reason != pags.WaitUnknown || got.Outcome != pags.OutcomeUnknown || h.runner.outcomes[silent] != nil {
			t.Errorf("asked %q, ended %s %s", reason, got.Outcome, got.Detail)
		}
	})
}

// walkSlowly is walk for tests in which something else happens beside it.
func walkSlowly(h *house, id pags.RunID) (turn.Cursor, int) {
	h.t.Helper()
	ctx := h.t.Context()
	c := turn.Cursor{V: 1, RunID: id, Generation: 1}
	for range 100 {
		var err error
		if c, err = h.turns.Decide(ctx, c); err != nil {
			h.t.Fatal(err)
		}
		if c.Next != turn.NextCall {
			return c, 1
		}
		if err := h.runner.call(ctx, id, c.Step); err != nil {
			h.t.Fatal(err)
		}
		if out, _, _ := h.runner.Outcome(ctx, id, c.Step); out == nil {
			h.clock.Advance(time.Minute)
			time.Sleep(5 * time.Millisecond)
			c.Last = turn.Last{Error: "States.HeartbeatTimeout"}
		}
	}
	h.t.Fatal("does not end")
	return c, 1
}

func TestDecide_SF02_HandsOverLongBeforeTheHistoryIsFull(t *testing.T) {
	var script []any
	for i := range 55 {
		script = append(script, say("scroll", map[string]any{"direction": []string{"up", "down"}[i%2]}), say("navigate", map[string]any{"url": fmt.Sprintf("https://jobs.test/%d", i)}))
	}
	script = script[:55]
	h := newHouse(t, func(d *turn.Deps) { d.HandoverAfter = 20 }, script...)
	r := h.begin(func(r *run.Request) { r.MaxSteps = 60 })
	c, executions := h.walk(r.ID, nil)
	got := h.load(r.ID)
	if c.Next != turn.NextDone || got.Outcome != pags.OutcomeDone {
		t.Fatalf("%+v", got)
	}
	if executions != 3 || got.Generation != 3 {
		t.Errorf("%d executions, generation %d", executions, got.Generation)
	}
	if len(h.model.prompts) != 56 || got.Step != 58 {
		t.Errorf("%d model calls, %d steps: a turn was lost or doubled", len(h.model.prompts), got.Step)
	}
	if n := strings.Count(strings.Join(h.kinds(r.ID), " "), "handover"); n != 2 {
		t.Errorf("%d hand-overs in the timeline", n)
	}
}

func TestDecide_AHandOverRepeatedIsOne(t *testing.T) {
	h := newHouse(t, func(d *turn.Deps) { d.HandoverAfter = 1 })
	r := h.begin(nil)
	decide := func(c turn.Cursor) turn.Cursor {
		t.Helper()
		c.V, c.RunID = 1, r.ID
		next, err := h.turns.Decide(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	decide(turn.Cursor{Generation: 1})
	if err := h.runner.call(t.Context(), r.ID, 1); err != nil {
		t.Fatal(err)
	}
	over := decide(turn.Cursor{Generation: 1, Step: 1})
	if over.Next != turn.NextHandover || over.NextName != string(r.ID)+"-g2" || over.NextGeneration != 2 {
		t.Fatalf("%+v", over)
	}
	decide(turn.Cursor{Generation: 2, Step: 1}) // the new execution decides already
	if again := decide(turn.Cursor{Generation: 1, Step: 1}); again != over {
		t.Errorf("the old one asked again: %+v", again)
	}
	if got := h.load(r.ID); got.Generation != 2 || len(h.model.prompts) != 1 {
		t.Errorf("%+v, %d prompts", got, len(h.model.prompts))
	}
}

func TestDecide_SF01_OnlyReferencesTravel(t *testing.T) {
	const kib = 1024
	for name, size := range map[string]int{"just under": 255 * kib, "just over": 257 * kib, "twice over": 280 * kib} {
		t.Run(name, func(t *testing.T) {
			big := click("e4")
			big.Text = strings.Repeat("é", size/2)
			h := newHouse(t, nil, big)
			r := h.begin(nil)
			if c, _ := h.walk(r.ID, nil); c.Next != turn.NextDone { // walk bounds every cursor
				t.Fatalf("%+v", c)
			}
			steps, err := h.turns.Steps(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if reply, _ := steps[1]["reply"].(map[string]any); reply["text"] != big.Text {
				t.Error("the big text is not read back whole")
			}
		})
	}
}

func TestDecide_DY02_ALongConversationWithPicturesIsKept(t *testing.T) {
	const turns = 55
	text := strings.Repeat("日", 9000)
	var script []any
	for i := range turns {
		reply := say("navigate", map[string]any{"url": fmt.Sprintf("https://jobs.test/%d", i)})
		reply.Text = fmt.Sprint(i, text)
		script = append(script, reply)
	}
	h := newHouse(t, nil, script...)
	h.runner.act = func(c relay.Call) *relay.Result {
		seen := h.runner.seen(c.Command.URL)
		seen.Snapshot = strings.Repeat("日", 60_000) // 180 KB
		if c.Step == 7 {
			key := fmt.Sprintf("runs/%s/7/shot.jpg", c.RunID)
			if _, err := h.blobs.Put(t.Context(), key, make([]byte, 900*1024), port.PutOptions{ContentType: "image/jpeg"}); err != nil {
				t.Error(err)
			}
			big := fmt.Sprintf("runs/%s/7/snapshot.txt", c.RunID)
			if _, err := h.blobs.Put(t.Context(), big, []byte(jobs), port.PutOptions{}); err != nil {
				t.Error(err)
			}
			seen.Picture, seen.Snapshot, seen.SnapshotKey = key, "", big
		}
		return &relay.Result{Status: relay.StatusOK, Seen: seen}
	}
	r := h.begin(func(r *run.Request) { r.MaxSteps = 60 })
	if c, _ := h.walk(r.ID, nil); c.Next != turn.NextDone {
		t.Fatalf("%+v %+v", c, h.load(r.ID))
	}
	steps, err := h.turns.Steps(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i := range turns {
		if reply, _ := steps[i+1]["reply"].(map[string]any); reply["text"] != fmt.Sprint(i, text) {
			t.Fatalf("turn %d is not read back", i)
		}
	}
	if !strings.Contains(h.model.prompts[6].Messages[0].Parts[0].Text, `button "Next"`) {
		t.Error("a snapshot in a blob is not shown to the model")
	}
	signed, err := h.runs.Picture(t.Context(), ada, r.ID, "7.jpg")
	if err != nil || signed.URL == "" {
		t.Errorf("picture: %+v %v", signed, err)
	}
}

func TestDecide_ForeignBlobKeysAreNotFollowed(t *testing.T) {
	h := newHouse(t, nil)
	if _, err := h.blobs.Put(t.Context(), "runs/run_other/1/snapshot.txt", []byte("someone else's page"), port.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	h.runner.act = func(relay.Call) *relay.Result {
		return &relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{URL: "https://jobs.test/", SnapshotKey: "runs/run_other/1/snapshot.txt", Picture: "files/ins_x/1"}}
	}
	r := h.begin(nil)
	h.walk(r.ID, nil)
	if raw, _ := json.Marshal(h.model.prompts); strings.Contains(string(raw), "someone else") {
		t.Error("another run's page reached the model")
	}
	events, _ := h.runs.Events(t.Context(), r.ID, 0, 100)
	for _, e := range events {
		if e.Picture != "" {
			t.Errorf("event shows %s", e.Picture)
		}
	}
}

func TestDecide_ModelFailures(t *testing.T) {
	always := func(err error) []any {
		script := make([]any, 9)
		for i := range script {
			script[i] = err
		}
		return script
	}
	for _, c := range []struct {
		name    string
		script  []any
		outcome pags.Outcome
		says    string
		asked   int
	}{
		{"rate limited for good", always(pags.Errorf(pags.RateLimited, "429")), pags.OutcomeFailed, "kept limiting", 8},
		{"overloaded for good", always(errServer), pags.OutcomeFailed, "not available", 8},
		{"stalls for good", always(pags.Errorf(pags.Timeout, "slow")), pags.OutcomeFailed, "in time", 8},
		{"replies nobody can read, once", []any{pags.Errorf(pags.Upstream, "garbage")}, pags.OutcomeDone, "All done", 2},
		{"a bad key", []any{asModelError(pags.Forbidden, "invalid x-api-key")}, pags.OutcomeBlocked, "pags keys set", 1},
		{"a bad request", []any{asModelError(pags.Invalid, "no such model")}, pags.OutcomeFailed, "no such model", 1},
		{"nonsense three times", []any{port.Reply{}, port.Reply{Text: "hm"}, say("dance", map[string]any{})}, pags.OutcomeStuck, "Nobody answered", 3},
		{"two calls, then one", []any{port.Reply{Calls: append(click("e4").Calls, click("e5").Calls...)}}, pags.OutcomeDone, "All done", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, nil, c.script...)
			r := h.begin(nil)
			h.walk(r.ID, nil)
			got := h.load(r.ID)
			if got.Outcome != c.outcome || !strings.Contains(got.Detail, c.says) {
				t.Errorf("%s: %s", got.Outcome, got.Detail)
			}
			if len(h.model.prompts) != c.asked {
				t.Errorf("asked the model %d times, want %d", len(h.model.prompts), c.asked)
			}
		})
	}
	t.Run("a key that was taken away", func(t *testing.T) {
		h := newHouse(t, nil)
		r := h.begin(nil)
		h.key = pags.Errorf(pags.Conflict, "no key")
		h.walk(r.ID, nil)
		if got := h.load(r.ID); got.Outcome != pags.OutcomeBlocked || !strings.Contains(got.Detail, "pags keys set") {
			t.Errorf("%+v", got)
		}
	})
}

func TestDecide_Cancel(t *testing.T) {
	t.Run("between steps: the page is closed, then it ends", func(t *testing.T) {
		h := newHouse(t, nil)
		r := h.begin(nil)
		h.model.script = []any{func(port.Prompt) port.Reply {
			if _, err := h.runs.Cancel(t.Context(), ada, r.ID); err != nil {
				t.Error(err)
			}
			return click("e4")
		}}
		c, _ := h.walk(r.ID, nil)
		if got := h.load(r.ID); c.Next != turn.NextDone || got.Status != pags.RunCancelled || !slices.Contains(h.runner.did, "close ") {
			t.Errorf("%+v, did %v", got, h.runner.did)
		}
	})
	t.Run("while a person is asked", func(t *testing.T) {
		h := newHouse(t, nil, say("request_user_info", map[string]any{"question": "Name?", "secret": false}))
		r := h.begin(nil)
		h.walk(r.ID, func(x pags.Interaction) *interaction.Said {
			if _, err := h.runs.Cancel(t.Context(), ada, r.ID); err != nil {
				t.Error(err)
			}
			return nil
		})
		if got := h.load(r.ID); got.Status != pags.RunCancelled {
			t.Errorf("%+v", got)
		}
		open, err := h.asks.List(t.Context(), ada, "open", "", 10)
		if err != nil || len(open.Items) != 0 {
			t.Errorf("%d still open, %v", len(open.Items), err)
		}
	})
	t.Run("while the runner is away", func(t *testing.T) {
		h := newHouse(t, nil)
		h.runner.away = true
		r := h.begin(nil)
		if _, err := h.turns.Decide(t.Context(), turn.Cursor{V: 1, RunID: r.ID, Generation: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.runs.Cancel(t.Context(), ada, r.ID); err != nil {
			t.Fatal(err)
		}
		h.walk(r.ID, nil)
		if got := h.load(r.ID); got.Status != pags.RunCancelled || h.clock.Now().Sub(t0) > 3*time.Minute {
			t.Errorf("%+v after %s", got, h.clock.Now().Sub(t0))
		}
	})
}

func TestDecide_PeopleWhoDoNotAnswer(t *testing.T) {
	h := newHouse(t, nil, say("request_user_info", map[string]any{"question": "Salary?", "secret": false}))
	r := h.begin(nil)
	h.walk(r.ID, nil)
	got := h.load(r.ID)
	if got.Outcome != pags.OutcomeNeedsInput || got.Status != pags.RunFailed {
		t.Errorf("%+v", got)
	}
	all, err := h.asks.OfRun(t.Context(), r.ID)
	if err != nil || len(all) != 1 || all[0].Status != pags.InteractionExpired {
		t.Fatalf("%+v %v", all, err)
	}
	_, err = h.asks.Answer(t.Context(), httpapi.Caller{UserID: ada, Person: true}, all[0].ID, interaction.Said{Kind: "value", Value: "late"})
	if !pags.Is(err, pags.Gone) {
		t.Error(err)
	}
}

func TestDecide_RefusesWhatItCannotContinue(t *testing.T) {
	h := newHouse(t, nil)
	r := h.begin(nil)
	if _, err := h.turns.Decide(t.Context(), turn.Cursor{V: 2, RunID: r.ID, Generation: 1}); !pags.Is(err, pags.Invalid) {
		t.Error(err)
	}
	if _, err := h.turns.Decide(t.Context(), turn.Cursor{V: 1, RunID: r.ID, Generation: 1, Step: 9}); !pags.Is(err, pags.Internal) {
		t.Error(err)
	}
	if _, err := h.turns.Handle(t.Context(), turn.Event{Op: "dance"}); !pags.Is(err, pags.Invalid) {
		t.Error(err)
	}
	if _, _, _, err := h.turns.Command(t.Context(), r.ID, 1); !pags.Is(err, pags.NotFound) {
		t.Error(err)
	}
}

func TestCommand_SignsFilesAsItIsSent(t *testing.T) {
	h := newHouse(t, nil, say("upload", map[string]any{"ref": "e2", "element": "CV", "file": "cv.pdf"}))
	h.config = map[string]any{"allowHosts": []any{"localhost:8080"}, "runnerNode": "desk", "specialInstructions": "Be brief.", "settings": map[string]any{"team": "red"}}
	var sent relay.Command
	h.runner.act = func(c relay.Call) *relay.Result {
		if _, _, pin, err := h.turns.Command(t.Context(), c.RunID, c.Step); c.Step == 1 && (pin != "desk" || err != nil) {
			t.Errorf("bound to %q, %v", pin, err)
		}
		if c.Command.Action == relay.ActUpload {
			sent = c.Command
		}
		return nil
	}
	r := h.begin(func(r *run.Request) { r.Files = []run.Upload{{Name: "cv.pdf", Data: []byte("pdf")}} })
	h.walk(r.ID, nil)
	if sent.File == nil || !strings.HasPrefix(sent.File.URL, "http") || sent.File.Size != 3 || !slices.Equal(sent.AllowHosts, []string{"localhost:8080"}) {
		t.Errorf("%+v", sent)
	}
	if system := h.model.prompts[0].System; !strings.Contains(system, "Be brief.") || !strings.Contains(system, "team: red") {
		t.Error("what the owner added is not in the prompt")
	}
	steps, err := h.turns.Steps(t.Context(), r.ID)
	if raw, _ := json.Marshal(steps); err != nil || strings.Contains(string(raw), sent.File.URL) {
		t.Error("a signed address is kept in the journal")
	}
}

func TestLast_TakesAnyResult(t *testing.T) {
	for in, want := range map[string]string{`{"last":{"Error":"States.Timeout","Cause":"x"}}`: "States.Timeout", `{"last":"ok"}`: "", `{"last":{"step":3}}`: "", `{"last":null}`: "", `{}`: "", `{"last":[1]}`: ""} {
		var c turn.Cursor
		if err := json.Unmarshal([]byte(in), &c); err != nil || c.Last.Error != want {
			t.Errorf("%s: %+v %v", in, c.Last, err)
		}
	}
}
