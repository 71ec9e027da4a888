package hub

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"
)

// about is what every event of a connection says.
func about(r *http.Request, c *conn) events.APIGatewayWebsocketProxyRequestContext {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return events.APIGatewayWebsocketProxyRequestContext{
		Stage: "local", APIID: "local", DomainName: r.Host, ConnectionID: c.id, ConnectedAt: c.started.UnixMilli(),
		MessageDirection: "IN",
		Identity:         events.APIGatewayRequestIdentity{SourceIP: host, UserAgent: r.UserAgent()},
	}
}

// event fills in what differs. r is given for $connect only, the one event with headers and a query.
func (c *conn) event(kind, route string, r *http.Request) events.APIGatewayWebsocketProxyRequest {
	now := c.hub.o.Clock.Now()
	e := events.APIGatewayWebsocketProxyRequest{RequestContext: c.about}
	e.RequestContext.EventType, e.RequestContext.RouteKey = kind, route
	e.RequestContext.RequestTimeEpoch = now.UnixMilli()
	e.RequestContext.RequestTime = now.UTC().Format("02/Jan/2006:15:04:05 -0700")
	e.RequestContext.RequestID = requestID()
	e.RequestContext.ExtendedRequestID = e.RequestContext.RequestID
	if r == nil {
		return e
	}
	e.Headers, e.MultiValueHeaders = map[string]string{"Host": r.Host}, map[string][]string{"Host": {r.Host}}
	for name, values := range r.Header {
		e.Headers[name], e.MultiValueHeaders[name] = values[len(values)-1], values
	}
	if q := r.URL.Query(); len(q) > 0 {
		e.QueryStringParameters, e.MultiValueQueryStringParameters = map[string]string{}, q
		for name, values := range q {
			e.QueryStringParameters[name] = values[len(values)-1]
		}
	}
	return e
}

// call runs the function within its limit.
func (c *conn) call(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.hub.o.Limits.Handler)
	defer cancel()
	return c.hub.o.OnEvent(ctx, e)
}

// message hands one text to $default. A function that fails is answered for, in API Gateway's words.
func (c *conn) message(data []byte) {
	e := c.event("MESSAGE", "$default", nil)
	e.Body = string(data)
	e.RequestContext.MessageID = requestID()
	if _, err := c.call(c.hub.base, e); err != nil {
		c.hub.o.Log.Error("$default failed", "connection", c.id, "error", err)
		text, _ := json.Marshal(map[string]string{"message": "Internal server error", "connectionId": c.id, "requestId": e.RequestContext.RequestID})
		c.send(text)
	}
}

// disconnected tells $disconnect, also while the hub is stopping.
func (c *conn) disconnected(code websocket.StatusCode, reason string) {
	c.hub.remove(c)
	e := c.event("DISCONNECT", "$disconnect", nil)
	e.RequestContext.DisconnectStatusCode, e.RequestContext.DisconnectReason = int64(code), &reason
	if _, err := c.call(context.WithoutCancel(c.hub.base), e); err != nil {
		c.hub.o.Log.Error("$disconnect failed", "connection", c.id, "error", err)
	}
}

func requestID() string {
	var raw [12]byte
	_, _ = rand.Read(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:])
}
