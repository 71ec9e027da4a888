package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/local/gateway"
)

// runsPrograms is the folder of the function with a sandbox; codeCache is what functions/internal/boot looks for beside the
// bootstrap.
const (
	runsPrograms = "functions/code/run"
	codeCache    = "code-cache"
)

func warmOne(name, arch, out string) error {
	s, err := gateway.Read(stack.Files, gateway.Facts{})
	if err != nil {
		return err
	}
	f, err := named(s, name)
	if err != nil {
		return err
	}
	return warm(f, arch, out)
}

// warm compiles the sandbox of the function that runs programs. The compiler writes code for the processor that it runs on only,
// so a build for another one ships none, and the function compiles when it starts.
func warm(f gateway.Declared, arch, dir string) error {
	if f.Folder != runsPrograms {
		return nil
	}
	if arch != runtime.GOARCH || runtime.GOOS != "linux" {
		fmt.Fprintf(os.Stderr, "functions: %s for %s is built on %s/%s, so it compiles its sandbox at each cold start; docs/hosts.md says what that costs\n",
			f.Name, arch, runtime.GOOS, runtime.GOARCH)
		return nil
	}
	cache := filepath.Join(dir, codeCache)
	engine, err := codemode.NewEngine(codemode.Options{CacheDir: cache})
	if err != nil {
		return err
	}
	if err := engine.Warm(context.Background()); err != nil {
		return fmt.Errorf("compile the sandbox: %w", err)
	}
	engine.Close(context.Background())
	return filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error { // Lambda reads it as another user
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}
