package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// socketLife is how long rows of a connection stay at most: the gateway cuts at 2 h, and a clock may be off a little.
const socketLife = 2*time.Hour + 10*time.Minute

// Roles of a connection, and its states.
const (
	roleRunner  = "runner"
	roleConsole = "console"

	stateHandshaking = "handshaking" // a runner that has not said hello
	stateLive        = "live"
)

// connection is C#<connection>/META: who is at the other end.
type connection struct {
	ID        string         `json:"connectionId"`
	Role      string         `json:"role"`
	UserID    pags.UserID    `json:"userId"`
	SessionID pags.SessionID `json:"sessionId"`
	MachineID pags.MachineID `json:"machineId,omitempty"`
	Node      string         `json:"node,omitempty"`
	State     string         `json:"state"`
	Nonce     string         `json:"nonce,omitempty"`
}

// serving is N#<machine>/CONN: the connection that serves a machine. Times are milliseconds since 1970.
type serving struct {
	ConnectionID string            `json:"connectionId"`
	MachineID    pags.MachineID    `json:"machineId"`
	UserID       pags.UserID       `json:"userId"`
	Process      string            `json:"process,omitempty"`
	Since        int64             `json:"since"`
	HeardAt      int64             `json:"heardAt"`
	ProbedAt     int64             `json:"probedAt,omitempty"` // asked "are you there?" and not answered since
	Only         []pags.InstanceID `json:"only,omitempty"`
	Capabilities []string          `json:"capabilities"`
}

// callRow is R#<run>/CALL#<step>. Command and Outcome are JSON texts: they come back as they went in.
type callRow struct {
	RunID      pags.RunID      `json:"runId"`
	Step       int             `json:"step"`
	UserID     pags.UserID     `json:"userId"`
	InstanceID pags.InstanceID `json:"instanceId"`
	Fence      int64           `json:"fence"`
	Generation int             `json:"generation"`
	Token      string          `json:"taskToken"`
	Limit      int64           `json:"limitMs"` // how long the command may take once it was handed over
	Command    string          `json:"command,omitempty"`
	CommandKey string          `json:"commandKey,omitempty"` // blob of a command too large for the row
	CommandSum string          `json:"commandSum,omitempty"`
	CommandLen int64           `json:"commandLen,omitempty"`
	Secret     pags.SecretID   `json:"secret,omitempty"`
	Pin        string          `json:"pin,omitempty"`
	MachineID  pags.MachineID  `json:"machineId,omitempty"` // the only machine whose outcome counts
	SentAt     int64           `json:"sentAt,omitempty"`    // put on a connection, or about to be: it may have been acted upon
	Waiting    bool            `json:"waiting,omitempty"`
	CreatedAt  int64           `json:"createdAt"`
	CancelAt   int64           `json:"cancelledAt,omitempty"`
	Outcome    string          `json:"outcome,omitempty"`
	OutcomeAt  int64           `json:"outcomeAt,omitempty"`
}

func userPK(u pags.UserID) string       { return "U#" + string(u) }
func machinePK(m pags.MachineID) string { return "N#" + string(m) }
func connectionKey(id string) port.Key  { return port.Key{PK: "C#" + id, SK: "META"} }
func consoleKey(u pags.UserID, connection string) port.Key {
	return port.Key{PK: userPK(u), SK: "CONSOLE#" + connection}
}
func machineKey(m pags.MachineID) port.Key { return port.Key{PK: machinePK(m), SK: "META"} }
func servingKey(m pags.MachineID) port.Key { return port.Key{PK: machinePK(m), SK: "CONN"} }
func callKey(run pags.RunID, step int) port.Key {
	return port.Key{PK: "R#" + string(run), SK: fmt.Sprintf("CALL#%06d", step)}
}

// openKey is the pointer to an open call: under the machine it was given to, else under its owner.
func openKey(c callRow) port.Key {
	sk := fmt.Sprintf("CALL#%s#%06d", c.RunID, c.Step)
	if c.MachineID != "" {
		return port.Key{PK: machinePK(c.MachineID), SK: sk}
	}
	return port.Key{PK: userPK(c.UserID), SK: sk}
}

func openItem(c callRow) port.Item {
	k := openKey(c)
	return port.Item{port.AttrPK: k.PK, port.AttrSK: k.SK, "runId": string(c.RunID), "step": json.Number(fmt.Sprint(c.Step))}
}

func (c callRow) key() port.Key { return callKey(c.RunID, c.Step) }

func (c callRow) ref() relay.CallRef { return relay.CallRef{RunID: c.RunID, Step: c.Step} }

// load reads a row into v; an absent one is pags.NotFound.
func (s *Service) load(ctx context.Context, key port.Key, v any) error {
	it, err := s.Table.Get(ctx, key)
	if err != nil {
		return err
	}
	return port.Decode(it, v)
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func (s *Service) nowMillis() int64 { return millis(s.Clock.Now()) }

// heardWithin reports whether the connection was heard in the last d.
func (s *Service) heardWithin(c serving, d time.Duration) bool {
	return c.ConnectionID != "" && s.nowMillis()-c.HeardAt <= d.Milliseconds()
}

// raced reports whether a write or a transaction failed because of its conditions.
func raced(err error) bool {
	var one *port.ConditionFailed
	var many *port.Cancelled
	return errors.As(err, &one) || errors.As(err, &many)
}

// dropServing removes the serving row if it is still this connection's.
func (s *Service) dropServing(ctx context.Context, m pags.MachineID, connection string) error {
	err := s.Table.Write(ctx, port.Delete(servingKey(m)).When(port.Eq("connectionId", connection)))
	if raced(err) {
		return nil
	}
	return err
}
