package stories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// api makes one request with the CLI's session; an unreachable host is an error, any answer is not.
func (s *scene) api(method, path string, header http.Header, in, out any) (status int, err error) {
	s.t.Helper()
	raw, err := json.Marshal(in)
	s.must(err)
	req, err := http.NewRequestWithContext(s.ctx, method, s.URL()+path, bytes.NewReader(raw))
	s.must(err)
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("Authorization", "Bearer "+s.token())
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err
	}
	if out != nil && res.StatusCode < 300 {
		return res.StatusCode, json.Unmarshal(body, out)
	}
	if res.StatusCode >= 300 {
		return res.StatusCode, fmt.Errorf("%s %s: %s: %s", method, path, res.Status, body)
	}
	return res.StatusCode, nil
}

// get reads something that has to be there.
func (s *scene) get(path string, out any) {
	s.t.Helper()
	if _, err := s.api(http.MethodGet, path, nil, nil, out); err != nil {
		s.t.Fatal(err)
	}
}

// person starts a run and answers what it asks, through a host that may be gone at any moment.
type person struct {
	*scene
	instance string
	password string
	received func() int // what the site shows to someone who looks

	run      pags.Run
	asked    []pags.WaitReason // in the order of the answers
	approved bool              // the answer to an approval was on its way
}

// begin asks for the task until somebody takes the request; the key makes it one run however often that is.
func (p *person) begin(objective string) {
	p.t.Helper()
	body := map[string]any{"url": p.page.URL + "/", "objective": objective}
	key := http.Header{"Idempotency-Key": {"story"}}
	if _, err := p.api(http.MethodPost, "/v1/instances/"+p.instance+"/browse", key, body, &p.run); err != nil {
		p.t.Logf("begin: %v", err)
	}
}

// pace is how long the person waits between looks, below the limit of 240 requests a minute.
const pace = 200 * time.Millisecond

// look reads the run and answers what it waits for; it reports whether the run is over.
func (p *person) look() bool {
	p.t.Helper()
	time.Sleep(pace)
	if !p.ask() {
		return false
	}
	if p.run.Status == pags.RunWaiting {
		for _, x := range p.inbox() {
			p.answer(x)
		}
	}
	return p.run.Status.Over()
}

// ask asks how the run is, and begins it if it was not begun; it reports whether somebody answered.
func (p *person) ask() bool {
	p.t.Helper()
	if p.run.ID == "" {
		p.begin("Send a request as Ada Example.")
		return false
	}
	var now pags.Run
	if _, err := p.api(http.MethodGet, "/v1/runs/"+string(p.run.ID), nil, nil, &now); err != nil {
		return false
	}
	p.run = now
	return true
}

// inbox is what waits for the person; empty while the host is away.
func (p *person) inbox() []pags.Interaction {
	var page struct{ Items []pags.Interaction }
	if _, err := p.api(http.MethodGet, "/v1/interactions?status=open", nil, nil, &page); err != nil {
		return nil
	}
	return page.Items
}

func (p *person) answer(x pags.Interaction) {
	p.t.Helper()
	said := map[string]any{"kind": pags.AnswerAccept}
	switch {
	case x.Reason == pags.WaitApproval:
		p.approved = true
	case x.Reason == pags.WaitUnknown:
		said["note"] = fmt.Sprintf("The site shows that it received %d.", p.received())
	case slices.Contains(x.Allowed, pags.AnswerSecret):
		said = map[string]any{"kind": pags.AnswerSecret, "secret": p.password}
	default:
		p.t.Fatalf("nobody told the person what to answer to %s: %s (%s)", x.Reason, x.Title, x.Detail)
	}
	p.asked = append(p.asked, x.Reason)
	// a host that dies on it may have kept the answer or not: it is asked again if not
	if status, err := p.api(http.MethodPost, "/v1/interactions/"+string(x.ID)+"/answer", nil, said, nil); err != nil {
		p.t.Logf("answer %s: %d %v", x.Reason, status, err)
	}
}

// timeline is all events of the run, checked for gaps and repeats.
func (p *person) timeline() []pags.Event {
	p.t.Helper()
	var all []pags.Event
	for {
		var page struct {
			Items     []pags.Event
			LastEvent int64
		}
		p.get(fmt.Sprintf("/v1/runs/%s/events?after=%d", p.run.ID, len(all)), &page)
		all = append(all, page.Items...)
		if len(page.Items) == 0 || int64(len(all)) >= page.LastEvent {
			break
		}
	}
	for i, e := range all {
		if e.Seq != int64(i+1) {
			p.t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
	}
	return all
}

// show puts the timeline into the test's log.
func (p *person) show() {
	for _, e := range p.timeline() {
		p.t.Logf("%6.1fs %-10s %2d %s", e.At.Sub(p.run.CreatedAt).Seconds(), e.Kind, e.Step, e.Text)
	}
}

// decidedOnce checks that no step was decided twice and none was left out.
func (p *person) decidedOnce(t *testing.T) {
	t.Helper()
	next := 1
	for _, e := range p.timeline() {
		switch e.Kind {
		case "decided", "asked", "note":
		case "ended":
			if e.Step == 0 { // ended from outside: not a decision
				continue
			}
		default:
			continue
		}
		if e.Step != next {
			t.Errorf("step %d follows step %d: %s", e.Step, next-1, e.Text)
		}
		next = e.Step + 1
	}
	if next-1 != p.run.Step {
		t.Errorf("%d decisions in the timeline, %d on the run", next-1, p.run.Step)
	}
}

// follow looks until the run is over.
func (p *person) follow(limit time.Duration) {
	p.t.Helper()
	p.await(limit, "the run to end", p.look)
}
