package codemode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// testEngine shares compiled code between tests, as processes do.
func testEngine(t testing.TB, opt Options) *Engine {
	t.Helper()
	if opt.CacheDir == "" {
		opt.CacheDir = filepath.Join(os.TempDir(), "pags-codemode-test-cache")
	}
	e, err := NewEngine(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(context.Background()) })
	return e
}

func TestEngine_TheModuleIsThatOfThePackage(t *testing.T) {
	// quickjs.wasm of quickjs-wasi 3.7.0, as npm gives it.
	if sum := sha256.Sum256(quickjs); hex.EncodeToString(sum[:]) != "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363" {
		t.Errorf("its digest is %x; after an update say so here and in docs/decisions/sandbox.md", sum)
	}
}

type ran struct {
	Turn
	Lines []Line
	Open  error
}

// only runs the first turn of a program.
func only(t testing.TB, e *Engine, code string, limits Limits) ran {
	t.Helper()
	var r ran
	s, err := e.Open(context.Background(), Program{Code: code, Limits: limits, At: 1_700_000_000_000, Line: func(l Line) { r.Lines = append(r.Lines, l) }})
	if err != nil {
		r.Open = err
		if f, ok := err.(*Failure); ok {
			r.Failure = f
		}
		return r
	}
	defer s.Close()
	r.Turn, err = s.Step(context.Background(), Event{Kind: eventStart})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
