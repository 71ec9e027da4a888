package stories

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/machineid"
)

func TestBadInput_RunnerAbsentIsSaidAndTheRunWaits(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "One")
	run := s.busy("One")
	waits := func() pags.Run {
		var r struct{ Run pags.Run }
		s.await(10*time.Second, "the run to wait", func() bool {
			s.read(&r, "runs", "show", string(run.ID))
			return r.Run.Status == pags.RunWaiting
		})
		return r.Run
	}
	if r := waits(); r.WaitingFor != pags.WaitRunner || !strings.Contains(r.Detail, "pags up") {
		t.Errorf("%+v", r)
	}
	if code, body := s.ask("GET", "/v1/relay/"+string(run.InstanceID)+"/status", "", "Authorization", "Bearer "+s.token()); code != 200 || !strings.Contains(body, "pags up") {
		t.Errorf("the status says: %d %s", code, body)
	}
	s.over(run)
	s.over(s.busy("One")) // it is free again
}

// hello connects as a runner of this scene with a changed hello, and returns what it is told.
func (s *scene) hello(version int, change func(*relay.Hello)) relay.Message {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "runner")
	s.must(os.MkdirAll(dir, 0o700))
	id, err := machineid.Load(dir)
	s.must(err)
	var m pags.Machine
	s.post("/v1/machines", map[string]any{"publicKey": id.PublicKey(), "node": id.Node, "version": "v0.0.1", "capabilities": []string{"browser"}}, &m)
	var ticket struct{ URL, Nonce string }
	s.post("/v1/relay/ticket", map[string]any{"role": "runner", "machineId": m.ID, "node": id.Node}, &ticket)
	c, res, err := websocket.Dial(s.ctx, ticket.URL, nil)
	s.must(err)
	if res.Body != nil {
		_ = res.Body.Close()
	}
	s.t.Cleanup(func() { _ = c.CloseNow() })
	h := relay.Hello{MachineID: m.ID, Node: id.Node, RunnerVersion: "v0.0.1", Capabilities: []string{"browser"}, Signature: id.Sign(ticket.Nonce, m.ID)}
	change(&h)
	body, err := json.Marshal(h)
	s.must(err)
	raw, err := json.Marshal(relay.Message{V: version, ID: "1", Kind: relay.KindHello, Body: body})
	s.must(err)
	s.must(c.Write(s.ctx, websocket.MessageText, raw))
	_, raw, err = c.Read(s.ctx)
	s.must(err)
	var told relay.Message
	s.must(json.Unmarshal(raw, &told))
	return told
}

// post makes a signed-in request that has to succeed.
func (s *scene) post(path string, in, out any) {
	s.t.Helper()
	body, err := json.Marshal(in)
	s.must(err)
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.URL()+path, strings.NewReader(string(body)))
	s.must(err)
	req.Header.Set("Authorization", "Bearer "+s.token())
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	s.must(err)
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 300 {
		s.t.Fatalf("POST %s: %s", path, res.Status)
	}
	s.must(json.NewDecoder(res.Body).Decode(out))
}

func TestBadInput_RunnersOfOtherVersions(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "One")
	run := s.busy("One")
	for _, c := range []struct {
		what    string
		version int
		change  func(*relay.Hello)
		code    int
		says    string
	}{
		{"another wire", relay.Version + 1, func(*relay.Hello) {}, relay.CodeVersion, "update pags"},
		{"no version", 0, func(*relay.Hello) {}, relay.CodeVersion, "update pags"},
		{"another machine's signature", relay.Version, func(h *relay.Hello) { h.Signature = strings.Repeat("A", 86) + "==" }, relay.CodeBadHello, "register it again"},
		{"an endless version", relay.Version, func(h *relay.Hello) { h.RunnerVersion = strings.Repeat("v", 81) }, relay.CodeBadHello, "above its limit"},
	} {
		told := s.hello(c.version, c.change)
		var r relay.Refused
		if told.Kind != relay.KindRefused || json.Unmarshal(told.Body, &r) != nil || r.Code != c.code || !strings.Contains(r.Reason, c.says) {
			t.Errorf("%s: %s %s", c.what, told.Kind, told.Body)
		}
	}
	if r := s.runs()[0]; r.ID != run.ID || r.WaitingFor != pags.WaitRunner {
		t.Errorf("the run noticed: %+v", r)
	}
	s.over(run)
	// an older release that speaks the same wire is served, and shown with its version
	if told := s.hello(relay.Version, func(*relay.Hello) {}); told.Kind != relay.KindWelcome {
		t.Errorf("an older release: %s %s", told.Kind, told.Body)
	}
	if out := s.run("", "machines", "list"); !strings.Contains(out, "v0.0.1") {
		t.Errorf("machines: %s", out)
	}
}
