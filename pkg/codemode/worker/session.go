package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/codemode"
)

// session is a program in a worker.
type session struct {
	pool    *Pool
	child   *process
	program codemode.Program
	output  int
	kept    int           // of the room for output, as the worker counts it
	over    codemode.Turn // the last turn of a program that broke its worker
	broken  bool          // the worker is not used again
	once    sync.Once
}

// readingTime bounds how long a worker may read a source of at most 256 KB.
const readingTime = 10 * time.Second

func (s *session) open(ctx context.Context) error {
	m, err := s.ask(ctx, message{Op: "open", Program: &s.program}, "opened", readingTime)
	var gone *lost
	switch {
	case errors.As(err, &gone):
		return &codemode.Failure{Kind: codemode.FailSyntax, Message: "the program is too large or nested too deeply to be read"}
	case err != nil:
		return err
	case m.Failure != nil:
		return m.Failure
	case m.Trouble != "":
		return fmt.Errorf("a worker cannot open the program: %s", m.Trouble)
	}
	return nil
}

// Step implements codemode.Session.
func (s *session) Step(ctx context.Context, e codemode.Event) (codemode.Turn, error) {
	if s.over.Failure != nil {
		return s.over, nil
	}
	limit := s.program.Limits.Compute
	m, err := s.ask(ctx, message{Op: "step", Event: &e}, "turn", limit+late)
	var gone *lost
	switch {
	case errors.As(err, &gone) && gone.late:
		if s.kept >= s.program.Limits.Output-utf8.UTFMax { // it was writing more than is kept, and nobody is left who counted
			s.over.Dropped.Lines = codemode.Uncounted
		}
		s.over.Failure = &codemode.Failure{Kind: codemode.FailTime,
			Message: fmt.Sprintf("time limit: the program computed for %s without waiting for anything, which is the most it may", limit)}
		return s.over, nil
	case errors.As(err, &gone):
		s.pool.opt.Log.Warn("a worker of code mode died", "stderr", s.child.stderr.String())
		return codemode.Turn{}, codemode.ErrLost
	case err != nil:
		return codemode.Turn{}, err
	case m.Trouble != "" || m.Turn == nil:
		s.broken = true
		return codemode.Turn{}, fmt.Errorf("a worker cannot go on: %s", m.Trouble)
	}
	s.over.Dropped = m.Turn.Dropped
	return *m.Turn, nil
}

// lost says that the worker is gone, and whether because it was late.
type lost struct{ late bool }

func (l *lost) Error() string { return errDied.Error() }

// ask sends a message and waits for its answer; console lines come in between. A worker that is late, speaks wrongly or is not
// waited for any more is killed.
func (s *session) ask(ctx context.Context, m message, want string, limit time.Duration) (message, error) {
	if s.broken {
		return message{}, &lost{}
	}
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	sent := make(chan error, 1)
	go func() { sent <- s.child.say(m) }() // a child that does not read must not hold us
	for {
		select {
		case err := <-sent:
			if err != nil {
				return message{}, s.lose(false)
			}
			sent = nil
		case got, ok := <-s.child.heard:
			switch {
			case !ok:
				return message{}, s.lose(false)
			case got.Op == want:
				return got, nil
			case got.Op == "line" && got.Line != nil:
				s.output += len(got.Line.Text)
				s.kept += len(got.Line.Text) + 1
				if s.output > s.program.Limits.Output+1024 {
					return message{}, s.lose(false)
				}
				if s.program.Line != nil {
					s.program.Line(*got.Line)
				}
			default:
				return message{}, s.lose(false)
			}
		case <-deadline.C:
			return message{}, s.lose(true)
		case <-ctx.Done():
			_ = s.lose(true)
			return message{}, ctx.Err()
		}
	}
}

func (s *session) lose(late bool) error {
	s.broken = true
	s.child.kill()
	return &lost{late}
}

// Close implements codemode.Session. A worker that is well serves the next program.
func (s *session) Close() {
	s.once.Do(func() {
		defer func() { <-s.pool.slots }()
		if !s.broken {
			if _, err := s.ask(context.Background(), message{Op: "close"}, "closed", 2*time.Second); err == nil {
				s.pool.give(s.child)
				return
			}
		}
		s.pool.drop(s.child)
	})
}
