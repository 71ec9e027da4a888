package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
)

// Options of a pool. The zero value works when the binary's main knows Subcommand.
type Options struct {
	// Command starts a worker; this binary with Subcommand.
	Command []string
	// Engine is for each worker. Its CacheDir should be set: a worker without one compiles for 0.4 s when it starts.
	Engine codemode.Options
	// Max is how many programs may be open at once, each in a process of its own; 16. More wait for their turn.
	Max int
	// Idle is how many warm workers are kept; 2. They end after IdleFor (1 min) without work.
	Idle    int
	IdleFor time.Duration
	Log     *slog.Logger
}

// late is how long after its limit a program's process is killed. The worker ends programs itself at the limit, unless they
// are in native code that looks at nothing.
const late = 150 * time.Millisecond

// wornOut is after how many programs a worker is replaced.
const wornOut = 200

// Pool runs programs in child processes. Workers start with the first program. Safe for concurrent use.
type Pool struct {
	opt   Options
	slots chan struct{}
	mu    sync.Mutex
	free  []*process
	all   map[*process]bool
	done  bool
}

var _ codemode.Sandbox = (*Pool)(nil)

// NewPool starts nothing yet.
func NewPool(o Options) (*Pool, error) {
	if len(o.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		if runtime.GOOS == "linux" {
			self = "/proc/self/exe" // stays this very version when the file is replaced
		}
		o.Command = []string{self, Subcommand}
	}
	if o.Engine.MemoryMB == 0 {
		o.Engine.MemoryMB = 64
	}
	if o.Max <= 0 {
		o.Max = 16
	}
	if o.Idle <= 0 {
		o.Idle = 2
	}
	if o.IdleFor <= 0 {
		o.IdleFor = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Pool{opt: o, slots: make(chan struct{}, o.Max), all: map[*process]bool{}}, nil
}

// Warm has a worker ready before the first program.
func (p *Pool) Warm(ctx context.Context) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	p.give(c)
	return nil
}

// Close ends all workers; programs that are open fail.
func (p *Pool) Close() {
	p.mu.Lock()
	p.done = true
	all := make([]*process, 0, len(p.all))
	for c := range p.all {
		all = append(all, c)
	}
	p.free = nil
	p.mu.Unlock()
	for _, c := range all {
		c.kill()
	}
}

func (p *Pool) take(ctx context.Context) (*process, error) {
	p.mu.Lock()
	if p.done {
		p.mu.Unlock()
		return nil, errors.New("the workers are closed")
	}
	for n := len(p.free); n > 0; n = len(p.free) {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		c.idle.Stop()
		select {
		case <-c.ended:
			delete(p.all, c)
		default:
			p.mu.Unlock()
			return c, nil
		}
	}
	p.mu.Unlock()
	c, err := start(ctx, p.opt)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.all[c] = true
	done := p.done
	p.mu.Unlock()
	if done {
		p.drop(c)
		return nil, errors.New("the workers are closed")
	}
	return c, nil
}

// give keeps a worker that is well for the next program.
func (p *Pool) give(c *process) {
	p.mu.Lock()
	keep := !p.done && len(p.free) < p.opt.Idle && c.used < wornOut
	if keep {
		p.free = append(p.free, c)
		c.idle = time.AfterFunc(p.opt.IdleFor, func() { p.retire(c) })
	}
	p.mu.Unlock()
	if !keep {
		p.drop(c)
	}
}

func (p *Pool) retire(c *process) {
	p.mu.Lock()
	found := false
	for i, f := range p.free {
		if f == c {
			p.free = append(p.free[:i], p.free[i+1:]...)
			found = true
			break
		}
	}
	p.mu.Unlock()
	if found {
		p.drop(c)
	}
}

func (p *Pool) drop(c *process) {
	c.kill()
	p.mu.Lock()
	delete(p.all, c)
	p.mu.Unlock()
}

// Open implements codemode.Sandbox. It waits for its turn if Max programs are open.
func (p *Pool) Open(ctx context.Context, program codemode.Program) (codemode.Session, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := p.take(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	c.used++
	program.Limits = program.Limits.WithDefaults()
	s := &session{pool: p, child: c, program: program}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
