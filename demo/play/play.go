// Package play carries out the demo's task on a stage: subscribe, start, answer, check what the site received.
package play

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/proagentstore/pags/demo/script"
	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// Options of one play.
type Options struct {
	Binary   string
	Dir      string // a folder of its own
	Provider string
	Real     bool // a real model, with a key of the environment
	Show     bool // with a browser window
	Out      io.Writer
	Host     *Host // a host that runs already; nil: the play starts pags serve
}

// Host is one that others started and nobody uses yet.
type Host struct {
	URL        string
	SetupToken string
}

// Done is how it went.
type Done struct {
	Run     pags.RunID
	Steps   int
	Seconds float64
}

// cast is what the play needs beside the product.
type cast struct {
	Options
	stage *stage.Stage
	site  *site.Site
	page  *httptest.Server
	model *modeltest.Server
	log   *bytes.Buffer
}

// Run plays from an empty folder to a received application.
func Run(ctx context.Context, o Options) (done Done, err error) {
	c := &cast{Options: o, site: site.New(), log: &bytes.Buffer{}}
	c.page = httptest.NewServer(c.site)
	defer c.page.Close()
	if c.stage, err = stage.New(o.Binary, filepath.Join(o.Dir, "home"), c.log); err != nil {
		return done, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n--- what host and runner said\n%s", err, c.log)
		}
	}()
	if o.Host != nil {
		err = c.signUp(ctx)
	} else {
		var host *stage.Process
		if host, err = c.stage.Serve(ctx, nil); err == nil {
			defer host.Stop()
			c.say("host     %s", c.stage.URL())
		}
	}
	if err != nil {
		return done, err
	}
	if err := c.storeKey(ctx); err != nil {
		return done, err
	}
	var args []string
	if !o.Show {
		args = append(args, "--headless")
	}
	runner, err := c.stage.Up(ctx, nil, args...)
	if err != nil {
		return done, err
	}
	defer runner.Stop()
	c.say("runner   online")
	return c.task(ctx)
}

func (c *cast) say(format string, args ...any) { _, _ = fmt.Fprintf(c.Out, format+"\n", args...) }

// signUp makes the first account of a host and signs this machine in, as the README says.
func (c *cast) signUp(ctx context.Context) error {
	body, err := json.Marshal(map[string]string{"token": c.Host.SetupToken, "login": "ada", "name": "Ada Example"})
	if err != nil {
		return err
	}
	res, err := http.Post(c.Host.URL+"/v1/auth/setup", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var made struct {
		Link   struct{ URL string }
		Detail string
	}
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || res.StatusCode != http.StatusCreated {
		return fmt.Errorf("set up the host: %s %s %w", res.Status, made.Detail, err)
	}
	_, err = c.stage.Must(ctx, "", "login", made.Link.URL)
	c.say("host     %s, signed in", c.Host.URL)
	return err
}

// storeKey stores a real key of the environment, or one for the scripted model.
func (c *cast) storeKey(ctx context.Context) error {
	if c.Real {
		for provider, name := range map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"} {
			if key := os.Getenv(name); key != "" {
				_, err := c.stage.Must(ctx, key, "keys", "set", provider)
				return err
			}
		}
		return fmt.Errorf("a real model needs ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment")
	}
	c.model = modeltest.New(script.Applicant)
	base, err := c.model.Start()
	if err != nil {
		return err
	}
	if _, err := c.stage.Must(ctx, "key-of-the-demo", "keys", "set", c.Provider, "--base-url", base, "--model", "scripted-1"); err != nil {
		return err
	}
	out, err := c.stage.Must(ctx, "", "keys", "test", c.Provider)
	c.say("model    %s", out)
	return err
}

// task subscribes, starts the run, answers what is asked, and checks the site.
func (c *cast) task(ctx context.Context) (done Done, err error) {
	defer func() {
		if c.model != nil {
			c.model.Close()
		}
	}()
	instance, err := c.stage.Must(ctx, "", "instances", "subscribe", "browser", "--name", "Demo")
	if err != nil {
		return done, err
	}
	allowed, _ := json.Marshal([]string{strings.TrimPrefix(c.page.URL, "http://")}) // the sample site is on this machine's loopback
	if _, err := c.stage.Must(ctx, "", "instances", "set", instance, "allowHosts", string(allowed)); err != nil {
		return done, err
	}
	proof := filepath.Join(c.Dir, "proof.txt")
	if err := os.WriteFile(proof, []byte("Ada Example\n1 River Lane\nSpringfield\n"), 0o600); err != nil {
		return done, err
	}
	began := time.Now()
	res, err := c.stage.CLI(ctx, "", "browse", "Demo", "--url", c.page.URL+"/?key=demo", "--objective", script.Objective, "--file", proof, "--wait", "--json")
	if err != nil {
		return done, err
	}
	for asked := 0; res.Code == paused; asked++ {
		if asked == maxQuestions {
			return done, fmt.Errorf("it asked %d times", asked)
		}
		if res, err = c.answer(ctx, res); err != nil {
			return done, err
		}
	}
	if res.Code != 0 {
		return done, fmt.Errorf("the run did not complete: exit %d\n%s%s", res.Code, res.Out, res.Err)
	}
	end := last(res.Out)
	done = Done{Run: end.Run.ID, Steps: end.Run.Step, Seconds: time.Since(began).Seconds()}
	timeline, err := c.stage.Must(ctx, "", "runs", "show", string(done.Run))
	if err != nil {
		return done, err
	}
	c.say("\n%s\n", timeline)
	return done, c.received()
}

const (
	paused       = 20 // exit code of the CLI when a person is needed
	maxQuestions = 8
)

// line is one line of `pags browse --wait --json`.
type line struct {
	Run         pags.Run          `json:"run"`
	Interaction *pags.Interaction `json:"interaction"`
}

func last(out string) line {
	var l line
	lines := strings.Split(strings.TrimSpace(out), "\n")
	_ = json.Unmarshal([]byte(lines[len(lines)-1]), &l) // checked by what is missing in it
	return l
}

// answer does what the demo's person does: gives the password as a secret, the number as a value, and approves.
func (c *cast) answer(ctx context.Context, res stage.Result) (stage.Result, error) {
	x := last(res.Out).Interaction
	if x == nil {
		return res, fmt.Errorf("it paused without a question:\n%s", res.Out)
	}
	c.say("asked    %s (%s)", x.Title, x.Reason)
	stdin, args := "", []string{"answer", string(x.ID)}
	switch {
	case x.Reason == pags.WaitApproval:
		args = append(args, "--accept")
	case contains(x.Allowed, pags.AnswerValue): // a value may always be given as a secret, too
		args = append(args, "--value", site.Membership)
	case contains(x.Allowed, pags.AnswerSecret):
		stdin = site.Password
		args = append(args, "--secret-stdin")
	default:
		return res, fmt.Errorf("the demo has no answer to: %s", x.Title)
	}
	args = append(args, "--wait", "--json")
	c.say("answered %s", strings.Join(args[2:len(args)-2], " "))
	return c.stage.CLI(ctx, stdin, args...)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// received checks that the site got the application once, as asked for.
func (c *cast) received() error {
	res, err := http.Get(c.page.URL + "/__stats")
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	got := c.site.Submissions()["demo"]
	if got.Count != 1 {
		return fmt.Errorf("the site received %d applications, not 1", got.Count)
	}
	for field, want := range map[string]string{"name": "Ada Example", "visit": "2026-12-07", "phone": "555 0100", "laser": "no", "membership": site.Membership} {
		if got.Fields[field] != want {
			return fmt.Errorf("the site received %s %q, not %q", field, got.Fields[field], want)
		}
	}
	c.say("received %d application: %s from %s, proof %s", got.Count, got.Fields["name"], got.Fields["city"], got.Fields["proof"])
	return nil
}
