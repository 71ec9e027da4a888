package browse

import (
	"fmt"
	"net/url"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// How long a question stays open. A challenge goes stale with its page (spec 5.1: 15 min). The others cost nothing while they
// wait, so they last until a person's next day.
const (
	ChallengeWait = 15 * time.Minute
	PersonWait    = 24 * time.Hour
)

// expiredAs is the outcome of a question that nobody answered.
var expiredAs = map[pags.WaitReason]pags.Outcome{
	pags.WaitApproval: pags.OutcomeExpired, pags.WaitValue: pags.OutcomeNeedsInput, pags.WaitChallenge: pags.OutcomeCaptcha,
	pags.WaitStuck: pags.OutcomeStuck, pags.WaitSignin: pags.OutcomeExpired, pags.WaitUnknown: pags.OutcomeUnknown,
}

// answered takes in what the owner said. Everything but a yes to a held command goes on with a fresh look: while people
// think, pages change.
func (s State) answered(in Input) (State, Move) {
	q := *s.Question
	s.Question = nil
	if in.Expired || in.Answer == nil {
		return s.end(expiredAs[q.Reason], "Nobody answered in time: "+q.Title)
	}
	a := *in.Answer
	s.Hint = a.Note
	yes := a.Kind != pags.AnswerDecline
	switch q.Reason {
	case pags.WaitApproval:
		return s.approved(yes)
	case pags.WaitValue:
		return s.given(q, a)
	case pags.WaitChallenge, pags.WaitSignin:
		if !yes {
			return s.end(pags.OutcomeCaptcha, "The owner did not solve the challenge.")
		}
		s.SolvedURL = s.Seen.URL
		s.log("the owner dealt with the page's challenge by hand", "")
	case pags.WaitUnknown:
		if !yes {
			return s.end(pags.OutcomeUnknown, "An action may or may not have happened; the owner stopped here.")
		}
		s.log("an action was interrupted", "the owner looked and says: continue. Do not repeat it unless the page shows that it did not happen.")
	default:
		if !yes {
			return s.end(pags.OutcomeStuck, "No way forward: "+q.Detail)
		}
		s.SameFail, s.PageFail, s.Recent, s.Nonsense = nil, 0, nil, 0
		s.log("the owner was asked for help", "the owner says: continue.")
	}
	return s.look("look again after the owner's answer")
}

func (s State) approved(yes bool) (State, Move) {
	held := s.Held
	s.Held = nil
	if held == nil {
		return s.look("look again after the owner's answer")
	}
	if !yes {
		s.Declined = append(s.Declined, held.Commit.Digest)
		s.log(fmt.Sprintf("the owner was asked about %q", held.Commit.Name), "DECLINED. Do not try it again; finish as blocked if nothing else serves the objective.")
		return s.look("look again after the owner's no")
	}
	cmd := held.Command
	cmd.Approved = &held.Commit
	s.log(fmt.Sprintf("the owner approved %q", held.Commit.Name), "")
	return s.call(cmd, fmt.Sprintf("do the approved step %q", held.Commit.Name))
}

func (s State) given(q Question, a pags.Answer) (State, Move) {
	question, _ := q.Request["question"].(string)
	switch a.Kind {
	case pags.AnswerValue:
		s.log("asked the owner: "+question, "the owner answered: "+a.Value)
	case pags.AnswerSecret:
		field, _ := q.Request["field"].(string)
		origin, _ := q.Request["origin"].(string)
		s.Secrets = append(s.Secrets, SecretNote{ID: a.Secret, Field: orElse(field, question), Origin: origin})
		s.log("asked the owner: "+question, "the owner gave a secret. Type it with the text "+Handle(a.Secret))
	default:
		s.Declined = append(s.Declined, question)
		s.log("asked the owner: "+question, "the owner does not want to give this.")
	}
	return s.look("look again after the owner's answer")
}

// ask hands off to a person. After MaxRounds of it the run ends as if nobody had answered.
func (s State) ask(q Question, otherwise pags.Outcome) (State, Move) {
	if s.Round >= MaxRounds {
		return s.end(otherwise, fmt.Sprintf("%s (a person helped %d times already).", q.Title, s.Round))
	}
	s.Round++
	s.RoundSteps = 0
	return s.put(q)
}

// put asks without counting a round: approvals and unknowns are answers about one action, not new starts.
func (s State) put(q Question) (State, Move) {
	q.Picture = s.Seen.Picture
	q.Title, q.Detail = guard.Visible(q.Title), guard.Visible(q.Detail)
	q.Request, _ = visible(q.Request).(map[string]any)
	s.Question, s.Command = &q, nil
	s.Seen.Snapshot = ""
	return s, Move{Kind: MoveAsk, Text: q.Title, Question: &q}
}

// visible copies what a card shows with its hidden characters named: pages and models write it, and a person decides by it. What
// is carried out stays as it was; it is in Held.
func visible(v any) any {
	switch x := v.(type) {
	case string:
		return guard.Visible(x)
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = visible(e)
		}
		return out
	case []map[string]any:
		out := make([]map[string]any, len(x))
		for i, e := range x {
			out[i], _ = visible(e).(map[string]any)
		}
		return out
	}
	return v
}

func (s State) approvalQuestion(c relay.Commit) Question {
	fields := make([]map[string]any, len(c.Fields))
	for i, f := range c.Fields {
		fields[i] = map[string]any{"name": f.Name, "label": f.Label, "value": f.Value}
	}
	return Question{
		Reason: pags.WaitApproval, Title: fmt.Sprintf("Approve “%s” on %s?", cut(orElse(c.Name, c.Role), 80), hostOf(c.Origin)),
		Detail:  "Yes does exactly this, if the page still shows it unchanged. No tells the agent to leave it.",
		Request: map[string]any{"role": c.Role, "name": c.Name, "formAction": c.FormAction, "formMethod": c.FormMethod, "origin": c.Origin, "fields": fields, "digest": c.Digest, "url": s.Seen.URL},
		Allowed: []string{pags.AnswerAccept, pags.AnswerDecline}, Wait: PersonWait,
	}
}

func (s State) challengeQuestion() Question {
	return Question{
		Reason: pags.WaitChallenge, Title: "Please solve the challenge on " + hostOf(s.Seen.URL),
		Detail:  "The page shows " + s.Seen.Challenge + ". Solve it in the browser window, then accept. Decline ends the run.",
		Request: map[string]any{"url": s.Seen.URL, "challenge": s.Seen.Challenge},
		Allowed: []string{pags.AnswerAccept, pags.AnswerDecline}, Wait: ChallengeWait,
	}
}

func (s State) stuckQuestion(why string) Question {
	return Question{
		Reason: pags.WaitStuck, Title: "The agent is stuck on " + hostOf(s.Seen.URL),
		Detail:  "Why: " + why + ". Help it in the browser window or leave a note, then accept. Decline ends the run.",
		Request: map[string]any{"url": s.Seen.URL, "why": why},
		Allowed: []string{pags.AnswerAccept, pags.AnswerDecline}, Wait: PersonWait,
	}
}

func (s State) unknownQuestion(c relay.Command) Question {
	return Question{
		Reason: pags.WaitUnknown, Title: "Did it happen? An action on " + hostOf(s.Seen.URL) + " was interrupted",
		Detail:  "The machine stopped while doing it, so it may or may not have taken effect. Look at the page. Accept continues without repeating it; decline stops the run.",
		Request: map[string]any{"url": s.Seen.URL, "action": c.Action, "element": c.Element, "key": c.Key},
		Allowed: []string{pags.AnswerAccept, pags.AnswerDecline}, Wait: PersonWait,
	}
}

// Handle is how a model writes a secret that it does not know.
func Handle(id pags.SecretID) string { return "{{secret:" + string(id) + "}}" }

func hostOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Host
	}
	return "the page"
}

// originOf is scheme://host[:port], as secrets are bound to.
func originOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return ""
}
