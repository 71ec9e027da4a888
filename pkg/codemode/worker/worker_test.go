package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == Subcommand {
		os.Exit(Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func pool(t testing.TB, o Options) *Pool {
	t.Helper()
	if o.Engine.CacheDir == "" {
		o.Engine.CacheDir = filepath.Join(os.TempDir(), "pags-codemode-test-cache")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command = []string{self, Subcommand}
	p, err := NewPool(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// once runs the first turn of a program and says how long it took.
func once(t testing.TB, p *Pool, code string, limits codemode.Limits) (turn codemode.Turn, lines []codemode.Line, took time.Duration) {
	t.Helper()
	s, err := p.Open(context.Background(), codemode.Program{Code: code, Limits: limits, Line: func(l codemode.Line) { lines = append(lines, l) }})
	if err != nil {
		if f, ok := err.(*codemode.Failure); ok {
			return codemode.Turn{Failure: f}, nil, 0
		}
		t.Error(err)
		return
	}
	defer s.Close()
	began := time.Now()
	turn, err = s.Step(context.Background(), codemode.Event{Kind: "start"})
	if err != nil {
		t.Error(err)
	}
	return turn, lines, time.Since(began)
}

// lag measures by how much a busy machine is late to wake someone up.
func lag() (stop func() time.Duration) {
	done, worst := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		var most time.Duration
		for {
			const nap = 5 * time.Millisecond
			t := time.Now()
			select {
			case <-done:
				worst <- most
				return
			case <-time.After(nap):
				most = max(most, time.Since(t)-nap)
			}
		}
	}()
	return func() time.Duration { close(done); return <-worst }
}

func (p *Pool) children() (out []*process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.all {
		out = append(out, c)
	}
	return out
}

func TestPool_RunsProgramsOneAfterTheOtherInOneWorker(t *testing.T) {
	p := pool(t, Options{})
	for i, c := range []struct{ code, want string }{
		{`(globalThis as any).left = 1; console.log("hi"); return 1 + 1`, `2`},
		{`return typeof (globalThis as any).left`, `"undefined"`},
		{`export default [1n]`, `["1"]`},
	} {
		turn, lines, _ := once(t, p, c.code, codemode.Limits{})
		if string(turn.Value) != c.want || i == 0 && (len(lines) != 1 || lines[0].Text != "hi") {
			t.Errorf("%s: %s %v %v", c.code, turn.Value, turn.Failure, lines)
		}
	}
	if turn, _, _ := once(t, p, `return 1 +`, codemode.Limits{}); turn.Failure == nil || turn.Failure.Kind != codemode.FailSyntax || turn.Failure.Column != 11 {
		t.Errorf("%+v", turn.Failure)
	}
	if n := len(p.children()); n != 1 {
		t.Errorf("%d workers for one program at a time", n)
	}
}

// Ways in which a program does not end; the second needs a kill from outside.
var endless = map[string]string{
	"a loop":                     `for (;;) {}`,
	"native code":                `Array.prototype.reverse.call({ length: 4294967295 })`,
	"a loop after an await":      `await null; for (;;) {}`,
	"microtasks":                 `const f = (): Promise<void> => Promise.resolve().then(f); await f()`,
	"a caught interrupt":         `for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }`,
	"a regular expression":       `/^(a+)+$/.test("a".repeat(40) + "!")`,
	"a bomb of arrays":           `const a = []; for (;;) a.push(new Array(1e5).fill(1))`,
	"a sort of everything":       `Array.prototype.sort.call({ length: 4294967295 })`,
	"lines without end":          `for (let i = 0; ; i++) console.log("y".repeat(1000), i)`,
	"a getter read by the host":  `export default Object.defineProperty({}, "v", { enumerable: true, get() { for (;;) {} } })`,
	"strings that are searched":  `const s = "a".repeat(1e6); for (let i = 0; i < 1e6; i++) s.lastIndexOf("a".repeat(5e5) + "b")`,
	"a value without end":        `return new Proxy([], { get: (t, k) => k === "length" ? 1e9 : k === "toJSON" ? undefined : "x" })`,
	"copies inside a huge array": `Array.prototype.copyWithin.call({ length: 4294967295 }, 0, 1)`,
}

func TestPool_SB01_HostileProgramsEndAtTheirDeadlineAndNobodyWaitsForThem(t *testing.T) {
	p := pool(t, Options{})
	const limit = 400 * time.Millisecond
	once(t, p, `return 1`, codemode.Limits{})
	names := make([]string, 0, len(endless))
	for name := range endless {
		names = append(names, name)
	}
	atOnce := runtime.NumCPU() + 1
	for len(names) > 0 {
		n := min(atOnce, len(names))
		var wg sync.WaitGroup
		late := lag()
		took := make([]time.Duration, n)
		for i, name := range names[:n] {
			wg.Go(func() {
				var turn codemode.Turn
				turn, _, took[i] = once(t, p, endless[name], codemode.Limits{Compute: limit})
				if turn.Failure == nil {
					t.Errorf("%s: it did not fail: %+v", name, turn)
				}
			})
		}
		wg.Go(func() { // someone else, meanwhile
			if turn, _, took := once(t, p, `return 7`, codemode.Limits{}); string(turn.Value) != "7" || took > time.Second {
				t.Errorf("a neighbour got %s after %s", turn.Value, took)
			}
		})
		wg.Wait()
		slack := late()
		for i, d := range took {
			if d > limit+250*time.Millisecond+4*slack {
				t.Errorf("%s: it took %s with a limit of %s, on a machine that is %s late", names[i], d, limit, slack)
			}
		}
		names = names[n:]
	}
	if turn, _, _ := once(t, p, `return [1].map((x) => x + 1)`, codemode.Limits{}); string(turn.Value) != "[2]" {
		t.Errorf("afterwards a program gives %s %v", turn.Value, turn.Failure)
	}
}

func TestPool_AWorkerHasAnEmptyEnvironmentAndALowPriority(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("only /proc tells; %s is like it by the same calls", runtime.GOOS)
		return
	}
	p := pool(t, Options{})
	t.Setenv("PAGS_CANARY", "secret")
	once(t, p, `return 1`, codemode.Limits{})
	pid := p.children()[0].cmd.Process.Pid
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err != nil || len(env) != 0 {
		t.Errorf("environment %q, %v", env, err)
	}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatal(err)
	}
	for _, task := range tasks {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", pid, task.Name()))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if nice, _ := strconv.Atoi(fields[16]); nice < niceness { // field 19 of proc(5)
			t.Errorf("thread %s has niceness %d", task.Name(), nice)
		}
	}
	links, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	for _, l := range links {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, l.Name()))
		// The runtime of Go reads its share of processors from /sys.
		if !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") && to != os.DevNull {
			t.Errorf("descriptor %s leads to %s", l.Name(), to)
		}
	}
}

func TestPool_MemoryOfAWorkerStaysNearItsCap(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("only /proc tells; %s has the same caps", runtime.GOOS)
		return
	}
	const limit = 64
	p := pool(t, Options{Engine: codemode.Options{MemoryMB: limit}})
	for _, code := range []string{
		`const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
		`let s = "xy"; for (;;) s += s + "z"`,
		`console.log("z".repeat(5e7)); return "x".repeat(5e7)`,
		`const m = new Map(); for (let i = 0; ; i++) m.set(i, { i, s: "x" + i })`,
		`tools.a.b({ s: "x".repeat(9e5) }); for (;;) await tools.a.b({ s: "x".repeat(9e5) })`,
	} {
		turn, _, _ := once(t, p, code, codemode.Limits{Compute: 20 * time.Second})
		for _, c := range p.children() {
			t.Logf("%d MB", peakMB(t, c.cmd.Process.Pid))
			if peak := peakMB(t, c.cmd.Process.Pid); peak > limit*3/2*memoryFactor {
				t.Errorf("%s: the worker had %d MB with a cap of %d; %v", code, peak, limit, turn.Failure)
			}
		}
	}
}

func peakMB(t *testing.T, pid int) int {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it was killed
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(rest, "kB")))
			return kb / 1024
		}
	}
	return 0
}

func TestPool_AWorkerThatIsKilledHarmsItsProgramOnly(t *testing.T) {
	p := pool(t, Options{})
	s, err := p.Open(context.Background(), codemode.Program{Code: `await tools.a.b({}); return 1`})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Step(context.Background(), codemode.Event{Kind: "start"}); err != nil {
		t.Fatal(err)
	}
	_ = s.(*session).child.cmd.Process.Kill()
	for range 2 {
		if turn, err := s.Step(context.Background(), codemode.Event{Kind: "answer", Seq: 1, Value: json.RawMessage(`1`)}); !errors.Is(err, codemode.ErrLost) {
			t.Errorf("%+v %v", turn, err)
		}
	}
	if turn, _, _ := once(t, p, `return 2`, codemode.Limits{}); string(turn.Value) != "2" {
		t.Errorf("the next program gave %s %v", turn.Value, turn.Failure)
	}
}

func TestPool_AWorkerEndsWithItsParentEvenWhileItComputes(t *testing.T) {
	p := pool(t, Options{})
	s, err := p.Open(context.Background(), codemode.Program{Code: `for (;;) {}`, Limits: codemode.Limits{Compute: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	go func() { _, _ = s.Step(context.Background(), codemode.Event{Kind: "start"}) }()
	time.Sleep(50 * time.Millisecond) // it may compute by now; either way it has to end
	c := s.(*session).child
	_ = c.in.Close() // all that a parent's death looks like from there
	select {
	case <-c.ended:
	case <-time.After(20 * time.Second):
		t.Error("it is still there")
	}
}

func TestPool_ProgramsBeyondTheMaximumWaitAndGiveUpWithTheirCaller(t *testing.T) {
	p := pool(t, Options{Max: 1})
	s, err := p.Open(context.Background(), codemode.Program{Code: `await tools.a.b({})`})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	if _, err := p.Open(ctx, codemode.Program{Code: `return 1`}); err == nil {
		t.Error("a second program was opened")
	}
	s.Close()
	if turn, _, _ := once(t, p, `return 3`, codemode.Limits{}); string(turn.Value) != "3" {
		t.Errorf("%+v", turn)
	}
}

func TestPool_IdleWorkersEnd(t *testing.T) {
	p := pool(t, Options{IdleFor: 10 * time.Millisecond})
	once(t, p, `return 1`, codemode.Limits{})
	deadline := time.Now().Add(20 * time.Second)
	for len(p.children()) > 0 {
		if time.Now().After(deadline) {
			t.Fatal("an idle worker stays")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// killer has the worker killed while it waits for a call, as often as told.
type killer struct {
	reader
	p     *Pool
	times int
}

func (k *killer) Send(ctx context.Context, c codemode.Call) (codemode.Answer, error) {
	if k.times > 0 {
		k.times--
		for _, child := range k.p.children() {
			_ = child.cmd.Process.Kill()
			<-child.ended
		}
	}
	return k.reader.Send(ctx, c)
}

// kept is a journal in memory.
type kept struct {
	mu      sync.Mutex
	entries []codemode.Entry
}

func (k *kept) Load(context.Context) ([]codemode.Entry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]codemode.Entry(nil), k.entries...), nil
}

func (k *kept) Append(_ context.Context, at int, entries []codemode.Entry) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at != len(k.entries) {
		return errors.New("conflict")
	}
	k.entries = append(k.entries, entries...)
	return nil
}

func TestPool_AnExecutionSurvivesOneDeathOfItsWorkerAndFailsAtTheSecond(t *testing.T) {
	for deaths, want := range []codemode.Status{codemode.Completed, codemode.Completed, codemode.Failed} {
		p := pool(t, Options{})
		s := codemode.Slice{Run: "run_1", Code: `const r = await tools.a.b({}); return r.ok`, Sandbox: p, Journal: &kept{}, Tools: &killer{p: p, times: deaths}, Clock: wall{}}
		out, err := codemode.Run(context.Background(), s)
		if err != nil || out.Status != want {
			t.Errorf("%d deaths: %+v %v", deaths, out, err)
		}
	}
}
