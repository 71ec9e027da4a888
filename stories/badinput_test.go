package stories

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// bad is one row: what comes in, what is answered, how the run ends. Where no run comes about, none may be left behind and
// the instance must be free. What the model does is chosen by the objective. More rows, of failures that last, are in
// pkg/wire on a clock of their own.
type bad struct {
	input string
	// the request: POST /v1/instances/{id}/browse; body replaces url
	url, body, token, instance string
	model                      []modeltest.Answer // in turn, the last one for ever; none: says that it is done
	slow                       bool               // begun first, waited for last

	status int    // the answer
	says   string // in its text

	outcome pags.Outcome // how the run ended; "" where there is none
	detail  string       // in the run's detail, for people: what was wrong and what to do
	event   string       // in its timeline
}

func done(summary string) modeltest.Answer {
	return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": summary})
}

func navigate(url string) modeltest.Answer {
	return modeltest.Call("navigate", map[string]any{"url": url})
}

var hold = make(chan struct{}) // never closed: a model that does not begin to answer

// rows need the addresses of site and host.
func badRows(page, host, ended, closed string) []bad {
	two := modeltest.Answer{Calls: append(navigate(page).Calls, done("").Calls...)}
	return []bad{
		{input: "page that never loads", url: page + "/never", slow: true, status: 202,
			outcome: pags.OutcomeFailed, detail: "The address could not be opened: The page did not answer within 30s."},
		{input: "model that stalls, then answers", url: page, slow: true, status: 202, model: []modeltest.Answer{{Hold: hold}, done("It took a while.")},
			outcome: pags.OutcomeDone, detail: "It took a while.", event: "The model did not answer in time; trying again."},

		{input: "malformed body", body: `{"url":`, status: 400, says: "JSON"},
		{input: "body of another type", body: `[]`, status: 422, says: "expected object"},
		{input: "unknown field", body: `{"url":"https://example.com","objective":"x","pace":"fast"}`, status: 422, says: "body.pace: unexpected property"},
		{input: "wrong type of a field", body: `{"url":"https://example.com","objective":7}`, status: 422, says: "body.objective: expected string"},
		{input: "too many steps", body: `{"url":"https://example.com","objective":"x","maxSteps":61}`, status: 422, says: "maxSteps"},
		{input: "too large a body", body: `{"objective":"` + strings.Repeat("x", 5<<20) + `"}`, status: 413, says: "larger than the 4194304 bytes"},
		{input: "too long an objective", body: `{"url":"https://example.com","objective":"` + strings.Repeat("x", 8001) + `"}`, status: 422, says: "8000"},
		{input: "no objective", body: `{"url":"https://example.com"}`, status: 422, says: "objective says in 1 to 8000 characters"},
		{input: "no address", body: `{"objective":"x"}`, status: 422, says: "url is a whole address"},
		{input: "address of another scheme", url: "file:///etc/passwd", status: 422, says: "url is a whole address"},
		{input: "script as an address", url: "javascript:alert(1)", status: 422, says: "url is a whole address"},
		{input: "the console's own address", url: host + "/runs", status: 422, says: "a task does not open pags itself"},
		{input: "no token", token: "-", status: 401, says: "sign in first"},
		{input: "wrong token", token: "eyJhbGciOiJFZERTQSJ9.e30.AAAA", status: 401, says: "sign in again"},
		{input: "token of a session that was ended", token: ended, status: 401, says: "sign in again"},
		{input: "another user's id", instance: "ins_01000000000000000000000000", status: 404, says: "there is no such instance"},

		{input: "unreachable address", url: "http://" + closed, status: 202, outcome: pags.OutcomeFailed, detail: "does not answer"},
		{input: "address that is nobody's", url: "http://nobody.invalid/", status: 202, outcome: pags.OutcomeFailed, detail: "could not be opened: "},
		{input: "private address that nobody allowed", url: "http://127.0.0.1:10/", status: 202, outcome: pags.OutcomeBlocked, detail: "127.0.0.1 is a private address; the owner can allow it in the instance's settings"},
		{input: "page that navigates to the console", url: page + "/to?u=" + host + "/", status: 202, outcome: pags.OutcomeBlocked, detail: "this is the platform's own address, which agents may not open"},
		{input: "model that navigates to the console", url: page, status: 202, model: []modeltest.Answer{navigate(host + "/"), done("I could not.")},
			outcome: pags.OutcomeDone, event: "this is the platform's own address"},
		{input: "model that answers nonsense once", url: page, status: 202, model: []modeltest.Answer{modeltest.Say("Let me think."), done("Then it went.")},
			outcome: pags.OutcomeDone, detail: "Then it went.", event: "unusable reply"},
		{input: "model that answers nonsense for ever", url: page, status: 202, model: []modeltest.Answer{modeltest.Say("Let me think.")},
			outcome: pags.OutcomeStuck, detail: "No way forward: Why: the model gave 3 unusable replies in a row"},
		{input: "model that names a tool which is not there", url: page, status: 202, model: []modeltest.Answer{modeltest.Call("teleport", map[string]any{}), done("Walked.")},
			outcome: pags.OutcomeDone, event: "call of teleport"},
		{input: "model whose arguments are no JSON", url: page, status: 202, model: []modeltest.Answer{modeltest.Call("click", json.RawMessage(`{"ref":`)), done("Better.")},
			outcome: pags.OutcomeDone, detail: "Better."},
		{input: "model that calls two tools", url: page, status: 202, model: []modeltest.Answer{two, done("One at a time.")},
			outcome: pags.OutcomeDone, detail: "One at a time.", event: "2 tool calls"},
		{input: "model that answers 500", url: page, status: 202, model: []modeltest.Answer{modeltest.Fail(500, 0, "oops"), done("Back again.")},
			outcome: pags.OutcomeDone, detail: "Back again.", event: "The model provider has a problem; trying again."},
		{input: "model that answers 429", url: page, status: 202, model: []modeltest.Answer{modeltest.Fail(429, time.Second, "slow down"), done("Slowly.")},
			outcome: pags.OutcomeDone, detail: "Slowly.", event: "The model provider limits our requests; trying again."},
		{input: "model that answers garbage", url: page, status: 202, model: []modeltest.Answer{{Garbage: "<html>"}, done("Readable.")},
			outcome: pags.OutcomeDone, detail: "Readable."},
		{input: "model that hangs up in the middle", url: page, status: 202, model: []modeltest.Answer{{Text: strings.Repeat("x", 999), Cut: true}, done("Whole.")},
			outcome: pags.OutcomeDone, detail: "Whole."},
		{input: "model that refuses the key", url: page, status: 202, model: []modeltest.Answer{modeltest.Fail(401, 0, "bad key")},
			outcome: pags.OutcomeBlocked, detail: "The model provider refuses the key. Set a good one with `pags keys set`"},
		{input: "model that refuses the request", url: page, status: 202, model: []modeltest.Answer{modeltest.Fail(400, 0, "no such model")},
			outcome: pags.OutcomeFailed, detail: "check the key's model and base URL with `pags keys list`"},
	}
}

// models answers by row and by how often that row asked.
type models struct {
	mu    sync.Mutex
	rows  map[string][]modeltest.Answer
	asked map[string]int
}

func (m *models) answer(t modeltest.Turn) modeltest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, answers := range m.rows {
		if strings.Contains(t.Text(), "Row: "+name+".") {
			n := m.asked[name]
			m.asked[name]++
			if len(answers) > 0 {
				return answers[min(n, len(answers)-1)]
			}
		}
	}
	return done("Nothing to do.")
}

func TestBadInput_IsAnsweredAndLeavesNothingHalfDone(t *testing.T) {
	m := &models{rows: map[string][]modeltest.Answer{}, asked: map[string]int{}}
	s := newScene(t, site.New(), m.answer)
	s.serve(nil)
	instance := s.ready("key-of-a-test")
	s.up(nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	closed := l.Addr().String()
	s.must(l.Close()) // now nothing answers there
	rows := badRows(s.page.URL, s.URL(), s.endedToken(), closed)
	for _, r := range rows {
		m.rows[r.input] = r.model
	}
	allowed := fmt.Sprintf(`[%q,%q]`, s.host(), closed)
	s.run("", "instances", "set", instance, "allowHosts", allowed)
	later := map[string]pags.RunID{}
	for i, r := range rows {
		if r.slow {
			own := s.run("", "instances", "subscribe", "browser", "--name", fmt.Sprint("slow ", i))
			s.run("", "instances", "set", own, "allowHosts", allowed)
			later[r.input] = s.send(t, r, own)
		}
	}
	runs := len(later)
	for _, r := range rows {
		t.Run(r.input, func(t *testing.T) {
			if r.slow {
				return
			}
			if id := s.send(t, r, instance); id != "" {
				runs++
				s.ends(t, r, id)
			}
			if all := s.runs(); len(all) != min(runs, 20) {
				t.Errorf("%d runs are listed, not %d", len(all), runs)
			}
		})
	}
	for _, r := range rows {
		if r.slow {
			t.Run(r.input, func(t *testing.T) { s.ends(t, r, later[r.input]) })
		}
	}
	// free again, and everything still works
	fine := bad{input: "a task after all that", url: s.page.URL, status: 202, outcome: pags.OutcomeDone, detail: "Nothing to do."}
	s.ends(t, fine, s.send(t, fine, instance))
}

// endedToken is the access token of a session that was signed out.
func (s *scene) endedToken() string {
	s.t.Helper()
	token := s.console()
	if status, body := s.ask("POST", "/v1/auth/signout", "", "Authorization", "Bearer "+token); status != 204 {
		s.t.Fatalf("sign out: %d %s", status, body)
	}
	return token
}

// send makes the row's request, checks the answer and returns the run, if there is one.
func (s *scene) send(t *testing.T, r bad, instance string) pags.RunID {
	t.Helper()
	body := r.body
	if body == "" {
		raw, _ := json.Marshal(map[string]string{"url": r.url, "objective": "Row: " + r.input + "."})
		body = string(raw)
	}
	if r.instance != "" {
		instance = r.instance
	}
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.URL()+"/v1/instances/"+instance+"/browse", strings.NewReader(body))
	s.must(err)
	req.Header.Set("Content-Type", "application/json")
	switch r.token {
	case "":
		req.Header.Set("Authorization", "Bearer "+s.token())
	case "-":
	default:
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	raw, _ := io.ReadAll(res.Body)
	if again, err := strconv.Atoi(res.Header.Get("Retry-After")); res.StatusCode == http.StatusTooManyRequests && err == nil {
		time.Sleep(time.Duration(again) * time.Second) // the table asks more often than a person may; nothing was done yet
		return s.send(t, r, instance)
	}
	if res.StatusCode != r.status || !strings.Contains(string(raw), r.says) {
		t.Errorf("answered %d, not %d with %q: %.600s", res.StatusCode, r.status, r.says, raw)
	}
	var run pags.Run
	if res.StatusCode == http.StatusAccepted {
		s.must(json.Unmarshal(raw, &run))
	} else if p := (struct{ Detail, Code, TraceID string }{}); json.Unmarshal(raw, &p) != nil || p.Detail == "" || p.Code == "" || p.TraceID == "" {
		t.Errorf("the refusal has no detail, code or trace: %s", raw)
	}
	return run.ID
}

// ends waits for the run's end, declining what it asks, and checks it.
func (s *scene) ends(t *testing.T, r bad, id pags.RunID) {
	t.Helper()
	if id == "" {
		t.Fatal("there is no run")
	}
	var seen struct {
		Run    pags.Run
		Events []pags.Event
	}
	s.await(90*time.Second, r.input+" to end", func() bool {
		if res := s.call("", "runs", "watch", string(id)); res.Code == 20 {
			var inbox []pags.Interaction
			s.read(&inbox, "inbox")
			for _, x := range inbox {
				if x.RunID == id {
					s.run("", "answer", string(x.ID), "--decline")
				}
			}
			return false
		}
		return true
	})
	s.read(&seen, "runs", "show", string(id))
	var timeline strings.Builder
	for _, e := range seen.Events {
		fmt.Fprintf(&timeline, "%s: %s %v\n", e.Kind, e.Text, e.Data["feedback"])
	}
	if seen.Run.Outcome != r.outcome || !strings.Contains(seen.Run.Detail, r.detail) || !strings.Contains(timeline.String(), r.event) {
		t.Errorf("it ended %s, not %s with %q and %q in its timeline: %s\n%s", seen.Run.Outcome, r.outcome, r.detail, r.event, seen.Run.Detail, &timeline)
	}
}
