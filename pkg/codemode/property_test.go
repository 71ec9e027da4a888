package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// author writes programs: branches in parallel and in races, shared functions, loops, timers, failures, approvals.
type author struct {
	r     *rand.Rand
	n     int
	raced bool // what it gives depends on who is first
	asks  int
}

func (a *author) pick(n int) int { return a.r.IntN(n) }

// expr is an expression of a promise; depth bounds it.
func (a *author) expr(depth int) string {
	a.n++
	id := a.n
	kinds := 12
	if depth <= 0 {
		kinds = 6
	}
	switch a.pick(kinds) {
	case 0, 1:
		return fmt.Sprintf("call(tools.write.t%d, %d)", a.pick(3), id)
	case 2:
		return fmt.Sprintf("call(tools.read.t%d, %d)", a.pick(3), id)
	case 3:
		return fmt.Sprintf("call(tools.fail.t%d, %d).catch((e: any) => { note('caught'); return e.code })", a.pick(3), id)
	case 4:
		if a.asks >= 3 {
			return fmt.Sprintf("sleep(%d, %d)", a.pick(4), id)
		}
		a.asks++
		return fmt.Sprintf("call(tools.ask.t%d, %d).catch((e: any) => e.code)", a.pick(3), id)
	case 5:
		return fmt.Sprintf("sleep(%d, %d)", a.pick(4), id)
	case 6, 7:
		return "Promise.all([" + a.list(depth) + "])"
	case 8:
		a.raced = true
		return "Promise.race([" + a.list(depth) + "])"
	case 9:
		return fmt.Sprintf("loop(%d, async (i: number) => [i, await %s])", 1+a.pick(3), a.expr(depth-1))
	case 10:
		return fmt.Sprintf("(async () => { const x = await %s; const y = await %s; return { x, y } })()", a.expr(depth-1), a.expr(depth-1))
	}
	return fmt.Sprintf("(async () => { try { await %s; throw new Error('e%d') } catch (e: any) { return [e.message, await %s] } finally { note('finally') } })()", a.expr(depth-1), id, a.expr(depth-1))
}

func (a *author) list(depth int) string {
	var out []string
	for range 2 + a.pick(2) {
		out = append(out, a.expr(depth-1))
	}
	return strings.Join(out, ", ")
}

func (a *author) program() string {
	var b strings.Builder
	b.WriteString(`const trace: string[] = [];
const note = (s: string) => { trace.push(s); console.log(s, trace.length) };
async function call(tool: any, id: number) { note("call " + id); const r = await tool({ id }); note("done " + id); return r.data.args.id }
async function sleep(ms: number, id: number) { await new Promise((r) => setTimeout(r, ms)); note("slept " + id); return id }
async function loop(n: number, f: (i: number) => Promise<unknown>) { const out = []; for (let i = 0; i < n; i++) out.push(await f(i)); return out }
const values: unknown[] = [];
`)
	for range 1 + a.pick(3) {
		fmt.Fprintf(&b, "values.push(await %s);\n", a.expr(3))
	}
	b.WriteString("return { values, trace, chance: [Math.random(), crypto.randomUUID(), Date.now()] };")
	return b.String()
}

// careful is upstream with a person who looks: an outcome that nobody knows is told if it happened, else the call goes again.
type careful struct{ *upstream }

func (c careful) Admit(ctx context.Context, call Call) (Admission, error) {
	if call.Pause != nil && call.Pause.Reason == pags.WaitUnknown {
		c.mu.Lock()
		out, done := c.outcomes[call.Key]
		c.mu.Unlock()
		if done && strings.HasPrefix(call.Path, "fail.") {
			return Admission{Answer: &Answer{Thrown: &Thrown{Name: "ToolError", Code: "broken", Message: call.Path + " is broken"}}}, nil
		} else if done {
			return Admission{Answer: &Answer{Value: out}}, nil
		}
		return Admission{}, nil
	}
	return c.upstream.Admit(ctx, call)
}

// finish runs slices until the program has ended. Each dies at a random write, before or after it, or while a call is under
// way; between slices one of the open questions is answered.
func finish(t *testing.T, s Slice, j *memory, u *upstream, r *rand.Rand, crashes int) Outcome {
	t.Helper()
	for range 500 {
		ctx, kill := context.WithCancel(context.Background())
		j.mu.Lock()
		j.dieAt, j.after = 0, r.IntN(2) == 0
		if crashes > 0 && r.IntN(3) > 0 {
			j.dieAt = j.appends + 1 + r.IntN(6)
		}
		j.mu.Unlock()
		u.mu.Lock()
		u.crash = nil
		if crashes > 0 && r.IntN(3) == 0 {
			n := r.IntN(4)
			u.crash = func(Call) error {
				u.mu.Lock()
				defer u.mu.Unlock()
				if n--; n < 0 {
					kill()
					return errPower
				}
				return nil
			}
		}
		u.mu.Unlock()
		out, err := Run(ctx, s)
		kill()
		if err != nil {
			if !errors.Is(err, errPower) && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v", err)
			}
			crashes--
			continue
		}
		if out.Status == Completed || out.Status == Failed {
			return out
		}
		if out.Status == Suspended && len(out.Pending) > 0 {
			p := out.Pending[r.IntN(len(out.Pending))]
			word := "accept"
			if p.Seq%5 == 0 {
				word = "decline" // the same in each run of a program
			}
			u.say(p.Key, word)
		}
	}
	t.Fatal("it does not come to an end")
	return Outcome{}
}

func TestProperty_AReplayedResultEqualsTheUninterruptedOneAndEachEffectHappensOnce(t *testing.T) {
	e := testEngine(t, Options{})
	first, programs := uint64(1), uint64(60)
	if v, err := strconv.ParseUint(os.Getenv("PAGS_PROPERTY_SEED"), 10, 64); err == nil {
		first, programs = v, 1
	}
	crashed := 0
	began := time.Now()
	for seed := first; seed < first+programs && time.Since(began) < 4*time.Second; seed++ {
		r := rand.New(rand.NewPCG(seed, 7))
		a := &author{r: r}
		code := a.program()
		for _, keyed := range []bool{true, false} {
			fail := func(format string, args ...any) {
				t.Helper()
				t.Fatalf("seed %d, keyed %v: %s\n%s", seed, keyed, fmt.Sprintf(format, args...), code)
			}
			calm, broken := newUpstream(), newUpstream()
			calm.keyed, broken.keyed = keyed, keyed
			cj, bj := &memory{}, &memory{}
			want := finish(t, slice(t, e, code, cj, careful{calm}), cj, calm, r, 0)
			got := finish(t, slice(t, e, code, bj, careful{broken}), bj, broken, r, 6)
			crashed += bj.appends
			if want.Status != Completed || got.Status != Completed {
				fail("uninterrupted %s %v, interrupted %s %v", want.Status, want.Failure, got.Status, got.Failure)
			}
			for key, n := range broken.done {
				if n != 1 {
					fail("%s happened %d times", key, n)
				}
			}
			if !a.raced && a.asks == 0 { // numbers of calls depend on who is first, and so does who is declined
				if len(calm.done) != len(broken.done) {
					fail("effects: %v and %v", calm.done, broken.done)
				}
				if x, y := values(t, want), values(t, got); x != y {
					fail("uninterrupted %s\ninterrupted   %s", x, y)
				}
			}
			// Once more from the journal alone: the same result, lines and all, and nothing is sent.
			bj.mu.Lock()
			kept := append([]Entry(nil), bj.entries...)
			bj.entries = bj.entries[:len(bj.entries)-1]
			bj.dieAt = 0
			bj.mu.Unlock()
			again := mustRun(t, slice(t, e, code, bj, deaf{}))
			if string(again.Value) != string(got.Value) || len(again.Lines) != len(got.Lines) || len(bj.entries) != len(kept) {
				fail("replayed %s with %d lines\nbefore   %s with %d lines", again.Value, len(again.Lines), got.Value, len(got.Lines))
			}
		}
	}
	if crashed == 0 {
		t.Error("nothing was interrupted")
	}
}

func values(t *testing.T, o Outcome) string {
	t.Helper()
	var v struct{ Values json.RawMessage }
	if err := json.Unmarshal(o.Value, &v); err != nil {
		t.Fatal(err)
	}
	return string(v.Values)
}

// deaf is a dispatcher that must not be needed.
type deaf struct{}

func (deaf) Admit(_ context.Context, c Call) (Admission, error) {
	return Admission{}, fmt.Errorf("%s was asked for", c.Path)
}
func (deaf) Send(_ context.Context, c Call) (Answer, error) {
	return Answer{}, fmt.Errorf("%s was sent", c.Path)
}

func TestRun_ThreeApprovalsInParallelBranchesWithKillsBetween(t *testing.T) {
	e := testEngine(t, Options{})
	const code = `const one = async (n: string) => { await tools.read.before({ n }); const r = await tools.ask.pay({ n }); await tools.write.after({ n }); console.log("paid", n); return r.data.args.n };
return await Promise.all(["a", "b", "c"].map(one))`
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		j, u := &memory{}, newUpstream()
		u.keyed = seed%2 == 0
		out := finishAccepting(t, slice(t, e, code, j, careful{u}), j, u, r)
		if out.Status != Completed || string(out.Value) != `["a","b","c"]` || len(out.Lines) != 3 {
			t.Fatalf("seed %d: %+v %s", seed, out, out.Value)
		}
		if len(u.done) != 6 || u.total() != 6 {
			t.Fatalf("seed %d: effects %v", seed, u.done)
		}
	}
}

func finishAccepting(t *testing.T, s Slice, j *memory, u *upstream, r *rand.Rand) Outcome {
	t.Helper()
	for n := range 100 {
		j.mu.Lock()
		j.dieAt, j.after = 0, r.IntN(2) == 0
		if n < 8 && r.IntN(2) == 0 {
			j.dieAt = j.appends + 1 + r.IntN(3)
		}
		j.mu.Unlock()
		out, err := Run(context.Background(), s)
		if errors.Is(err, errPower) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if out.Status != Suspended {
			return out
		}
		u.say(out.Pending[r.IntN(len(out.Pending))].Key, "accept")
	}
	t.Fatal("it does not come to an end")
	return Outcome{}
}
