package cli

import (
	"context"
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
		return a.say("No runs yet. Start one: pags browse INSTANCE --url URL --objective TEXT, or pags exec FILE")
	}
	rows := make([][]string, len(runs))
	for i, r := range runs {
		rows[i] = []string{string(r.ID), standing(r), a.ago(r.CreatedAt), titled(r)}
	}
	return a.table([]string{"RUN", "STATUS", "STARTED", "WHAT"}, rows)
}

// titled says what a run is; a program's own title may be empty.
func titled(r pags.Run) string {
	if r.Kind != pags.KindCode {
		return r.Title
	}
	if r.Code != nil && r.Code.Tool != "" {
		return firstOf(r.Title, "call of "+r.Code.Tool)
	}
	return firstOf(r.Title, "program")
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
	rows := [][2]string{
		{"Run", string(r.ID)}, {"Objective", r.Title}, {"Status", a.paint(statusColour(r.Status), standing(r))}, {"Detail", r.Detail},
		{"Steps", fmt.Sprintf("%d of %d", r.Step, r.MaxSteps)}, {"Took", short(end.Sub(r.CreatedAt))},
		{"Model", r.Model}, {"Tokens", fmt.Sprintf("%d in, %d out", r.InputTokens, r.OutputTokens)},
	}
	if r.Kind == pags.KindCode {
		rows = a.codeRows(r, end)
	}
	if err := a.pairs(rows); err != nil {
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
	if r.Kind == pags.KindCode && r.Status.Over() {
		return a.showProgram(c.Context(), cl, r)
	}
	return nil
}

// codeRows are the facts about a program's run: it has no instance, no page and no model of its own.
func (a *app) codeRows(r pags.Run, end time.Time) [][2]string {
	rows := [][2]string{{"Run", string(r.ID)}, {"Program", titled(r)}, {"Status", a.paint(statusColour(r.Status), standing(r))}, {"Detail", r.Detail}}
	if r.Code != nil {
		size := fmt.Sprintf("%d bytes", r.Code.Size)
		if r.Code.Tool != "" {
			size = "" // there is no text that somebody wrote
		}
		auto := ""
		if r.Code.AutoApprove {
			auto = "waived by its owner"
		}
		rows = append(rows, [][2]string{{"Tool", r.Code.Tool}, {"Text", size}, {"Started by", r.Code.Via}, {"Approvals", auto}, {"Calls", fmt.Sprint(r.Code.Calls)}}...)
	}
	return append(rows, [2]string{"Took", short(end.Sub(r.CreatedAt))})
}

// showProgram adds what a program gave, or where in its text it failed.
func (a *app) showProgram(ctx context.Context, cl *client.Client, r pags.Run) error {
	x, err := fetch[execution](ctx, cl, http.MethodGet, executionPath(r.ID), nil)
	if err != nil {
		return err
	}
	if err := a.say(""); err != nil {
		return err
	}
	if x.v.Error != nil {
		x.v.ID = "" // this is the place where it is seen whole
		aside := *a
		aside.err = a.out
		aside.showFailure(x.v, x.v.Code)
		return nil
	}
	if len(x.v.Result) > 0 {
		return a.printResult(x.v.Result)
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
