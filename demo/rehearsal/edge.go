package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/gateway"
	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/local/machines"
	"github.com/proagentstore/pags/pkg/pags"
)

type edgeOptions struct {
	cloud      *cloud
	dir        string
	bootstraps string
	setupHash  string
}

// edge is API Gateway, Step Functions and Lambda's front for the bootstraps.
type edge struct {
	url       string
	gateway   *gateway.Gateway
	hub       *hub.Hub
	machines  *machines.Machines
	functions map[string]*function
	server    *http.Server
	log       *safeBuffer
	cancel    context.CancelFunc
}

// openEdge wires the bootstraps as the template says and serves them on a port of the loopback.
func openEdge(ctx context.Context, o edgeOptions) (*edge, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	wall := clock.Real{}
	e := &edge{url: "http://" + l.Addr().String(), functions: map[string]*function{}, log: &safeBuffer{}}
	wired, err := gateway.Read(stack.Files, gateway.Facts{})
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(e.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	bound := map[string]gateway.Function{}
	for name, f := range wired.Functions {
		e.functions[name] = &function{name: name, path: filepath.Join(o.bootstraps, name), env: e.environment(o, f), log: e.log}
		bound[name] = gateway.Function{Event: e.functions[name].invoke}
	}
	if e.gateway, err = gateway.New(gateway.Options{Stack: wired, Functions: bound, Clock: wall, Log: log}); err != nil {
		return nil, err
	}
	definitions := map[string]json.RawMessage{}
	for name, m := range wired.Machines {
		definitions[name] = m.Definition
	}
	if e.machines, err = machines.New(machines.Options{Path: filepath.Join(o.dir, "executions.db"), Clock: wall, Functions: e.gateway, Definitions: definitions, OnStatusChange: e.statusChanged, Log: log}); err != nil {
		return nil, err
	}
	e.hub = hub.New(hub.Options{Clock: wall, Log: log, OnEvent: e.socketEvent})
	mux := http.NewServeMux()
	mux.Handle("/ws", e.hub)
	mux.HandleFunc("/@connections/{id}", e.manage)
	mux.Handle("POST /stepfunctions/{$}", stepFunctions{e.machines})
	mux.Handle("POST /2015-03-31/functions/{name}/invocations", lambdaFront{e.gateway})
	mux.Handle("/", e.gateway)
	e.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = e.server.Serve(l) }()
	ctx, e.cancel = context.WithCancel(ctx)
	go e.gateway.RunSchedules(ctx)
	return e, e.machines.Resume(ctx)
}

// environment gives a function what the template declares for it, with the values of this stage, and what Lambda adds.
func (e *edge) environment(o edgeOptions, f gateway.Declared) []string {
	here := map[string]string{
		"TABLE_NAME": o.cloud.table, "BUCKET_NAME": o.cloud.bucket, "KMS_KEY_ID": o.cloud.key, "BROWSE_MACHINE_ARN": machineARN + "BrowseMachine", "EXECUTION_MACHINE_ARN": machineARN + "ExecutionMachine",
		"WS_MANAGEMENT_URL": e.url, "WS_URL": strings.Replace(e.url, "http", "ws", 1) + "/ws", "PUBLIC_URL": e.url, "SETUP_TOKEN_HASH": o.setupHash, "LOG_LEVEL": "warn",
	}
	env := []string{
		"AWS_REGION=" + region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_ENDPOINT_URL=" + o.cloud.endpoint, "AWS_ENDPOINT_URL_SFN=" + e.url + "/stepfunctions/", "AWS_ENDPOINT_URL_LAMBDA=" + e.url,
		"MODEL_HOSTS=127.0.0.1", "TOOL_HOSTS=127.0.0.1", // the scripted model server and the shop are on this machine
	}
	for name, value := range f.Env {
		if v, ok := here[name]; ok {
			value = v
		}
		env = append(env, name+"="+value)
	}
	return env
}

func (e *edge) socketEvent(ctx context.Context, ev events.APIGatewayWebsocketProxyRequest) (reply events.APIGatewayProxyResponse, err error) {
	payload, err := json.Marshal(ev)
	if err != nil {
		return reply, err
	}
	out, err := e.gateway.Invoke(ctx, e.gateway.Stack().Sockets[ev.RequestContext.RouteKey], payload)
	if err != nil {
		return reply, err
	}
	return reply, json.Unmarshal(out, &reply)
}

// statusChanged is the event bus between Step Functions and the template's rule.
func (e *edge) statusChanged(ctx context.Context, raw json.RawMessage) error {
	var ev events.CloudWatchEvent
	if err := json.Unmarshal(raw, &ev); err != nil {
		return err
	}
	var detail map[string]any
	if err := json.Unmarshal(ev.Detail, &detail); err != nil {
		return err
	}
	if arn, ok := detail["stateMachineArn"].(string); ok { // the interpreter says the logical name, the rule the ARN
		if m, ok := e.gateway.Stack().Machines[arn[strings.LastIndexByte(arn, ':')+1:]]; ok {
			detail["stateMachineArn"] = m.ARN
		}
	}
	return e.gateway.Emit(ctx, ev.Source, ev.DetailType, detail)
}

// manage is the management API of the WebSocket API: POST sends a frame, DELETE closes; 410 where the connection is over.
func (e *edge) manage(w http.ResponseWriter, r *http.Request) {
	id, err := url.PathUnescape(r.PathValue("id"))
	if err == nil && r.Method == http.MethodPost {
		var data []byte
		if data, err = io.ReadAll(http.MaxBytesReader(w, r.Body, 128<<10)); err == nil {
			err = e.hub.Post(r.Context(), id, data)
		}
	} else if err == nil && r.Method == http.MethodDelete {
		err = e.hub.Close(r.Context(), id)
	}
	switch {
	case pags.Is(err, pags.Gone):
		w.Header().Set("X-Amzn-Errortype", "GoneException")
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, `{"message":"gone"}`)
	case err != nil:
		http.Error(w, fmt.Sprintf(`{"message":%q}`, err.Error()), http.StatusBadRequest)
	}
}

func (e *edge) processes() (n int) {
	for _, f := range e.functions {
		n += f.started()
	}
	return n
}

func (e *edge) said() string { return e.log.String() }

func (e *edge) close() {
	e.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_ = e.hub.Shutdown(ctx)
	_ = e.machines.Close(ctx)
	_ = e.server.Close()
	for _, f := range e.functions {
		f.close()
	}
}

// safeBuffer collects what many processes say.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
