package codemode

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

//go:embed quickjs/quickjs.wasm
var quickjs []byte

//go:embed prelude/values.js
var preludeValues string

//go:embed prelude/tools.js
var preludeTools string

//go:embed prelude/globals.js
var preludeGlobals string

//go:embed prelude/boot.js
var preludeBoot string

// prelude is one function of the host's calls that gives what the host calls.
func prelude() string {
	return "(function (host) {\n\"use strict\";\n" + strings.Join([]string{preludeValues, preludeTools, preludeGlobals, preludeBoot}, "\n") + "})"
}

// Options of an engine. The zero value is right for hostile code inside a process that serves others.
type Options struct {
	// MemoryMB caps one program's memory, the interpreter's own included; 64 (spec tool-runtime 1f).
	MemoryMB int
	// StackKB caps recursion; 256, at most 512 (the module's own stack is 1 MB).
	StackKB int
	// CacheDir keeps compiled machine code between processes: about 20 ms to load instead of 400 ms to compile. It has to
	// be a folder that only we can write, since what lies there is run. Empty: in memory.
	CacheDir string
	// Killed says that this process is killed from outside when a program passes its limit, so loops in native code need no
	// check of their own. That makes programs three to six times as fast. Only a worker may say so.
	Killed bool
}

// hardGrace is how long after the soft limit, which the interpreter itself looks at, an instance is stopped from outside.
const hardGrace = 100 * time.Millisecond

// Engine runs programs, each in an instance of its own. Compiling happens at first use or by Warm. Safe for concurrent use.
type Engine struct {
	opt     Options
	mu      sync.Mutex
	cache   wazero.CompilationCache
	runtime wazero.Runtime
	module  wazero.CompiledModule
	image   *image
	spare   *vm // a fresh instance for the next program, if somebody had time to make it
}

var _ Sandbox = (*Engine)(nil)

// NewEngine does nothing yet but check the options.
func NewEngine(opt Options) (*Engine, error) {
	if opt.MemoryMB == 0 {
		opt.MemoryMB = 64
	}
	if opt.StackKB == 0 {
		opt.StackKB = 256
	}
	if opt.MemoryMB < 8 || opt.MemoryMB > 2048 || opt.StackKB < 64 || opt.StackKB > 512 {
		return nil, fmt.Errorf("a sandbox has 8 to 2048 MB of memory and 64 to 512 KB of stack, not %d and %d", opt.MemoryMB, opt.StackKB)
	}
	return &Engine{opt: opt}, nil
}

// Version names the interpreter and our part in it; a journal notes it.
var Version = sync.OnceValue(func() string {
	h := sha256.New()
	h.Write(quickjs)
	h.Write([]byte(prelude()))
	return hex.EncodeToString(h.Sum(nil))[:16]
})

// Warm compiles the sandbox now, so that the first program need not wait.
func (e *Engine) Warm(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.image != nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)                                                                                         // half a compiled engine helps nobody
	cfg := wazero.NewRuntimeConfig().WithCloseOnContextDone(!e.opt.Killed).WithMemoryLimitPages(uint32(e.opt.MemoryMB) * 16) // 64 KB each
	if e.opt.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(e.opt.CacheDir)
		if err != nil {
			return fmt.Errorf("open the cache of compiled code: %w", err)
		}
		e.cache = cache
		cfg = cfg.WithCompilationCache(cache)
	}
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	module, err := compile(ctx, rt)
	if err == nil {
		e.runtime, e.module = rt, module
		e.image, err = e.develop(ctx)
	}
	if err != nil {
		e.close(ctx, rt)
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	return nil
}

func compile(ctx context.Context, rt wazero.Runtime) (wazero.CompiledModule, error) {
	if err := provide(ctx, rt); err != nil {
		return nil, err
	}
	return rt.CompileModule(ctx, quickjs)
}

// Close gives back the compiled code. No program may be open.
func (e *Engine) Close(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runtime != nil {
		e.close(ctx, e.runtime)
	}
}

func (e *Engine) close(ctx context.Context, rt wazero.Runtime) {
	_ = rt.Close(ctx)
	if e.cache != nil {
		_ = e.cache.Close(ctx)
	}
	e.runtime, e.module, e.image, e.cache, e.spare = nil, nil, nil, nil, nil // closing the runtime closed its instances
}

// Open implements Sandbox.
func (e *Engine) Open(ctx context.Context, p Program) (Session, error) {
	p.Limits = p.Limits.WithDefaults()
	c, fail := read(p.Code)
	if fail != nil {
		return nil, fail
	}
	if err := e.Warm(ctx); err != nil {
		return nil, err
	}
	v := e.takeSpare()
	if v == nil {
		var err error
		if v, err = e.instance(ctx, e.image); err != nil {
			return nil, err
		}
	}
	v.hard = !e.opt.Killed
	return newSession(v, c, p), nil
}

// Prepare makes an instance for the next program now, while nobody waits for it. It has run nothing of anybody's.
func (e *Engine) Prepare(ctx context.Context) error {
	e.mu.Lock()
	image, have := e.image, e.spare != nil
	e.mu.Unlock()
	if image == nil || have {
		return nil
	}
	v, err := e.instance(ctx, image)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.spare != nil || e.image != image {
		v.close()
		return nil
	}
	e.spare = v
	return nil
}

func (e *Engine) takeSpare() *vm {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.spare
	e.spare = nil
	return v
}

// instance makes a fresh interpreter; with an image it starts as the image was.
func (e *Engine) instance(ctx context.Context, from *image) (*vm, error) {
	v := &vm{}
	ctx = context.WithoutCancel(experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(reserve)))
	mod, err := e.runtime.InstantiateModule(ctx, e.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("make an instance of the sandbox: %w", err)
	}
	if err := v.attach(mod, from); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}
