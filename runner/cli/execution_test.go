package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const runID = "run_01HZZZZZZZZZZZZZZZZZZZZZZZ"

func done(result any) object {
	return object{"id": runID, "status": "completed", "result": result, "logs": []any{}, "interactions": []any{}}
}

func waiting(interactions ...any) object {
	return object{"id": runID, "status": "waiting_for_interaction", "title": "t", "interactions": interactions, "logs": []any{}, "url": "http://x/runs/" + runID}
}

func approval(id string) object {
	return object{"id": id, "runId": runID, "reason": "approval", "title": "Delete the pet Rex?", "detail": "It cannot be undone.", "allowed": []string{"accept", "decline"},
		"status": "open", "request": object{"path": "petstore.main.pets.delete", "args": object{"id": 7}, "host": "pets.test"}}
}

func form(id string, schema object) object {
	return object{"id": id, "runId": runID, "reason": "value", "title": "Which pet?", "allowed": []string{"form", "decline"}, "status": "open", "request": object{"schema": schema}}
}

var petForm = object{"type": "object", "required": []string{"name", "legs"}, "properties": object{
	"name": object{"type": "string", "description": "What it is called"}, "legs": object{"type": "integer"},
	"kind": object{"enum": []string{"cat", "dog"}, "default": "cat"}, "tame": object{"type": "boolean"},
}}

// sequence answers one after the other; the last one stays.
func sequence(answers ...any) func(request) any {
	n := -1
	return func(request) any {
		n = min(n+1, len(answers)-1)
		return answers[n]
	}
}

func TestExec_PrintsTheResultAndKeepsTheConsoleBeside(t *testing.T) {
	s := newStand(t, map[string]any{
		"POST /v1/executions": object{"id": runID, "status": "running", "logs": []any{object{"level": "log", "text": "one"}}},
		"GET /v1/executions/" + runID: sequence(problem{503, "back in a moment"},
			object{"id": runID, "status": "running", "logs": []any{object{"level": "log", "text": "one"}, object{"level": "warn", "text": "two\nthree"}}},
			object{"id": runID, "status": "completed", "result": object{"n": 12345678901234567}, "logs": []any{object{"level": "log", "text": "one"}, object{"level": "warn", "text": "two\nthree"}}}),
	})
	r := s.run("", "exec", "-e", "return 1", "--title", "T")
	if r.code != 0 || strings.Join(strings.Fields(r.out), "") != `{"n":12345678901234567}` {
		t.Errorf("exit %d %q", r.code, r.out)
	}
	if r.err != "one\n[warn] two\nthree\n" {
		t.Errorf("console %q", r.err)
	}
	q := s.last("POST", "/v1/executions")
	if q.Body["code"] != "return 1" || q.Body["title"] != "T" || !equalJSON(q.Body["waitSeconds"], 20) || q.Key == "" || q.Body["autoApprove"] != nil {
		t.Errorf("asked %+v", q)
	}
}

func TestExec_TakesItsProgramFromOnePlace(t *testing.T) {
	s := newStand(t, map[string]any{"POST /v1/executions": done(nil)})
	file := filepath.Join(t.TempDir(), "a b.ts")
	if err := os.WriteFile(file, []byte("return 2"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin string
		args  []string
		code  string
	}{
		{"", []string{file}, "return 2"},
		{"", []string{"--file", file}, "return 2"},
		{"return 3", []string{"--stdin"}, "return 3"},
		{"return 3", []string{"-"}, "return 3"},
		{"", []string{"--code", "return 4", "--auto-approve"}, "return 4"},
	} {
		s.run(c.stdin, append([]string{"exec"}, c.args...)...).ended(t, 0, "null", "")
		if q := s.last("POST", "/v1/executions"); q.Body["code"] != c.code {
			t.Errorf("%v: %+v", c.args, q)
		}
	}
	if q := s.last("POST", "/v1/executions"); q.Body["autoApprove"] != true {
		t.Errorf("%+v", q)
	}
	before := len(s.asked)
	for _, args := range [][]string{{}, {file, "--stdin"}, {file, "-e", "1"}, {file, "--file", file}, {"-e", ""}} {
		s.run("", append([]string{"exec"}, args...)...).ended(t, 2, "", "")
	}
	s.run("", "exec", "--stdin").ended(t, 2, "", "nothing came")
	s.run("", "exec", file+"x").ended(t, 1, "", "no such file")
	if len(s.asked) != before {
		t.Error("a wrong command reached the host")
	}
}

func TestExec_ShowsWhereAProgramFailed(t *testing.T) {
	code := "const a = 1;\n\tconst 日本 = a; a.b.c(); // " + strings.Repeat("long ", 40) + "\nreturn a"
	fail := func(e object) map[string]any {
		return map[string]any{"POST /v1/executions": object{"id": runID, "status": "failed", "error": e, "logs": []any{}}}
	}
	s := newStand(t, fail(object{"kind": "error", "name": "TypeError", "message": "cannot read property c of undefined", "line": 2, "column": 17,
		"stack": []any{object{"line": 2, "column": 17}, object{"function": "main", "line": 3, "column": 1}}, "cause": "the cause"}))
	r := s.run("", "exec", "-e", code)
	r.ended(t, 1, "", "pags: TypeError: cannot read property c of undefined")
	lines := strings.Split(r.err, "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[1], "    2 |  const 日本 = a; a.b.c();") || cells(lines[1]) > 80 {
		t.Fatalf("shown:\n%s", r.err)
	}
	mark := cells(lines[2][:strings.IndexByte(lines[2], '^')])
	if at := cells(lines[1][:strings.Index(lines[1], ".b.c()")]); mark != at {
		t.Errorf("the mark is at %d, not %d:\n%s", mark, at, r.err)
	}
	for _, want := range []string{"at main line 3, column 1", "caused by: the cause", "pags runs show " + runID} {
		if !strings.Contains(r.err, want) {
			t.Errorf("it does not say %q:\n%s", want, r.err)
		}
	}
	s = newStand(t, fail(object{"kind": "diverged", "message": "the program did something else", "step": 3, "expected": "a.b", "actual": "a.c"}))
	s.run("", "exec", "-e", code).ended(t, 1, "", "call 3 was a.b and is now a.c")
	s = newStand(t, fail(object{"kind": "error", "message": "far \x1b[2J out", "line": 2, "column": 190}))
	r = s.run("", "exec", "-e", code)
	if !strings.Contains(r.err, "…") || !strings.Contains(r.err, "^") {
		t.Errorf("shown:\n%s", r.err)
	}
	whole := asJSON[object](t, s.run("", "exec", "-e", code, "--json"))
	if whole["status"] != "failed" || whole["error"] == nil {
		t.Errorf("%v", whole)
	}
}

func TestPause_WithoutATerminalOneObjectSaysHowToGoOn(t *testing.T) {
	for name, c := range map[string]struct {
		interaction object
		want        []string
		body        object
	}{
		"approval": {approval("int_1"), []string{"resume", runID, "--interaction", "int_1", "--action", "accept"}, object{"action": "accept", "interactionId": "int_1"}},
		"form": {form("int_2", petForm), []string{"resume", runID, "--interaction", "int_2", "--action", "accept", "--content", `{"legs":0,"name":"…"}`},
			object{"action": "accept", "interactionId": "int_2", "content": object{"legs": 0, "name": "…"}}},
	} {
		s := newStand(t, map[string]any{"POST /v1/executions": waiting(c.interaction), "POST /v1/executions/" + runID + "/resume": done("ok")})
		for _, args := range [][]string{{"exec", "-e", "1"}, {"exec", "-e", "1", "--json"}} {
			r := s.run("", args...)
			if r.code != 20 || r.err != "" {
				t.Errorf("%s: exit %d %q", name, r.code, r.err)
			}
			out := asJSON[object](t, r)
			if out["status"] != "waiting_for_interaction" || out["id"] != runID || len(out["interactions"].([]any)) != 1 {
				t.Errorf("%s: %v", name, out)
			}
			words := shellWords(out["resume"].(string))
			if len(words) < 2 || strings.Join(words[1:], "|") != strings.Join(c.want, "|") {
				t.Fatalf("%s: the command is %q", name, words)
			}
			s.run("", words[1:]...).ended(t, 0, `"ok"`, "")
			q := s.last("POST", "/v1/executions/"+runID+"/resume")
			delete(q.Body, "waitSeconds")
			if !equalJSON(q.Body, c.body) {
				t.Errorf("%s: pasted it asked %v", name, q.Body)
			}
			decline := shellWords(out["commands"].(object)["decline"].(string))
			s.run("", decline[1:]...).ended(t, 0, `"ok"`, "")
			if q := s.last("POST", "/v1/executions/"+runID+"/resume"); q.Body["action"] != "decline" {
				t.Errorf("%s: declined with %v", name, q.Body)
			}
		}
	}
}

func TestPause_OnATerminalAPersonIsAsked(t *testing.T) {
	resume := "POST /v1/executions/" + runID + "/resume"
	doubt := approval("int_5")
	doubt["reason"], doubt["allowed"] = "unknown", []string{"accept", "retry", "decline"}
	for _, c := range []struct {
		name, typed string
		first       object
		resumed     any
		code        int
		out, errs   string
		body        object // of the last answer; nil: none was sent
		answers     int
	}{
		{"yes", "y\n", waiting(approval("int_1")), done("ok"), 0, `"ok"`, "Delete the pet Rex?", object{"action": "accept", "interactionId": "int_1"}, 1},
		{"no", "n\n", waiting(approval("int_1")), done("left"), 0, `"left"`, "", object{"action": "decline", "interactionId": "int_1"}, 1},
		{"just enter is no", "\n", waiting(approval("int_1")), done("left"), 0, "", "[y/N]", object{"action": "decline", "interactionId": "int_1"}, 1},
		{"the end of input is no answer", "", waiting(approval("int_1")), done("x"), 20, "", "It waits. Go on: pags resume " + runID, nil, 0},
		{"one after the other", "y\ny\n", waiting(approval("int_1"), approval("int_2")), sequence(waiting(approval("int_2")), done("ok")), 0, `"ok"`, "", object{"action": "accept", "interactionId": "int_2"}, 2},
		{"a form field by field", "4\nRex\n\nyes\n", waiting(form("int_3", petForm)), done("ok"), 0, `"ok"`, "What it is called",
			object{"action": "accept", "interactionId": "int_3", "content": object{"legs": 4, "name": "Rex", "kind": "cat", "tame": true}}, 1},
		{"what does not fit is asked again", "four\n4.5\n\n4\nRex\nfish\ndog\n\n", waiting(form("int_3", petForm)), done("ok"), 0, `"ok"`, "it is one of: cat | dog",
			object{"action": "accept", "interactionId": "int_3", "content": object{"legs": 4, "name": "Rex", "kind": "dog"}}, 1},
		{"a form without fields is yes or no", "y\n", waiting(form("int_4", object{})), done("ok"), 0, `"ok"`, "", object{"action": "accept", "interactionId": "int_4", "content": object{}}, 1},
		{"the host refuses what was typed", "4\nx\n\n\n4\nRex\n\n\n", waiting(form("int_3", petForm)), sequence(problem{422, "name is too short"}, done("ok")), 0, `"ok"`, "name is too short",
			object{"action": "accept", "interactionId": "int_3", "content": object{"legs": 4, "name": "Rex", "kind": "cat"}}, 2},
		{"answered elsewhere meanwhile", "y\n", waiting(approval("int_1")), problem{409, "it was answered already"}, 0, `"elsewhere"`, "it was answered already", object{"action": "accept", "interactionId": "int_1"}, 1},
		{"nobody knows whether it happened: it did not", "r\n", waiting(doubt), done("ok"), 0, `"ok"`, "Did it happen?", object{"action": "retry", "interactionId": "int_5"}, 1},
		{"nobody knows whether it happened: it did", "y\n", waiting(doubt), done("ok"), 0, `"ok"`, "", object{"action": "accept", "interactionId": "int_5"}, 1},
		{"retry is no answer to an approval", "r\n", waiting(approval("int_1")), done("left"), 0, "", "", object{"action": "decline", "interactionId": "int_1"}, 1},
		{"not allowed", "y\n", waiting(approval("int_1")), problem{403, "only a person"}, 1, "", "only a person", object{"action": "accept", "interactionId": "int_1"}, 1},
	} {
		s := newStand(t, map[string]any{"POST /v1/executions": c.first, resume: c.resumed, "GET /v1/executions/" + runID: done("elsewhere")})
		r := s.typed(c.typed, "exec", "-e", "1")
		r.ended(t, c.code, c.out, c.errs)
		if n := s.count("POST", "/v1/executions/"+runID+"/resume"); n != c.answers {
			t.Errorf("%s: %d answers were sent: %s", c.name, n, r.err)
			continue
		}
		if c.body != nil {
			q := s.last("POST", "/v1/executions/"+runID+"/resume")
			delete(q.Body, "waitSeconds")
			if !equalJSON(q.Body, c.body) {
				t.Errorf("%s: answered %v, not %v", c.name, q.Body, c.body)
			}
		}
	}
}

func TestPause_JSONIsWantedOnATerminalToo(t *testing.T) {
	s := newStand(t, map[string]any{"POST /v1/executions": waiting(approval("int_1"))})
	r := s.typed("y\n", "exec", "-e", "1", "--json")
	if out := asJSON[object](t, r); r.code != 20 || out["resume"] == "" || r.err != "" {
		t.Errorf("exit %d %v %q", r.code, out, r.err)
	}
}

func TestResume_SaysWhatIsWrongBeforeItAsks(t *testing.T) {
	s := newStand(t, map[string]any{"POST /v1/executions/" + runID + "/resume": done(object{"ok": true})})
	for args, says := range map[string]string{
		"--action maybe":                 "accept, decline, retry or cancel",
		"--content [1]":                  "must be a JSON object",
		"--content {":                    "it ends too early",
		"--action decline --content {}":  "goes with --action accept",
		"--content @/no/such/file.json ": "no such file",
	} {
		r := s.run("", append([]string{"resume", runID}, strings.Fields(args)...)...)
		if r.code == 0 || !strings.Contains(r.err, says) {
			t.Errorf("%s: exit %d %q", args, r.code, r.err)
		}
	}
	if n := len(s.asked); n != 0 {
		t.Errorf("%d requests", n)
	}
	s.run(`{"a":1}`, "resume", runID, "--content", "-", "--note", "be quick").ended(t, 0, `"ok": true`, "")
	if q := s.last("POST", "/v1/executions/"+runID+"/resume"); q.Body["note"] != "be quick" || !equalJSON(q.Body["content"], object{"a": 1}) {
		t.Errorf("%+v", q)
	}
}

func TestResume_OnATerminalAPersonSeesTheQuestionBeforeAnythingIsAnswered(t *testing.T) {
	resume := "POST /v1/executions/" + runID + "/resume"
	s := newStand(t, map[string]any{"GET /v1/executions/" + runID: waiting(approval("int_1")), resume: done("ok")})
	s.typed("", "resume", runID).ended(t, 20, "", "Delete the pet Rex?")
	if n := s.count("POST", "/v1/executions/"+runID+"/resume"); n != 0 {
		t.Errorf("%d answers without one", n)
	}
	s.typed("y\n", "resume", runID).ended(t, 0, `"ok"`, "Delete the pet Rex?")
	if q := s.last("POST", "/v1/executions/"+runID+"/resume"); !equalJSON(q.Body["interactionId"], "int_1") || q.Body["action"] != "accept" {
		t.Errorf("%+v", q.Body)
	}
	s.typed("", "resume", runID, "--interaction", "int_1", "--action", "accept").ended(t, 0, `"ok"`, "")
	s.run("", "resume", runID).ended(t, 0, `"ok"`, "")
}

func TestQuestion_ArgumentsAreShownCharacterByCharacter(t *testing.T) {
	q := approval("int_1")
	long := strings.Repeat("x", 200)
	q["request"] = object{"path": "a.b.c", "args": object{"text": "two  spaces"}, "digest": "d1", "argsDigest": "d2", "argsSize": 20, "policy": object{"action": "require_approval", "reason": "it may change something"},
		"shown": "{\n  \"text\": \"two  spaces\",\n  \"long\": \"" + long + "\"\n}"}
	s := newStand(t, map[string]any{"GET /v1/interactions": object{"items": []any{q}}})
	r := s.run("", "inbox")
	if !strings.Contains(r.out, "\n      \"text\": \"two  spaces\",\n") || strings.Count(strings.ReplaceAll(r.out, "\n    ", ""), long) != 1 {
		t.Errorf("shown:\n%s", r.out)
	}
	for _, not := range []string{"d1", "d2", "argsSize"} {
		if strings.Contains(r.out, not) {
			t.Errorf("it shows %s:\n%s", not, r.out)
		}
	}
	r.ended(t, 0, "policy it may change something arguments", "")
}

func TestQuestion_AFormSaysNothingThatIsForPrograms(t *testing.T) {
	q := form("int_1", petForm)
	q["title"], q["request"] = "A program asks: Which pet?", object{"path": "person.ask", "digest": "d1", "message": "Which pet?", "schema": petForm}
	s := newStand(t, map[string]any{"GET /v1/interactions": object{"items": []any{q}}})
	r := s.run("", "inbox")
	r.ended(t, 0, "form legs: integer", "")
	for _, not := range []string{"d1", "person.ask", "message"} {
		if strings.Contains(r.out, not) {
			t.Errorf("it shows %s:\n%s", not, r.out)
		}
	}
	r.ended(t, 0, runID, "")
}

func TestFailure_ACodeThatTheNameSaysIsNotSaidTwice(t *testing.T) {
	s := newStand(t, map[string]any{"POST /v1/executions": object{"id": runID, "status": "failed", "error": object{"kind": "error", "name": "DeclinedError", "code": "declined", "message": "declined: a person said no to a.b"}}})
	s.run("", "exec", "-e", "x").ended(t, 1, "", "pags: DeclinedError: a person said no to a.b")
}
