package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// TicketAsk says for what a socket is wanted.
type TicketAsk struct {
	Role      string         `json:"role" enum:"runner,console"`
	MachineID pags.MachineID `json:"machineId,omitempty" maxLength:"64" doc:"a runner's registered machine"`
	Node      string         `json:"node,omitempty" maxLength:"120" doc:"a runner's hostname, as it will say in hello"`
}

// Ticket opens one socket, once, within a minute.
type Ticket struct {
	Ticket    string    `json:"ticket"`
	URL       string    `json:"url" doc:"dial this; it carries the ticket"`
	Nonce     string    `json:"nonce,omitempty" doc:"for runners: hello signs it with the machine's key"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// ticketRow is T#<hash>/TICKET: what the ticket is bound to. Its text is not stored.
type ticketRow struct {
	Role      string         `json:"role"`
	UserID    pags.UserID    `json:"userId"`
	SessionID pags.SessionID `json:"sessionId"`
	MachineID pags.MachineID `json:"machineId,omitempty"`
	Node      string         `json:"node,omitempty"`
	Nonce     string         `json:"nonce,omitempty"`
	ExpiresAt int64          `json:"expiresAt"`
}

// Mint makes a ticket bound to the session, and for a runner to one of the user's machines.
func (s *Service) Mint(ctx context.Context, user pags.UserID, session pags.SessionID, ask TicketAsk) (Ticket, error) {
	expires := s.Clock.Now().Add(relay.TicketLife)
	row := ticketRow{Role: ask.Role, UserID: user, SessionID: session, ExpiresAt: millis(expires)}
	switch ask.Role {
	case roleRunner:
		if ask.MachineID == "" {
			return Ticket{}, pags.Errorf(pags.Unprocessable, "a runner's ticket needs machineId; register the machine with POST /v1/machines")
		}
		if err := checkNode(ask.Node); err != nil {
			return Ticket{}, err
		}
		if _, err := s.Machine(ctx, user, ask.MachineID); err != nil {
			return Ticket{}, err
		}
		row.MachineID, row.Node, row.Nonce = ask.MachineID, ask.Node, pags.NewToken()
	case roleConsole:
		if ask.MachineID != "" || ask.Node != "" {
			return Ticket{}, pags.Errorf(pags.Unprocessable, "a console's ticket has no machineId and no node")
		}
	default:
		return Ticket{}, pags.Errorf(pags.Unprocessable, "role must be runner or console")
	}
	token := pags.NewToken()
	it, err := port.Encode(ticketKey(token), row)
	if err != nil {
		return Ticket{}, err
	}
	// A second more, because rows expire by whole seconds; the exact moment is in the row.
	if err := s.Table.Write(ctx, port.Put(it.Expiring(expires.Add(time.Second))).When(port.NotExists())); err != nil {
		return Ticket{}, fmt.Errorf("write a socket ticket: %w", err)
	}
	return Ticket{Ticket: token, URL: s.WSURL + "?ticket=" + token, Nonce: row.Nonce, ExpiresAt: expires.UTC()}, nil
}

// redeem uses a ticket up. One that is unknown, used or late is pags.Unauthenticated.
func (s *Service) redeem(ctx context.Context, token string) (ticketRow, error) {
	var row ticketRow
	bad := pags.Errorf(pags.Unauthenticated, "the socket ticket is unknown, used or late; get a new one with POST /v1/relay/ticket")
	if token == "" || len(token) > 128 {
		return row, bad
	}
	err := s.load(ctx, ticketKey(token), &row)
	if pags.Is(err, pags.NotFound) {
		return row, bad
	}
	if err != nil {
		return row, fmt.Errorf("read a socket ticket: %w", err)
	}
	err = s.Table.Write(ctx, port.Delete(ticketKey(token)).When(port.Exists()))
	if raced(err) || (err == nil && s.nowMillis() >= row.ExpiresAt) {
		return row, bad
	}
	if err != nil {
		return row, fmt.Errorf("use a socket ticket: %w", err)
	}
	return row, nil
}

func ticketKey(token string) port.Key {
	sum := sha256.Sum256([]byte(token))
	return port.Key{PK: "T#" + hex.EncodeToString(sum[:]), SK: "TICKET"}
}
