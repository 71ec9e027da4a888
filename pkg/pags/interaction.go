package pags

import "time"

// InteractionStatus: open, then exactly one of the others.
type InteractionStatus string

const (
	InteractionOpen      InteractionStatus = "open"
	InteractionAnswered  InteractionStatus = "answered"
	InteractionExpired   InteractionStatus = "expired"
	InteractionCancelled InteractionStatus = "cancelled"
)

// Answer kinds an interaction may allow.
const (
	AnswerAccept  = "accept"  // go on (approval), or "I did it, continue" (challenge, stuck, signin, unknown)
	AnswerDecline = "decline" // do not
	AnswerValue   = "value"   // a text
	AnswerSecret  = "secret"  // a text that is sealed before it is stored; models see a handle
	AnswerForm    = "form"    // an object that fits the schema in the request
	AnswerRetry   = "retry"   // it did not happen: do it again (unknown)
)

// Interaction is any moment a human is needed. It is answered once.
type Interaction struct {
	ID         InteractionID     `json:"id"`
	UserID     UserID            `json:"userId" doc:"who may answer"`
	RunID      RunID             `json:"runId"`
	InstanceID InstanceID        `json:"instanceId"`
	Step       int               `json:"step"`
	Reason     WaitReason        `json:"reason" enum:"approval,value,challenge,stuck,signin,runner,time,unknown"`
	Title      string            `json:"title" doc:"what is needed, in plain words"`
	Detail     string            `json:"detail,omitempty" doc:"why, and what happens on yes or no"`
	Request    map[string]any    `json:"request,omitempty" doc:"the exact stored request: the element, its name, the form, the origin"`
	Allowed    []string          `json:"allowed" doc:"accept, decline, value, secret, form, retry"`
	Personal   bool              `json:"personal,omitempty" doc:"its owner started the program by hand: programs that act for them do not fill in its forms"`
	Picture    string            `json:"picture,omitempty"`
	Status     InteractionStatus `json:"status" enum:"open,answered,expired,cancelled"`
	Answer     *Answer           `json:"answer,omitempty"`
	CreatedAt  time.Time         `json:"createdAt"`
	ExpiresAt  time.Time         `json:"expiresAt"`
}

// Answer is what the person said. A secret never appears here: only its handle.
type Answer struct {
	Kind    string         `json:"kind"`
	Value   string         `json:"value,omitempty"`
	Content map[string]any `json:"content,omitempty" doc:"with kind form: the filled form"`
	Secret  SecretID       `json:"secret,omitempty" doc:"handle of the sealed text"`
	Note    string         `json:"note,omitempty" doc:"a hint for the brain's next step"`
	By      UserID         `json:"by"`
	At      time.Time      `json:"at"`
}
