package hub_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"

	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/pags"
)

// WS-03: what API Gateway cuts is cut here too, so that what passes here passes there.
func TestHub_WS03_FrameAndMessageLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []int // sizes of the frames of one message, in bytes
		closed websocket.StatusCode
	}{
		{"31 KB in one frame", []int{31 << 10}, 0},
		{"exactly 32 KB in one frame", []int{32 << 10}, 0},
		{"a byte more", []int{32<<10 + 1}, websocket.StatusMessageTooBig},
		{"33 KB in one frame", []int{33 << 10}, websocket.StatusMessageTooBig},
		{"128 KB in four frames", []int{32 << 10, 32 << 10, 32 << 10, 32 << 10}, 0},
		{"129 KB in five frames", []int{32 << 10, 32 << 10, 32 << 10, 32 << 10, 1 << 10}, websocket.StatusMessageTooBig},
		{"a large frame among small ones", []int{10, 40 << 10, 10}, websocket.StatusMessageTooBig},
		{"5 MB in one frame", []int{5 << 20}, websocket.StatusMessageTooBig},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			conn, _ := r.connect(t)
			raw := strings.Builder{}
			go func() { // the server may stop reading in the middle
				w, err := conn.Writer(context.Background(), websocket.MessageText)
				for _, n := range c.frames {
					if err == nil {
						_, err = io.WriteString(w, strings.Repeat("x", n))
					}
				}
				if err == nil {
					_ = w.Close()
				}
			}()
			for _, n := range c.frames {
				raw.WriteString(strings.Repeat("x", n))
			}
			if c.closed == 0 {
				if e := r.next(t, "$default"); e.Body != raw.String() {
					t.Errorf("arrived as %d bytes of %d", len(e.Body), raw.Len())
				}
				return
			}
			if c.frames[0] < 1<<20 {
				closedWith(t, conn, c.closed)
			} else if _, err := read(t, conn); err == nil { // with megabytes on the way the peer may see a reset instead
				t.Error("something came back")
			}
			if e := r.next(t, "$disconnect"); e.RequestContext.DisconnectStatusCode != int64(c.closed) {
				t.Errorf("$disconnect says %d, want %d", e.RequestContext.DisconnectStatusCode, c.closed)
			}
			r.quiet(t)
		})
	}
}

func TestHub_BinaryIsRefused(t *testing.T) {
	r := newRig(t)
	c, _ := r.connect(t)
	if err := c.Write(context.Background(), websocket.MessageBinary, []byte{1}); err != nil {
		t.Fatal(err)
	}
	closedWith(t, c, websocket.StatusUnsupportedData)
}

// WS-07: ten minutes without a message end a connection, messages keep it, two hours end it all the same.
func TestHub_WS07_IdleAndTotal(t *testing.T) {
	r := newRig(t)
	c, id := r.connect(t)
	r.clock.AwaitWaiters(2) // total and idle
	for i := range 12 {
		r.clock.Advance(9 * time.Minute)
		if i%2 == 0 {
			say(t, c, "ping")
			r.next(t, "$default")
		} else if err := r.Post(context.Background(), id, []byte("pong")); err != nil {
			t.Fatalf("after %d minutes: %v", 9*(i+1), err)
		} else if text, err := read(t, c); err != nil || text != "pong" {
			t.Fatalf("after %d minutes: %q, %v", 9*(i+1), text, err)
		}
		r.clock.AwaitWaiters(2)
	}
	r.clock.Advance(9 * time.Minute) // 117 minutes
	say(t, c, "ping")
	r.next(t, "$default")
	r.clock.Advance(3 * time.Minute)
	closedWith(t, c, websocket.StatusGoingAway)
	if e := r.next(t, "$disconnect"); e.RequestContext.DisconnectStatusCode != 1001 {
		t.Errorf("$disconnect says %d", e.RequestContext.DisconnectStatusCode)
	}

	c, _ = r.connect(t)
	r.clock.AwaitWaiters(2)
	r.clock.Advance(10*time.Minute - time.Nanosecond)
	if n := r.Connections(); n != 1 {
		t.Errorf("%d connections before ten idle minutes", n)
	}
	r.clock.Advance(time.Nanosecond)
	closedWith(t, c, websocket.StatusGoingAway)
}

func TestHub_APeerThatDoesNotReadIsCutOff(t *testing.T) {
	r := newRig(t, func(o *hub.Options) { o.Limits.Queue = 4 })
	_, slow := r.connect(t)
	quick, other := r.connect(t)
	frame := []byte(strings.Repeat("x", 32<<10))
	var err error
	for i := 0; err == nil; i++ { // until the sockets' buffers and the queue are full
		if i > 10_000 {
			t.Fatal("300 MB were taken for a peer that reads nothing")
		}
		err = r.Post(context.Background(), slow, frame)
	}
	if !pags.Is(err, pags.Gone) {
		t.Errorf("got %v, want code %s", err, pags.Gone)
	}
	r.next(t, "$disconnect")
	if err := r.Post(context.Background(), other, []byte("fine")); err != nil {
		t.Error(err)
	}
	if text, err := read(t, quick); err != nil || text != "fine" {
		t.Errorf("the other connection got %q, %v", text, err)
	}
}

func TestHub_ShutdownTellsEveryone(t *testing.T) {
	r := newRig(t)
	var conns []*websocket.Conn
	for range 5 {
		c, _ := r.connect(t)
		conns = append(conns, c)
	}
	for r.Connections() < len(conns) {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for _, c := range conns {
			closedWith(t, c, websocket.StatusGoingAway)
		}
	}()
	// Peers that do not read yet answer their close late; Shutdown waits for all of them.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	<-closed
	for range conns {
		r.next(t, "$disconnect")
	}
	if _, res, err := dial(t, r.url, nil); err == nil || res.StatusCode != 503 {
		t.Errorf("a connection after the shutdown: %v", err)
	}
}

func TestHub_ShutdownDoesNotWaitForAHangingPeerOrFunction(t *testing.T) {
	r := newRig(t)
	c, _ := r.connect(t)
	release := make(chan struct{})
	defer close(release)
	r.reply = func(e event) (events.APIGatewayProxyResponse, error) {
		if e.RequestContext.RouteKey == "$default" {
			<-release
		}
		return events.APIGatewayProxyResponse{StatusCode: 200}, nil
	}
	say(t, c, "hang")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := r.Shutdown(ctx); err == nil {
		t.Error("a shutdown that cut something off says nothing")
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestHub_ManyConnectionsAtOnce(t *testing.T) {
	r := newRig(t)
	r.reply = func(e event) (events.APIGatewayProxyResponse, error) {
		if e.RequestContext.RouteKey == "$default" {
			return events.APIGatewayProxyResponse{}, r.Post(context.Background(), e.RequestContext.ConnectionID, []byte("echo "+e.Body))
		}
		return events.APIGatewayProxyResponse{StatusCode: http.StatusOK}, nil
	}
	done := make(chan error)
	for i := range 30 {
		go func() {
			c, _, err := websocket.Dial(context.Background(), r.url, nil)
			for n := 0; n < 20 && err == nil; n++ {
				text := fmt.Sprint(i, " ", n)
				if err = c.Write(context.Background(), websocket.MessageText, []byte(text)); err == nil {
					var data []byte
					if _, data, err = c.Read(context.Background()); err == nil && string(data) != "echo "+text {
						err = fmt.Errorf("%q came back as %q", text, data)
					}
				}
			}
			if err == nil {
				err = c.Close(websocket.StatusNormalClosure, "")
			}
			done <- err
		}()
	}
	for range 30 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
