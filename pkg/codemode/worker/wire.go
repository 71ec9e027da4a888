// Package worker runs programs of code mode in child processes: the same binary, an empty environment, lowered priority, killed
// at the deadline. Parent and child speak JSON messages with a length in front over the child's stdin and stdout. The child
// has no file, no socket and no secret; everything a program wants of the world it asks of the parent, which does the asking
// for calls, the journal and the clock itself.
//
//	Pool   the parent's side, a codemode.Sandbox (pool.go, child.go)
//	Main   the child's side (main.go)
package worker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/proagentstore/pags/pkg/codemode"
)

// Subcommand starts a worker. The binary's main calls Main when it is the only argument, before it sets anything else up.
const Subcommand = "codemode-worker"

// maxFrame bounds one message. A turn may hold many calls with arguments of 1 MB each; a child that sends more is killed.
const maxFrame = 64 << 20

// message is either direction; op says which parts count.
//
//	parent: hello (engine), open (program), step (event), close
//	child:  ready (version), opened (failure or trouble), line, turn (turn or trouble), closed
type message struct {
	Op      string            `json:"op"`
	Engine  *codemode.Options `json:"engine,omitempty"`
	Program *codemode.Program `json:"program,omitempty"`
	Event   *codemode.Event   `json:"event,omitempty"`
	Version string            `json:"version,omitempty"`
	Line    *codemode.Line    `json:"line,omitempty"`
	Turn    *codemode.Turn    `json:"turn,omitempty"`
	Failure *codemode.Failure `json:"failure,omitempty"`
	Trouble string            `json:"trouble,omitempty"`
}

func write(w io.Writer, m message) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write a %s message: %w", m.Op, err)
	}
	if len(raw) > maxFrame {
		return fmt.Errorf("a %s message has %d bytes; at most %d fit", m.Op, len(raw), maxFrame)
	}
	frame := make([]byte, 4, 4+len(raw))
	binary.BigEndian.PutUint32(frame, uint32(len(raw)))
	_, err = w.Write(append(frame, raw...))
	return err
}

func read(r *bufio.Reader) (m message, err error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return m, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxFrame {
		return m, fmt.Errorf("a message of %d bytes was announced; at most %d are read", n, maxFrame)
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(r, raw); err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("read a message: %w", err)
	}
	return m, nil
}
