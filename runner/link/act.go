package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/relay"
)

// Why a command's context ended.
var (
	ErrCancelled = errors.New("the command was cancelled")
	ErrDeadline  = errors.New("the command took longer than its deadline")
	ErrStopped   = errors.New("pags up is stopping")
)

// grace is how long a hand may take to end after its context did (architecture, law 2).
const grace = 10 * time.Second

// act runs the command that has its intent on disk, and writes its outcome down.
func (l *Link) act(j *job) {
	limit := l.remaining(j.call)
	switch cause := context.Cause(j.ctx); {
	case errors.Is(cause, ErrCancelled):
		l.finish(j, relay.Result{Status: relay.StatusCancelled, Feedback: "cancelled before it began"})
		return
	case cause != nil:
		l.finish(j, relay.Result{Status: relay.StatusCancelled, Feedback: "pags up stopped before it began"})
		return
	case limit <= 0:
		l.finish(j, relay.Result{Status: relay.StatusFailed, Feedback: "the deadline had passed before the command could begin"})
		return
	}
	if err := l.fetchCommand(j); err != nil {
		l.finish(j, relay.Result{Status: relay.StatusFailed, Feedback: "the command could not be read: " + err.Error()})
		return
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(context.Canceled)
	started := l.Clock.Now()
	result := make(chan relay.Result, 1)
	go func() { result <- l.safely(ctx, j) }()

	var r relay.Result
	select {
	case r = <-result:
	case <-j.ctx.Done():
		r = l.stop(stop, context.Cause(j.ctx), result)
	case <-l.Clock.After(limit):
		r = l.stop(stop, ErrDeadline, result)
	}
	r.Millis = l.Clock.Now().Sub(started).Milliseconds()
	l.finish(j, r)
	if r.Status == relay.StatusUnknown && ctx.Err() != nil {
		l.leave(j)
		select { // one at a time: the next command of the instance waits for the hand
		case <-result:
		case <-l.work.quit:
		case <-l.Clock.After(relay.CommandLimit):
			l.Log.Error("a hand does not come back; its instance goes on without it", "call", j.key)
		}
	}
}

// stop ends the hand's context and takes its result if that comes in time.
func (l *Link) stop(end context.CancelCauseFunc, cause error, result chan relay.Result) relay.Result {
	end(cause)
	select {
	case r := <-result:
		return r
	case <-l.Clock.After(grace):
		return relay.Result{Status: relay.StatusUnknown, Feedback: fmt.Sprintf("%v and did not end within %s; whether it took effect is not known", cause, grace)}
	}
}

// safely turns a panic of the hand into an honest outcome.
func (l *Link) safely(ctx context.Context, j *job) (r relay.Result) {
	defer func() {
		if p := recover(); p != nil {
			l.Log.Error("a hand panicked", "call", j.key, "panic", fmt.Sprint(p))
			r = relay.Result{Status: relay.StatusUnknown, Feedback: "the runner failed inside this command; whether it took effect is not known"}
		}
	}()
	return l.Hand.Do(ctx, j.call, uploader{l, relay.CallRef{RunID: j.call.RunID, Step: j.call.Step}})
}

// remaining is the time until the call's deadline, on the cloud's clock, and never more than the wire's limit.
func (l *Link) remaining(c relay.Call) time.Duration {
	if c.Deadline.IsZero() {
		return relay.CommandLimit
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(c.Deadline.Sub(l.Clock.Now().Add(l.offset)), relay.CommandLimit)
}

// fetchCommand reads a command that was too large for its message.
func (l *Link) fetchCommand(j *job) error {
	if j.call.CommandAt == nil {
		return nil
	}
	cmd, err := l.fetch(j.ctx, *j.call.CommandAt)
	if err != nil {
		return err
	}
	j.call.Command, j.call.CommandAt = cmd, nil
	return nil
}
