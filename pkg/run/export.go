package run

import (
	"context"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// Export is everything about a run that people may keep. Secrets are handles in it, as everywhere.
type Export struct {
	ExportedAt   time.Time          `json:"exportedAt"`
	Run          pags.Run           `json:"run"`
	Events       []pags.Event       `json:"events"`
	Steps        []map[string]any   `json:"steps" doc:"the brain's journal: reply, move, result of each step"`
	Interactions []pags.Interaction `json:"interactions"`
}

// Export collects a run of the user.
func (s *Service) Export(ctx context.Context, uid pags.UserID, id pags.RunID) (Export, error) {
	run, err := s.Get(ctx, uid, id)
	if err != nil {
		return Export{}, err
	}
	out := Export{ExportedAt: s.Clock.Now().UTC(), Run: run}
	for after := int64(0); after < run.LastEvent; {
		events, err := s.Events(ctx, id, after, 1000)
		if err != nil {
			return out, err
		}
		if len(events) == 0 {
			break
		}
		out.Events = append(out.Events, events...)
		after = events[len(events)-1].Seq
	}
	if out.Steps, err = s.journal.Steps(ctx, id); err != nil {
		return out, err
	}
	out.Interactions, err = s.asks.OfRun(ctx, id)
	return out, err
}
