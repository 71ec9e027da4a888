package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/brain/browse"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// inline is the largest part kept in a row; an item holds at most 400 KB and has three parts.
const inline = 64 * 1024

// step is a decision as it is kept: what the move before came to, what the model said, what was decided, the state after.
type step struct {
	Step       int
	Generation int
	Count      int // decisions of this generation so far
	At         time.Time
	Result     *relay.Result // of the move before, without its snapshot
	Reply      *port.Reply
	Move       browse.Move
	State      browse.State
}

// stepRow is the row. Each part is there inline or as the key of a blob.
type stepRow struct {
	Step       int       `json:"step"`
	Generation int       `json:"generation"`
	Count      int       `json:"count"`
	At         time.Time `json:"at"`
	Kind       string    `json:"kind"`
	Result     part      `json:"result"`
	Reply      part      `json:"reply"`
	Move       part      `json:"move"`
	State      part      `json:"state"`
}

type part struct {
	Text string `json:"text,omitempty"`
	Key  string `json:"key,omitempty"`
}

func stepKey(id pags.RunID, n int) port.Key {
	return port.Key{PK: "R#" + string(id), SK: fmt.Sprintf("STEP#%06d", n)}
}

// keep puts a part inline or into a blob. The blob's name holds its digest: two that decide the same step at once do not
// overwrite each other.
func (s *Service) keep(ctx context.Context, id pags.RunID, n int, name string, v any) (part, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return part{}, fmt.Errorf("encode %s of step %d: %w", name, n, err)
	}
	if len(raw) <= inline {
		return part{Text: string(raw)}, nil
	}
	sum := sha256.Sum256(raw)
	key := fmt.Sprintf("runs/%s/%d/%s-%s.json", id, n, name, hex.EncodeToString(sum[:8]))
	if _, err := s.Blobs.Put(ctx, key, raw, port.PutOptions{ContentType: "application/json"}); err != nil {
		return part{}, fmt.Errorf("keep %s of step %d: %w", name, n, err)
	}
	return part{Key: key}, nil
}

func (s *Service) fetch(ctx context.Context, p part, v any) error {
	raw := []byte(p.Text)
	if p.Key != "" {
		var err error
		if raw, _, err = s.Blobs.Get(ctx, p.Key, 0, 0); err != nil {
			return fmt.Errorf("fetch %s: %w", p.Key, err)
		}
	}
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("read a part of a step: %w", err)
	}
	return nil
}

// record makes the write of a new step: the first one wins.
func (s *Service) record(ctx context.Context, id pags.RunID, st step) (port.Write, error) {
	row := stepRow{Step: st.Step, Generation: st.Generation, Count: st.Count, At: st.At, Kind: st.Move.Kind}
	for _, p := range []struct {
		to   *part
		name string
		v    any
		has  bool
	}{
		{&row.Result, "result", st.Result, st.Result != nil},
		{&row.Reply, "reply", st.Reply, st.Reply != nil},
		{&row.Move, "move", st.Move, true},
		{&row.State, "state", st.State, true},
	} {
		if !p.has {
			continue
		}
		var err error
		if *p.to, err = s.keep(ctx, id, st.Step, p.name, p.v); err != nil {
			return port.Write{}, err
		}
	}
	it, err := port.Encode(stepKey(id, st.Step), row)
	if err != nil {
		return port.Write{}, err
	}
	return port.Put(it).When(port.NotExists()), nil
}

// steps reads rows by number; nil where there is none. Only moves, and states where asked for, are unpacked.
func (s *Service) steps(ctx context.Context, id pags.RunID, withState bool, numbers ...int) ([]*step, error) {
	keys := make([]port.Key, len(numbers))
	for i, n := range numbers {
		keys[i] = stepKey(id, n)
	}
	items, err := s.Table.GetMany(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read steps of %s: %w", id, err)
	}
	out := make([]*step, len(items))
	for i, it := range items {
		if it == nil {
			continue
		}
		var row stepRow
		if err := port.Decode(it, &row); err != nil {
			return nil, err
		}
		st := &step{Step: row.Step, Generation: row.Generation, Count: row.Count, At: row.At}
		if err := s.fetch(ctx, row.Move, &st.Move); err != nil {
			return nil, err
		}
		if withState && i == 0 {
			if err := s.fetch(ctx, row.State, &st.State); err != nil {
				return nil, err
			}
		}
		out[i] = st
	}
	return out, nil
}

// Steps shows the journal of a run, whole and in order, for its export.
func (s *Service) Steps(ctx context.Context, id pags.RunID) ([]map[string]any, error) {
	var out []map[string]any
	q := port.Query{PK: stepKey(id, 0).PK, Prefix: "STEP#", Limit: 50}
	for {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("read the journal of %s: %w", id, err)
		}
		for _, it := range page.Items {
			var row stepRow
			if err := port.Decode(it, &row); err != nil {
				return nil, err
			}
			shown := map[string]any{"step": row.Step, "generation": row.Generation, "at": row.At, "kind": row.Kind}
			for name, p := range map[string]part{"before": row.Result, "reply": row.Reply, "move": row.Move} {
				var v map[string]any
				if err := s.fetch(ctx, p, &v); err != nil {
					return nil, err
				}
				if v != nil {
					shown[name] = v
				}
			}
			out = append(out, shown)
		}
		if q.Cursor = page.Cursor; q.Cursor == "" {
			return out, nil
		}
	}
}
