package worker

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
)

type wall struct{}

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }

type forgetful struct{}

func (forgetful) Load(context.Context) ([]codemode.Entry, error)      { return nil, nil }
func (forgetful) Append(context.Context, int, []codemode.Entry) error { return nil }

type reader struct{}

func (reader) Admit(context.Context, codemode.Call) (codemode.Admission, error) {
	return codemode.Admission{ReadOnly: true}, nil
}
func (reader) Send(context.Context, codemode.Call) (codemode.Answer, error) {
	return codemode.Answer{Value: json.RawMessage(`{"ok":true,"data":{"i":1}}`)}, nil
}

// What a person on one machine waits for: whole executions in a warm worker.
func BenchmarkPool(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"start", `return 1`},
		{"calls_100_seq", `for (let i = 0; i < 100; i++) await tools.read.item({ i })`},
		{"calls_100_par", `await Promise.all(Array.from({ length: 100 }, (_, i) => tools.read.item({ i })))`},
		{"fib27", `const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(27)`},
		{"json_1mb", `const v = Array.from({ length: 12000 }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b"], price: i / 7 })); return JSON.stringify(JSON.parse(JSON.stringify(v))).length`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := pool(b, Options{})
			if err := p.Warm(context.Background()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				out, err := codemode.Run(context.Background(), codemode.Slice{Run: "run_1", Code: c.code, Sandbox: p, Journal: forgetful{}, Tools: reader{}, Clock: wall{}})
				if err != nil || out.Status != codemode.Completed {
					b.Fatal(err, out.Failure)
				}
			}
		})
	}
	b.Run("worker_start", func(b *testing.B) {
		for b.Loop() {
			p := pool(b, Options{})
			if err := p.Warm(context.Background()); err != nil {
				b.Fatal(err)
			}
			p.Close()
		}
	})
}
