package machine

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// uploads lists what a runner may upload for a call, with its type and largest size.
var uploads = map[string]struct {
	contentType string
	max         int64
}{
	"snapshot.txt": {"text/plain; charset=utf-8", 8 << 20},
	"shot.jpg":     {"image/jpeg", 8 << 20},
}

func slotKey(run pags.RunID, step int, name string) string {
	return fmt.Sprintf("runs/%s/%d/%s", run, step, name)
}

// slots answers a runner that wants to upload parts of an outcome. Only the machine that holds an open call gets slots, for
// exactly the size and checksum it names; any refusal is the answer's error text.
func (s *Service) slots(ctx context.Context, c connection, m relay.Message) error {
	var ask relay.SlotsAsk
	if err := m.Read(&ask); err != nil {
		return err
	}
	row, mine, err := s.held(ctx, c, m)
	if err != nil {
		return err
	}
	given := relay.SlotsGiven{Re: m.ID, Slots: []relay.Slot{}}
	if !mine || row.Outcome != "" {
		given.Error = "the call is not open on this machine (any more)"
	} else if given.Slots, err = s.grant(ctx, row, ask.Items); err != nil {
		if code := pags.CodeOf(err); code != pags.Invalid && code != pags.TooLarge {
			return err
		}
		given.Error = err.Error()
	}
	if err := s.post(ctx, c.ID, relay.KindSlots, given); err != nil && !pags.Is(err, pags.Gone) {
		return fmt.Errorf("answer with slots: %w", err)
	}
	return nil
}

func (s *Service) grant(ctx context.Context, row callRow, items []relay.SlotItem) ([]relay.Slot, error) {
	if len(items) == 0 || len(items) > len(uploads) {
		return nil, pags.Errorf(pags.Invalid, "ask for 1 to %d slots", len(uploads))
	}
	slots := make([]relay.Slot, 0, len(items))
	for _, it := range items {
		kind, ok := uploads[it.Name]
		sum, err := hex.DecodeString(it.SHA256)
		switch {
		case !ok:
			return nil, pags.Errorf(pags.Invalid, "nothing called %q is uploaded for a call", clip(it.Name, 40))
		case it.ContentType != kind.contentType:
			return nil, pags.Errorf(pags.Invalid, "%s has the type %s", it.Name, kind.contentType)
		case it.Size <= 0 || it.Size > kind.max:
			return nil, pags.Errorf(pags.TooLarge, "%s has 1 to %d bytes", it.Name, kind.max)
		case err != nil || len(sum) != 32:
			return nil, pags.Errorf(pags.Invalid, "sha256 must be 64 hex digits")
		}
		key := slotKey(row.RunID, row.Step, it.Name)
		put, err := s.Blobs.PresignPut(ctx, key, it.Size, it.SHA256, it.ContentType, relay.SlotLife)
		if err != nil {
			return nil, fmt.Errorf("sign a slot: %w", err)
		}
		slots = append(slots, relay.Slot{Name: it.Name, Key: key, Method: put.Method, URL: put.URL, Headers: put.Headers})
	}
	return slots, nil
}
