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

// pollEvery is how often a followed run is read again.
const pollEvery = 300 * time.Millisecond

// watch follows a run: events as they come, then how it stands. It returns nil when the run completed, an exitError 1 when
// it failed or was cancelled, and 20 with the commands that answer when a person is needed.
func (a *app) watch(ctx context.Context, cl *client.Client, id pags.RunID, after int64) error {
	path := "/v1/runs/" + url.PathEscape(string(id))
	var run pags.Run
	for {
		if err := cl.Do(ctx, http.MethodGet, path, nil, &run); err != nil && !passing(err) {
			return err
		}
		events, err := eventsAfter(ctx, cl, path, after)
		if err != nil && !passing(err) {
			return err
		}
		for _, e := range events {
			if e.Seq <= after {
				continue
			}
			after = e.Seq
			if err := a.showEvent(e, run.CreatedAt); err != nil {
				return err
			}
		}
		if run.ID != "" && after >= run.LastEvent {
			if run.Status.Over() {
				return a.ended(run)
			}
			if run.Status == pags.RunWaiting && byPerson(run.WaitingFor) {
				if asked, err := a.paused(ctx, cl, run); asked || err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			if !a.json {
				a.note("The run goes on without us. Watch again: pags runs watch %s", id)
			}
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
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

// eventsAfter reads the timeline behind a number, page by page.
func eventsAfter(ctx context.Context, cl *client.Client, run string, after int64) ([]pags.Event, error) {
	var all []pags.Event
	for {
		var page struct {
			Items     []pags.Event `json:"items"`
			LastEvent int64        `json:"lastEvent"`
		}
		if err := cl.Do(ctx, http.MethodGet, fmt.Sprintf("%s/events?after=%d", run, after), nil, &page); err != nil {
			return all, err
		}
		all = append(all, page.Items...)
		if len(page.Items) == 0 || page.Items[len(page.Items)-1].Seq >= page.LastEvent {
			return all, nil
		}
		after = page.Items[len(page.Items)-1].Seq
	}
}
