package relay

import "github.com/proagentstore/pags/pkg/pags"

// Actions of the browser hand (spec platform 4.3). Every command ends with a fresh snapshot and a picture.
const (
	ActNavigate = "navigate" // URL; the first command of a run carries it
	ActClick    = "click"    // Ref
	ActType     = "type"     // Ref, Text or Secret; replaces the field's content; Enter presses Enter afterwards
	ActSelect   = "select"   // Ref, Text: an option's label or value
	ActCheck    = "check"    // Ref, Checked; idempotent
	ActUpload   = "upload"   // Ref, File
	ActKey      = "key"      // Key, such as Enter, Tab, ArrowDown, Escape, Control+a
	ActScroll   = "scroll"   // Direction up or down, 600 px
	ActWait     = "wait"     // Seconds, at most 5
	ActSnapshot = "snapshot" // look only
	ActTab      = "tab"      // Tab: make this tab the active one
	ActClose    = "close"    // end of the run: close the page and free the instance's browser lease
)

// Actions lists every action.
var Actions = []string{ActNavigate, ActClick, ActType, ActSelect, ActCheck, ActUpload, ActKey, ActScroll, ActWait,
	ActSnapshot, ActTab, ActClose}

// Guard modes (spec platform 5.4).
const (
	GuardNone     = ""
	GuardDryRun   = "task_dry_run" // refuses the final step
	GuardReadOnly = "read_only"    // refuses every commit; enforced on the machine too
	GuardApprove  = "approve"      // stops before a commit and reports it, unless Approved matches it
)

// Command is what the hand is to do, one action at a time.
type Command struct {
	Action    string        `json:"action"`
	URL       string        `json:"url,omitempty"`
	Ref       string        `json:"ref,omitempty"`     // e12 or f1e2, from the latest snapshot only
	Element   string        `json:"element,omitempty"` // the model's own words for the target, for the log and the guard
	Text      string        `json:"text,omitempty"`
	Secret    pags.SecretID `json:"secret,omitempty"` // instead of Text
	Enter     bool          `json:"enter,omitempty"`
	Checked   *bool         `json:"checked,omitempty"`
	Key       string        `json:"key,omitempty"`
	Direction string        `json:"direction,omitempty"`
	Seconds   float64       `json:"seconds,omitempty"`
	Tab       int           `json:"tab,omitempty"`
	File      *FileRef      `json:"file,omitempty"`

	Guard      string   `json:"guard,omitempty"`
	Approved   *Commit  `json:"approved,omitempty"`   // the recorded element the owner accepted: act only if it still matches
	AllowHosts []string `json:"allowHosts,omitempty"` // private addresses (host or host:port) that the owner allowed
}

// FileRef is a file to upload, by signed URL.
type FileRef struct {
	Name        string `json:"name"`
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
}

// Commit describes an element that would commit something: what it is called, which form it submits, with which fields.
// Digest is a SHA-256 over role, name, form action and method, page origin and all of the form's field names and non-secret
// values, also those that Fields cuts or leaves out.
type Commit struct {
	Ref        string        `json:"ref"`
	Role       string        `json:"role"`
	Name       string        `json:"name"`
	FormAction string        `json:"formAction,omitempty"`
	FormMethod string        `json:"formMethod,omitempty"`
	Origin     string        `json:"origin"`
	Fields     []CommitField `json:"fields,omitempty"`
	Digest     string        `json:"digest"`
}

// CommitField is one field of the form as it would be sent; a password's value is "••••".
type CommitField struct {
	Name  string `json:"name"`
	Label string `json:"label,omitempty"`
	Value string `json:"value"`
}

// Result statuses of a command.
const (
	StatusOK        = "ok"        // done; Feedback may say more (read-back, new tab, dialog)
	StatusFailed    = "failed"    // not done; Feedback says why; nothing was changed as far as we know
	StatusRefused   = "refused"   // a guard or address rule said no; Feedback says which
	StatusCommit    = "commit"    // guard approve: not done, Commit says what it would be
	StatusUnknown   = "unknown"   // an intent without an outcome: may or may not have happened
	StatusCancelled = "cancelled" // a cancel frame came before the effect
)

// Result is what a command came to, with what the page looks like now.
type Result struct {
	Status   string       `json:"status"`
	Feedback string       `json:"feedback,omitempty"`
	Commit   *Commit      `json:"commit,omitempty"`
	Seen     *Observation `json:"seen,omitempty"`
	Millis   int64        `json:"millis,omitempty"`
}

// Observation is the page after a command. Snapshot is Playwright's AI aria snapshot, one line a node with [ref=eN],
// passwords masked, at most 60,000 characters with an explicit mark where it was cut.
type Observation struct {
	URL            string    `json:"url"`
	Title          string    `json:"title"`
	Snapshot       string    `json:"snapshot,omitempty"`
	SnapshotKey    string    `json:"snapshotKey,omitempty"` // blob key instead of Snapshot where it was too large for a message
	Truncated      bool      `json:"truncated,omitempty"`
	Picture        string    `json:"picture,omitempty"`   // blob key of a JPEG, password fields covered
	Challenge      string    `json:"challenge,omitempty"` // hcaptcha, turnstile, recaptcha, arkose, geetest, text
	Tabs           []TabInfo `json:"tabs,omitempty"`
	Digest         string    `json:"digest,omitempty"` // SHA-256 of url and snapshot: equal means no visible change
	GuardSupported bool      `json:"guardSupported"`
}

// TabInfo is one open tab; exactly one is active.
type TabInfo struct {
	Tab    int    `json:"tab"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Active bool   `json:"active,omitempty"`
}

// Outcome is the body of KindOutcome.
type Outcome struct {
	RunID  pags.RunID `json:"runId"`
	Step   int        `json:"step"`
	Fence  int64      `json:"fence"`
	Result Result     `json:"result"`
}
