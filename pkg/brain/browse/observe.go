package browse

import (
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// Observe takes in what the last move came to. A nil move means: ask the model.
func Observe(s State, in Input) (State, *Move) {
	s = s.copy()
	var m Move
	switch {
	case s.Ending != nil:
		m = s.ended() // whatever the closing came to
		return s, &m
	case s.Question != nil:
		s, m = s.answered(in)
		return s, &m
	case s.Command != nil && in.Result != nil:
		return s.acted(*in.Result)
	}
	return s.ready()
}

// acted takes in the result of a command.
func (s State) acted(r relay.Result) (State, *Move) {
	cmd := *s.Command
	s.Command, s.Notice = nil, ""
	if r.Status != relay.StatusRefused || r.Seen != nil {
		s.Used = true
	}
	if r.Seen != nil {
		s.see(*r.Seen)
	}
	if !s.Quiet || r.Status != relay.StatusOK {
		s.result(resultText(r))
	}

	if r.Status == relay.StatusUnknown {
		return moved(s.unknown(cmd))
	}
	// What the browser shows then is its own error page, which tells a model nothing.
	if first := s.RoundSteps == 0 && s.Round == 0 && cmd.Action == relay.ActNavigate; first && (r.Status == relay.StatusFailed || r.Status == relay.StatusRefused || r.Status != relay.StatusOK && s.Seen.Snapshot == "") {
		outcome := pags.OutcomeFailed
		if r.Status == relay.StatusRefused {
			outcome = pags.OutcomeBlocked
		}
		return moved(s.end(outcome, "The address could not be opened: "+orElse(unopened(r.Feedback), r.Status)+"."))
	}
	if s.Seen.Challenge != "" && s.Seen.URL != s.SolvedURL {
		return moved(s.ask(s.challengeQuestion(), pags.OutcomeCaptcha))
	}
	switch r.Status {
	case relay.StatusOK:
		delete(s.SameFail, signature(cmd))
	case relay.StatusCommit:
		return s.commit(cmd, r)
	case relay.StatusRefused:
		if s.Start.DryRun && !s.Start.ReadOnly && r.Commit != nil && (FinalCommit(*r.Commit) || relay.FinalWord(cmd.Element)) {
			return moved(s.end(pags.OutcomeReady, fmt.Sprintf("Dry run: everything is ready; the last step %q was not done.", orElse(r.Commit.Name, cmd.Element))))
		}
		if why := s.failed(signature(cmd)); why != "" {
			return moved(s.ask(s.stuckQuestion(why), pags.OutcomeStuck))
		}
	case relay.StatusFailed, relay.StatusCancelled:
		if why := s.failed(signature(cmd)); why != "" {
			return moved(s.ask(s.stuckQuestion(why), pags.OutcomeStuck))
		}
	}
	return s.ready()
}

// commit takes in that the runner stopped before something final: the owner decides about exactly what it recorded.
func (s State) commit(cmd relay.Command, r relay.Result) (State, *Move) {
	if r.Commit == nil {
		s.result("The runner stopped before a final step but did not say which.")
		return s.ready()
	}
	if cmd.Approved != nil && cmd.Approved.Digest == r.Commit.Digest {
		if why := s.failed(signature(cmd)); why != "" {
			return moved(s.ask(s.stuckQuestion(why), pags.OutcomeStuck))
		}
		return s.ready()
	}
	if s.said(r.Commit.Digest) {
		return moved(s.end(pags.OutcomeBlocked, fmt.Sprintf("The owner declined %q.", r.Commit.Name)))
	}
	cmd.Approved = nil
	s.Held = &Held{Command: cmd, Commit: *r.Commit}
	return moved(s.put(s.approvalQuestion(*r.Commit)))
}

// unknown takes in that a command may or may not have happened. Where a commit was out of the question the page itself
// tells; otherwise only a person can.
func (s State) unknown(cmd relay.Command) (State, Move) {
	if !MayCommit(cmd) {
		s.result("The machine was interrupted: this may or may not have happened. Check the page before you repeat it.")
		return s.look("look what became of the interrupted action")
	}
	return s.put(s.unknownQuestion(cmd))
}

// see takes in the page: a new address starts its counters anew, an equal picture is worth a note.
func (s *State) see(o relay.Observation) {
	if o.URL != s.Seen.URL {
		s.SameFail, s.PageFail = nil, 0
		if o.URL != s.SolvedURL {
			s.SolvedURL = ""
		}
	} else if o.Digest != "" && o.Digest == s.Seen.Digest {
		s.Notice = "The page shows no visible change since the last look."
	}
	s.Seen = o
}

// ready checks the budget before the model is asked.
func (s State) ready() (State, *Move) {
	if s.RoundSteps >= s.Start.MaxSteps {
		return moved(s.end(pags.OutcomeMaxSteps, fmt.Sprintf("The budget of %d steps is used up.", s.Start.MaxSteps)))
	}
	return s, nil
}

func moved(s State, m Move) (State, *Move) { return s, &m }

// failed counts a failure and says why that is enough, or "".
func (s *State) failed(sig string) string {
	if s.SameFail == nil {
		s.SameFail = map[string]int{}
	}
	s.SameFail[sig]++
	s.PageFail++
	switch {
	case s.SameFail[sig] >= maxSameFail:
		return fmt.Sprintf("the same action failed %d times", s.SameFail[sig])
	case s.PageFail >= maxPageFail:
		return fmt.Sprintf("%d actions failed on this page", s.PageFail)
	}
	return ""
}

// repeated counts an action and says why that is enough, or "".
func (s *State) repeated(sig string) string {
	s.Recent = append(s.Recent, sig)
	if over := len(s.Recent) - window; over > 0 {
		s.Recent = s.Recent[over:]
	}
	n := 0
	for _, r := range s.Recent {
		if r == sig {
			n++
		}
	}
	if n >= maxSame {
		return fmt.Sprintf("the same action was chosen %d times in the last %d", n, len(s.Recent))
	}
	return ""
}

func (s State) said(no string) bool {
	for _, d := range s.Declined {
		if d == no {
			return true
		}
	}
	return false
}

func resultText(r relay.Result) string {
	switch r.Status {
	case relay.StatusOK:
		return orElse("ok. "+r.Feedback, "ok")
	case relay.StatusCommit:
		return "stopped before a final step; the owner is asked."
	default:
		return r.Status + ": " + r.Feedback
	}
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// unopened is why a page was not opened, without the words that say so: they stand before it already.
func unopened(feedback string) string {
	for _, said := range []string{"the page could not be opened: ", "not opened: "} {
		if len(feedback) > len(said) && strings.EqualFold(feedback[:len(said)], said) {
			return feedback[len(said):]
		}
	}
	return feedback
}
