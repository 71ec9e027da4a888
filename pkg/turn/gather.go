package turn

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/proagentstore/pags/pkg/brain/browse"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// gather finds what the last move came to. A cursor says to wait for the same step again; a move in t says that the run ends
// here.
func (s *Service) gather(ctx context.Context, t *turnOf) (browse.Input, *Cursor, error) {
	switch t.prev.Move.Kind {
	case browse.MoveCall:
		return s.gatherCall(ctx, t)
	case browse.MoveAsk:
		return s.gatherAnswer(ctx, t)
	}
	return browse.Input{}, nil, nil
}

// gatherCall reads the outcome of a command. A runner that is away is waited for within a budget; after that the run says
// honestly whether the command may have happened (SF-04).
func (s *Service) gatherCall(ctx context.Context, t *turnOf) (browse.Input, *Cursor, error) {
	out, info, err := s.calls.Outcome(ctx, t.run.ID, t.cursor.Step)
	if err != nil {
		return browse.Input{}, nil, err
	}
	t.machine = info.MachineID
	if out != nil {
		result := out.Result
		if err := s.unpack(ctx, t.run.ID, &result); err != nil {
			return browse.Input{}, nil, err
		}
		t.result = &result
		return browse.Input{Result: &result}, nil, nil
	}
	if t.state.Ending != nil { // the page could not be closed: the run ends all the same
		return browse.Input{}, nil, nil
	}
	if t.run.CancelAsked {
		t.state.Used = t.state.Used || info.Accepted
		return browse.Input{}, nil, nil
	}
	since := info.CreatedAt
	if since.IsZero() {
		since = t.prev.At
	}
	if away := s.Clock.Now().Sub(since); away < s.LossBudget && t.cursor.Again < tries {
		if t.cursor.Last.Error != "" {
			why := "Your machine does not answer; waiting for it. Is `pags up` running there?"
			if err := s.Runs.CallWaiting(ctx, t.run.ID, t.cursor.Step, why); err != nil {
				return browse.Input{}, nil, err
			}
		}
		return browse.Input{}, t.again(NextCall), nil
	}
	if info.Accepted && browse.MayCommit(*t.prev.Move.Command) {
		t.result = &relay.Result{Status: relay.StatusUnknown, Feedback: "the machine took the command and did not answer any more"}
		return browse.Input{Result: t.result}, nil, nil
	}
	t.end(pags.OutcomeFailed, fmt.Sprintf("The runner did not answer within %.0f minutes. Start it with `pags up` on your machine and run the task again.", s.LossBudget.Minutes()))
	return browse.Input{}, nil, nil
}

// unpack fetches a snapshot that was too large for a message. Keys of anything but this run are not followed.
func (s *Service) unpack(ctx context.Context, id pags.RunID, r *relay.Result) error {
	if r.Seen == nil {
		return nil
	}
	seen, own := *r.Seen, "runs/"+string(id)+"/"
	if !strings.HasPrefix(seen.Picture, own) {
		seen.Picture = ""
	}
	if key := seen.SnapshotKey; key != "" && strings.HasPrefix(key, own) {
		raw, _, err := s.Blobs.Get(ctx, key, 0, maxSnapshotBytes)
		if err != nil && !pags.Is(err, pags.NotFound) {
			return fmt.Errorf("fetch snapshot %s: %w", key, err)
		}
		seen.Snapshot = strings.ToValidUTF8(string(raw), "")
		seen.Truncated = seen.Truncated || len(raw) == maxSnapshotBytes
	}
	seen.SnapshotKey = ""
	r.Seen = &seen
	return nil
}

// maxSnapshotBytes bounds what is read of a snapshot: 60,000 characters of at most 4 bytes, and its mark.
const maxSnapshotBytes = 256 * 1024

// gatherAnswer reads what a person said.
func (s *Service) gatherAnswer(ctx context.Context, t *turnOf) (browse.Input, *Cursor, error) {
	x, err := s.asks.Of(ctx, t.run.ID, t.cursor.Step)
	switch {
	case pags.Is(err, pags.NotFound) && !t.run.CancelAsked:
		if t.cursor.Again < tries {
			return browse.Input{}, t.againAsk(s), nil
		}
		t.end(pags.OutcomeFailed, "A question could not be put to you; see the log of AskFunction.")
		return browse.Input{}, nil, nil
	case err != nil && !pags.Is(err, pags.NotFound):
		return browse.Input{}, nil, err
	case t.run.CancelAsked:
		return browse.Input{}, nil, nil
	case x.Status == pags.InteractionAnswered:
		return browse.Input{Answer: x.Answer}, nil, nil
	case x.Status == pags.InteractionOpen && t.cursor.Again < tries:
		return browse.Input{}, t.againAsk(s), nil
	}
	return browse.Input{Expired: true}, nil, nil
}

// again is the cursor that waits for the same step once more.
func (t *turnOf) again(next string) *Cursor {
	c := t.cursor
	return &Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: c.Step, Next: next, Again: c.Again + 1}
}

func (t *turnOf) againAsk(s *Service) *Cursor {
	c := t.again(NextAsk)
	c.WaitSeconds = s.waitSeconds(t.prev)
	return c
}

// waitSeconds is how long the state machine waits for a person: a little longer than the question is open, so that the
// question is over when the wait is.
func (s *Service) waitSeconds(st *step) int {
	left := st.At.Add(st.Move.Question.Wait).Sub(s.Clock.Now())
	return max(1, int(math.Ceil(left.Seconds()))+2)
}
