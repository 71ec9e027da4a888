package interaction

import (
	"context"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func metaKey(id pags.InteractionID) port.Key { return port.Key{PK: "X#" + string(id), SK: "META"} }

func askKey(id pags.RunID, ref Ref) port.Key {
	sk := fmt.Sprintf("ASK#%06d", ref.Step)
	if ref.Round > 0 {
		sk += fmt.Sprintf("#%03d", ref.Round)
	}
	return port.Key{PK: "R#" + string(id), SK: sk}
}

func secretKey(inst pags.InstanceID, id pags.SecretID) port.Key {
	return port.Key{PK: "I#" + string(inst), SK: "SECRET#" + string(id)}
}

// undelivered lists answers whose token was not told yet.
const undelivered = "UNDELIVERED"

func undeliveredKey(id pags.InteractionID) port.Key { return port.Key{PK: undelivered, SK: string(id)} }

// row is a stored interaction.
type row struct {
	pags.Interaction
	Token string `json:"token"`
	Until int64  `json:"until"` // ExpiresAt in seconds, for filters
}

func (r row) item() (port.Item, error) {
	r.Until = r.ExpiresAt.Unix()
	it, err := port.Encode(metaKey(r.ID), r)
	if err != nil {
		return nil, err
	}
	return it.In("g1", "U#"+string(r.UserID)+"#INBOX", string(r.Status)+"#"+string(r.ID)).In("g2", "R#"+string(r.RunID)+"#ASKS", string(r.ID)), nil
}

// open is the condition of every change: what is over stays as it is.
func open() *port.Cond { return port.Eq("status", string(pags.InteractionOpen)) }

func (s *Service) load(ctx context.Context, id pags.InteractionID) (row, error) {
	it, err := s.Table.Get(ctx, metaKey(id))
	if pags.Is(err, pags.NotFound) {
		return row{}, pags.Errorf(pags.NotFound, "there is no interaction %s", id)
	}
	var r row
	if err == nil {
		err = port.Decode(it, &r)
	}
	if err != nil {
		return row{}, fmt.Errorf("read interaction %s: %w", id, err)
	}
	return r, nil
}

// idOf finds the interaction of a step.
func (s *Service) idOf(ctx context.Context, id pags.RunID, ref Ref) (pags.InteractionID, error) {
	step := ref.Step
	it, err := s.Table.Get(ctx, askKey(id, ref))
	if pags.Is(err, pags.NotFound) {
		return "", pags.Errorf(pags.NotFound, "step %d of run %s asks nothing", step, id)
	}
	if err != nil {
		return "", fmt.Errorf("read the question of step %d of %s: %w", step, id, err)
	}
	x, _ := it["interactionId"].(string)
	return pags.InteractionID(x), nil
}

func (r row) expired(now time.Time) bool {
	return r.Status == pags.InteractionOpen && !now.Before(r.ExpiresAt)
}
