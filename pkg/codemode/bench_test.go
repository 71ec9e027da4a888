package codemode

import (
	"context"
	"fmt"
	"testing"
)

// The numbers of the house's table: exec.start_ms, exec.calls_100_seq_ms, exec.calls_100_par_ms, sandbox.fib27_ms, sandbox.json_1mb_ms.
func BenchmarkExec(b *testing.B) {
	for name, code := range map[string]string{
		"start":         `return 1`,
		"calls_100_seq": `for (let i = 0; i < 100; i++) await tools.read.item({ i })`,
		"calls_100_par": `await Promise.all(Array.from({ length: 100 }, (_, i) => tools.read.item({ i })))`,
		"fib27":         `const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(27)`,
		"json_1mb":      `const v = Array.from({ length: 12000 }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b"], price: i / 7 })); return JSON.stringify(JSON.parse(JSON.stringify(v))).length`,
		"result_1mb":    `return Array.from({ length: 11000 }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b"], price: i / 7 }))`,
	} {
		for _, killed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/killed=%v", name, killed), func(b *testing.B) {
				e := testEngine(b, Options{Killed: killed})
				if err := e.Warm(context.Background()); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					out := mustRun(b, slice(b, e, code, &memory{}, newUpstream()))
					if out.Status != Completed {
						b.Fatal(out.Failure)
					}
				}
			})
		}
	}
}
