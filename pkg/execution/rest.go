package execution

import (
	"context"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
)

// rest says on the run what it waits for, and in the cursor how long and for whose answers.
func (s *Service) rest(ctx context.Context, c Cursor, run pags.Run, out codemode.Outcome, j *journal) (Cursor, error) {
	now := s.Clock.Now().UTC()
	next := Cursor{V: CursorVersion, RunID: c.RunID, Generation: c.Generation, Step: c.Step, Next: NextSleep}
	until, reason, detail := out.WakeAt, pags.WaitTime, ""
	for _, p := range out.Pending {
		if len(next.Asks) == maxAsks {
			break
		}
		ref := Ref{Step: p.Seq}
		if p.Pause.Reason == pags.WaitUnknown {
			ref.Round = j.rounds(p.Seq)
		}
		next.Asks = append(next.Asks, ref)
		if at := earlier(pausedAt(j, p.Seq), now).Add(humanWait); until.IsZero() || at.Before(until) {
			until = at
		}
		if len(next.Asks) == 1 {
			reason, detail = p.Pause.Reason, p.Pause.Detail
		}
	}
	if len(next.Asks) > 0 {
		next.Next = NextWait
	}
	if n := len(out.Pending); n > 1 {
		detail = fmt.Sprintf("%d calls wait, first: %s", n, detail)
	} else if n == 0 {
		detail = "Goes on at " + until.Format(time.RFC3339) + "."
	}
	next.WaitSeconds = max(1, int((until.Sub(now)+time.Second-1)/time.Second))
	key := fmt.Sprintf("rest-%d-%d", c.Generation, c.Step)
	waits := func(r *pags.Run) error {
		r.Status, r.WaitingFor, r.Detail = pags.RunWaiting, reason, clip(detail, 300)
		r.Step, r.Code = out.Calls, counted(r.Code, out.Calls, len(next.Asks))
		return nil
	}
	said, err := s.runs.AdvanceWith(ctx, run.ID, key, waits, []pags.Event{{Kind: "waiting", Step: out.Calls, Text: clip(detail, 300), Data: map[string]any{"for": string(reason)}}})
	if err == nil && said.Status == pags.RunRunning { // this slice was made before, up to here, and its repetition said that it works
		_, err = s.runs.AdvanceWith(ctx, run.ID, fmt.Sprintf("%s-%d", key, said.LastEvent), waits, nil)
	}
	if pags.Is(err, pags.Conflict) {
		return over(c), nil
	}
	if err != nil {
		return Cursor{}, err
	}
	crash.Here(crash.RestAfter)
	return next, nil
}

// pausedAt is when a call began to wait for what it waits for now.
func pausedAt(j *journal, seq int) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return lastPause(j.entries, seq)
}

// earlier is when the time of a question begins. The program's clock may be ahead of ours: what it left running after its end does
// not wait for its timers.
func earlier(paused, now time.Time) time.Time {
	if paused.After(now) {
		return now
	}
	return paused
}

func lastPause(entries []codemode.Entry, seq int) time.Time {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Kind == codemode.EntryPause && e.Seq == seq {
			return time.UnixMilli(e.At).UTC()
		}
	}
	return time.Time{}
}
