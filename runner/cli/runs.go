package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

func runsCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "runs", Short: "Work in progress and done", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.listRuns(c, "", "", 20) }}
	var status, instance string
	var limit int
	list := &cobra.Command{Use: "list", Short: "List runs, newest first", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return a.listRuns(c, status, instance, limit)
	}}
	list.Flags().StringVar(&status, "status", "", "queued, running, waiting, completed, failed or cancelled")
	list.Flags().StringVar(&instance, "instance", "", "only this instance")
	list.Flags().IntVar(&limit, "limit", 20, "how many at most; 0 for all")
	var after int64
	watch := &cobra.Command{Use: "watch RUN", Short: "Follow a run until it ends or needs a person", Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		cl, err := a.client()
		if err != nil {
			return err
		}
		return a.watch(c.Context(), cl, pags.RunID(args[0]), after)
	}}
	watch.Flags().Int64Var(&after, "after", 0, "start behind this event number")
	c.AddCommand(list, watch,
		&cobra.Command{Use: "show RUN", Short: "Show a run and its timeline", Args: cobra.ExactArgs(1), RunE: a.showRun},
		&cobra.Command{Use: "cancel RUN", Short: "Stop a run", Args: cobra.ExactArgs(1), RunE: a.cancelRun},
	)
	return c
}

func (a *app) listRuns(c *cobra.Command, status, instance string, limit int) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	q := url.Values{}
	if status != "" {
		q.Set("status", status)
	}
	if instance != "" {
		n, err := findInstance(c.Context(), cl, instance)
		if err != nil {
			return err
		}
		q.Set("instanceId", string(n.ID))
	}
	runs, err := client.List[pags.Run](c.Context(), cl, "/v1/runs", q, limit)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(nonNil(runs))
	}
	if len(runs) == 0 {
		return a.say("No runs yet. Start one: pags browse INSTANCE --url URL --objective TEXT")
	}
	rows := make([][]string, len(runs))
	for i, r := range runs {
		rows[i] = []string{string(r.ID), standing(r), a.ago(r.CreatedAt), r.Title}
	}
	return a.table([]string{"RUN", "STATUS", "STARTED", "OBJECTIVE"}, rows)
}

// standing is the status with what it waits for or how it ended.
func standing(r pags.Run) string {
	switch {
	case r.Status == pags.RunWaiting && r.WaitingFor != "":
		return "waiting: " + string(r.WaitingFor)
	case r.Status.Over() && r.Outcome != "" && string(r.Outcome) != string(r.Status):
		return string(r.Status) + ": " + string(r.Outcome)
	}
	return string(r.Status)
}

func (a *app) showRun(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	path := "/v1/runs/" + url.PathEscape(args[0])
	var r pags.Run
	if err := cl.Do(c.Context(), http.MethodGet, path, nil, &r); err != nil {
		return err
	}
	events, _, err := eventsAfter(c.Context(), cl, path, 0)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"run": r, "events": nonNil(events)})
	}
	end := r.EndedAt
	if end.IsZero() {
		end = a.now()
	}
	if err := a.pairs([][2]string{
		{"Run", string(r.ID)}, {"Objective", r.Title}, {"Status", a.paint(statusColour(r.Status), standing(r))}, {"Detail", r.Detail},
		{"Steps", fmt.Sprintf("%d of %d", r.Step, r.MaxSteps)}, {"Took", short(end.Sub(r.CreatedAt))},
		{"Model", r.Model}, {"Tokens", fmt.Sprintf("%d in, %d out", r.InputTokens, r.OutputTokens)},
	}); err != nil {
		return err
	}
	if err := a.say(""); err != nil {
		return err
	}
	for _, e := range events {
		if err := a.printEvent(e, r.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// printEvent writes when since the start, what kind, what: one line, or all of it if it tells what the person has to do.
func (a *app) printEvent(e pags.Event, start time.Time) error {
	since := e.At.Sub(start).Round(100 * time.Millisecond)
	head := fmt.Sprintf("%7.1fs  %-9s ", max(0, since.Seconds()), e.Kind)
	text := e.Text
	if why, _ := e.Data["feedback"].(string); why != "" && e.Data["status"] != "ok" {
		text += ": " + why
	}
	text = strings.TrimSpace(clean(text))
	lines := []string{cut(text, max(20, a.width()-len(head)))}
	if e.Kind == "waiting" {
		lines = wrap(text, max(20, a.width()-len(head)))
	}
	return a.say("%s%s", a.paint("2", head), strings.Join(lines, "\n"+strings.Repeat(" ", len(head))))
}

func (a *app) cancelRun(c *cobra.Command, args []string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	var r pags.Run
	if err := cl.Do(c.Context(), http.MethodPost, "/v1/runs/"+url.PathEscape(args[0])+"/cancel", nil, &r); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	return a.say("%s  %s", r.ID, standing(r))
}
