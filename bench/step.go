package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/link"
	"github.com/proagentstore/pags/runner/machineid"
	"github.com/proagentstore/pags/runner/outcome"
)

const steps = 38 // below the run's own budget of 40

// stepNumber measures a step of a task on the real host, with a runner whose hand takes no time and a model on this machine
// that answers at once: decision, durable writes on both sides, the way to the runner and back.
func stepNumber(ctx context.Context, b *bench) ([]number, error) {
	home, err := b.folder()
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	s, err := stage.New(b.binary, home, &said)
	if err != nil {
		return nil, err
	}
	host, err := s.Serve(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer host.Stop()
	model := modeltest.New(func(t modeltest.Turn) modeltest.Answer {
		if t.N > steps {
			return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": "Enough."})
		}
		return modeltest.Call("click", map[string]any{"ref": fmt.Sprintf("e%d", t.N), "element": "a link"})
	})
	base, err := model.Start()
	if err != nil {
		return nil, err
	}
	defer model.Close()
	for _, c := range [][]string{{"keys", "set", "anthropic", "--base-url", base, "--model", "scripted-1"}, {"instances", "subscribe", "browser", "--name", "Bench"}} {
		if _, err := s.Must(ctx, "key-of-the-bench", c...); err != nil {
			return nil, err
		}
	}
	stop, err := stubRunner(ctx, home)
	if err != nil {
		return nil, err
	}
	defer stop()
	if res, err := s.CLI(ctx, "", "browse", "Bench", "--url", "https://example.com", "--objective", "Click", "--wait"); err != nil || res.Code != 0 {
		return nil, fmt.Errorf("the run ended with %d %w: %s%s\n%s", res.Code, err, res.Out, res.Err, &said)
	}
	var runs []pags.Run
	if err := s.JSON(ctx, &runs, "runs", "list"); err != nil {
		return nil, err
	}
	r := runs[0]
	per := float64(r.EndedAt.Sub(r.StartedAt).Microseconds()) / 1000 / float64(r.Step)
	return []number{{"browse.step_overhead_ms", per, "ms", 15}}, nil
}

// stub is a hand that has done everything already.
type stub struct{ page string }

func (h stub) Do(_ context.Context, c relay.Call, _ link.Uploader) relay.Result {
	return relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{URL: "https://example.com/", Title: "Bench", Snapshot: h.page,
		Digest: relay.CallKey(c.RunID, c.Step), GuardSupported: true}}
}

// page is an ordinary snapshot of a few KB with something to click for each step.
func page() string {
	var b strings.Builder
	for i := 1; i <= steps; i++ {
		fmt.Fprintf(&b, "- listitem [ref=f%d]:\n  - link \"Entry number %d of a list\" [ref=e%d]\n    - /url: /entry/%d\n", i, i, i, i)
	}
	return b.String()
}

// stubRunner connects the real link with the stub, as pags up does.
func stubRunner(ctx context.Context, home string) (stop func(), err error) {
	session, err := client.OpenSession(filepath.Join(home, "session.json"), time.Now)
	if err != nil {
		return nil, err
	}
	cl := client.New(session, "bench")
	dir := filepath.Join(home, "runner")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	id, err := machineid.Load(dir)
	if err != nil {
		return nil, err
	}
	var m pags.Machine
	err = cl.Do(ctx, http.MethodPost, "/v1/machines", map[string]any{"publicKey": id.PublicKey(), "node": id.Node, "version": "bench", "capabilities": []string{"browser"}}, &m)
	if err != nil {
		return nil, err
	}
	store, err := outcome.Open(filepath.Join(dir, "outcomes.db"), clock.Real{})
	if err != nil {
		return nil, err
	}
	live := make(chan struct{}, 8)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = link.New(link.Config{Tickets: minted{cl, m.ID, id.Node}, MachineID: m.ID, Node: id.Node, Sign: id.Sign, Version: "bench",
			Capabilities: []string{"browser"}, Hand: stub{page()}, Store: store, Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler),
			OnState: func(s link.State) {
				if s.Kind == link.Live {
					live <- struct{}{}
				}
			}}).Run(ctx)
	}()
	stop = func() { cancel(); <-done; _ = store.Close() }
	select {
	case <-live:
		return stop, nil
	case <-time.After(10 * time.Second):
		stop()
		return nil, fmt.Errorf("the runner was not served within 10 s")
	}
}

type minted struct {
	client  *client.Client
	machine pags.MachineID
	node    string
}

func (m minted) Ticket(ctx context.Context) (link.Ticket, error) {
	var out struct{ URL, Nonce string }
	err := m.client.Do(ctx, http.MethodPost, "/v1/relay/ticket", map[string]any{"role": "runner", "machineId": m.machine, "node": m.node}, &out)
	return link.Ticket{URL: out.URL, Nonce: out.Nonce}, err
}
