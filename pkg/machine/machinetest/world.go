package machinetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// World is everything around the area: accounts, instances, commands and the state machine.
type World struct {
	mu        sync.Mutex
	Inactive  map[pags.SessionID]error
	Owner     map[pags.InstanceID]pags.User
	Config    map[pags.InstanceID]map[string]any
	Orders    map[string]Order // by relay.CallKey
	Secret    map[pags.SecretID]relay.Secret
	Unwanted  map[string]bool // by relay.CallKey
	told      []Told
	dead      map[string]bool
	sent      []string
	waiting   []string
	TokenDown error // answer of the state machine while it is set
}

// Order is a step's command and whose it is.
type Order struct {
	Call relay.Call
	User pags.UserID
	Pin  string
}

// Told is one word to a waiting task: success, failure or beat.
type Told struct{ What, Token, Text string }

// NewWorld makes an empty one.
func NewWorld() *World {
	return &World{Inactive: map[pags.SessionID]error{}, Owner: map[pags.InstanceID]pags.User{}, Config: map[pags.InstanceID]map[string]any{},
		Orders: map[string]Order{}, Secret: map[pags.SecretID]relay.Secret{}, Unwanted: map[string]bool{}, dead: map[string]bool{}}
}

// Service connects an area to the world and to an edge, ours or a real one.
func (w *World) Service(e port.Sockets, table port.Table, blobs port.Blobs, clock port.Clock) *machine.Service {
	s := machine.New(machine.Deps{Table: table, Blobs: blobs, Sockets: e, Brains: w, Clock: clock, Account: w, Instances: w,
		Commands: w, Secrets: w, Runs: w, WSURL: "ws://edge.test/live", Version: "test"})
	if ours, ok := e.(*Edge); ok {
		ours.Handlers = s
	}
	return s
}

// Locked runs f while nobody else looks at the world.
func (w *World) Locked(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// Order sets the command of a step.
func (w *World) Order(user pags.UserID, pin string, c relay.Call) {
	w.Locked(func() { w.Orders[relay.CallKey(c.RunID, c.Step)] = Order{c, user, pin} })
}

// Told lists what waiting tasks heard, without beats.
func (w *World) Told() []Told {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Told
	for _, t := range w.told {
		if t.What != "beat" {
			all = append(all, t)
		}
	}
	return all
}

// Beats counts heartbeats.
func (w *World) Beats() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, t := range w.told {
		if t.What == "beat" {
			n++
		}
	}
	return n
}

// Sent and Waiting list what runs heard: "run/step machine", "run/step".
func (w *World) Sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.sent...)
}
func (w *World) Waiting() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.waiting...)
}

func (w *World) Active(_ context.Context, _ pags.UserID, session pags.SessionID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Inactive[session]
}

func (w *World) Owned(_ context.Context, user pags.UserID, id pags.InstanceID) (pags.Instance, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Owner[id].ID != user {
		return pags.Instance{}, pags.Errorf(pags.NotFound, "no instance %s", id)
	}
	return pags.Instance{ID: id, UserID: user, Config: w.Config[id]}, nil
}

func (w *World) ListForMachine(_ context.Context, user pags.UserID, _ pags.Machine) ([]relay.Member, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []relay.Member
	for id, u := range w.Owner {
		if u.ID == user {
			all = append(all, relay.Member{InstanceID: id, DisplayName: string(id), AgentID: "browser", Runtime: "browser"})
		}
	}
	return all, nil
}

func (w *World) Command(_ context.Context, run pags.RunID, step int) (relay.Call, pags.UserID, string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o, ok := w.Orders[relay.CallKey(run, step)]
	if !ok {
		return relay.Call{}, "", "", pags.Errorf(pags.NotFound, "no step %d in run %s", step, run)
	}
	return o.Call, o.User, o.Pin, nil
}

func (w *World) OpenSecret(_ context.Context, _ pags.InstanceID, id pags.SecretID, _ pags.RunID) (relay.Secret, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.Secret[id]
	if !ok {
		return s, pags.Errorf(pags.Gone, "the secret expired")
	}
	return s, nil
}

func (w *World) CallSent(_ context.Context, run pags.RunID, step int, m pags.MachineID) error {
	w.Locked(func() { w.sent = append(w.sent, relay.CallKey(run, step)+" "+string(m)) })
	return nil
}

func (w *World) CallWaiting(_ context.Context, run pags.RunID, step int, _ string) error {
	w.Locked(func() { w.waiting = append(w.waiting, relay.CallKey(run, step)) })
	return nil
}

func (w *World) Wants(_ context.Context, run pags.RunID, step int) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.Unwanted[relay.CallKey(run, step)], nil
}

func (w *World) tell(what, token, text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.TokenDown != nil {
		return w.TokenDown
	}
	if w.dead[token] {
		return pags.Errorf(pags.Gone, "token %s was used", token)
	}
	w.told = append(w.told, Told{what, token, text})
	w.dead[token] = what != "beat"
	return nil
}

// TimeOut lets a token lapse as a heartbeat that stayed away does.
func (w *World) TimeOut(token string) { w.Locked(func() { w.dead[token] = true }) }

func (w *World) SendSuccess(_ context.Context, token string, out []byte) error {
	return w.tell("success", token, string(out))
}
func (w *World) SendFailure(_ context.Context, token, name, _ string) error {
	return w.tell("failure", token, name)
}
func (w *World) SendHeartbeat(_ context.Context, token string) error {
	return w.tell("beat", token, "")
}

var errNotHere = fmt.Errorf("this world starts no executions")

func (w *World) Start(context.Context, string, string, []byte) (string, error) { return "", errNotHere }
func (w *World) Stop(context.Context, string, string, string) error            { return errNotHere }
func (w *World) Describe(context.Context, string) (port.Execution, error) {
	return port.Execution{}, errNotHere
}

// Eventually polls until the condition holds or 30 s of real time are over.
func Eventually(what string, holds func() bool) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if holds() {
			return nil
		}
	}
	return fmt.Errorf("did not come to pass in 30 s: %s", what)
}
