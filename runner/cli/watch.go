package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

// A followed run is read again after soon, and after later once nothing happened for a while: following must not use up
// the requests that a person has in a minute (240).
const (
	soon  = 400 * time.Millisecond
	later = time.Second
	still = 25 // looks without news until it is later
)

// watch follows a run: events as they come, then how it stands. It returns nil when the run completed, an exitError 1 when
// it failed or was cancelled, and 20 with the commands that answer when a person is needed.
func (a *app) watch(ctx context.Context, cl *client.Client, id pags.RunID, after int64) error {
	path := "/v1/runs/" + url.PathEscape(string(id))
	var run pags.Run
	for quiet := 0; ; quiet++ {
		events, newest, err := eventsAfter(ctx, cl, path, after)
		if err == nil && (len(events) > 0 || run.LastEvent != newest) {
			quiet = 0
			err = cl.Do(ctx, http.MethodGet, path, nil, &run)
		}
		if err != nil && !passing(err) {
			return a.left(ctx, id, err)
		}
		if err == nil {
			for _, e := range events {
				after = max(after, e.Seq)
				if err := a.showEvent(e, run.CreatedAt); err != nil {
					return err
				}
			}
			if ended, err := a.stands(ctx, cl, run, after); ended || err != nil {
				return a.left(ctx, id, err)
			}
		}
		select {
		case <-ctx.Done():
			return a.left(ctx, id, ctx.Err())
		case <-time.After(pause(err, quiet)):
		}
	}
}

// stands shows how the run stands once every event is shown, if there is nothing more to follow.
func (a *app) stands(ctx context.Context, cl *client.Client, run pags.Run, after int64) (bool, error) {
	if run.ID == "" || after < run.LastEvent {
		return false, nil
	}
	if run.Status.Over() {
		return true, a.ended(run)
	}
	if run.Status == pags.RunWaiting && byPerson(run.WaitingFor) {
		return a.paused(ctx, cl, run)
	}
	return false, nil
}

// left passes an error on; one who stopped following is told that the run goes on.
func (a *app) left(ctx context.Context, id pags.RunID, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) && !a.json {
		a.note("The run goes on without you. Watch again: pags runs watch %s", id)
	}
	return err
}

func pause(err error, quiet int) time.Duration {
	var p *client.Problem
	switch {
	case errors.As(err, &p) && p.Again > 0:
		return min(p.Again, time.Minute)
	case err != nil || quiet >= still:
		return later
	}
	return soon
}

// passing errors are worth another try while following: the host restarts, say.
func passing(err error) bool {
	var off *client.ErrNotRunning
	var p *client.Problem
	return errors.As(err, &off) || errors.As(err, &p) && (p.Status >= 500 || p.Status == http.StatusTooManyRequests)
}

func byPerson(w pags.WaitReason) bool {
	return w != "" && w != pags.WaitRunner && w != pags.WaitTime
}

func (a *app) showEvent(e pags.Event, start time.Time) error {
	if a.json {
		return a.printLine(map[string]any{"event": e})
	}
	return a.printEvent(e, start)
}

func (a *app) ended(run pags.Run) error {
	if a.json {
		if err := a.printLine(map[string]any{"run": run}); err != nil {
			return err
		}
	} else if err := a.say("%s  %s", a.paint(statusColour(run.Status), standing(run)), clean(run.Detail)); err != nil {
		return err
	}
	if run.Status == pags.RunCompleted {
		return nil
	}
	return &exitError{code: exitFailed}
}

// paused shows what is asked and the exact commands that answer; it reports false when it was answered just now.
func (a *app) paused(ctx context.Context, cl *client.Client, run pags.Run) (bool, error) {
	open, err := client.List[pags.Interaction](ctx, cl, "/v1/interactions", url.Values{"status": {"open"}}, 0)
	if err != nil {
		return false, err
	}
	for _, x := range open {
		if x.RunID != run.ID {
			continue
		}
		if a.json {
			err = a.printLine(map[string]any{"run": run, "interaction": x, "answer": answers(x)})
		} else {
			err = a.printInteraction(x)
		}
		return true, errors.Join(err, &exitError{code: exitPaused})
	}
	return false, nil
}

// eventsAfter reads the timeline behind a number, page by page, and says which event is the newest.
func eventsAfter(ctx context.Context, cl *client.Client, run string, after int64) (all []pags.Event, newest int64, err error) {
	for {
		var page struct {
			Items     []pags.Event `json:"items"`
			LastEvent int64        `json:"lastEvent"`
		}
		if err := cl.Do(ctx, http.MethodGet, fmt.Sprintf("%s/events?after=%d", run, after), nil, &page); err != nil {
			return all, newest, err
		}
		all, newest = append(all, page.Items...), page.LastEvent
		if len(page.Items) == 0 || page.Items[len(page.Items)-1].Seq >= newest {
			return all, newest, nil
		}
		after = page.Items[len(page.Items)-1].Seq
	}
}
