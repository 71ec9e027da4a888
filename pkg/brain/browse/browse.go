// Package browse decides what a browser task does next (spec platform 5.1, 5.4). It is pure: state and input in, state and
// move out. Who performs the move, keeps the state and pays the model is not its business.
//
//	Begin    the first move of a run: open the address
//	Observe  what a move came to -> the next move, or nil: ask the model (observe.go, answer.go)
//	Prompt   what the model is shown (prompt.go, tools.go)
//	Act      the model's reply -> the next move (act.go, guard.go)
//	Cancel   the owner wants it to end
package browse

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// Version of State. A state of another version is not continued.
const Version = 1

// Limits of a task.
const (
	MaxRoundSteps = 60 // decisions between two hand-offs (spec 5.1)
	DefaultSteps  = 40 // where the caller says nothing (spec 5.1)
	MaxRounds     = 12 // hand-offs to a person (spec 5.1)
	maxNonsense   = 3  // unusable replies in a row
	window        = 7  // actions looked back on for repetition (spec 5.1)
	maxSame       = 4  // the same action so often in the window (spec 5.1)
	maxSameFail   = 3  // the same action failing (spec 5.1)
	maxPageFail   = 4  // failures on one page (spec 5.1)
)

// Start is what the run was asked. It does not change.
type Start struct {
	Agent        string      `json:"agent"`
	Instructions string      `json:"instructions,omitempty"`
	URL          string      `json:"url"`
	Objective    string      `json:"objective"`
	DryRun       bool        `json:"dryRun,omitempty"`
	ReadOnly     bool        `json:"readOnly,omitempty"`
	Approve      string      `json:"approve,omitempty"`
	MaxSteps     int         `json:"maxSteps,omitempty"`
	Files        []pags.File `json:"files,omitempty"`
	AllowHosts   []string    `json:"allowHosts,omitempty"`
}

// State is everything the brain knows between two decisions. A snapshot is kept only while the model has yet to see it.
type State struct {
	V     int   `json:"v"`
	Start Start `json:"start"`

	Command  *relay.Command `json:"command,omitempty"`  // the call in flight
	Question *Question      `json:"question,omitempty"` // the question in flight
	Held     *Held          `json:"held,omitempty"`     // a command that waits for the owner's yes
	Ending   *Ending        `json:"ending,omitempty"`   // decided; only the page has yet to be closed

	Seen      relay.Observation `json:"seen"`
	Used      bool              `json:"used,omitempty"` // the browser has done something for this run
	SolvedURL string            `json:"solvedUrl,omitempty"`

	Round      int            `json:"round"`
	RoundSteps int            `json:"roundSteps"`
	Nonsense   int            `json:"nonsense,omitempty"`
	Recent     []string       `json:"recent,omitempty"`   // signatures of the last actions
	SameFail   map[string]int `json:"sameFail,omitempty"` // failures by signature on this page
	PageFail   int            `json:"pageFail,omitempty"`
	LastKey    string         `json:"lastKey,omitempty"` // an arrow key here makes Enter pick a suggestion

	Log      []Entry      `json:"log,omitempty"`
	Quiet    bool         `json:"quiet,omitempty"`   // the call in flight has no entry of its own
	Dropped  int          `json:"dropped,omitempty"` // entries that fell out of the log
	Hint     string       `json:"hint,omitempty"`    // from the owner, shown once
	Notice   string       `json:"notice,omitempty"`  // about the page, shown once
	Secrets  []SecretNote `json:"secrets,omitempty"`
	Declined []string     `json:"declined,omitempty"` // commit digests and questions the owner said no to
}

// Entry is one thing that happened, as the model is told later.
type Entry struct {
	Did    string `json:"did"`
	Result string `json:"result,omitempty"`
}

// Held is a command that the runner stopped before a commit, with what it would have committed.
type Held struct {
	Command relay.Command `json:"command"`
	Commit  relay.Commit  `json:"commit"`
}

// Ending is how the run ends once the page is closed.
type Ending struct {
	Outcome pags.Outcome `json:"outcome"`
	Detail  string       `json:"detail"`
}

// SecretNote tells the model of a secret without telling the secret.
type SecretNote struct {
	ID     pags.SecretID `json:"id"`
	Field  string        `json:"field"`
	Origin string        `json:"origin"`
}

// Kinds of moves.
const (
	MoveCall  = "call"  // Command, to the runner
	MoveAsk   = "ask"   // Question, to the owner
	MoveAgain = "again" // nothing to do; think again with the feedback in the state
	MoveEnd   = "end"   // Outcome and Detail
)

// Move is what to do next.
type Move struct {
	Kind     string         `json:"kind"`
	Text     string         `json:"text"` // one line for the timeline
	Command  *relay.Command `json:"command,omitempty"`
	Question *Question      `json:"question,omitempty"`
	Outcome  pags.Outcome   `json:"outcome,omitempty"`
	Detail   string         `json:"detail,omitempty"`
}

// Question is what to ask the owner.
type Question struct {
	Reason  pags.WaitReason `json:"reason"`
	Title   string          `json:"title"`
	Detail  string          `json:"detail,omitempty"`
	Request map[string]any  `json:"request,omitempty"`
	Allowed []string        `json:"allowed"`
	Picture string          `json:"picture,omitempty"`
	Wait    time.Duration   `json:"wait"`
}

// Input is what the last move came to: exactly one of Result, Answer, Expired, or nothing after MoveAgain.
type Input struct {
	Result  *relay.Result
	Answer  *pags.Answer
	Expired bool
}

// Begin opens the task's address.
func Begin(start Start) (State, Move) {
	if start.MaxSteps <= 0 {
		start.MaxSteps = DefaultSteps
	}
	start.MaxSteps = min(start.MaxSteps, MaxRoundSteps)
	s := State{V: Version, Start: start}
	s.log("open "+cut(start.URL, 200), "")
	return s.call(relay.Command{Action: relay.ActNavigate, URL: start.URL}, "open "+start.URL)
}

// Cancel ends the task as cancelled; a browser that was used is closed first.
func Cancel(s State) (State, Move) {
	if s.Ending != nil {
		return s, s.ended()
	}
	return Stop(s, pags.OutcomeCancelled, "Cancelled by the owner.")
}

// Stop ends the task for a reason from outside, closing a browser that was used.
func Stop(s State, o pags.Outcome, detail string) (State, Move) { return s.copy().end(o, detail) }

// call sends a command; guard mode and address exceptions are the same for each.
func (s State) call(c relay.Command, text string) (State, Move) {
	c.Guard, c.AllowHosts = GuardOf(s.Start), s.Start.AllowHosts
	s.Command, s.Question, s.Quiet = &c, nil, false
	s.Seen.Snapshot = "" // its result brings a new one
	return s, Move{Kind: MoveCall, Text: text, Command: &c}
}

// look takes a fresh snapshot before the model is asked again.
func (s State) look(text string) (State, Move) {
	s, m := s.call(relay.Command{Action: relay.ActSnapshot}, text)
	s.Quiet = true
	return s, m
}

// again asks the model once more with the feedback.
func (s State) again(text string) (State, Move) {
	s.Command, s.Question = nil, nil
	return s, Move{Kind: MoveAgain, Text: text}
}

// end closes the page if one was opened, then ends.
func (s State) end(o pags.Outcome, detail string) (State, Move) {
	s.Ending = &Ending{Outcome: o, Detail: cut(detail, 500)}
	s.Command, s.Question, s.Held = nil, nil, nil
	s.Seen.Snapshot = ""
	if !s.Used {
		return s, s.ended()
	}
	return s.call(relay.Command{Action: relay.ActClose}, "close the page")
}

func (s State) ended() Move {
	return Move{Kind: MoveEnd, Text: s.Ending.Detail, Outcome: s.Ending.Outcome, Detail: s.Ending.Detail}
}

// copy detaches everything that decisions change, so that the caller's state stays as it was.
func (s State) copy() State {
	s.Recent, s.Log = slices.Clone(s.Recent), slices.Clone(s.Log)
	s.Secrets, s.Declined = slices.Clone(s.Secrets), slices.Clone(s.Declined)
	s.SameFail = maps.Clone(s.SameFail)
	return s
}

// logLimit entries are kept; the prompt shows fewer.
const logLimit = 80

func (s *State) log(did, result string) {
	s.Log = append(s.Log, Entry{Did: cut(did, 300), Result: cut(result, 600)})
	if over := len(s.Log) - logLimit; over > 0 {
		s.Log, s.Dropped = slices.Clone(s.Log[over:]), s.Dropped+over
	}
}

// result completes the newest entry.
func (s *State) result(text string) {
	if n := len(s.Log); n > 0 {
		last := &s.Log[n-1]
		last.Result = cut(strings.TrimSpace(last.Result+" "+text), 600)
	}
}

// cut shortens to n characters with a mark, on one line.
func cut(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
