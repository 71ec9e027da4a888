package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/rule"
	"github.com/proagentstore/pags/pkg/tool"
)

func TestSend_AnEffectLeavesAfterItsIntentIsDurable(t *testing.T) {
	s := newStage(t)
	s.sources.answer = func(context.Context) (catalog.Result, error) {
		s.clock.Advance(250 * time.Millisecond)
		return catalog.Result{OK: true, Data: map[string]any{"id": "abc"}, HTTP: &catalog.HTTP{Status: 201}}, nil
	}
	j := s.granted(t, call("github.issues.create", good))
	s.order = nil
	r, err := s.Send(t.Context(), j, s.trail)
	if err != nil || !r.OK {
		t.Fatal(r, err)
	}
	s.did(t, "intent", "send", "outcome")
	if s.sources.keys[0] != "run_1:3" {
		t.Errorf("sent with the key %q", s.sources.keys[0])
	}
	intent, end := s.trail.intents[0], s.trail.outcomes[0]
	if intent.Item["action"] != "tool.intent" || end.Item["action"] != "tool.call" || port.KeyOf(intent.Item) == port.KeyOf(end.Item) {
		t.Errorf("%v %v", intent.Item, end.Item)
	}
	f := factsOf(end)
	for name, want := range map[string]any{"via": "code", "run": "run_1", "seq": 3, "call": "run_1:3", "address": create, "path": "github.issues.create",
		"policy": "require_approval", "consent": "int_1", "status": "ok", "httpStatus": 201, "millis": int64(250), "bytes": weighed, "digest": j.Digest} {
		if f[name] != want {
			t.Errorf("%s is %v (%T), not %v", name, f[name], f[name], want)
		}
	}
	if _, has := factsOf(intent)["status"]; has {
		t.Error("an intent has an ending")
	}
	if w := s.table.Written(); len(w) != 0 {
		t.Errorf("with a trail the table got %v", w)
	}
}

const weighed = 13 // of {"id":"abc"}, about

func TestSend_RefusesWhenTheAuditCannotBeWritten(t *testing.T) {
	away := errors.New("the table is away")
	for _, c := range []struct {
		says, path, args string
		intent, outcome  error
		refused, sent    bool
	}{
		{"no intent of an effect: nothing is sent", create, good, away, nil, true, false},
		{"no end of an effect: its result is given, the intent tells of it", create, good, nil, away, false, true},
		{"no row of a read: its result is withheld", list, `{"owner":"o"}`, nil, away, true, true},
		{"no row of a refusal: it is withheld", create, `{"x":1}`, nil, away, true, false},
		{"no row of a search: it is withheld", "search", `{"query":"issues"}`, nil, away, true, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := newStage(t)
			j := s.judge(t, call(c.path, c.args))
			if j.Result == nil {
				j = s.granted(t, j.Call)
			}
			s.trail.failIntent, s.trail.failOutcome = c.intent, c.outcome
			_, err := s.Send(t.Context(), j, s.trail)
			if pags.Is(err, pags.Unavailable) != c.refused || !c.refused && err != nil {
				t.Errorf("%v", err)
			}
			if (len(s.sources.sent) > 0) != c.sent {
				t.Errorf("sent %v", s.sources.sent)
			}
			if !c.refused && !strings.Contains(s.log.String(), "no audit row") {
				t.Errorf("nobody is told: %s", s.log)
			}
		})
	}
}

func TestSend_EveryEndingHasItsRow(t *testing.T) {
	for _, c := range []struct {
		says, path, args string
		rules            []rule.Rule
		answer           catalog.Result
		err              error
		status, code     string
		rows             int
	}{
		{"it worked", list, `{"owner":"o"}`, nil, catalog.Result{OK: true}, nil, "ok", "", 1},
		{"an effect that worked", create, good, nil, catalog.Result{OK: true}, nil, "ok", "", 2},
		{"upstream said no", create, good, nil, catalog.Failed(&catalog.Failure{Code: catalog.CodeUpstreamHTTP, Status: 422}), nil, "failed", catalog.CodeUpstreamHTTP, 2},
		{"arguments were wrong", create, `{"x":1}`, nil, catalog.Result{}, nil, "failed", catalog.CodeInvalidArguments, 1},
		{"no such tool", "github.nope.nope", `{}`, nil, catalog.Result{}, nil, "failed", catalog.CodeNotFound, 1},
		{"a policy blocks it", create, good, []rule.Rule{{ID: "pol_1", Pattern: "*", Action: rule.Block}}, catalog.Result{}, nil, "blocked", catalog.CodeBlocked, 1},
		{"nobody knows whether it happened", create, good, nil, catalog.Result{}, errLost, "unknown", "", 2},
		{"our own trouble", create, good, nil, catalog.Result{}, pags.Errorf(pags.Internal, "the vault is away"), "failed", "internal", 2},
		{"a search", "search", `{"query":"issues"}`, nil, catalog.Result{}, nil, "ok", "", 1},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := newStage(t)
			s.policies.rules = c.rules
			s.sources.answer = func(context.Context) (catalog.Result, error) { return c.answer, c.err }
			j := s.judge(t, call(c.path, c.args))
			if j.Ask != nil {
				j = s.granted(t, j.Call)
			}
			r, err := s.Send(t.Context(), j, nil) // nil: the table, at once
			if err != c.err {
				t.Fatalf("%v", err)
			}
			rows := s.audit(t)
			if len(rows) != c.rows {
				t.Fatalf("%d rows", len(rows))
			}
			var end map[string]any
			for _, it := range rows {
				if it["action"] == "tool.call" {
					end = it["facts"].(map[string]any)
				}
			}
			code, _ := end["code"].(string)
			if end["status"] != c.status || code != c.code {
				t.Errorf("%v", end)
			}
			if c.err == nil && c.status != "ok" && r.Error.Code != c.code {
				t.Errorf("result %+v", r)
			}
		})
	}
}

func TestSend_AnUnknownOutcomePassesThroughAsItIs(t *testing.T) {
	s := newStage(t)
	s.sources.answer = func(context.Context) (catalog.Result, error) { return catalog.Result{}, errLost }
	_, err := s.Send(t.Context(), s.granted(t, call(create, good)), s.trail)
	var u interface{ UnknownOutcome() string }
	if !errors.As(err, &u) || err != errLost {
		t.Errorf("%v", err)
	}
}

func TestSend_TheEndIsNotedThoughTheCallerHasGone(t *testing.T) {
	s := newStage(t)
	ctx, leave := context.WithCancel(t.Context())
	s.sources.answer = func(context.Context) (catalog.Result, error) {
		leave()
		return catalog.Result{}, context.Canceled
	}
	_, err := s.Send(ctx, s.granted(t, call(create, good)), s.trail)
	if !errors.Is(err, context.Canceled) || len(s.trail.outcomes) != 1 || factsOf(s.trail.outcomes[0])["status"] != "failed" {
		t.Errorf("%v, %d rows", err, len(s.trail.outcomes))
	}
}

func TestSend_NeverWithoutTheConsentThatIsNeeded(t *testing.T) {
	s := newStage(t)
	j := s.judge(t, call(remove, `{"owner":"o"}`))
	for range 2 { // a brain that asks twice is still refused
		if _, err := s.Send(t.Context(), j, s.trail); !pags.Is(err, pags.Conflict) {
			t.Errorf("%v", err)
		}
	}
	if _, err := s.Send(t.Context(), tool.Judgement{Call: j.Call, Bound: j.Bound}, s.trail); err == nil {
		t.Error("what was never judged is sent")
	}
	s.sources.held[remove] = "changed"
	held := call(remove, `{"owner":"o"}`)
	held.AutoApprove = true
	if _, err := s.Send(t.Context(), s.judge(t, held), s.trail); !pags.Is(err, pags.Conflict) {
		t.Errorf("a changed definition goes without a look: %v", err)
	}
	if len(s.sources.sent) != 0 || len(s.trail.intents) != 0 {
		t.Errorf("sent %v", s.sources.sent)
	}
}

func TestEnded_ADeclinedCallHasOneRow(t *testing.T) {
	s := newStage(t)
	j := s.judge(t, call(create, good))
	if err := s.Ended(t.Context(), j, tool.StatusDeclined, s.trail); err != nil {
		t.Fatal(err)
	}
	if f := factsOf(s.trail.outcomes[0]); f["status"] != "declined" || f["address"] != create || f["policy"] != "require_approval" {
		t.Errorf("%v", f)
	}
	s.trail.failOutcome = errors.New("away")
	if err := s.Ended(t.Context(), j, tool.StatusDeclined, s.trail); !pags.Is(err, pags.Unavailable) {
		t.Errorf("%v", err)
	}
}

func TestAudit_HoldsNoArgumentsAndNoResults(t *testing.T) {
	const canary = "canary-0123456789abcdef"
	s := newStage(t)
	s.sources.answer = func(context.Context) (catalog.Result, error) {
		return catalog.Failed(&catalog.Failure{Code: catalog.CodeUpstreamHTTP, Status: 400, Message: canary, Details: canary}), nil
	}
	for _, args := range []string{`{"owner":"` + canary + `","body":{"title":"` + canary + `"}}`, `{"` + canary + `":1}`} {
		j := s.judge(t, call(create, args))
		if j.Ask != nil {
			j = s.granted(t, j.Call)
		}
		if _, err := s.Send(t.Context(), j, nil); err != nil {
			t.Fatal(err)
		}
	}
	rows := s.audit(t)
	raw, _ := json.Marshal(rows)
	if len(rows) != 3 || bytes.Contains(raw, []byte(canary)) || bytes.Contains(s.log.Bytes(), []byte(canary)) {
		t.Errorf("%d rows: %s\nlog: %s", len(rows), raw, s.log)
	}
	long := strings.Repeat("a", 80)
	if _, err := s.Send(t.Context(), s.judge(t, call("github."+long+"."+long, "{}")), s.trail); err != nil {
		t.Fatal(err)
	}
	if f := factsOf(s.trail.outcomes[0]); !strings.HasPrefix(f["address"].(string), "github.aaa") {
		t.Errorf("a long address is lost: %v", f)
	}
}

func TestBreaker_AFailingToolRestsAndIsTriedAgain(t *testing.T) {
	s := newStage(t)
	down := catalog.Failed(&catalog.Failure{Code: catalog.CodeUpstreamHTTP, Status: 503, Message: "down"})
	answer := down
	s.sources.answer = func(context.Context) (catalog.Result, error) { return answer, nil }
	send := func() catalog.Result {
		t.Helper()
		r, err := s.Send(t.Context(), s.judge(t, call(list, `{"owner":"o"}`)), s.trail)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for range 5 {
		if r := send(); r.Error.Code != catalog.CodeUpstreamHTTP {
			t.Fatalf("too early: %+v", r.Error)
		}
		s.clock.Advance(time.Second)
	}
	sent := len(s.sources.sent)
	r := send()
	if r.OK || r.Error.Code != catalog.CodeResting || !r.Error.Retryable || r.Error.RetryAfter < 1 || r.Error.RetryAfter > 30 || len(s.sources.sent) != sent {
		t.Fatalf("%+v", r.Error)
	}
	if f := factsOf(s.trail.outcomes[len(s.trail.outcomes)-1]); f["code"] != catalog.CodeResting {
		t.Errorf("the refusal has no row: %v", f)
	}
	// other tools, and the same tool of others, are not affected
	other := call(create, good)
	other.AutoApprove = true
	answer = catalog.Result{OK: true}
	if r, err := s.Send(t.Context(), s.judge(t, other), s.trail); err != nil || !r.OK {
		t.Errorf("another tool: %+v %v", r, err)
	}
	theirs := call(list, `{"owner":"o"}`)
	theirs.User = "usr_other"
	if r, err := s.Send(t.Context(), s.judge(t, theirs), s.trail); err != nil || !r.OK {
		t.Errorf("another user: %+v %v", r, err)
	}
	s.clock.Advance(30 * time.Second)
	answer = down
	if r := send(); r.Error.Code != catalog.CodeUpstreamHTTP {
		t.Errorf("after the rest one call tries: %+v", r.Error)
	}
	if r := send(); r.Error.Code != catalog.CodeResting {
		t.Errorf("it failed, so it rests again: %+v", r.Error)
	}
	s.clock.Advance(31 * time.Second)
	answer = catalog.Result{OK: true}
	for range 2 {
		if r := send(); !r.OK {
			t.Errorf("it is well again: %+v", r.Error)
		}
	}
}

func TestBreaker_OnlyUpstreamsOwnTroubleInARowWithinAMinuteCounts(t *testing.T) {
	status := func(n int) catalog.Result {
		return catalog.Failed(&catalog.Failure{Code: catalog.CodeUpstreamHTTP, Status: n})
	}
	for _, c := range []struct {
		says    string
		answers []catalog.Result
		err     error
		apart   time.Duration
		rests   bool
	}{
		{"no answer in time", []catalog.Result{catalog.Failed(&catalog.Failure{Code: catalog.CodeHeadersTimeout})}, nil, time.Second, true},
		{"no connection", []catalog.Result{status(0)}, nil, time.Second, true},
		{"outcomes that nobody knows", []catalog.Result{{}}, errLost, time.Second, true},
		{"refusals of the caller", []catalog.Result{status(404)}, nil, time.Second, false},
		{"a limit of the caller", []catalog.Result{status(429)}, nil, time.Second, false},
		{"a value that is missing", []catalog.Result{catalog.Failed(&catalog.Failure{Code: catalog.CodeValueMissing})}, nil, time.Second, false},
		{"our own trouble", []catalog.Result{{}}, errors.New("the vault is away"), time.Second, false},
		{"failures with a success between them", []catalog.Result{status(500), status(500), status(500), status(500), {OK: true}}, nil, time.Second, false},
		{"failures that are far apart", []catalog.Result{status(500)}, nil, 20 * time.Second, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := newStage(t)
			at := 0
			s.sources.answer = func(context.Context) (catalog.Result, error) { at++; return c.answers[(at-1)%len(c.answers)], c.err }
			rested := false
			for range 12 {
				r, _ := s.Send(t.Context(), s.judge(t, call(list, `{"owner":"o"}`)), s.trail)
				rested = rested || r.Error != nil && r.Error.Code == catalog.CodeResting
				s.clock.Advance(c.apart)
			}
			if rested != c.rests {
				t.Errorf("rested: %v", rested)
			}
		})
	}
}

func TestBreaker_OneCallTriesWhileOthersWait(t *testing.T) {
	s := newStage(t)
	s.sources.answer = func(context.Context) (catalog.Result, error) {
		return catalog.Failed(&catalog.Failure{Code: catalog.CodeUpstreamHTTP, Status: 500}), nil
	}
	j := s.judge(t, call(list, `{"owner":"o"}`))
	for range 5 {
		_, _ = s.Send(t.Context(), j, s.trail)
	}
	s.clock.Advance(time.Minute)
	s.sources.answer = func(ctx context.Context) (catalog.Result, error) {
		if r, err := s.Send(ctx, j, s.trail); err != nil || r.Error.Code != catalog.CodeResting {
			t.Errorf("a second call beside the one that tries: %+v %v", r, err)
		}
		return catalog.Result{}, context.Canceled // the one that tries learns nothing
	}
	_, _ = s.Send(t.Context(), j, s.trail)
	s.sources.answer = func(context.Context) (catalog.Result, error) { return catalog.Result{OK: true}, nil }
	if r, err := s.Send(t.Context(), j, s.trail); err != nil || !r.OK {
		t.Errorf("the next one may try: %+v %v", r, err)
	}
}
