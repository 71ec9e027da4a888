package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// kinds lists the messages we take: from whom, and whether the runner must have said hello before.
var kinds = map[string]struct {
	role   string // "" from either
	before bool   // allowed while handshaking
	handle func(*Service, context.Context, connection, relay.Message) error
}{
	relay.KindHello:    {role: roleRunner, before: true, handle: (*Service).hello},
	relay.KindPing:     {handle: (*Service).ping},
	relay.KindPong:     {role: roleRunner, handle: (*Service).pong},
	relay.KindProgress: {role: roleRunner, handle: (*Service).progress},
	relay.KindSlots:    {role: roleRunner, handle: (*Service).slots},
	relay.KindOutcome:  {role: roleRunner, handle: (*Service).outcome},
	relay.KindWatch:    {role: roleConsole, handle: (*Service).watch},
}

type (
	socketEvent = events.APIGatewayWebsocketProxyRequest
	socketReply = events.APIGatewayProxyResponse
)

func reply(status int) socketReply {
	return socketReply{StatusCode: status, Headers: map[string]string{"Content-Type": "text/plain"}}
}

// Connect is $connect: it uses the ticket up and writes who is there. Nothing can be posted to the connection before it
// returned, so a runner's hello is the first thing that gets an answer.
func (s *Service) Connect(ctx context.Context, ev socketEvent) (socketReply, error) {
	t, err := s.redeem(ctx, ev.QueryStringParameters["ticket"])
	if err == nil {
		err = s.Account.Active(ctx, t.UserID, t.SessionID)
	}
	if pags.Is(err, pags.Unauthenticated) || pags.Is(err, pags.Forbidden) {
		return reply(http.StatusUnauthorized), nil
	}
	if err != nil {
		return reply(http.StatusInternalServerError), fmt.Errorf("open a socket: %w", err)
	}
	c := connection{ID: ev.RequestContext.ConnectionID, Role: t.Role, UserID: t.UserID, SessionID: t.SessionID,
		MachineID: t.MachineID, Node: t.Node, State: stateHandshaking, Nonce: t.Nonce}
	if c.Role == roleConsole {
		c.State = stateLive
	}
	it, err := port.Encode(connectionKey(c.ID), c)
	if err != nil {
		return reply(http.StatusInternalServerError), err
	}
	ends := s.Clock.Now().Add(socketLife)
	writes := []port.Write{port.Put(it.Expiring(ends))}
	if c.Role == roleConsole {
		k := consoleKey(c.UserID, c.ID)
		row := port.Item{port.AttrPK: k.PK, port.AttrSK: k.SK, "connectionId": c.ID, "runId": ""}
		writes = append(writes, port.Put(row.Expiring(ends)))
	}
	if err := s.Table.Transact(ctx, newID(), writes...); err != nil {
		return reply(http.StatusInternalServerError), fmt.Errorf("write a connection: %w", err)
	}
	return reply(http.StatusOK), nil
}

// Disconnect is $disconnect: it removes what carries this connection's id and nothing else, however late it comes.
func (s *Service) Disconnect(ctx context.Context, ev socketEvent) (socketReply, error) {
	var c connection
	err := s.load(ctx, connectionKey(ev.RequestContext.ConnectionID), &c)
	if pags.Is(err, pags.NotFound) {
		return reply(http.StatusOK), nil
	}
	if err == nil {
		err = s.dropConnection(ctx, c)
	}
	if err != nil {
		return reply(http.StatusInternalServerError), fmt.Errorf("clean up connection %s: %w", ev.RequestContext.ConnectionID, err)
	}
	return reply(http.StatusOK), nil
}

func (s *Service) dropConnection(ctx context.Context, c connection) error {
	if c.Role == roleRunner {
		if err := s.leave(ctx, c); err != nil {
			return err
		}
		return s.Table.Write(ctx, port.Delete(connectionKey(c.ID)))
	}
	return s.Table.Transact(ctx, newID(), port.Delete(connectionKey(c.ID)), port.Delete(consoleKey(c.UserID, c.ID)))
}

// leave frees the machine's place if this connection held it, and keeps when the machine was last there.
func (s *Service) leave(ctx context.Context, c connection) error {
	err := s.Table.Write(ctx, port.Delete(servingKey(c.MachineID)).When(port.Eq("connectionId", c.ID)))
	if raced(err) {
		return nil // another connection serves the machine, or none does
	}
	if err != nil {
		return err
	}
	err = s.Table.Write(ctx, port.Update(machineKey(c.MachineID)).Setting("lastSeenAt", stamp(s.Clock.Now())).When(port.Exists()))
	if raced(err) || pags.Is(err, pags.NotFound) {
		return nil // forgotten meanwhile
	}
	return err
}

// Message is $default: one frame of a client. What is malformed, unknown or out of place is answered where that helps,
// logged, and changes nothing.
func (s *Service) Message(ctx context.Context, ev socketEvent) (socketReply, error) {
	var c connection
	id := ev.RequestContext.ConnectionID
	err := s.load(ctx, connectionKey(id), &c)
	if pags.Is(err, pags.NotFound) {
		s.Log.Info("message from a connection that is over", "connection", id)
		return reply(http.StatusGone), nil
	}
	if err != nil {
		return reply(http.StatusInternalServerError), fmt.Errorf("read connection %s: %w", id, err)
	}
	m, whole, err := s.receive(ctx, c, []byte(ev.Body))
	if err == nil && whole {
		err = s.dispatch(ctx, c, m)
	}
	switch code := pags.CodeOf(err); {
	case err == nil:
		return reply(http.StatusOK), nil
	case code == pags.Invalid || code == pags.TooLarge || code == pags.Unprocessable:
		s.Log.Warn("message dropped", "connection", id, "role", c.Role, "kind", clip(m.Kind, 40), "reason", clip(err.Error(), 300))
		if c.State == stateHandshaking {
			s.refuse(ctx, id, relay.CodeBadHello, "the first message must be a well-formed hello; see docs/relay-protocol.md")
		}
		return reply(http.StatusOK), nil
	default:
		return reply(http.StatusInternalServerError), fmt.Errorf("handle a %q message: %w", clip(m.Kind, 40), err)
	}
}

func (s *Service) dispatch(ctx context.Context, c connection, m relay.Message) error {
	k, known := kinds[m.Kind]
	switch {
	case m.V != relay.Version:
		s.refuse(ctx, c.ID, relay.CodeVersion, fmt.Sprintf("this server speaks version %d of the wire, not %d; update pags", relay.Version, m.V))
		return nil
	case !known:
		return pags.Errorf(pags.Invalid, "unknown kind of message")
	case k.role != "" && k.role != c.Role:
		return pags.Errorf(pags.Invalid, "a %s does not send this kind of message", c.Role)
	case c.State == stateHandshaking && !k.before:
		return pags.Errorf(pags.Invalid, "hello comes first")
	}
	return k.handle(s, ctx, c, m)
}

// refuse tells a client why it is not served and closes the connection. Best effort: the connection may be over.
func (s *Service) refuse(ctx context.Context, connection string, code int, reason string) {
	again := 0
	if code == relay.CodeSlotTaken {
		again = int(blockedRetry.Seconds())
	}
	err := s.post(ctx, connection, relay.KindRefused, relay.Refused{Code: code, Reason: reason, Again: again})
	if err != nil && !pags.Is(err, pags.Gone) {
		s.Log.Warn("refusal was not delivered", "connection", connection, "reason", err.Error())
	}
	if err := s.Sockets.Close(ctx, connection); err != nil {
		s.Log.Warn("connection was not closed", "connection", connection, "reason", err.Error())
	}
}

// watch narrows a console socket to the events of one run, or widens it again.
func (s *Service) watch(ctx context.Context, c connection, m relay.Message) error {
	var w relay.Watch
	if err := m.Read(&w); err != nil {
		return err
	}
	if len(w.RunID) > 64 {
		return pags.Errorf(pags.Invalid, "no run has such an id")
	}
	err := s.Table.Write(ctx, port.Update(consoleKey(c.UserID, c.ID)).Setting("runId", string(w.RunID)).When(port.Exists()))
	if raced(err) || pags.Is(err, pags.NotFound) {
		return nil // the socket closed meanwhile
	}
	return err
}

func clip(text string, n int) string {
	if len(text) > n {
		return text[:n]
	}
	return text
}

func number(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
