package cli

import (
	"strings"
	"testing"
	"time"
)

func TestPolicies_Commands(t *testing.T) {
	p := object{"id": "pol_1", "pattern": "petstore.main.*", "action": "block", "enabled": false, "note": "never", "matches": 0, "warning": "it matches no tool"}
	s := newStand(t, map[string]any{"GET /v1/policies": object{"items": []any{p}}, "POST /v1/policies": p, "PATCH /v1/policies/pol_1": p, "DELETE /v1/policies/pol_1": "",
		"POST /v1/policies/check": object{"matches": 2, "examples": []string{"a.b.c", "a.b.d"}}})
	for _, c := range []struct{ args, out, errs string }{
		{"policies", "petstore.main.* block 0 disabled; never; it matches no tool", ""},
		{"policies list", "PATTERN", ""},
		{"policies add petstore.main.* require-approval --note why", "pol_1 block", "it matches no tool"},
		{"policies enable pol_1", "pol_1", ""},
		{"policies disable pol_1", "disabled", ""},
		{"policies enable petstore.main.*", "pol_1", ""},
		{"policies disable petstore.main.*", "disabled", ""},
		{"policies remove petstore.main.*", "petstore.main.* removed", ""},
		{"policies remove pol_1", "pol_1 removed", ""},
		{"policies check a.b.*", "2 tools match a.b.c a.b.d", ""},
	} {
		s.run("", strings.Fields(c.args)...).ended(t, 0, c.out, c.errs)
	}
	if q := s.last("POST", "/v1/policies"); !equalJSON(q.Body, object{"pattern": "petstore.main.*", "action": "require_approval", "note": "why"}) {
		t.Errorf("%+v", q)
	}
	if q := s.last("PATCH", "/v1/policies/pol_1"); !equalJSON(q.Body, object{"enabled": false}) {
		t.Errorf("%+v", q)
	}
	s.run("", "policies", "remove", "other.*").ended(t, 1, "", "no policy with the pattern other.*")
	s.run("", "policies", "add", "a.*", "allow").ended(t, 2, "", "approve, require_approval, block")
}

func TestTokens_AreShownOnce(t *testing.T) {
	made := object{"id": "tok_1", "name": "Claude", "scopes": []string{"tools", "interactions:answer"}, "expiresAt": time.Now().Add(7 * 24 * time.Hour), "token": "pags_the-text"}
	listed := object{"id": "tok_1", "name": "Claude", "scopes": []string{"tools"}, "expiresAt": time.Now().Add(90*24*time.Hour + time.Minute)}
	s := newStand(t, map[string]any{"POST /v1/auth/tokens": made, "GET /v1/auth/tokens": object{"items": []any{listed}}, "DELETE /v1/auth/tokens/tok_1": ""})
	r := s.run("", "tokens", "create", "--name", "Claude", "--scope", "interactions:answer", "--days", "7")
	if r.ended(t, 0, "", "not shown again"); r.out != "pags_the-text\n" {
		t.Errorf("standard output is %q, not the token alone", r.out)
	}
	if q := s.last("POST", "/v1/auth/tokens"); !equalJSON(q.Body, object{"name": "Claude", "scopes": []string{"tools", "interactions:answer"}, "days": 7}) {
		t.Errorf("%+v", q)
	}
	s.run("", "tokens").ended(t, 0, "tok_1 in 90 days never Claude tools", "")
	s.run("", "tokens", "revoke", "tok_1").ended(t, 0, "tok_1 revoked", "")
	s.run("", "tokens", "create").ended(t, 2, "", "name")
}

func TestRuns_OfProgramsReadWell(t *testing.T) {
	run := object{"id": runID, "kind": "code", "title": "Monthly report", "status": "failed", "outcome": "failed", "detail": "It threw.", "lastEvent": 1, "createdAt": time.Now().Add(-time.Minute), "endedAt": time.Now(),
		"code": object{"digest": "d", "size": 1200, "via": "cli", "calls": 3}}
	call := object{"id": "run_2", "kind": "code", "status": "waiting", "waitingFor": "approval", "createdAt": time.Now(), "code": object{"via": "mcp", "tool": "petstore.main.pets.delete", "calls": 1}, "lastEvent": 0}
	s := newStand(t, map[string]any{"GET /v1/runs": object{"items": []any{run, call}}, "GET /v1/runs/" + runID: run, "GET /v1/runs/run_2": call,
		"GET /v1/runs/" + runID + "/events": object{"items": []any{object{"seq": 1, "at": time.Now(), "kind": "ended", "text": "It threw."}}, "lastEvent": 1}, "GET /v1/runs/run_2/events": object{"items": []any{}},
		"GET /v1/executions/" + runID: object{"id": runID, "status": "failed", "code": "one\ntwo.three()", "error": object{"kind": "error", "name": "TypeError", "message": "no", "line": 2, "column": 5}},
		"GET /v1/interactions":        object{"items": []any{form("int_9", petForm)}}})
	r := s.run("", "runs")
	r.ended(t, 0, runID+" failed", "")
	r.ended(t, 0, "call of petstore.", "")
	r = s.run("", "runs", "show", runID)
	for _, want := range []string{"Program     Monthly report", "Started by  cli", "Text        1200 bytes", "Calls       3", "2 | two.three()", "TypeError: no"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it does not show %q:\n%s", want, r.out)
		}
	}
	for _, not := range []string{"Objective", "Model", "0 of 0", "Tokens"} {
		if strings.Contains(r.out, not) {
			t.Errorf("it shows %q:\n%s", not, r.out)
		}
	}
	r = s.run("", "runs", "show", "run_2")
	if r.code != 0 || !strings.Contains(r.out, "Tool        petstore.main.pets.delete") || strings.Contains(r.out, "bytes") {
		t.Errorf("%+v", r)
	}
	s.run("", "inbox").ended(t, 0, `pags answer int_9 --content '{"legs":0,"name":"…"}'`, "")
	s.run("", "inbox").ended(t, 0, "kind: cat | dog, optional", "")
}
