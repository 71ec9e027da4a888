// Package relay is the wire between the cloud and a person's machine, and between the cloud and a console: message kinds,
// their bodies, framing. It has no transport. docs/relay-protocol.md describes it for someone who writes another runner.
package relay

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// Version of the wire. A peer with another major version is refused with CodeVersion.
const Version = 1

// Limits of the wire. API Gateway cuts at 32 KB a frame and 128 KB a message (spec limits C.3); we stay below both.
const (
	MaxFrame      = 24 * 1024         // bytes of one frame as sent
	MaxMessage    = 96 * 1024         // bytes of one message before framing; larger bodies go to upload slots
	InlineOutcome = 64 * 1024         // an outcome's observation text above this goes to a slot
	PingEvery     = 60 * time.Second  // runner to cloud, message level; the gateway's idle cut is 10 min
	MissedPongs   = 2                 // replies missing until the line counts as dead
	PongFresh     = 90 * time.Second  // a machine is online if it was heard within this
	ReconnectAt   = 100 * time.Minute // planned reconnect, plus up to 15 min of jitter; the gateway cuts at 2 h
	CommandLimit  = 120 * time.Second // default and maximum deadline of a command
	BeatEvery     = 20 * time.Second  // progress while a command runs; the state machine's heartbeat is 60 s
	SlotLife      = 15 * time.Minute  // an upload slot's URL
	TicketLife    = 60 * time.Second
)

// Message kinds. Direction: r runner to cloud, c cloud to runner, k console to cloud, p cloud to console.
const (
	KindHello    = "hello"    // r: first message after the socket opened
	KindWelcome  = "welcome"  // c: the machine is served
	KindRefused  = "refused"  // c, p: not served, with a code and a reason; the socket is closed after it
	KindMembers  = "members"  // c: the instances to serve changed
	KindCall     = "call"     // c: do a command
	KindCancel   = "cancel"   // c: stop the command in flight
	KindProgress = "progress" // r: still at it
	KindSlots    = "slots"    // r: asks for upload slots for a call; c: answers with them
	KindOutcome  = "outcome"  // r: how a command ended; sent again until acknowledged
	KindAck      = "ack"      // c: the outcome is durable
	KindPing     = "ping"     // r, k: keep-alive; c: are you there? (asked when another process wants the machine's place)
	KindPong     = "pong"     // the answer, either way
	KindWatch    = "watch"    // k: push me the events of a run (or of all my runs, with an empty run id)
	KindEvents   = "events"   // p: events appended to a run
	KindInbox    = "inbox"    // p: an interaction was opened or is over
)

// Refusal codes, as in WebSocket application close codes.
const (
	CodeBadHello     = 4400 // malformed, or the signature is not the machine's
	CodeUnauthorized = 4401 // revoked, suspended
	CodeSlotTaken    = 4409 // another live process serves this machine; --force replaces it
	CodeVersion      = 4426 // wire version not spoken here
)

// Message is one envelope. ID is unique per sender and lets a receiver drop what it has seen; Body depends on Kind.
type Message struct {
	V    int             `json:"v"`
	ID   string          `json:"id"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

// Hello introduces a machine. Signature is Ed25519 over SigningText(nonce, machineId, node).
type Hello struct {
	MachineID     pags.MachineID    `json:"machineId"`
	Node          string            `json:"node"`
	RunnerVersion string            `json:"runnerVersion"`
	Capabilities  []string          `json:"capabilities"` // "browser"
	Signature     string            `json:"signature"`    // base64 std
	Force         bool              `json:"force,omitempty"`
	Process       string            `json:"process,omitempty"` // random for each start of a runner: a reconnect of the same process takes its own place
	Only          []pags.InstanceID `json:"only,omitempty"`    // serve just these; empty: all eligible
	Headless      bool              `json:"headless,omitempty"`
}

// SigningText is what a machine signs to prove that it holds its key on this connection.
func SigningText(nonce string, machine pags.MachineID, node string) []byte {
	return []byte("pags-hello-1\n" + nonce + "\n" + string(machine) + "\n" + node)
}

// Welcome says what to serve.
type Welcome struct {
	Instances     []Member  `json:"instances"`
	ServerTime    time.Time `json:"serverTime"`
	ServerVersion string    `json:"serverVersion"`
}

// Member is one instance that the machine serves.
type Member struct {
	InstanceID  pags.InstanceID `json:"instanceId"`
	DisplayName string          `json:"displayName"`
	AgentID     pags.AgentID    `json:"agentId"`
	Runtime     string          `json:"runtime"`
}

// Members replaces the list of Welcome.
type Members struct {
	Instances []Member `json:"instances"`
}

// Refused says why the peer is not served.
type Refused struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`          // a sentence for people, with what to do
	Again  int    `json:"again,omitempty"` // seconds after which to come back, where the cloud has advice
}

// Call asks for one command. Key = run/step: a repeated key gets the first outcome.
type Call struct {
	RunID      pags.RunID      `json:"runId"`
	Step       int             `json:"step"`
	InstanceID pags.InstanceID `json:"instanceId"`
	Fence      int64           `json:"fence"` // a command with an older fence than one seen for the instance is refused
	Deadline   time.Time       `json:"deadline"`
	Command    Command         `json:"command"`
	CommandAt  *BodyAt         `json:"commandAt,omitempty"` // where to read a command that is too large for a message
	// Secrets maps handles in the command to their text and the origin they may be typed into. Filled in as the frame is
	// made, never stored by either side.
	Secrets map[pags.SecretID]Secret `json:"secrets,omitempty"`
}

// BodyAt says where to read a JSON body by GET, and what it must be.
type BodyAt struct {
	URL    string `json:"url"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // hex
}

// Secret is the text behind a handle on its last hop.
type Secret struct {
	Text   string `json:"text"`
	Origin string `json:"origin"` // scheme://host[:port]; the runner refuses another
}

// CallKey names a call: the key of its effect.
func CallKey(run pags.RunID, step int) string { return string(run) + "/" + strconv.Itoa(step) }

// CallRef points at a call, in cancel, progress and ack.
type CallRef struct {
	RunID pags.RunID `json:"runId"`
	Step  int        `json:"step"`
	Note  string     `json:"note,omitempty"`
}

// SlotsAsk asks for upload slots; SlotsGiven answers with one URL for each, in order.
type SlotsAsk struct {
	RunID pags.RunID `json:"runId"`
	Step  int        `json:"step"`
	Items []SlotItem `json:"items"`
}

// SlotItem describes one body to upload: exact size and checksum are signed into the URL.
type SlotItem struct {
	Name        string `json:"name"` // "snapshot.txt" or "shot.jpg"
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"` // hex
	ContentType string `json:"contentType"`
}

// SlotsGiven answers SlotsAsk (Re is its message id).
type SlotsGiven struct {
	Re    string `json:"re"`
	Slots []Slot `json:"slots"`
	Error string `json:"error,omitempty"`
}

// Slot is where to put a body.
type Slot struct {
	Name    string            `json:"name"`
	Key     string            `json:"key"` // blob key, to be named in the outcome
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// Watch subscribes a console socket.
type Watch struct {
	RunID pags.RunID `json:"runId,omitempty"`
}

// Events carries new events of a run and its head.
type Events struct {
	Run    pags.Run     `json:"run"`
	Events []pags.Event `json:"events"`
}

// Inbox carries an interaction that changed.
type Inbox struct {
	Interaction pags.Interaction `json:"interaction"`
	Open        int              `json:"open"` // how many are open now
}
