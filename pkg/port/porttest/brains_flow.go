package porttest

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

func (s *brainSuite) sameName(t *testing.T) {
	name := s.name()
	first, err := s.Brains.Start(t.Context(), "Hand", name, []byte(`{"key":"`+name+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Brains.Start(t.Context(), "Hand", name, []byte(`{"key":"`+name+`"}`))
	if err != nil || again != first {
		t.Errorf("second start: %q, %v; want %q", again, err, first)
	}
	if err := s.Brains.SendSuccess(t.Context(), s.token(t, name), []byte(`1`)); err != nil {
		t.Fatal(err)
	}
	if x := s.end(t, first); x.Name != name || x.Status != "SUCCEEDED" {
		t.Errorf("ended as %+v", x)
	}
	if n := s.functions.calls(name); n != 1 {
		t.Errorf("the task was called %d times, want once", n)
	}
}

func (s *brainSuite) conflict(t *testing.T) {
	name := s.name()
	input := `{"key":"` + name + `"}`
	id, err := s.Brains.Start(t.Context(), "Hand", name, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Brains.Start(t.Context(), "Hand", name, []byte(`{"key":"other"}`))
	brainsWant(t, err, pags.Conflict, "start with another input")
	if err := s.Brains.SendSuccess(t.Context(), s.token(t, name), []byte(`1`)); err != nil {
		t.Fatal(err)
	}
	s.end(t, id)
	_, err = s.Brains.Start(t.Context(), "Hand", name, []byte(input))
	brainsWant(t, err, pags.Conflict, "start after the end")
}

func (s *brainSuite) refused(t *testing.T) {
	for _, name := range []string{"", "with space", strings.Repeat("n", 81), "slash/name"} {
		_, err := s.Brains.Start(t.Context(), "Data", name, []byte(`{}`))
		brainsWant(t, err, pags.Invalid, "start "+name)
	}
	_, err := s.Brains.Start(t.Context(), "Data", s.name(), []byte(`{"open":`))
	brainsWant(t, err, pags.Invalid, "start with input that is not JSON")
	_, err = s.Brains.Start(t.Context(), "Nothing", s.name(), []byte(`{}`))
	brainsWant(t, err, pags.Invalid, "start an unknown machine")
	known := s.start(t, "Data", `{"a":1,"b":{"c":2},"list":[1,2,3]}`)
	unknown := known + "x"
	_, err = s.Brains.Describe(t.Context(), unknown)
	brainsWant(t, err, pags.NotFound, "describe an unknown execution")
	brainsWant(t, s.Brains.Stop(t.Context(), unknown, "", ""), pags.NotFound, "stop an unknown execution")
	s.end(t, known)
}

func (s *brainSuite) tokenSuccess(t *testing.T) {
	key := s.name()
	id := s.start(t, "Hand", `{"key":"`+key+`"}`)
	token := s.token(t, key)
	brainsWant(t, s.Brains.SendSuccess(t.Context(), token, []byte(`{"open":`)), pags.Invalid, "output that is not JSON")
	if err := s.Brains.SendSuccess(t.Context(), token, []byte(`{"done":true}`)); err != nil {
		t.Fatal(err)
	}
	brainsWant(t, s.Brains.SendSuccess(t.Context(), token, []byte(`{"done":false}`)), pags.Gone, "second success")
	brainsWant(t, s.Brains.SendFailure(t.Context(), token, "E", "c"), pags.Gone, "failure after success")
	x := s.end(t, id)
	if x.Status != "SUCCEEDED" || !brainsSameJSON(t, string(x.Output), `{"key":"`+key+`","answer":{"done":true}}`) {
		t.Errorf("ended %s with %s", x.Status, x.Output)
	}
}

func (s *brainSuite) tokenFailure(t *testing.T) {
	key := s.name()
	id := s.start(t, "Hand", `{"key":"`+key+`"}`)
	if err := s.Brains.SendFailure(t.Context(), s.token(t, key), "Refused", "the person said no"); err != nil {
		t.Fatal(err)
	}
	x := s.end(t, id)
	if x.Status != "SUCCEEDED" || !brainsSameJSON(t, string(x.Output), `{"error":"Refused"}`) {
		t.Errorf("ended %s with %s, want the caught error", x.Status, x.Output)
	}
}

func (s *brainSuite) heartbeatMissed(t *testing.T) {
	key := s.name()
	id := s.start(t, "Beating", `{"key":"`+key+`"}`)
	token := s.token(t, key)
	x := s.end(t, id)
	if x.Status != "SUCCEEDED" || !brainsSameJSON(t, string(x.Output), `{"error":"States.Timeout"}`) {
		t.Errorf("ended %s with %s", x.Status, x.Output)
	}
	brainsWant(t, s.Brains.SendHeartbeat(t.Context(), token), pags.Gone, "beat after the timeout")
	brainsWant(t, s.Brains.SendSuccess(t.Context(), token, []byte(`1`)), pags.Gone, "success after the timeout")
}

func (s *brainSuite) heartbeatKept(t *testing.T) {
	key := s.name()
	id := s.start(t, "Beating", `{"key":"`+key+`"}`)
	token := s.token(t, key)
	for range 6 { // 2.4 s under a heartbeat of 2 s
		s.Pass(400 * time.Millisecond)
		if err := s.Brains.SendHeartbeat(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Brains.SendSuccess(t.Context(), token, []byte(`"alive"`)); err != nil {
		t.Fatal(err)
	}
	if x := s.end(t, id); !brainsSameJSON(t, string(x.Output), `"alive"`) {
		t.Errorf("ended %s with %s", x.Status, x.Output)
	}
}

func (s *brainSuite) tokenTimeout(t *testing.T) {
	key := s.name()
	id := s.start(t, "Limited", `{"key":"`+key+`","limit":1}`)
	token := s.token(t, key)
	x := s.end(t, id)
	if x.Status != "FAILED" || x.Error != "States.Timeout" {
		t.Errorf("ended %s %q", x.Status, x.Error)
	}
	brainsWant(t, s.Brains.SendSuccess(t.Context(), token, []byte(`1`)), pags.Gone, "success after the timeout")
}

func (s *brainSuite) stop(t *testing.T) {
	key := s.name()
	id := s.start(t, "Hand", `{"key":"`+key+`"}`)
	token := s.token(t, key)
	for range 2 {
		if err := s.Brains.Stop(t.Context(), id, "Cancelled", "the person asked"); err != nil {
			t.Fatal(err)
		}
	}
	x := s.end(t, id)
	if x.Status != "ABORTED" {
		t.Errorf("ended %s %q %q", x.Status, x.Error, x.Cause)
	}
	brainsWant(t, s.Brains.SendSuccess(t.Context(), token, []byte(`1`)), pags.Gone, "success after the stop")
}

func (s *brainSuite) machineTimeout(t *testing.T) {
	x := s.end(t, s.start(t, "Slow", `{}`))
	if x.Status != "TIMED_OUT" {
		t.Errorf("ended %s", x.Status)
	}
}

func (s *brainSuite) nonsenseToken(t *testing.T) {
	for _, token := range []string{"nonsense", pags.NewToken()} {
		brainsWant(t, s.Brains.SendSuccess(t.Context(), token, []byte(`1`)), pags.Gone, "success")
		brainsWant(t, s.Brains.SendFailure(t.Context(), token, "E", "c"), pags.Gone, "failure")
		brainsWant(t, s.Brains.SendHeartbeat(t.Context(), token), pags.Gone, "heartbeat")
	}
}
