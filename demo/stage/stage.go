// Package stage puts the real binary on a stage of its own: a temporary home, a free port, the host, the runner and the
// CLI as separate processes. The demo, the stories and the benchmarks play on it.
package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Stage is one home folder with the binary that plays on it.
type Stage struct {
	Binary string
	Home   string
	Port   int
	Log    io.Writer // what host and runner say
	Env    []string  // for every process
}

// New makes a stage in dir, on a free port of the loopback.
func New(binary, dir string, log io.Writer) (*Stage, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	return &Stage{Binary: binary, Home: dir, Port: port, Log: log}, nil
}

// FreePort asks the system for a port that nobody uses now.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// URL is the host's address.
func (s *Stage) URL() string { return "http://127.0.0.1:" + strconv.Itoa(s.Port) }

func (s *Stage) environ(extra []string) []string {
	env := append(os.Environ(), "PAGS_HOME="+s.Home, "NO_COLOR=1")
	return append(append(env, s.Env...), extra...)
}

// Process is a host or a runner that was started.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func (s *Stage) start(ctx context.Context, env []string, args ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, s.Binary, args...)
	cmd.Env = s.environ(env)
	cmd.Stdout, cmd.Stderr = s.Log, s.Log
	cmd.WaitDelay = 3 * time.Second
	isolate(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", strings.Join(args, " "), err)
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	go func() { p.err = cmd.Wait(); close(p.done) }()
	return p, nil
}

// Serve starts the host and waits until it answers.
func (s *Stage) Serve(ctx context.Context, env []string, args ...string) (*Process, error) {
	p, err := s.start(ctx, env, append([]string{"serve", "--port", strconv.Itoa(s.Port)}, args...)...)
	if err != nil {
		return nil, err
	}
	return p, Await(ctx, 20*time.Second, "the host to answer", func() (bool, error) {
		if p.Over() {
			return false, fmt.Errorf("the host ended: %w", p.Err())
		}
		res, err := http.Get(s.URL() + "/health")
		if err != nil {
			return false, nil
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK, nil
	})
}

// Up starts a runner and waits until the host sees it online.
func (s *Stage) Up(ctx context.Context, env []string, args ...string) (*Process, error) {
	p, err := s.start(ctx, env, append([]string{"up"}, args...)...)
	if err != nil {
		return nil, err
	}
	return p, Await(ctx, 20*time.Second, "the runner to be online", func() (bool, error) {
		if p.Over() {
			return false, fmt.Errorf("the runner ended: %w", p.Err())
		}
		var machines []struct{ Online bool }
		if err := s.JSON(ctx, &machines, "machines", "list"); err != nil {
			return false, nil
		}
		for _, m := range machines {
			if m.Online {
				return true, nil
			}
		}
		return false, nil
	})
}

// Over reports whether the process ended.
func (p *Process) Over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Err tells how it ended; call it after Over or Wait.
func (p *Process) Err() error {
	<-p.done
	if p.err == nil {
		return errors.New("exit 0")
	}
	return p.err
}

// Done is closed when the process ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Pid is the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Result is what one CLI command came to.
type Result struct {
	Out, Err string
	Code     int
}

// CLI runs one command to its end.
func (s *Stage) CLI(ctx context.Context, stdin string, args ...string) (Result, error) {
	return s.CLIEnv(ctx, nil, stdin, args...)
}

// CLIEnv is CLI with more environment.
func (s *Stage) CLIEnv(ctx context.Context, env []string, stdin string, args ...string) (Result, error) {
	cmd := exec.CommandContext(ctx, s.Binary, args...)
	cmd.Env = s.environ(env)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	res := Result{Out: out.String(), Err: errs.String(), Code: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return res, fmt.Errorf("run pags %s: %w", strings.Join(args, " "), err)
	}
	return res, nil
}

// Must runs a command that has to succeed and returns what it printed, trimmed.
func (s *Stage) Must(ctx context.Context, stdin string, args ...string) (string, error) {
	res, err := s.CLI(ctx, stdin, args...)
	if err != nil {
		return "", err
	}
	if res.Code != 0 {
		return "", fmt.Errorf("pags %s: exit %d: %s%s", strings.Join(args, " "), res.Code, res.Out, res.Err)
	}
	return strings.TrimSpace(res.Out), nil
}

// JSON runs a command with --json and reads its result into v.
func (s *Stage) JSON(ctx context.Context, v any, args ...string) error {
	out, err := s.Must(ctx, "", append(args, "--json")...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		return fmt.Errorf("pags %s printed no JSON: %w", strings.Join(args, " "), err)
	}
	return nil
}

// Await asks again and again until ok, an error, or the limit.
func Await(ctx context.Context, limit time.Duration, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		done, err := ok()
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited %s for %s in vain", limit, what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
