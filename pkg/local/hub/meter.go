package hub

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// meter follows the frames of a byte stream (RFC 6455, 5.2) and notes when one is larger than the limit. The WebSocket
// library joins frames to messages and does not tell.
type meter struct {
	limit int64
	over  atomic.Bool
	head  []byte // of a frame whose header is not complete yet
	skip  int64  // payload still to come
}

func (m *meter) exceeded() bool { return m.over.Load() }

func (m *meter) see(p []byte) {
	for len(p) > 0 {
		if m.skip > 0 {
			n := min(m.skip, int64(len(p)))
			m.skip -= n
			p = p[n:]
			continue
		}
		m.head = append(m.head, p[0])
		p = p[1:]
		if size, whole := payload(m.head); whole {
			if size > m.limit {
				m.over.Store(true)
			}
			m.head, m.skip = m.head[:0], size
		}
	}
}

// payload reads the length out of a frame header; whole is false while bytes of it are missing.
func payload(head []byte) (size int64, whole bool) {
	if len(head) < 2 {
		return 0, false
	}
	need := 2
	size = int64(head[1] & 0x7f)
	switch size {
	case 126:
		need = 4
	case 127:
		need = 10
	}
	if head[1]&0x80 != 0 { // masked, as all frames of a client are
		need += 4
	}
	if len(head) < need {
		return 0, false
	}
	switch size {
	case 126:
		size = int64(binary.BigEndian.Uint16(head[2:]))
	case 127:
		size = int64(binary.BigEndian.Uint64(head[2:]) & (1<<63 - 1))
	}
	return size, true
}

// meteredWriter puts a meter on the connection that the upgrade takes over.
type meteredWriter struct {
	http.ResponseWriter
	limit int
	meter *meter
	conn  net.Conn
}

func (w *meteredWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	nc, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.meter = &meter{limit: int64(w.limit)}
	early, err := rw.Reader.Peek(rw.Reader.Buffered())
	if err != nil {
		return nil, nil, err
	}
	mc := &meteredConn{Conn: nc, meter: w.meter, from: io.MultiReader(bytes.NewReader(bytes.Clone(early)), nc)}
	w.conn = mc
	return mc, bufio.NewReadWriter(bufio.NewReader(mc), rw.Writer), nil
}

type meteredConn struct {
	net.Conn
	meter *meter
	from  io.Reader
}

func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.meter.see(p[:n])
	return n, err
}
