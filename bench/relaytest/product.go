package relaytest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/link"
	"github.com/proagentstore/pags/runner/machineid"
	"github.com/proagentstore/pags/runner/outcome"
)

const (
	owner    = pags.UserID("usr_bench")
	instance = pags.InstanceID("ins_bench")
	run      = pags.RunID("run_bench")
)

// product is the room of machines over the hub of the local host, with the real link on the other side.
type product struct {
	*machinetest.World
	ctx     context.Context
	table   *bolt.Table
	hub     *hub.Hub
	server  *httptest.Server
	service *machine.Service
	told    chan string
	stop    func()
}

// SendSuccess hears what the state machine would hear.
func (p *product) SendSuccess(_ context.Context, token string, _ []byte) error {
	p.told <- token
	return nil
}

func newProduct(ctx context.Context, dir string) (*product, error) {
	p := &product{World: machinetest.NewWorld(), ctx: ctx, told: make(chan string, 16)}
	p.Owner[instance] = pags.User{ID: owner}
	var err error
	if p.table, err = bolt.Open(filepath.Join(dir, "relay.db"), bolt.Options{Clock: clock.Real{}, NoSync: true}); err != nil {
		return nil, err
	}
	blobs, err := files.Open(files.Options{Dir: dir, BaseURL: "http://blobs.test", Clock: clock.Real{}})
	if err != nil {
		return nil, err
	}
	p.hub = hub.New(hub.Options{Clock: clock.Real{}, OnEvent: p.event})
	p.server = httptest.NewServer(p.hub)
	p.service = machine.New(machine.Deps{Table: p.table, Blobs: blobs, Sockets: p.hub, Brains: p, Clock: clock.Real{}, Account: p, Instances: p,
		Commands: p, Secrets: p, Runs: p, WSURL: strings.Replace(p.server.URL, "http", "ws", 1) + "/ws", Version: "bench"})
	return p, p.connect(dir)
}

func (p *product) event(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
	switch e.RequestContext.RouteKey {
	case "$connect":
		return p.service.Connect(ctx, e)
	case "$disconnect":
		return p.service.Disconnect(ctx, e)
	}
	return p.service.Message(ctx, e)
}

// connect starts the runner's link and waits until it is served.
func (p *product) connect(dir string) error {
	id, err := machineid.Load(filepath.Join(dir, "runner"))
	if err != nil {
		return err
	}
	m, err := p.service.Register(p.ctx, owner, machine.Registration{PublicKey: id.PublicKey(), Node: id.Node, Version: "bench", Capabilities: []string{"browser"}})
	if err != nil {
		return err
	}
	live, done := make(chan struct{}, 8), make(chan struct{})
	ctx, cancel := context.WithCancel(p.ctx)
	p.stop = func() { cancel(); <-done }
	l := link.New(link.Config{Tickets: ticket{p, m.ID, id.Node}, MachineID: m.ID, Node: id.Node, Sign: id.Sign, Version: "bench",
		Capabilities: []string{"browser"}, Hand: hand{}, Store: &store{done: map[string]relay.Outcome{}}, Clock: clock.Real{},
		OnState: func(s link.State) {
			if s.Kind == link.Live {
				live <- struct{}{}
			}
		}})
	go func() { defer close(done); _ = l.Run(ctx) }()
	select {
	case <-live:
		return nil
	case <-time.After(10 * time.Second):
		return fmt.Errorf("the runner was not served within 10 s")
	}
}

// roundTrip places a call and waits until its task is told.
func (p *product) roundTrip(step int) error {
	p.Order(owner, "", relay.Call{RunID: run, Step: step, InstanceID: instance, Fence: 1, Command: relay.Command{Action: relay.ActSnapshot, Text: strings.Repeat("x", there)}})
	token := fmt.Sprintf("token-%d", step)
	if _, err := p.service.Call(p.ctx, machine.CallInput{RunID: run, Step: step, Generation: 1, TaskToken: token}); err != nil {
		return err
	}
	select {
	case got := <-p.told:
		if got != token {
			return fmt.Errorf("%s was told, not %s", got, token)
		}
		return nil
	case <-time.After(10 * time.Second):
		return fmt.Errorf("step %d was not told in 10 s", step)
	}
}

func (p *product) close() {
	p.stop()
	_ = p.hub.Shutdown(p.ctx)
	p.server.Close()
	_ = p.table.Close()
}

type ticket struct {
	p       *product
	machine pags.MachineID
	node    string
}

func (t ticket) Ticket(ctx context.Context) (link.Ticket, error) {
	got, err := t.p.service.Mint(ctx, owner, "ses_bench", machine.TicketAsk{Role: "runner", MachineID: t.machine, Node: t.node})
	return link.Ticket{URL: got.URL, Nonce: got.Nonce}, err
}

type hand struct{}

func (hand) Do(context.Context, relay.Call, link.Uploader) relay.Result {
	return relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{URL: "https://example.com", Snapshot: strings.Repeat("x", back)}}
}

// store keeps outcomes in memory.
type store struct {
	mu   sync.Mutex
	done map[string]relay.Outcome
}

func (s *store) Intent(relay.Call) (outcome.Verdict, *relay.Outcome, error) {
	return outcome.First, nil, nil
}

func (s *store) Finish(o relay.Outcome) (relay.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[relay.CallKey(o.RunID, o.Step)] = o
	return o, nil
}

func (s *store) Unacked() ([]relay.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []relay.Outcome
	for _, o := range s.done {
		all = append(all, o)
	}
	return all, nil
}

func (s *store) Acked(run pags.RunID, step int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.done, relay.CallKey(run, step))
	return nil
}

func (s *store) Prune() (int, error) { return 0, nil }
