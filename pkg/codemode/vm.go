package codemode

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// vm is one interpreter: typed access to the few functions of the module that we use. Values of the interpreter are
// addresses of cells in its memory; whoever got one frees it.
type vm struct {
	mod   api.Module
	mem   api.Memory
	fn    [nFuncs]api.Function
	stack [4][8]uint64    // parameters and results, one for each depth of calls
	depth int             // host functions that are being served
	ctx   context.Context // of the step that runs; carries the vm to host functions
	s     *session        // whom host functions serve; nil while an image is made
	hard  bool            // stop native loops from outside
	at    image           // where things are
}

// image is an interpreter just before its first program. Starting from it costs a copy instead of a start.
type image struct {
	size    uint64
	pages   []page // where it differs from an instance that has done nothing
	stackAt uint64
	runtime uint32
	context uint32
	scratch uint32 // 16 bytes for results by reference
	none    uint32 // the value undefined
	entry   [nEntries]uint32
}

type page struct {
	at   uint32
	data []byte
}

// Functions of the prelude that the host calls, by their place in image.entry.
const (
	entryBegin = iota
	entrySeed
	entrySettle
	entryFire
	entryRejected
	entryRefuse
	nEntries
)

var entryNames = [nEntries]string{"begin", "seed", "settle", "fire", "rejected", "refuse"}

const (
	fnEval = iota // these three run programs
	fnCall
	fnJob
	fnMalloc
	fnFree
	fnException
	fnFreeValue
	fnDupValue
	fnNewString
	fnNewNumber
	fnNewBytes
	fnUndefined
	fnText
	fnFreeText
	fnNumber
	fnIsException
	fnIsUndefined
	fnIsString
	fnIdentity
	fnBuffer
	fnBufferData
	fnProp
	fnThrow
	fnClass
	nFuncs
)

var funcNames = [nFuncs]string{"qjs_eval", "qjs_call", "qjs_execute_pending_job", "wasm_malloc", "wasm_free", "qjs_get_exception",
	"qjs_free_value", "qjs_dup_value", "qjs_new_string", "qjs_new_number", "qjs_new_uint8_array", "qjs_get_undefined", "qjs_get_string_len",
	"qjs_free_cstring", "qjs_get_float64", "qjs_is_exception", "qjs_is_undefined", "qjs_is_string", "qjs_get_value_ptr",
	"qjs_get_typed_array_buffer", "qjs_get_array_buffer", "qjs_get_prop_string", "qjs_throw", "qjs_get_class_name"}

// Flags of qjs_eval, the engine's JS_EVAL_*.
const (
	evalScript = 0
	evalModule = 1 << 0
	evalStrict = 1 << 3
)

// broken carries a trap of the module through our calls; catch turns it into an error again.
type broken struct{ err error }

func (v *vm) attach(mod api.Module, from *image) error {
	v.mod, v.mem, v.ctx = mod, mod.Memory(), context.WithValue(context.Background(), vmKey{}, v)
	if from == nil {
		return nil
	}
	v.at = *from
	have := uint64(v.mem.Size())
	if from.size > have {
		if _, ok := v.mem.Grow(uint32((from.size - have) / 65536)); !ok {
			return errors.New("the sandbox's memory cap is below what the interpreter itself needs")
		}
	}
	for _, p := range from.pages {
		v.mem.Write(p.at, p.data)
	}
	mod.ExportedGlobal("__stack_pointer").(api.MutableGlobal).Set(from.stackAt)
	return v.catch(func() { v.named("qjs_set_runtime_and_context", uint64(from.runtime), uint64(from.context)) })
}

func (v *vm) close() { _ = v.mod.Close(context.Background()) }

// catch runs f and gives the trap that ended it, if one did.
func (v *vm) catch(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(broken)
			if !ok {
				panic(r)
			}
			err = b.err
		}
	}()
	f()
	return nil
}

func (v *vm) call(fn int, args ...uint64) uint32 {
	return uint32(v.raw(fn, args...))
}

func (v *vm) raw(fn int, args ...uint64) uint64 {
	f := v.fn[fn]
	if f == nil || v.depth > 0 && (fn == fnEval || fn == fnCall || fn == fnJob) {
		// A function value cannot be entered twice, and these may be running already when a host function calls back in.
		if f = v.mod.ExportedFunction(funcNames[fn]); f == nil {
			panic(broken{fmt.Errorf("the sandbox's module has no function %s", funcNames[fn])})
		}
		if v.depth == 0 || fn > fnJob {
			v.fn[fn] = f
		}
	}
	stack := v.stack[min(v.depth, len(v.stack)-1)][:]
	copy(stack, args)
	if err := f.CallWithStack(v.ctx, stack); err != nil {
		panic(broken{err})
	}
	return stack[0]
}

func (v *vm) named(name string, args ...uint64) uint32 {
	out, err := v.mod.ExportedFunction(name).Call(v.ctx, args...)
	if err != nil {
		panic(broken{err})
	}
	if len(out) == 0 {
		return 0
	}
	return uint32(out[0])
}

// alloc gives n bytes of the interpreter's memory; the failure is the program's, which has used it up.
func (v *vm) alloc(n int) uint32 {
	p := v.call(fnMalloc, uint64(n))
	if p == 0 {
		panic(broken{errNoMemory})
	}
	return p
}

var errNoMemory = errors.New("out of memory")

func (v *vm) put(s string) (ptr uint32) {
	ptr = v.alloc(len(s) + 1)
	v.mem.WriteString(ptr, s)
	v.mem.WriteByte(ptr+uint32(len(s)), 0)
	return ptr
}

func (v *vm) newString(s string) uint32 {
	p := v.put(s)
	out := v.call(fnNewString, uint64(p), uint64(len(s)))
	v.call(fnFree, uint64(p))
	return out
}

func (v *vm) newNumber(n float64) uint32 { return v.call(fnNewNumber, math.Float64bits(n)) }

func (v *vm) newBytes(b []byte) uint32 {
	p := v.alloc(max(len(b), 1))
	v.mem.Write(p, b)
	out := v.call(fnNewBytes, uint64(p), uint64(len(b)))
	v.call(fnFree, uint64(p))
	return out
}

func (v *vm) undefined() uint32 { return v.call(fnUndefined) }

// text reads a string value; lone surrogates arrive as three bytes each and are made valid.
func (v *vm) text(value uint32) string {
	p := v.call(fnText, uint64(value), uint64(v.at.scratch))
	if p == 0 {
		return ""
	}
	n, _ := v.mem.ReadUint32Le(v.at.scratch)
	b, _ := v.mem.Read(p, n)
	s := wellFormed(b)
	v.call(fnFreeText, uint64(p))
	return s
}

func (v *vm) number(value uint32) float64 {
	return math.Float64frombits(v.raw(fnNumber, uint64(value)))
}

// bytes copies what a Uint8Array shows.
func (v *vm) bytes(value uint32) []byte {
	at := v.at.scratch
	buf := v.call(fnBuffer, uint64(value), uint64(at), uint64(at+4), uint64(at+8))
	if v.call(fnIsException, uint64(buf)) != 0 {
		v.call(fnFreeValue, uint64(buf))
		v.call(fnFreeValue, uint64(v.call(fnException)))
		return nil
	}
	offset, _ := v.mem.ReadUint32Le(at)
	size, _ := v.mem.ReadUint32Le(at + 4)
	data := v.call(fnBufferData, uint64(buf), uint64(at))
	v.call(fnFreeValue, uint64(buf))
	b, ok := v.mem.Read(data+offset, size)
	if data == 0 || !ok {
		return nil
	}
	return append([]byte(nil), b...)
}

func (v *vm) prop(of uint32, name string) uint32 {
	p := v.put(name)
	out := v.call(fnProp, uint64(of), uint64(p))
	v.call(fnFree, uint64(p))
	return out
}

// eval runs source; ok is false if it threw, and the value is then what it threw.
func (v *vm) eval(source, name string, flags int) (value uint32, ok bool) {
	code, file := v.put(source), v.put(name)
	out := v.call(fnEval, uint64(code), uint64(len(source)), uint64(file), uint64(flags))
	v.call(fnFree, uint64(code))
	v.call(fnFree, uint64(file))
	return v.outcome(out)
}

// invoke calls a function of the interpreter and frees the arguments.
func (v *vm) invoke(f uint32, args ...uint32) (value uint32, ok bool) {
	argv := v.alloc(4 * max(len(args), 1))
	for i, a := range args {
		v.mem.WriteUint32Le(argv+uint32(4*i), a)
	}
	out := v.call(fnCall, uint64(f), uint64(v.at.none), uint64(len(args)), uint64(argv))
	v.call(fnFree, uint64(argv))
	for _, a := range args {
		v.call(fnFreeValue, uint64(a))
	}
	return v.outcome(out)
}

func (v *vm) outcome(out uint32) (uint32, bool) {
	if v.call(fnIsException, uint64(out)) == 0 {
		return out, true
	}
	v.call(fnFreeValue, uint64(out))
	return v.call(fnException), false
}
