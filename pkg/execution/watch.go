package execution

import (
	"context"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// lookEvery is how often a slice that is at work looks whether its owner wants it to end, or has answered something.
const lookEvery = time.Second

// watch looks after a slice from outside.
type watch struct {
	cancel chan struct{}
	poke   chan struct{}
	leave  context.CancelFunc
	done   chan struct{}
}

func (s *Service) watch(ctx context.Context, run pags.Run) *watch {
	ctx, leave := context.WithCancel(ctx)
	w := &watch{cancel: make(chan struct{}), poke: make(chan struct{}, 1), leave: leave, done: make(chan struct{})}
	if run.CancelAsked {
		close(w.cancel)
		close(w.done)
		return w
	}
	go func() {
		defer close(w.done)
		answered := run.LastEvent
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.Clock.After(lookEvery):
			}
			now, err := s.runs.Load(ctx, run.ID)
			switch {
			case err != nil:
				continue // the slice will hear of it by itself
			case now.CancelAsked || now.Status.Over():
				close(w.cancel)
				return
			case now.LastEvent > answered:
				answered = now.LastEvent
				select {
				case w.poke <- struct{}{}:
				default:
				}
			}
		}
	}()
	return w
}

func (w *watch) stop() { w.leave(); <-w.done }
