package codemode

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/proagentstore/pags/pkg/codemode/weburl"
)

// vmKey finds the interpreter that a host function serves.
type vmKey struct{}

func vmOf(ctx context.Context) *vm { return ctx.Value(vmKey{}).(*vm) }

// hostCalls is everything a program can reach, by the prelude only. Each gets borrowed values and gives a new one; 0 for
// undefined. None of them touches anything outside the session.
var hostCalls map[string]func(s *session, v *vm, args []uint32) uint32

func init() {
	hostCalls = map[string]func(s *session, v *vm, args []uint32) uint32{
		"c": hostTool, "g": hostArgsLimit, "h": hostResultLimit, // calls of tools
		"z": hostResult, "f": hostFailed, // the end
		"l": hostLine,                    // console
		"t": hostTimer, "x": hostCleared, // timers
		"w": hostClock, "r": hostRandom, // time and chance of the run
		"k": hostKind, "b": hostBase64, // values
		"u": hostURL, "v": hostURLChange, "q": hostQuery, "p": hostForm, // URLs
		"n": hostEncoding, "e": hostEncode, "d": hostDecode, "o": hostUnfinished, // texts
	}
}

func hostTool(s *session, v *vm, args []uint32) uint32 {
	if len(s.calls)+s.made >= s.limits.Calls {
		return v.newString("an execution makes at most " + itoa(s.limits.Calls) + " calls; this one has used them up")
	}
	seq := s.made + len(s.calls) + 1
	m := Made{Seq: seq, Path: v.text(args[0]), Args: []byte(v.text(args[1]))}
	if s.args += len(m.Args); s.args > s.limits.ArgsSum {
		return v.newString("the arguments of all calls of an execution have at most " + itoa(s.limits.ArgsSum) + " bytes together; this one has used them up")
	}
	s.calls = append(s.calls, m)
	return v.newNumber(float64(seq))
}

func hostArgsLimit(s *session, v *vm, _ []uint32) uint32 { return v.newNumber(float64(s.limits.Args)) }
func hostResultLimit(s *session, v *vm, _ []uint32) uint32 {
	return v.newNumber(float64(s.limits.Result))
}

func hostResult(s *session, v *vm, args []uint32) uint32 {
	if s.over() {
		return 0
	}
	s.settled = true
	if v.call(fnIsUndefined, uint64(args[0])) == 0 {
		s.value = []byte(v.text(args[0]))
	}
	return 0
}

func hostFailed(s *session, v *vm, args []uint32) uint32 {
	if !s.over() {
		s.settled = true
		s.failure = s.code.failure([]byte(v.text(args[0])))
	}
	return 0
}

func hostLine(s *session, v *vm, args []uint32) uint32 {
	return v.newNumber(float64(s.line(v.text(args[0]), v.text(args[1]), v.number(args[2]))))
}

func hostTimer(s *session, v *vm, args []uint32) uint32 {
	delay := v.number(args[0])
	if len(s.waiting) >= s.limits.Timers {
		return v.newString("at most " + itoa(s.limits.Timers) + " timers can wait at once")
	}
	if s.lastTimer >= s.limits.Calls {
		return v.newString("an execution sets at most " + itoa(s.limits.Calls) + " timers; this one has used them up")
	}
	if delay > maxDelay {
		return v.newString("a timer waits at most 30 days")
	}
	s.lastTimer++
	s.waiting[s.lastTimer] = true
	s.timers = append(s.timers, Timer{ID: s.lastTimer, Delay: math.Floor(delay)})
	return v.newNumber(float64(s.lastTimer))
}

func hostCleared(s *session, v *vm, args []uint32) uint32 {
	id := int(v.number(args[0]))
	delete(s.waiting, id)
	s.cleared = append(s.cleared, id)
	return 0
}

func hostClock(s *session, v *vm, _ []uint32) uint32 { return v.newNumber(float64(s.now() / 1000)) }

func hostRandom(s *session, v *vm, args []uint32) uint32 {
	b := make([]byte, min(max(int(v.number(args[0])), 0), 65536))
	_, _ = s.random.Read(b)
	return v.newBytes(b)
}

// hostKind is the engine's own name for the kind of an object, which a program cannot fake.
func hostKind(_ *session, v *vm, args []uint32) uint32 { return v.call(fnClass, uint64(args[0])) }

func hostBase64(_ *session, v *vm, args []uint32) uint32 {
	return v.newString(base64.StdEncoding.EncodeToString(v.bytes(args[0])))
}

func hostURL(_ *session, v *vm, args []uint32) uint32 {
	base, relative := "", v.call(fnIsUndefined, uint64(args[1])) == 0
	if relative {
		base = v.text(args[1])
	}
	return v.newString(weburl.Parse(v.text(args[0]), base, relative))
}

func hostURLChange(_ *session, v *vm, args []uint32) uint32 {
	return v.newString(weburl.Change(v.text(args[0]), v.text(args[1]), v.text(args[2])))
}

func hostQuery(_ *session, v *vm, args []uint32) uint32 {
	return v.newString(weburl.Query(v.text(args[0])))
}
func hostForm(_ *session, v *vm, args []uint32) uint32 {
	return v.newString(weburl.Form(v.text(args[0])))
}

func hostEncoding(_ *session, v *vm, args []uint32) uint32 {
	return v.newString(encodingOf(v.text(args[0])))
}
func hostEncode(_ *session, v *vm, args []uint32) uint32 { return v.newBytes([]byte(v.text(args[0]))) }

func hostDecode(_ *session, v *vm, args []uint32) uint32 {
	text, ok := decodeText(v.text(args[0]), v.bytes(args[2]), v.number(args[1]) != 0)
	if !ok {
		return 0
	}
	return v.newString(text)
}

func hostUnfinished(_ *session, v *vm, args []uint32) uint32 {
	return v.newNumber(float64(unfinished(v.text(args[0]), v.bytes(args[1]))))
}

// provide gives the runtime what the module imports: 12 functions, of which only host_call reaches hostCalls.
func provide(ctx context.Context, rt wazero.Runtime) error {
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	type imported struct {
		f       func(ctx context.Context, v *vm, p []uint64) uint32
		params  []api.ValueType
		results int
	}
	build := func(module string, fs map[string]imported) error {
		b := rt.NewHostModuleBuilder(module)
		for name, f := range fs {
			results := make([]api.ValueType, f.results)
			for i := range results {
				results[i] = i32
			}
			b = b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, p []uint64) {
				if out := f.f(ctx, vmOf(ctx), p); f.results > 0 {
					p[0] = uint64(out)
				}
			}), f.params, results).Export(name)
		}
		_, err := b.Instantiate(ctx)
		return err
	}
	ok := func(context.Context, *vm, []uint64) uint32 { return 0 }
	badf := func(context.Context, *vm, []uint64) uint32 { return 8 } // WASI errno badf: there are no files
	err := build("env", map[string]imported{
		"host_call":                {served, []api.ValueType{i32, i32, i32, i32, i32}, 1},
		"host_interrupt":           {interrupted, nil, 1},
		"host_promise_rejection":   {tracked, []api.ValueType{i32, i32, i32}, 0},
		"host_module_normalize":    {refused, []api.ValueType{i32, i32}, 1},
		"host_module_load":         {ok, []api.ValueType{i32, i32}, 1},
		"host_get_timezone_offset": {ok, []api.ValueType{i32, i32}, 1}, // UTC
	})
	if err != nil {
		return err
	}
	return build("wasi_snapshot_preview1", map[string]imported{
		"clock_time_get": {clock, []api.ValueType{i32, i64, i32}, 1},
		"fd_close":       {badf, []api.ValueType{i32}, 1},
		"fd_fdstat_get":  {badf, []api.ValueType{i32, i32}, 1},
		"fd_seek":        {badf, []api.ValueType{i32, i64, i32, i32}, 1},
		"fd_write":       {badf, []api.ValueType{i32, i32, i32, i32}, 1},
		"random_get":     {zeros, []api.ValueType{i32, i32}, 1},
	})
}

// served finds the host function by name and gives its answer to the interpreter, which owns it then.
func served(_ context.Context, v *vm, p []uint64) uint32 {
	name, _ := v.mem.Read(uint32(p[0]), uint32(p[1]))
	f := hostCalls[string(name)]
	argc, argv := int(uint32(p[3])), uint32(p[4])
	var room [4]uint32
	args := room[:]
	for i := range args {
		args[i] = v.at.none
		if i < argc {
			args[i], _ = v.mem.ReadUint32Le(argv + uint32(4*i))
		}
	}
	v.depth++
	defer func() { v.depth-- }()
	if f == nil || v.s == nil {
		return v.undefined()
	}
	if out := f(v.s, v, args); out != 0 {
		return out
	}
	return v.undefined()
}

// interrupted is asked by the interpreter every few thousand steps whether to stop.
func interrupted(_ context.Context, v *vm, _ []uint64) uint32 {
	if v.s != nil && v.s.late.Load() {
		return 1
	}
	return 0
}

// refused answers every import, static or dynamic, with the reason.
func refused(_ context.Context, v *vm, p []uint64) uint32 {
	v.depth++
	defer func() { v.depth-- }()
	b, _ := v.mem.Read(uint32(p[1]), min(v.mem.Size()-uint32(p[1]), 256))
	name := cString(b)
	if err, ok := v.invoke(v.at.entry[entryRefuse], v.newString(name)); ok {
		v.call(fnFreeValue, uint64(v.call(fnThrow, uint64(err))))
		v.call(fnFreeValue, uint64(err))
	}
	return 0
}

// tracked notes promises that were rejected while nobody looked, and those that somebody looks at after all.
func tracked(_ context.Context, v *vm, p []uint64) uint32 {
	v.depth++
	defer func() { v.depth-- }()
	promise, reason, handled := uint32(p[0]), uint32(p[1]), uint32(p[2]) != 0
	if s := v.s; s != nil {
		id := v.call(fnIdentity, uint64(promise))
		if old, there := s.rejected[id]; there {
			v.call(fnFreeValue, uint64(old.promise))
			v.call(fnFreeValue, uint64(old.reason))
			delete(s.rejected, id)
		}
		if !handled && len(s.rejected) < 100 {
			s.rejected[id] = unseen{promise, reason} // held, so that no other promise gets its identity
			return 0
		}
	}
	v.call(fnFreeValue, uint64(promise))
	v.call(fnFreeValue, uint64(reason))
	return 0
}

func clock(_ context.Context, v *vm, p []uint64) uint32 {
	var now int64
	if v.s != nil {
		now = v.s.now()
	}
	v.mem.WriteUint64Le(uint32(p[2]), uint64(now))
	return 0
}

// zeros: the module asks for randomness only to set itself up; programs get theirs from the run's seed.
func zeros(_ context.Context, v *vm, p []uint64) uint32 {
	v.mem.Write(uint32(p[0]), make([]byte, min(uint32(p[1]), 1<<16)))
	return 0
}

func seedWords(b []byte) (w [4]uint32) {
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}
