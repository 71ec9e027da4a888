package hub_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"

	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestHub_Contract(t *testing.T) {
	porttest.Sockets(t, func(t *testing.T) porttest.SocketsRig {
		r := newRig(t)
		return porttest.SocketsRig{Sockets: r, Dial: func(t *testing.T) porttest.Peer {
			c, _, err := dial(t, r.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			id := ""
			for id == "" {
				if e := <-r.told; e.RequestContext.RouteKey == "$connect" {
					id = e.RequestContext.ConnectionID
				}
			}
			r.await(t, id)
			return porttest.Peer{ID: id,
				Frame: func(t *testing.T) string {
					text, err := read(t, c)
					if err != nil {
						t.Fatal(err)
					}
					return text
				},
				Over:  func(t *testing.T) { closedWith(t, c, websocket.StatusNormalClosure) },
				Leave: func() { _ = c.CloseNow() },
			}
		}}
	})
}

func TestHub_AConnectionIsThreeKindsOfEvents(t *testing.T) {
	r := newRig(t)
	c, _, err := dial(t, r.url+"?ticket=abc&x=1&x=2", http.Header{"X-Test": {"yes"}, "User-Agent": {"runner/1"}})
	if err != nil {
		t.Fatal(err)
	}
	e := r.next(t, "$connect")
	about := e.RequestContext
	if about.EventType != "CONNECT" || e.QueryStringParameters["ticket"] != "abc" || e.QueryStringParameters["x"] != "2" || e.Headers["X-Test"] != "yes" ||
		about.Identity.SourceIP != "127.0.0.1" || about.Identity.UserAgent != "runner/1" || about.ConnectedAt != t0.UnixMilli() || about.RequestTimeEpoch != t0.UnixMilli() {
		t.Errorf("$connect is %+v", e)
	}
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{15}=$`).MatchString(about.ConnectionID) {
		t.Errorf("the connection id is %q", about.ConnectionID)
	}
	for _, text := range []string{"one", `{"action":"other"}`, strings.Repeat("ü", 10_000)} {
		say(t, c, text)
		e := r.next(t, "$default")
		if e.Body != text || e.RequestContext.EventType != "MESSAGE" || e.RequestContext.ConnectionID != about.ConnectionID || e.RequestContext.MessageID == nil {
			t.Errorf("$default is %+v", e.RequestContext)
		}
	}
	if err := c.Close(4409, "bye"); err != nil {
		t.Error(err)
	}
	e = r.next(t, "$disconnect")
	if e.RequestContext.EventType != "DISCONNECT" || e.RequestContext.DisconnectStatusCode != 4409 || *e.RequestContext.DisconnectReason != "bye" ||
		e.RequestContext.ConnectionID != about.ConnectionID {
		t.Errorf("$disconnect is %+v", e.RequestContext)
	}
	r.quiet(t)
}

func TestHub_ConnectDecidesBeforeTheUpgrade(t *testing.T) {
	for status, want := range map[int]int{401: 401, 403: 403, 410: 410, 500: 500, 302: 502, 0: 502} {
		r := newRig(t)
		r.reply = func(event) (events.APIGatewayProxyResponse, error) {
			return events.APIGatewayProxyResponse{StatusCode: status, Body: "no"}, nil
		}
		_, res, err := dial(t, r.url, nil)
		if err == nil || res == nil || res.StatusCode != want {
			t.Errorf("$connect answered %d: got %v, %v, want %d", status, res, err, want)
		}
		r.next(t, "$connect")
		r.quiet(t)
	}
	r := newRig(t)
	r.reply = func(event) (events.APIGatewayProxyResponse, error) {
		return events.APIGatewayProxyResponse{}, errors.New("boom")
	}
	if _, res, err := dial(t, r.url, nil); err == nil || res.StatusCode != 502 {
		t.Errorf("$connect failed: got %v", err)
	}
}

func TestHub_NothingIsPostedBeforeConnectReturned(t *testing.T) {
	r := newRig(t)
	var during error
	r.reply = func(e event) (events.APIGatewayProxyResponse, error) {
		if e.RequestContext.RouteKey == "$connect" {
			during = r.Post(context.Background(), e.RequestContext.ConnectionID, []byte("early"))
		}
		return events.APIGatewayProxyResponse{StatusCode: 200}, nil
	}
	_, id := r.connect(t)
	if !pags.Is(during, pags.Gone) {
		t.Errorf("while $connect ran: got %v, want code %s", during, pags.Gone)
	}
	if err := r.Post(context.Background(), id, []byte("now")); err != nil {
		t.Error(err)
	}
}

func TestHub_WhatIsNoUpgradeSpendsNoTicket(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*http.Request){
		"a plain request":  func(q *http.Request) { q.Header = http.Header{} },
		"another version":  func(q *http.Request) { q.Header.Set("Sec-WebSocket-Version", "8") },
		"no key":           func(q *http.Request) { q.Header.Del("Sec-WebSocket-Key") },
		"another method":   func(q *http.Request) { q.Method = http.MethodPost },
		"a foreign origin": func(q *http.Request) { q.Header.Set("Origin", "https://evil.test") },
		"a null origin":    func(q *http.Request) { q.Header.Set("Origin", "null") },
	} {
		q := httptest.NewRequest(http.MethodGet, "http://localhost:4788/ws", nil)
		q.Header = http.Header{"Upgrade": {"websocket"}, "Connection": {"keep-alive, Upgrade"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}
		change(q)
		w := httptest.NewRecorder()
		r.ServeHTTP(w, q)
		if w.Code < 400 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	r.quiet(t)
}

func TestHub_AnOriginIsAllowedByTheHost(t *testing.T) {
	r := newRig(t)
	host := strings.TrimSuffix(strings.TrimPrefix(r.url, "ws://"), "/ws")
	if _, _, err := dial(t, r.url, http.Header{"Origin": {"http://" + host}}); err != nil {
		t.Errorf("the same host: %v", err)
	}
	r = newRig(t, func(o *hub.Options) {
		o.Origin = func(q *http.Request) bool { return q.Header.Get("Origin") == "http://console.test" }
	})
	if _, _, err := dial(t, r.url, http.Header{"Origin": {"http://console.test"}}); err != nil {
		t.Errorf("a listed origin: %v", err)
	}
	if _, res, err := dial(t, r.url, http.Header{"Origin": {"http://other.test"}}); err == nil || res.StatusCode != 403 {
		t.Errorf("another origin: %v", err)
	}
}

func TestHub_AFailingFunctionIsAnsweredFor(t *testing.T) {
	r := newRig(t)
	c, id := r.connect(t)
	r.reply = func(event) (events.APIGatewayProxyResponse, error) {
		return events.APIGatewayProxyResponse{}, errors.New("secret detail")
	}
	say(t, c, "x")
	text, err := read(t, c)
	if err != nil || !strings.Contains(text, `"message":"Internal server error"`) || !strings.Contains(text, id) || strings.Contains(text, "secret") {
		t.Errorf("got %q, %v", text, err)
	}
}
