package hub

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/coder/websocket"
)

// ServeHTTP asks $connect and, when it allows, upgrades. It returns when the connection is over.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		http.Error(w, "the server stops; connect again soon", http.StatusServiceUnavailable)
		return
	}
	defer h.all.Done()
	// $connect may spend a ticket, so what cannot become a connection is refused before it is asked.
	if r.Method != http.MethodGet || !hasToken(r.Header, "Upgrade", "websocket") || !hasToken(r.Header, "Connection", "upgrade") ||
		r.Header.Get("Sec-WebSocket-Version") != "13" || r.Header.Get("Sec-WebSocket-Key") == "" {
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "this address speaks WebSocket only", http.StatusUpgradeRequired)
		return
	}
	if !h.allowed(r) {
		http.Error(w, "pages of this origin may not connect", http.StatusForbidden)
		return
	}
	c := &conn{hub: h, id: newID(), started: h.o.Clock.Now(), out: make(chan []byte, h.o.Limits.Queue), over: make(chan struct{})}
	c.last = c.started
	c.about = about(r, c)
	res, err := c.call(h.base, c.event("CONNECT", "$connect", r))
	if err != nil {
		h.o.Log.Error("$connect failed", "connection", c.id, "error", err)
		http.Error(w, "the connection could not be prepared; try again", http.StatusBadGateway)
		return
	}
	if res.StatusCode >= 300 || res.StatusCode < 200 {
		status := res.StatusCode
		if status < 400 || status > 599 {
			status = http.StatusBadGateway
		}
		http.Error(w, res.Body, status)
		return
	}
	metered := &meteredWriter{ResponseWriter: w, limit: h.o.Limits.Frame}
	options := &websocket.AcceptOptions{InsecureSkipVerify: true} // the origin was checked above
	if p := res.Headers["Sec-WebSocket-Protocol"]; p != "" {
		options.Subprotocols = []string{p}
	}
	c.ws, err = websocket.Accept(metered, r, options)
	if err != nil {
		c.disconnected(websocket.StatusAbnormalClosure, "the upgrade failed")
		return
	}
	c.meter, c.socket = metered.meter, metered.conn
	c.ws.SetReadLimit(int64(h.o.Limits.Message))
	if !h.add(c) {
		c.end(websocket.StatusGoingAway, "the server stops", true)
	}
	c.run()
}

// allowed checks the origin that a browser states; programs state none.
func (h *Hub) allowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	if h.o.Origin != nil {
		return h.o.Origin(r)
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

func hasToken(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for _, t := range strings.Split(line, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

// newID looks like API Gateway's: 16 characters of base64 with one "=" at the end.
func newID() string {
	var raw [11]byte
	_, _ = rand.Read(raw[:])
	return base64.URLEncoding.EncodeToString(raw[:])
}
