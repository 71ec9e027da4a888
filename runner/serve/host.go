package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/codemode/worker"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/local/gateway"
	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/local/keyfile"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/mcp"
	"github.com/proagentstore/pags/pkg/model"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/wire"
)

// host is everything behind the listener.
type host struct {
	log      *slog.Logger
	house    *wire.House
	table    *bolt.Table
	blobs    *files.Blobs
	hub      *hub.Hub
	gateway  *gateway.Gateway
	machines *machines.Machines
	programs *worker.Pool
	warmed   sync.Once
	life     context.Context // of what goes on beside requests
	mux      *http.ServeMux
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// open builds adapters and areas. It fails with who owns the folder if another host does.
func open(o Options, public *url.URL) (_ *host, err error) {
	h := &host{log: o.Log}
	if h.table, err = bolt.Open(o.Home.Database(), bolt.Options{Clock: wall}); err != nil {
		var locked *bolt.Locked
		if errors.As(err, &locked) {
			return nil, taken(o.Home, locked.PID)
		}
		return nil, fmt.Errorf("open the store: %w", err)
	}
	defer func() {
		if err != nil {
			_ = h.table.Close()
		}
	}()
	vault, err := keyfile.Open(o.Home.MasterKey())
	if err != nil {
		return nil, fmt.Errorf("open the key file: %w", err)
	}
	if h.blobs, err = files.Open(files.Options{Dir: o.Home.Blobs(), BaseURL: public.String(), Clock: wall}); err != nil {
		return nil, fmt.Errorf("open the blobs: %w", err)
	}
	h.hub = hub.New(hub.Options{Clock: wall, Log: o.Log, OnEvent: h.socketEvent})

	wired, err := gateway.Read(stack.Files, gateway.Facts{})
	if err != nil {
		return nil, fmt.Errorf("read template.yaml: %w", err)
	}
	definitions := map[string]json.RawMessage{}
	for name, m := range wired.Machines {
		definitions[name] = m.Definition
	}
	functions := &late{}
	if h.machines, err = machines.New(machines.Options{DB: h.table.DB(), Clock: wall, Functions: functions, Definitions: definitions, OnStatusChange: h.statusChanged, Log: o.Log}); err != nil {
		return nil, fmt.Errorf("open the state machines: %w", err)
	}
	policy := guard.Policy{AllowPrivate: true}
	tools := guard.Policy{AllowPrivate: o.AllowPrivate, AllowHosts: o.AllowHosts}
	if h.programs, err = worker.NewPool(worker.Options{Engine: codemode.Options{CacheDir: o.Home.CodeCache()}, Max: o.Programs, Log: o.Log}); err != nil {
		return nil, fmt.Errorf("make workers for programs: %w", err)
	}
	h.house = wire.New(wire.Deps{
		Table: h.table, Blobs: h.blobs, Brains: h.machines, Sockets: h.hub, Vault: vault, Clock: wall, Log: o.Log,
		Models:   model.New(model.Options{HTTP: guard.Client(policy), Clock: wall}),
		Outbound: guard.Client(tools), Sandbox: h.programs,
		Config: wire.Config{
			Version: o.Version, Host: "local", PublicURL: public.String(), WSURL: socketURL(public),
			PlainCookies: public.Scheme == "http", CheckModelURL: policy.CheckURL, CheckToolURL: tools.CheckURL,
			HandoverAfter: o.HandoverAfter, LossBudget: o.LossBudget, Compute: o.Compute,
		},
	})
	if h.gateway, err = gateway.New(gateway.Options{Stack: wired, Functions: h.functions(), Clock: wall, Log: o.Log, Otherwise: consoleHandler()}); err != nil {
		return nil, fmt.Errorf("wire the functions: %w", err)
	}
	functions.Gateway = h.gateway
	h.mux = http.NewServeMux()
	h.mux.Handle("/ws", h.hub)
	h.mux.Handle("/blobs/", h.blobs.Handler())
	endpoint := h.agentsEndpoint()
	h.mux.Handle(mcp.Path, endpoint)
	h.mux.Handle(mcp.MetadataPath, endpoint)
	h.mux.Handle("/", h.gateway)
	return h, nil
}

// late breaks the circle between machines, which call functions, and functions, which start machines.
type late struct{ *gateway.Gateway }

// functions gives each function of the template its code.
func (h *host) functions() map[string]gateway.Function {
	w, event := h.house, func(handler any) gateway.Function { return gateway.Function{Event: gateway.Event(handler)} }
	return map[string]gateway.Function{
		"MetaFunction":         {HTTP: w.Meta()},
		"AuthFunction":         {HTTP: w.Auth()},
		"AgentsFunction":       {HTTP: w.AgentsHTTP()},
		"InstancesFunction":    {HTTP: w.InstancesHTTP()},
		"RunsFunction":         {HTTP: w.RunsHTTP()},
		"InteractionsFunction": {HTTP: w.InteractionsHTTP()},
		"KeysFunction":         {HTTP: w.KeysHTTP()},
		"MachinesFunction":     {HTTP: w.MachinesHTTP()},
		"RelayFunction":        {HTTP: w.Relay()},
		"SourcesFunction":      {HTTP: h.warming(w.SourcesHTTP())},
		"ConnectionsFunction":  {HTTP: w.ConnectionsHTTP()},
		"ToolsFunction":        {HTTP: h.warming(w.ToolsHTTP())},
		"PoliciesFunction":     {HTTP: w.PoliciesHTTP()},
		"ExecutionsFunction":   {HTTP: w.ExecutionsHTTP()},
		"CodeFunction":         event(w.Code),
		"CodeCallFunction":     event(w.CodeCall),
		"WsConnectFunction":    event(w.WsConnect),
		"WsMessageFunction":    event(w.WsMessage),
		"WsDisconnectFunction": event(w.WsDisconnect),
		"BrowseFunction":       event(w.BrowseStep),
		"AskFunction":          event(w.Ask),
		"RelayCallFunction":    event(w.RelayCall),
		"ReconcileFunction":    event(w.Reconcile),
		"ExecutionFunction":    event(w.ExecutionChanged),
	}
}

// begin continues what a stop or a crash interrupted and starts the clockwork.
func (h *host) begin(ctx context.Context) error {
	ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.life = ctx
	if err := h.machines.Resume(ctx); err != nil {
		return fmt.Errorf("continue the executions: %w", err)
	}
	h.running.Go(func() { h.gateway.RunSchedules(ctx) })
	h.running.Go(func() { h.prune(ctx) })
	return nil
}

// pruneEvery is how often expired rows and old executions are removed; reads hide them anyway.
const pruneEvery = 10 * time.Minute

func (h *host) prune(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-wall.After(pruneEvery):
		}
		if _, err := h.table.Prune(ctx, 1000); err != nil && ctx.Err() == nil {
			h.log.WarnContext(ctx, "expired rows were not removed", "error", err.Error())
		}
		if _, err := h.machines.Prune(ctx); err != nil && ctx.Err() == nil {
			h.log.WarnContext(ctx, "old executions were not removed", "error", err.Error())
		}
	}
}

// close ends sockets, executions and the store, in this order.
func (h *host) close(ctx context.Context) error {
	if h.cancel != nil {
		h.cancel()
	}
	err := errors.Join(h.hub.Shutdown(ctx), h.machines.Close(ctx))
	h.programs.Close()
	h.running.Wait()
	return errors.Join(err, h.table.Close())
}

// socketURL is where sockets are opened: the same place, at /ws.
func socketURL(public *url.URL) string {
	return strings.Replace(public.String(), "http", "ws", 1) + "/ws"
}

// announce records who owns the folder and prepares the person's way in.
func (h *host) announce(ctx context.Context, o Options, public, here *url.URL) (Announcement, error) {
	// Whatever is sealed here is sealed with one key, and the keys that sign tokens are the first of it.
	if _, err := h.house.Accounts.PublicKeys(ctx); err != nil {
		return Announcement{}, pags.Wrap(err, pags.Internal, "the key file %s does not open what is sealed in %s; put the right one back, or start with --data ANOTHER_FOLDER", o.Home.MasterKey(), o.Home)
	}
	made, err := h.signIn(ctx, o.Home, public.String(), here.String())
	if err != nil {
		return Announcement{}, err
	}
	if err := writeOwner(o.Home, Owner{PID: os.Getpid(), URL: public.String(), Version: o.Version, StartedAt: wall.Now().UTC()}); err != nil {
		return Announcement{}, err
	}
	made.Home, made.PID, made.Version = string(o.Home), os.Getpid(), o.Version
	return made, nil
}
