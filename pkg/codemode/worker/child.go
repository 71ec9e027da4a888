package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
)

// process is a child as the parent sees it.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	heard  chan message  // closed when the child has ended
	ended  chan struct{} // closed when it is gone from the system
	cause  error         // why heard was closed
	stderr *tail
	used   int
	idle   *time.Timer
	once   sync.Once
}

// start runs a worker and waits until it is ready.
func start(ctx context.Context, o Options) (*process, error) {
	p := &process{cmd: exec.Command(o.Command[0], o.Command[1:]...), heard: make(chan message), ended: make(chan struct{}), stderr: &tail{}}
	p.cmd.Env = []string{} // nothing of ours: no secret, no proxy, no home
	p.cmd.Dir = "/"
	p.cmd.Stderr = p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C is the parent's to handle
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a worker: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a worker: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p.in = in
	go p.listen(out)
	engine := o.Engine
	engine.Killed = true
	if err := p.say(message{Op: "hello", Engine: &engine}); err != nil {
		p.kill()
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, time.Minute) // the first ever compiles
	defer stop()
	m, err := p.hear(ctx)
	if err == nil && m.Trouble != "" {
		err = errors.New(m.Trouble)
	} else if err == nil && (m.Op != "ready" || m.Version != codemode.Version()) {
		err = errors.New("it is another version of this program")
	}
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	return p, nil
}

func (p *process) listen(out io.Reader) {
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		m, err := read(r)
		if err != nil {
			p.cause = err
			break
		}
		p.heard <- m
	}
	close(p.heard)
	_ = p.cmd.Process.Kill() // a child that speaks wrongly is not heard any longer
	_ = p.cmd.Wait()
	close(p.ended)
}

func (p *process) say(m message) error {
	if err := write(p.in, m); err != nil {
		return fmt.Errorf("tell a worker: %w", err)
	}
	return nil
}

var errDied = errors.New("the worker died")

func (p *process) hear(ctx context.Context) (message, error) {
	select {
	case m, ok := <-p.heard:
		if !ok {
			return m, errDied
		}
		return m, nil
	case <-ctx.Done():
		return message{}, ctx.Err()
	}
}

// kill ends the child, whatever it does, and returns when it is gone.
func (p *process) kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill()
		_ = p.in.Close()
		go func() {
			for range p.heard { // what it said last interests nobody
			}
		}()
	})
	<-p.ended
}

// tail keeps the end of what a child wrote to stderr, for the log.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - 2048; over > 0 {
		t.buf = t.buf[over:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
