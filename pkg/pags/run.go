package pags

import "time"

// RunKind says what sort of work a run is.
type RunKind string

const (
	KindBrowse RunKind = "browse" // a browser task
	KindCode   RunKind = "code"   // a program of code mode
)

// RunStatus is the life of a run. Terminal: completed, failed, cancelled.
type RunStatus string

const (
	RunQueued    RunStatus = "queued"
	RunRunning   RunStatus = "running"
	RunWaiting   RunStatus = "waiting"
	RunCompleted RunStatus = "completed"
	RunFailed    RunStatus = "failed"
	RunCancelled RunStatus = "cancelled"
)

// RunStatuses lists every status; tables over statuses are tested against it.
var RunStatuses = []RunStatus{RunQueued, RunRunning, RunWaiting, RunCompleted, RunFailed, RunCancelled}

// Over reports whether nothing more will happen.
func (s RunStatus) Over() bool { return s == RunCompleted || s == RunFailed || s == RunCancelled }

// WaitReason says what a waiting run waits for; empty otherwise.
type WaitReason string

const (
	WaitApproval  WaitReason = "approval"
	WaitValue     WaitReason = "value"
	WaitChallenge WaitReason = "challenge"
	WaitStuck     WaitReason = "stuck"
	WaitSignin    WaitReason = "signin"
	WaitRunner    WaitReason = "runner"
	WaitTime      WaitReason = "time"
	WaitUnknown   WaitReason = "unknown" // an effect may or may not have happened; a person has to look
)

// WaitReasons lists every reason.
var WaitReasons = []WaitReason{WaitApproval, WaitValue, WaitChallenge, WaitStuck, WaitSignin, WaitRunner, WaitTime, WaitUnknown}

// Outcome of a browse run (spec platform 5.1).
type Outcome string

const (
	OutcomeDone       Outcome = "done"        // the objective was reached
	OutcomeReady      Outcome = "ready"       // dry run: everything but the final step
	OutcomeBlocked    Outcome = "blocked"     // the page, the guard or the owner does not allow it
	OutcomeExpired    Outcome = "expired"     // nobody answered in time
	OutcomeCaptcha    Outcome = "captcha"     // a challenge was not solved in time
	OutcomeStuck      Outcome = "stuck"       // no way forward
	OutcomeNeedsInput Outcome = "needs_input" // a value was needed and not given
	OutcomeMaxSteps   Outcome = "max_steps"   // the step budget is used up
	OutcomeFailed     Outcome = "failed"
	OutcomeUnknown    Outcome = "unknown" // an effect may or may not have happened
	OutcomeCancelled  Outcome = "cancelled"
)

// Outcomes lists every outcome; the table to statuses is total over it.
var Outcomes = []Outcome{OutcomeDone, OutcomeReady, OutcomeBlocked, OutcomeExpired, OutcomeCaptcha, OutcomeStuck,
	OutcomeNeedsInput, OutcomeMaxSteps, OutcomeFailed, OutcomeUnknown, OutcomeCancelled}

// Status is the run status that an outcome ends with. It is total: an outcome that we do not know is a failure.
func (o Outcome) Status() RunStatus {
	switch o {
	case OutcomeDone, OutcomeReady:
		return RunCompleted
	case OutcomeCancelled:
		return RunCancelled
	}
	return RunFailed
}

// Run is the projection that people look at. The brain's journal owns progress.
type Run struct {
	ID         RunID      `json:"id" doc:"run_ and a sortable tail"`
	Kind       RunKind    `json:"kind" enum:"browse,code"`
	UserID     UserID     `json:"userId"`
	InstanceID InstanceID `json:"instanceId" doc:"empty for a run that belongs to no instance, such as a program"`
	Title      string     `json:"title" doc:"the objective, first 200 characters"`
	Status     RunStatus  `json:"status" enum:"queued,running,waiting,completed,failed,cancelled"`
	WaitingFor WaitReason `json:"waitingFor,omitempty" enum:"approval,value,challenge,stuck,signin,runner,time,unknown"`
	Outcome    Outcome    `json:"outcome,omitempty" enum:"done,ready,blocked,expired,captcha,stuck,needs_input,max_steps,failed,unknown,cancelled"`
	Detail     string     `json:"detail,omitempty" doc:"one sentence on how it ended or what it waits for"`

	Browse *BrowseInput `json:"browse,omitempty"`
	Code   *CodeInput   `json:"code,omitempty"`

	Step        int       `json:"step" doc:"decisions made so far"`
	MaxSteps    int       `json:"maxSteps"`
	Generation  int       `json:"generation" doc:"executions used so far; a hand-over adds one"`
	Execution   string    `json:"execution,omitempty" doc:"the newest state machine execution that was noted"`
	Fence       int64     `json:"fence" doc:"grows with each run of the instance; the runner refuses older ones"`
	MachineID   MachineID `json:"machineId,omitempty"`
	LastEvent   int64     `json:"lastEvent" doc:"number of the newest event"`
	CancelAsked bool      `json:"cancelAsked,omitempty"`

	InputTokens  int64  `json:"inputTokens"`
	OutputTokens int64  `json:"outputTokens"`
	Model        string `json:"model,omitempty"`

	CreatedAt      time.Time `json:"createdAt"`
	StartedAt      time.Time `json:"startedAt,omitzero"`
	EndedAt        time.Time `json:"endedAt,omitzero"`
	LastAliveAt    time.Time `json:"lastAliveAt,omitzero" doc:"something was executing"`
	LastProgressAt time.Time `json:"lastProgressAt,omitzero" doc:"something changed"`
}

// BrowseInput is what a browser task was asked to do.
type BrowseInput struct {
	URL       string `json:"url"`
	Objective string `json:"objective"`
	DryRun    bool   `json:"dryRun,omitempty"`
	ReadOnly  bool   `json:"readOnly,omitempty" doc:"declared by the agent; no caller can set it"`
	Approve   string `json:"approve" enum:"commit,never" doc:"commit: ask before a final step; never: the owner's own session waived it"`
	Files     []File `json:"files,omitempty" doc:"what the agent may upload"`
}

// CodeInput is what a program was started with. Its text lies beside the run: it may be long.
type CodeInput struct {
	Digest      string `json:"digest" doc:"SHA-256 of the program, hex"`
	Size        int    `json:"size" doc:"bytes of the program"`
	Via         string `json:"via" doc:"http, cli, mcp, console: where it was started"`
	Tool        string `json:"tool,omitempty" doc:"the one tool that it calls, if it is only a call"`
	AutoApprove bool   `json:"autoApprove,omitempty" doc:"the owner's own session waived approvals for this run"`
	Personal    bool   `json:"personal,omitempty" doc:"the owner's own session started it, not a program that acts for them"`
	Calls       int    `json:"calls" doc:"calls of tools made so far"`
	Asks        int    `json:"asks,omitempty" doc:"of these, how many wait for a person"`
}

// File is a file of an instance; its bytes are a blob.
type File struct {
	Name        string `json:"name"`
	Key         string `json:"key" doc:"blob key, files/<instance>/<id>"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256" doc:"hex"`
}

// Event is one entry of a run's timeline. Numbers start at 1 and have no gaps.
type Event struct {
	RunID   RunID          `json:"runId"`
	Seq     int64          `json:"seq"`
	At      time.Time      `json:"at"`
	Kind    string         `json:"kind" doc:"queued, started, decided, acted, refused, asked, answered, waiting, resumed, handover, note, cancelAsked, ended"`
	Step    int            `json:"step,omitempty"`
	Text    string         `json:"text" doc:"one line for people"`
	Data    map[string]any `json:"data,omitempty"`
	Picture string         `json:"picture,omitempty" doc:"blob key of a screenshot; fetch by /v1/runs/{id}/pictures/{name}"`
}
