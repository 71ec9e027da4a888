package worker

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"

	"github.com/proagentstore/pags/pkg/codemode"
)

// niceness of a worker: everything else on the machine goes first.
const niceness = 10

// Main is the child: it serves one parent until its input ends, one program at a time. The result is the exit code.
func Main(in io.Reader, out io.Writer) int {
	lowerPriority()
	runtime.GOMAXPROCS(2) // one for the program, one to hear the parent
	w := &child{out: out}
	messages := make(chan message)
	go func() {
		r := bufio.NewReader(in)
		for {
			m, err := read(r)
			if err != nil {
				os.Exit(0) // the parent is gone, also while a program computes
			}
			messages <- m
		}
	}()
	for m := range messages {
		if err := w.serve(m); err != nil {
			return 1
		}
	}
	return 0
}

type child struct {
	out     io.Writer
	mu      sync.Mutex
	engine  *codemode.Engine
	session codemode.Session
}

func (w *child) say(m message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return write(w.out, m)
}

func (w *child) serve(m message) error {
	ctx := context.Background()
	switch m.Op {
	case "hello":
		boundMemory(m.Engine.MemoryMB)
		engine, err := codemode.NewEngine(*m.Engine)
		if err == nil {
			err = engine.Warm(ctx)
		}
		if err != nil {
			return w.say(message{Op: "ready", Trouble: err.Error()})
		}
		if err := engine.Prepare(ctx); err != nil {
			return w.say(message{Op: "ready", Trouble: err.Error()})
		}
		w.engine = engine
		return w.say(message{Op: "ready", Version: codemode.Version()})
	case "open":
		m.Program.Line = func(l codemode.Line) { _ = w.say(message{Op: "line", Line: &l}) }
		session, err := w.engine.Open(ctx, *m.Program)
		answer := message{Op: "opened"}
		if !errors.As(err, &answer.Failure) && err != nil {
			answer.Trouble = err.Error()
		}
		w.session = session
		return w.say(answer)
	case "step":
		turn, err := w.session.Step(ctx, *m.Event)
		if err != nil {
			return w.say(message{Op: "turn", Trouble: err.Error()})
		}
		return w.say(message{Op: "turn", Turn: &turn})
	case "close":
		if w.session != nil {
			w.session.Close()
			w.session = nil
		}
		if err := w.say(message{Op: "closed"}); err != nil {
			return err
		}
		return w.engine.Prepare(ctx)
	}
	return errors.New("an unknown message")
}

// lowerPriority does it for each thread: Linux keeps niceness by thread, and threads to come take it from their maker.
func lowerPriority() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, tid, niceness)
		}
	}
}

// boundMemory keeps the process near its cap: the program's memory is capped by its instance, ours by the collector, and what
// goes past both (a parser gone wild) by the system, which ends the process.
func boundMemory(programMB int) {
	const ours = 32 // a warm worker without a program, and the text of messages
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(ours << 20)
	debug.SetMaxStack(256 << 20)
	most := uint64(programMB+1024) << 20
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
