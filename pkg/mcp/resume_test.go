package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// pausedBy starts a program that needs an approval and gives the answer that would go on.
func (s *stage) pausedBy(t *testing.T, token, code string) (answer, object) {
	t.Helper()
	a := s.call(t, token, "execute", object{"code": code})
	if a.structured["status"] != "waiting_for_interaction" {
		t.Fatalf("%+v", a)
	}
	return a, a.structured["resumePayload"].(object)
}

func TestPause_SaysWhatIsAskedAndHowToGoOn(t *testing.T) {
	s := newStage(t)
	a, payload := s.pausedBy(t, "trusted", "approve it")
	a.says(t, false, "Delete the pet Rex?", "Tool: petstore.main.pets.delete", `Arguments: {"id":7}`, `Approve: resume with {"executionId":"run_1","action":"accept","interactionId":"int_1"}`)
	q := a.structured["interactions"].([]any)[0].(object)
	if q["kind"] != "approval" || q["path"] != "petstore.main.pets.delete" || q["message"] != "Delete the pet Rex?" || a.structured["url"] != publicURL+"/runs/run_1" || payload["interactionId"] != "int_1" {
		t.Errorf("%v", a.structured)
	}
	a, payload = s.pausedBy(t, "agent", "form it")
	a.says(t, false, "Which pet?", `Fields: {"properties":{"name":{"type":"string"}},"type":"object"}`)
	if payload["action"] != "accept" || a.structured["interactions"].([]any)[0].(object)["schema"] == nil {
		t.Errorf("%v", a.structured)
	}
}

func TestResume_MC08_FromANewSessionAndAnotherProcess(t *testing.T) {
	for _, era := range eras {
		s := newStage(t)
		a, payload := s.pausedBy(t, "trusted", "approve it")
		restarted := onStage(t, s.world) // the process that paused it is gone
		got := restarted.callIn(t, restarted.session(t, "person", era), "resume", payload)
		got.says(t, false, `"done":"int_1"`)
		if len(s.done) != 1 {
			t.Errorf("%s: done %v after %s", era, s.done, a.text)
		}
	}
}

func TestResume_MC08_TwiceWithTheSameIDGivesTheSameOutcome(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "trusted", "approve it")
	first := s.call(t, "trusted", "resume", payload)
	for range 3 {
		again := s.call(t, "trusted", "resume", payload)
		again.says(t, false, "was answered before (accept); that answer stands", `"done":"int_1"`)
		if again.structured["status"] != "completed" || first.structured["status"] != "completed" {
			t.Errorf("%v then %v", first.structured, again.structured)
		}
	}
	other := object{"executionId": payload["executionId"], "interactionId": payload["interactionId"], "action": "decline"}
	s.call(t, "trusted", "resume", other).says(t, false, `"done":"int_1"`)
	if len(s.done) != 1 {
		t.Errorf("done %v", s.done)
	}
}

func TestResume_MC08_ARepeatNeverAnswersTheNextQuestion(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "trusted", "twice")
	s.call(t, "trusted", "resume", payload).says(t, false, "int_2")
	for range 2 { // the answer of the first was lost, and the client sends it again
		a := s.call(t, "trusted", "resume", payload)
		a.says(t, false, "int_1 was answered before")
		if next := a.structured["resumePayload"].(object); next["interactionId"] != "int_2" {
			t.Errorf("%v", a.structured)
		}
	}
	a := s.call(t, "trusted", "resume", object{"executionId": "run_1", "action": "accept"})
	a.says(t, true, "interactionId must name the question")
	if len(s.done) != 1 || s.done[0] != "int_1" {
		t.Errorf("done %v", s.done)
	}
}

func TestResume_MC08_AnotherUserFindsNothing(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "trusted", "approve it")
	for _, action := range []string{"accept", "decline", "cancel", "wait"} {
		theirs := s.call(t, "ben", "resume", object{"executionId": payload["executionId"], "interactionId": payload["interactionId"], "action": action})
		theirs.says(t, true, "there is no")
		never := s.call(t, "ben", "resume", object{"executionId": "run_99", "interactionId": "int_99", "action": action})
		if a, b := theirs.text, never.text; len(a) == 0 || strings.NewReplacer("run_1", "ID", "int_1", "ID").Replace(a) != strings.NewReplacer("run_99", "ID", "int_99", "ID").Replace(b) {
			t.Errorf("%s: another's (%q) is told apart from none (%q)", action, a, b)
		}
	}
	if s.asked["int_1"].Status != pags.InteractionOpen || len(s.done) != 0 {
		t.Errorf("%+v, done %v", s.asked["int_1"], s.done)
	}
	_, bens := s.pausedBy(t, "ben", "approve it") // a question of another execution is no way around
	s.call(t, "ben", "resume", object{"executionId": bens["executionId"], "interactionId": "int_1", "action": "accept"}).says(t, true, "there is no")
	s.call(t, "ben", "resume", object{"executionId": "run_1", "interactionId": bens["interactionId"], "action": "accept"}).says(t, true, "has no question")
	if len(s.done) != 0 {
		t.Errorf("done %v", s.done)
	}
}

func TestResume_MC08_AfterItsTimeItSaysExpiredAndNotDone(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "trusted", "approve it")
	s.expire()
	a := s.call(t, "trusted", "resume", payload)
	a.says(t, true, "expired at 2026-01-02T13:00:00Z without an answer, and what it asked for was not done", "nobody answered")
	if len(s.done) != 0 || a.structured["status"] != "failed" {
		t.Errorf("done %v, %v", s.done, a.structured)
	}
}

func TestResume_ApprovingNeedsAPersonOrTheScope(t *testing.T) {
	for token, may := range map[string]bool{"agent": false, "robot": false, "trusted": true, "person": true} {
		s := newStage(t)
		s.pausedBy(t, "trusted", "approve it")
		a := s.call(t, token, "resume", object{"executionId": "run_1", "interactionId": "int_1", "action": "accept"})
		if may {
			a.says(t, false, `"done":"int_1"`)
			continue
		}
		a.says(t, true, "a person has to approve this, at "+publicURL+"/runs/run_1")
		if len(s.done) != 0 || s.asked["int_1"].Status != pags.InteractionOpen {
			t.Errorf("%s: done %v", token, s.done)
		}
		if next := a.structured["resumePayload"].(object); next["action"] != "wait" {
			t.Errorf("%s: %v", token, next)
		}
		s.call(t, token, "resume", object{"executionId": "run_1", "interactionId": "int_1", "action": "decline"}).says(t, false, "declined")
	}
}

func TestResume_AFormOfAPersonsOwnProgramIsForThatPerson(t *testing.T) {
	for token, may := range map[string]bool{"agent": false, "trusted": true, "person": true} {
		s := newStage(t)
		s.pausedBy(t, "person", "form it")
		s.asked["int_1"].Personal = true
		s.runs["run_1"].Interactions[0].Personal = true
		look := s.call(t, token, "resume", object{"executionId": "run_1", "action": "accept"}) // names nothing: it is shown how things are
		a := s.call(t, token, "resume", object{"executionId": "run_1", "interactionId": "int_1", "action": "accept", "content": object{"name": "Rex"}})
		if may {
			look.says(t, true, "content filled in")
			a.says(t, false, `"done":"int_1"`)
			continue
		}
		look.says(t, true, "A person has to fill this in at "+publicURL+"/runs/run_1")
		a.says(t, true, "a person has to approve this, at "+publicURL+"/runs/run_1")
		if len(s.done) != 0 || s.asked["int_1"].Status != pags.InteractionOpen {
			t.Errorf("%s: done %v", token, s.done)
		}
	}
}

func TestResume_WhatAPlainTokenIsToldToSend(t *testing.T) {
	s := newStage(t)
	a, payload := s.pausedBy(t, "agent", "approve it")
	if payload["action"] != "wait" || payload["interactionId"] != nil {
		t.Errorf("%v", payload)
	}
	a.says(t, false, "A person has to approve this at "+publicURL+"/runs/run_1")
	done := make(chan answer)
	go func() { done <- s.call(t, "agent", "resume", payload) }()
	s.clock.AwaitWaiters(1)
	s.call(t, "person", "resume", object{"executionId": "run_1", "interactionId": "int_1", "action": "accept"}).says(t, false, "done")
	s.clock.Advance(time.Second)
	(<-done).says(t, false, `"done":"int_1"`)
	s.call(t, "agent", "resume", object{"executionId": "run_1", "interactionId": "int_1", "action": "accept"}).says(t, false, "was answered before (accept)", `"done":"int_1"`)
}

func TestResume_WaitEndsByItself(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "agent", "approve it")
	done := make(chan answer)
	go func() { done <- s.call(t, "agent", "resume", payload) }()
	for range 20 {
		s.clock.AwaitWaiters(1)
		s.clock.Advance(time.Second)
	}
	a := <-done
	a.says(t, false, "Waiting for an answer")
	if a.structured["resumePayload"].(object)["action"] != "wait" {
		t.Errorf("%v", a.structured)
	}
}

func TestResume_FormsAreFilledByAnyClientOfTheUser(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "agent", "form it")
	payload["content"] = object{"name": "Rex"}
	s.call(t, "agent", "resume", payload).says(t, false, `"content":{"name":"Rex"}`)
}

func TestResume_SomebodyIsFasterAndCancel(t *testing.T) {
	s := newStage(t)
	_, payload := s.pausedBy(t, "trusted", "approve it")
	s.raced = true
	s.call(t, "trusted", "resume", payload).says(t, false, "was answered before (decline); that answer stands", "declined")
	if len(s.done) != 0 {
		t.Errorf("done %v", s.done)
	}
	s.raced = false
	s.pausedBy(t, "agent", "approve it")
	a := s.call(t, "agent", "resume", object{"executionId": "run_2", "action": "cancel"})
	if a.structured["status"] != "cancelled" || len(s.done) != 0 {
		t.Errorf("%v", a.structured)
	}
}
