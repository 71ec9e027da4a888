package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// function runs one bootstrap in as many processes as calls come at once, each fed through a runtime API of its own
// (the interface of Lambda's custom runtimes): GET …/invocation/next, POST …/invocation/{id}/response or /error.
type function struct {
	name string
	path string
	env  []string
	log  io.Writer

	mu   sync.Mutex
	idle []*sandbox
	all  []*sandbox
}

// sandbox is one process with the call it works on.
type sandbox struct {
	cmd      *exec.Cmd
	server   *http.Server
	calls    chan call
	answered chan answer
	over     chan struct{}
}

type call struct {
	id       string
	payload  []byte
	deadline time.Time
}

type answer struct {
	body []byte
	err  error
}

// invoke hands a payload to an idle process, or starts one.
func (f *function) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	s, err := f.take()
	if err != nil {
		return nil, err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(5 * time.Minute)
	}
	s.calls <- call{id: strconv.FormatInt(time.Now().UnixNano(), 36), payload: payload, deadline: deadline}
	select {
	case a := <-s.answered:
		f.mu.Lock()
		f.idle = append(f.idle, s)
		f.mu.Unlock()
		return a.body, a.err
	case <-s.over:
		return nil, &port.FunctionError{Type: "Runtime.ExitError", Message: f.name + " ended without an answer"}
	case <-ctx.Done():
		s.stop() // as Lambda does with a sandbox past its deadline
		return nil, ctx.Err()
	}
}

func (f *function) take() (*sandbox, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.idle) > 0 {
		s := f.idle[len(f.idle)-1]
		f.idle = f.idle[:len(f.idle)-1]
		select {
		case <-s.over:
			continue
		default:
			return s, nil
		}
	}
	s, err := f.spawn()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", f.name, err)
	}
	f.all = append(f.all, s)
	return s, nil
}

func (f *function) spawn() (*sandbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sandbox{calls: make(chan call, 1), answered: make(chan answer, 1), over: make(chan struct{})}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(l) }()
	s.cmd = exec.Command(filepath.Join(f.path, "bootstrap"))
	s.cmd.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + l.Addr().String(), "AWS_LAMBDA_FUNCTION_NAME=" + f.name, "PATH=" + os.Getenv("PATH")}, f.env...)
	s.cmd.Stdout, s.cmd.Stderr = f.log, f.log
	if err := s.cmd.Start(); err != nil {
		_ = l.Close()
		return nil, err
	}
	go func() { _ = s.cmd.Wait(); close(s.over) }()
	return s, nil
}

func (s *sandbox) stop() {
	_ = s.cmd.Process.Kill()
	<-s.over
	_ = s.server.Close()
}

// ServeHTTP is the runtime API.
func (s *sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/invocation/next"):
		select {
		case c := <-s.calls:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", c.id)
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(c.deadline.UnixMilli(), 10))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:"+region+":123456789012:function:rehearsal")
			_, _ = w.Write(c.payload)
		case <-r.Context().Done():
		}
	case strings.HasSuffix(r.URL.Path, "/response"):
		body, err := io.ReadAll(r.Body)
		s.answered <- answer{body, err}
		w.WriteHeader(http.StatusAccepted)
	case strings.HasSuffix(r.URL.Path, "/error"):
		var e struct{ ErrorType, ErrorMessage string }
		err := json.NewDecoder(r.Body).Decode(&e)
		if err != nil {
			e.ErrorType, e.ErrorMessage = "Runtime.Unreadable", err.Error()
		}
		s.answered <- answer{nil, &port.FunctionError{Type: e.ErrorType, Message: e.ErrorMessage}}
		w.WriteHeader(http.StatusAccepted)
	default:
		http.NotFound(w, r)
	}
}

// kill ends the processes that run now and says how many there were, as when Lambda takes its sandboxes back.
func (f *function) kill() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.idle {
		s.stop()
		n++
	}
	f.idle = nil
	return n
}

// started is how many processes there have been.
func (f *function) started() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

func (f *function) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.all {
		s.stop()
	}
}
