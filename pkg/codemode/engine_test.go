package codemode

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

func TestEngine_Smoke(t *testing.T) {
	e := testEngine(t, Options{})
	t0 := time.Now()
	if err := e.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Log("warm", time.Since(t0), len(e.image.memory))
	for _, c := range []string{
		"return 1+1", "1+1", "async () => 5", "async function main(tools) { return typeof tools }", "export default {a:1n}",
		"export default async () => { return [NaN,-0,new Map([['k',1]])] }", "```ts\nconst x: number = 4;\nreturn x\n```",
		"(async () => { return 7 })()", "const x = 1;\nthrow new TypeError('no ' + x)", "import fs from 'fs';\nfs.x()", "await import('fs')",
		"return 1 +", "let a = {", "console.log('hi', {a:1}, [1,2,undefined]); return new URL('../x?y=1#z', 'https://EXAMPLE.com:443/a/b/c').href",
		"return [Math.random(), Date.now(), crypto.randomUUID(), performance.now()]", "setTimeout(() => {}, 10); await tools.a.b.c({x: 9007199254740993n})",
		"await new Promise(r => setTimeout(r, 5)); return 1", "return new Uint8Array([1,255])",
		"Promise.reject(new Error('x')); return structuredClone({a:new Date(0), b:[1,new Map([[1,2]])]})",
		"return new TextDecoder().decode(new TextEncoder().encode('héé€😀')) + btoa('abc') + atob('YWJj')",
	} {
		t0 := time.Now()
		r := only(t, e, c, Limits{})
		b, _ := json.Marshal(r.Turn)
		t.Log(time.Since(t0), strings.ReplaceAll(c, "\n", "⏎"), "->", string(b), r.Lines, r.Open)
	}
}
