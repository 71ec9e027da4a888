package porttest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// SocketsRig is an adapter with a way to make connections. Dial is nil where the peer accepts any id and delivers nothing
// (moto): then the suite proves only that calls are understood.
type SocketsRig struct {
	Sockets port.Sockets
	Dial    func(t *testing.T) Peer
}

// Peer is the other end of a connection.
type Peer struct {
	ID    string
	Frame func(t *testing.T) string // the next frame that came; fails the test when none comes
	Over  func(t *testing.T)        // returns when the server ended the connection
	Leave func()                    // the peer goes away
}

// MaxPost is the largest frame of port.Sockets.
const MaxPost = 32 << 10

// Sockets holds an adapter to port.Sockets.
func Sockets(t *testing.T, open func(t *testing.T) SocketsRig) {
	ctx := context.Background()
	rig := open(t)
	s := rig.Sockets
	id := "L0SM9cOFvHcCIhw="
	if rig.Dial != nil {
		id = rig.Dial(t).ID
	}
	t.Run("a frame of 32 KB goes out, a larger one is refused", func(t *testing.T) {
		if err := s.Post(ctx, id, bytes.Repeat([]byte("x"), MaxPost)); err != nil {
			t.Error(err)
		}
		wantCode(t, "one byte more", s.Post(ctx, id, bytes.Repeat([]byte("x"), MaxPost+1)), pags.TooLarge)
	})
	t.Run("closing is understood, and twice is fine", func(t *testing.T) {
		for range 2 {
			if err := s.Close(ctx, id); err != nil {
				t.Error(err)
			}
		}
	})
	if rig.Dial == nil {
		return
	}
	t.Run("frames arrive whole and in order, on their own connection", func(t *testing.T) {
		a, b := rig.Dial(t), rig.Dial(t)
		large := strings.Repeat("日本", MaxPost/6)
		for i := range 20 {
			if err := s.Post(ctx, a.ID, []byte(fmt.Sprint("frame ", i))); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []Peer{a, b} {
			if err := s.Post(ctx, p.ID, []byte(large)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 20 {
			if got := a.Frame(t); got != fmt.Sprint("frame ", i) {
				t.Fatalf("frame %d is %.40q", i, got)
			}
		}
		if got := a.Frame(t); got != large {
			t.Errorf("the large frame came as %d bytes", len(got))
		}
		if got := b.Frame(t); got != large {
			t.Errorf("the other connection's first frame has %d bytes", len(got))
		}
	})
	t.Run("what never was is gone", func(t *testing.T) {
		wantCode(t, "post", s.Post(ctx, "L0SM9cOFvHcCIhx=", []byte("x")), pags.Gone)
		if err := s.Close(ctx, "L0SM9cOFvHcCIhx="); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	t.Run("WS-01 a peer that left is gone, and its neighbour is not", func(t *testing.T) {
		a, b := rig.Dial(t), rig.Dial(t)
		a.Leave()
		limit := time.Now().Add(10 * time.Second)
		for {
			err := s.Post(ctx, a.ID, []byte("x"))
			if pags.Is(err, pags.Gone) {
				break
			}
			if err != nil || time.Now().After(limit) {
				t.Fatalf("a peer that left: got %v, want code %s", err, pags.Gone)
			}
			time.Sleep(time.Millisecond)
		}
		if err := s.Post(ctx, b.ID, []byte("still here")); err != nil {
			t.Fatal(err)
		}
		if got := b.Frame(t); got != "still here" {
			t.Errorf("the neighbour got %q", got)
		}
	})
	t.Run("a closed connection is gone at once, after what was sent before", func(t *testing.T) {
		a := rig.Dial(t)
		if err := s.Post(ctx, a.ID, []byte("last words")); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(ctx, a.ID); err != nil {
			t.Fatal(err)
		}
		wantCode(t, "post after close", s.Post(ctx, a.ID, []byte("x")), pags.Gone)
		if got := a.Frame(t); got != "last words" {
			t.Errorf("the last frame is %q", got)
		}
		a.Over(t)
	})
}
