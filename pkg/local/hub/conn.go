package hub

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"
)

// writeLimit bounds the write of one frame to a socket, in real time: it is about the network, not about our logic.
const writeLimit = 10 * time.Second

// conn is one connection. It ends exactly once, whoever says so first.
type conn struct {
	hub     *Hub
	id      string
	started time.Time
	about   events.APIGatewayWebsocketProxyRequestContext
	ws      *websocket.Conn
	socket  net.Conn
	meter   *meter
	out     chan []byte

	mu     sync.Mutex
	last   time.Time // newest message either way
	over   chan struct{}
	ended  bool
	code   websocket.StatusCode
	reason string
	flush  bool
}

// run serves the connection until it is over, then tells $disconnect.
func (c *conn) run() {
	var helpers sync.WaitGroup
	helpers.Go(c.write)
	helpers.Go(c.watch)
	c.read()
	helpers.Wait()
	c.mu.Lock()
	code, reason := c.code, c.reason
	c.mu.Unlock()
	c.disconnected(code, reason)
}

// end makes the connection unreachable at once; the writer then closes the socket, after what is queued if flush is set.
func (c *conn) end(code websocket.StatusCode, reason string, flush bool) {
	c.hub.remove(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended, c.code, c.reason, c.flush = true, code, reason, flush
	close(c.over)
}

// send queues a frame; false means that the connection is over, or is now because it does not keep up.
func (c *conn) send(data []byte) bool {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return false
	}
	select {
	case c.out <- append([]byte(nil), data...):
		c.last = c.hub.o.Clock.Now()
		c.mu.Unlock()
		return true
	default:
	}
	c.mu.Unlock()
	c.end(websocket.StatusPolicyViolation, "the peer does not keep up", false)
	c.cut() // the writer may be stuck in a write
	return false
}

// cut ends the socket without a farewell. It goes around the library, whose CloseNow waits for a close in progress.
func (c *conn) cut() { _ = c.socket.Close() }

func (c *conn) write() {
	for {
		select {
		case data := <-c.out:
			if !c.writeOne(data) {
				return
			}
		case <-c.over:
			if !c.flush {
				_ = c.ws.CloseNow()
				return
			}
			for len(c.out) > 0 {
				if !c.writeOne(<-c.out) {
					return
				}
			}
			_ = c.ws.Close(c.code, c.reason) // waits at most some seconds for the peer's answer
			return
		}
	}
}

func (c *conn) writeOne(data []byte) bool {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageText, data); err != nil {
		c.end(websocket.StatusAbnormalClosure, "a frame could not be written", false)
		_ = c.ws.CloseNow()
		return false
	}
	return true
}

func (c *conn) read() {
	for {
		kind, data, err := c.ws.Read(context.Background())
		if err != nil {
			c.lost(err)
			return
		}
		switch {
		case c.meter.exceeded():
			c.end(websocket.StatusMessageTooBig, "a frame is larger than the limit", true)
			return
		case kind != websocket.MessageText:
			c.end(websocket.StatusUnsupportedData, "only text is spoken here", true)
			return
		}
		c.mu.Lock()
		c.last = c.hub.o.Clock.Now()
		ended := c.ended
		c.mu.Unlock()
		if ended {
			return
		}
		c.message(data)
	}
}

// lost notes why nothing more can be read. A message over the limit was already answered with 1009.
func (c *conn) lost(err error) {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		c.end(closed.Code, closed.Reason, false)
	case errors.Is(err, websocket.ErrMessageTooBig):
		c.end(websocket.StatusMessageTooBig, "a message is larger than the limit", true)
	default:
		c.end(websocket.StatusAbnormalClosure, "the connection was lost", false)
	}
}

// watch closes what is idle or too old. A timer that fires early because a message came is set again.
func (c *conn) watch() {
	clock, limits := c.hub.o.Clock, c.hub.o.Limits
	total := clock.After(limits.Total)
	idle := clock.After(limits.Idle)
	for {
		select {
		case <-c.over:
			return
		case <-total:
			c.end(websocket.StatusGoingAway, "the connection reached its longest life", true)
			return
		case <-idle:
			c.mu.Lock()
			left := limits.Idle - clock.Now().Sub(c.last)
			c.mu.Unlock()
			if left <= 0 {
				c.end(websocket.StatusGoingAway, "nothing was said for too long", true)
				return
			}
			idle = clock.After(left)
		}
	}
}
