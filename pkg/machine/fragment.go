package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// maxFragments bounds the pieces that one connection may leave lying: MaxPending messages of usual size.
const maxFragments = 48

// receive takes one frame. Each frame comes to its own function call and in any order, so pieces are rows; whoever sees all of
// them takes the message by removing them in one transaction. If that process dies then, the sender sends again what it gets no answer to.
func (s *Service) receive(ctx context.Context, c connection, data []byte) (m relay.Message, whole bool, err error) {
	m, f, err := relay.Parse(data)
	if err != nil {
		return relay.Message{}, false, err
	}
	if f == nil {
		return m, true, nil
	}
	if c.State == stateHandshaking {
		return m, false, pags.Errorf(pags.Invalid, "hello fits one frame")
	}
	pk := connectionKey(c.ID).PK
	it := port.Item{port.AttrPK: pk, port.AttrSK: fragmentSK(f.M, f.I), "d": f.D, "n": number(int64(f.N))}
	if err := s.Table.Write(ctx, port.Put(it.Expiring(s.Clock.Now().Add(relay.PendingAge)))); err != nil {
		return m, false, fmt.Errorf("keep a piece of a message: %w", err)
	}
	page, err := s.Table.Query(ctx, port.Query{PK: pk, Prefix: "FRAG#", Limit: maxFragments + 1})
	if err != nil {
		return m, false, fmt.Errorf("read the pieces of a message: %w", err)
	}
	if len(page.Items) > maxFragments {
		if err := s.Table.Write(ctx, port.Delete(port.KeyOf(it))); err != nil {
			return m, false, fmt.Errorf("drop a piece of a message: %w", err)
		}
		return m, false, pags.Errorf(pags.TooLarge, "too many messages are half sent on this connection")
	}
	return s.assemble(ctx, pk, *f, page.Items)
}

func (s *Service) assemble(ctx context.Context, pk string, f relay.Frame, items []port.Item) (m relay.Message, whole bool, err error) {
	pieces := make([]string, 0, f.N)
	taking := make([]port.Write, 0, f.N)
	for _, it := range items {
		key := port.KeyOf(it)
		if !strings.HasPrefix(key.SK, fragmentPrefix(f.M)) {
			continue
		}
		n, _ := it["n"].(json.Number)
		d, _ := it["d"].(string)
		if n.String() != fmt.Sprint(f.N) {
			return m, false, pags.Errorf(pags.Invalid, "the frames of a message do not agree on their number")
		}
		pieces = append(pieces, d) // sort-key order is piece order
		taking = append(taking, port.Delete(key).When(port.Exists()))
	}
	if len(pieces) < f.N {
		return m, false, nil
	}
	err = s.Table.Transact(ctx, newID(), taking...)
	if raced(err) {
		return m, false, nil // the call that brought another piece has it
	}
	if err != nil {
		return m, false, fmt.Errorf("take a message: %w", err)
	}
	m, err = relay.Join(f.M, pieces)
	return m, err == nil, err
}

func fragmentPrefix(message string) string { return "FRAG#" + message + "#" }

func fragmentSK(message string, i int) string {
	return fmt.Sprintf("%s%02d", fragmentPrefix(message), i)
}
