package codemode

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// develop starts one interpreter, runs the prelude in it and keeps its memory: every program starts from that, so no program
// sees what another did to the built-ins, and starting costs a copy of less than 1 MB.
func (e *Engine) develop(ctx context.Context) (*image, error) {
	v, err := e.instance(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer v.close()
	fresh, err := e.instance(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer fresh.close()
	v.ctx = context.WithValue(context.WithoutCancel(ctx), vmKey{}, v)
	err = v.catch(func() {
		v.named("_initialize")
		if v.named("qjs_init") != 0 {
			panic(broken{errNoMemory})
		}
		// The interpreter refuses what it cannot hold before the instance does: its refusal can be caught and told.
		v.named("qjs_set_memory_limit", uint64(e.opt.MemoryMB-2)<<20)
		v.named("qjs_set_max_stack_size", uint64(e.opt.StackKB)<<10)
		v.named("qjs_set_interrupt_handler", 1)
		v.named("qjs_set_promise_rejection_handler", 1)
		v.named("qjs_set_module_loader", 1)
		v.at.scratch = v.alloc(16)
		v.at.none = v.undefined()
		f, ok := v.eval(prelude(), "pags:prelude", evalScript|evalStrict)
		entries := f
		if ok {
			host := v.named("qjs_new_object")
			for name := range hostCalls {
				p := v.put(name)
				fn := v.named("qjs_new_host_function", uint64(p), uint64(len(name)), 0)
				v.named("qjs_set_prop_string", uint64(host), uint64(p), uint64(fn))
				v.call(fnFreeValue, uint64(fn))
				v.call(fnFree, uint64(p))
			}
			entries, ok = v.invoke(f, host)
		}
		if !ok {
			panic(broken{fmt.Errorf("the prelude failed: %s", v.text(entries))})
		}
		v.call(fnFreeValue, uint64(f))
		for i, name := range entryNames {
			v.at.entry[i] = v.prop(entries, name)
		}
		v.at.runtime, v.at.context = v.named("qjs_get_runtime_ptr"), v.named("qjs_get_context_ptr")
		v.at.stackAt = v.mod.ExportedGlobal("__stack_pointer").(api.MutableGlobal).Get()
		v.at.pages = differences(v.mem, fresh.mem)
		v.at.size = uint64(v.mem.Size())
	})
	if err != nil {
		return nil, err
	}
	img := v.at
	return &img, nil
}

// differences gives what has to be written into a fresh memory to make it like the other; most of both is untouched.
func differences(of, fresh api.Memory) (out []page) {
	const size = 4096
	none := make([]byte, size)
	for at := uint32(0); at < of.Size(); at += size {
		data, _ := of.Read(at, size)
		was, ok := fresh.Read(at, size)
		if !ok {
			was = none
		}
		if bytes.Equal(data, was) {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].at+uint32(len(out[n].data)) == at {
			out[n].data = append(out[n].data, data...)
		} else {
			out = append(out, page{at, bytes.Clone(data)})
		}
	}
	return out
}
