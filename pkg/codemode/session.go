package codemode

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/sys"
)

// maxDelay of a timer, milliseconds: 30 days.
const maxDelay = 30 * 24 * 3600 * 1000

// session is one program in one interpreter.
type session struct {
	vm     *vm
	code   *source
	limits Limits
	told   func(Line)
	random *rand.ChaCha8
	late   atomic.Bool // the step is past its limit, or nobody waits for it any more
	busy   sync.Mutex  // held by a step
	closed bool
	life   context.Context // ends with Close
	leave  context.CancelFunc
	begun  bool
	clock  int64 // nanoseconds

	made      int // calls of earlier turns
	args      int // bytes of the arguments of all calls
	calls     []Made
	waiting   map[int]bool // timers
	timers    []Timer
	cleared   []int
	lastTimer int
	rejected  map[uint32]unseen // promises that were rejected while nobody looked, by identity

	room    int // bytes of output that may still be kept
	full    bool
	dropped Dropped

	settled bool
	value   []byte
	failure *Failure
}

// unseen is a promise that was rejected, and why.
type unseen struct{ promise, reason uint32 }

func newSession(v *vm, c *source, p Program) *session {
	s := &session{vm: v, code: c, limits: p.Limits, told: p.Line, random: rand.NewChaCha8(p.Seed),
		clock: p.At * int64(time.Millisecond), waiting: map[int]bool{}, rejected: map[uint32]unseen{}, room: p.Limits.Output}
	s.life, s.leave = context.WithCancel(context.Background())
	v.s = s
	return s
}

// Close stops a step that still runs and waits for it: the interpreter's memory must not go away below it.
func (s *session) Close() {
	s.leave()
	s.busy.Lock()
	defer s.busy.Unlock()
	if !s.closed {
		s.closed = true
		s.vm.close()
	}
}

func (s *session) over() bool { return s.settled || s.failure != nil }

// now is the program's clock. Each look moves it by a microsecond, so that a program that waits for time to pass by looking
// gets there, in each run at the same look.
func (s *session) now() int64 {
	s.clock += int64(time.Microsecond)
	return s.clock
}

// line keeps a console line as far as there is room: the head of the output stays, and what follows is counted. size is the
// length of its texts before the prelude cut them.
func (s *session) line(level, text string, size float64) (room int) {
	whole := max(int64(size), int64(len(text)))
	if !s.full && len(text) < s.room {
		s.room -= len(text) + 1
		s.tell(level, text)
		return s.room
	}
	if !s.full && s.room > 0 {
		head := text[:min(s.room, len(text))]
		for len(head) > 0 && !utf8.ValidString(head) {
			head = head[:len(head)-1]
		}
		whole -= int64(len(head))
		s.tell(level, head+" …")
	}
	s.full, s.room = true, 0
	s.dropped.Lines++
	s.dropped.Bytes += whole
	return 0
}

func (s *session) tell(level, text string) {
	if s.told != nil {
		s.told(Line{Level: level, Text: text})
	}
}

// Step implements Session.
func (s *session) Step(ctx context.Context, e Event) (Turn, error) {
	s.busy.Lock()
	defer s.busy.Unlock()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.life, stop)()
	if err := ctx.Err(); err != nil {
		return Turn{}, err
	}
	if s.failure == nil {
		err := s.bounded(ctx, func() { s.advance(e) })
		if ctx.Err() != nil {
			return Turn{}, ctx.Err()
		}
		s.judge(err)
	}
	s.made += len(s.calls)
	t := Turn{Calls: s.calls, Timers: s.timers, Cleared: s.cleared, Settled: s.settled, Value: s.value, Failure: s.failure, Dropped: s.dropped}
	s.calls, s.timers, s.cleared = nil, nil, nil
	return t, nil
}

// bounded runs f with the limit of a turn: at the limit the interpreter is asked to stop, a moment later it is stopped.
func (s *session) bounded(ctx context.Context, f func()) error {
	s.late.Store(false)
	hard, kill := context.WithCancel(context.Background())
	defer kill()
	soft := time.AfterFunc(s.limits.Compute, func() { s.late.Store(true) })
	stop := time.AfterFunc(s.limits.Compute+hardGrace, kill)
	leave := context.AfterFunc(ctx, func() { s.late.Store(true); stop.Reset(hardGrace) })
	defer func() { leave(); soft.Stop(); stop.Stop() }()
	if s.vm.hard {
		s.vm.ctx = context.WithValue(hard, vmKey{}, s.vm)
	}
	return s.vm.catch(f)
}

// judge gives a turn that did not end by itself its failure.
func (s *session) judge(err error) {
	var exit *sys.ExitError
	switch {
	case s.late.Load() || errors.As(err, &exit):
		s.settled, s.value = false, nil
		s.failure = failf(FailTime, "time limit: the program computed for %s without waiting for anything, which is the most it may", s.limits.Compute)
	case err == nil:
	case errors.Is(err, errNoMemory) || strings.Contains(err.Error(), errNoMemory.Error()):
		s.failure = failf(FailMemory, "memory limit: the program needs more memory than it may have")
	case strings.Contains(err.Error(), "stack overflow"):
		s.failure = failf(FailLimit, "the program calls itself too deeply")
	default:
		s.failure = failf(FailLimit, "the program did something that its sandbox does not survive, most likely with too much memory or too deep a nesting")
	}
}

func (s *session) advance(e Event) {
	v := s.vm
	s.clock = max(s.clock, e.At*int64(time.Millisecond))
	switch e.Kind {
	case eventStart:
		if !s.begun {
			s.begun = true
			s.start()
		}
	case eventTimer:
		delete(s.waiting, e.Timer)
		s.enter(entryFire, v.newNumber(float64(e.Timer)))
	case eventAnswer:
		text, how := string(e.Value), ""
		if e.Thrown != nil {
			text, how = e.Thrown.text(), "t"
		} else if marked, any := markIntegers(e.Value); any {
			text, how = marked, "m"
		}
		s.enter(entrySettle, v.newNumber(float64(e.Seq)), v.newString(text), v.newString(how))
	}
	s.drain()
	if len(s.rejected) > 0 {
		ids := make([]uint32, 0, len(s.rejected))
		for id := range s.rejected {
			ids = append(ids, id)
		}
		slices.Sort(ids) // alike in each run
		for _, id := range ids {
			r := s.rejected[id]
			delete(s.rejected, id)
			s.enter(entryRejected, r.reason)
			v.call(fnFreeValue, uint64(r.promise))
		}
		s.drain()
	}
}

func (s *session) start() {
	v := s.vm
	var word [16]byte
	_, _ = s.random.Read(word[:])
	w := seedWords(word[:])
	s.enter(entrySeed, v.newNumber(float64(int32(w[0]))), v.newNumber(float64(int32(w[1]))), v.newNumber(float64(int32(w[2]))),
		v.newNumber(float64(int32(w[3]|1))), v.newNumber(float64(s.room)))
	flags := evalScript | evalStrict
	if s.code.form == formModule {
		flags = evalModule
	}
	program, ok := v.eval(s.code.js, scriptName, flags)
	if !ok {
		s.thrown(program)
		return
	}
	s.enter(entryBegin, v.newString(s.code.form), program)
}

// enter calls into the prelude, which throws only if it is stopped or out of memory.
func (s *session) enter(entry int, args ...uint32) {
	out, ok := s.vm.invoke(s.vm.at.entry[entry], args...)
	if !ok {
		s.thrown(out)
		return
	}
	s.vm.call(fnFreeValue, uint64(out))
}

// thrown ends the program with an error that nobody in it can see.
func (s *session) thrown(e uint32) {
	v := s.vm
	if s.over() || s.late.Load() {
		v.call(fnFreeValue, uint64(e))
		return
	}
	raw := errorText{}
	for name, to := range map[string]*string{"name": &raw.Name, "message": &raw.Message, "stack": &raw.Stack} {
		p := v.prop(e, name)
		if v.call(fnIsString, uint64(p)) != 0 {
			*to = v.text(p)
		}
		v.call(fnFreeValue, uint64(p))
	}
	v.call(fnFreeValue, uint64(e))
	s.failure = s.code.told(raw)
}

// drain runs everything that can run without being told more.
func (s *session) drain() {
	for s.failure == nil || s.settled {
		n := int32(s.vm.call(fnJob))
		if n == 0 || s.late.Load() {
			return
		}
		if n < 0 {
			s.thrown(s.vm.call(fnException))
			return
		}
	}
}
