package relay

import (
	"slices"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// Caps of what one connection may leave half sent. The cloud keeps its pieces as rows and counts the same way.
const (
	MaxPending = 8               // messages begun and not complete
	PendingAge = 5 * time.Minute // a message not complete by then is dropped
	seenIDs    = 512             // ids remembered to drop repeats
)

// Assembler puts the messages of one connection back together. It is not safe for concurrent use.
type Assembler struct {
	now     func() time.Time
	pending map[string]*partial
	seen    []string
}

type partial struct {
	pieces []string
	have   int
	size   int
	since  time.Time
}

// NewAssembler starts with nothing pending.
func NewAssembler(now func() time.Time) *Assembler {
	return &Assembler{now: now, pending: map[string]*partial{}}
}

// Add takes what one WebSocket message carried. done is true when m is complete and new; repeated pieces and repeated
// messages are dropped without an error. Frames may arrive in any order.
func (a *Assembler) Add(data []byte) (m Message, done bool, err error) {
	m, f, err := Parse(data)
	if err != nil {
		return Message{}, false, err
	}
	if f == nil {
		if slices.Contains(a.seen, m.ID) {
			return Message{}, false, nil
		}
		a.remember(m.ID)
		return m, true, nil
	}
	if slices.Contains(a.seen, f.M) {
		return Message{}, false, nil
	}
	p, err := a.begun(f)
	if err != nil || p.pieces[f.I] != "" {
		return Message{}, false, err
	}
	p.pieces[f.I] = f.D
	p.have++
	p.size += len(f.D)
	if p.size > MaxMessage {
		a.forget(f.M)
		return Message{}, false, pags.Errorf(pags.TooLarge, "message %s is above the limit of %d bytes", f.M, MaxMessage)
	}
	if p.have < len(p.pieces) {
		return Message{}, false, nil
	}
	a.forget(f.M)
	if m, err = Join(f.M, p.pieces); err != nil {
		return Message{}, false, err
	}
	return m, true, nil
}

// begun finds or opens the message of a piece.
func (a *Assembler) begun(f *Frame) (*partial, error) {
	for id, p := range a.pending {
		if a.now().Sub(p.since) >= PendingAge {
			delete(a.pending, id)
		}
	}
	p := a.pending[f.M]
	if p == nil {
		if len(a.pending) >= MaxPending {
			return nil, pags.Errorf(pags.TooLarge, "more than %d messages are half sent", MaxPending)
		}
		p = &partial{pieces: make([]string, f.N), since: a.now()}
		a.pending[f.M] = p
	}
	if len(p.pieces) != f.N {
		a.forget(f.M)
		return nil, pags.Errorf(pags.Invalid, "the frames of message %s do not agree on their number", f.M)
	}
	return p, nil
}

func (a *Assembler) forget(id string) {
	delete(a.pending, id)
	a.remember(id)
}

func (a *Assembler) remember(id string) {
	if len(a.seen) >= seenIDs {
		a.seen = slices.Delete(a.seen, 0, seenIDs/2)
	}
	a.seen = append(a.seen, id)
}
