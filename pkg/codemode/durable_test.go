package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func kindsOf(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Kind)
	}
	return out
}

func TestRun_SB07_SeveralApprovalsInALoop(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	s := slice(t, e, `const out: string[] = [];
for (const n of ["a", "b", "c"]) {
  try { const r = await tools.ask.dns.add({ n }); out.push(n + ":" + r.ok) } catch (e) { out.push(n + ":" + e.code + ":" + e.message) }
  console.log("after", n);
}
return out`, j, u)
	for i, word := range []string{"accept", "accept", "decline"} {
		out := mustRun(t, s)
		if out.Status != Suspended || len(out.Pending) != 1 || out.Pending[0].Seq != i+1 || out.Pending[0].Pause.Reason != pags.WaitApproval {
			t.Fatalf("pause %d: %+v", i+1, out)
		}
		if again := mustRun(t, s); again.Status != Suspended || again.Pending[0].Seq != i+1 || again.Pending[0].Pause != out.Pending[0].Pause {
			t.Fatalf("asked again without an answer: %+v", again)
		}
		u.say(out.Pending[0].Key, word)
	}
	out := mustRun(t, s)
	if want := `["a:true","b:true","c:declined:declined: a person said no to ask.dns.add"]`; out.Status != Completed || string(out.Value) != want {
		t.Fatalf("%s %s %v", out.Status, out.Value, out.Failure)
	}
	if u.total() != 2 || u.done["run_1/1 ask.dns.add"] != 1 || u.done["run_1/2 ask.dns.add"] != 1 {
		t.Errorf("effects: %v", u.done)
	}
	if len(out.Lines) != 3 {
		t.Errorf("lines are told once: %v", out.Lines)
	}
}

func TestRun_MC08_APausedRunContinuesOnceFromAnywhere(t *testing.T) {
	e := testEngine(t, Options{})
	const code = `const r = await tools.ask.mail.send({ to: "x" }); return r.ok`
	j, u := &memory{}, newUpstream()
	if out := mustRun(t, slice(t, e, code, j, u)); out.Status != Suspended {
		t.Fatal(out)
	}
	u.say("run_1/1", "accept")
	// Another process: nothing but the journal is left.
	other := testEngine(t, Options{})
	first := mustRun(t, slice(t, other, code, j, u))
	second := mustRun(t, slice(t, e, code, j, u))
	if first.Status != Completed || string(first.Value) != "true" || second.Status != Completed || string(second.Value) != "true" {
		t.Errorf("%+v\n%+v", first, second)
	}
	if u.total() != 1 || u.sent != 1 {
		t.Errorf("it was sent %d times", u.sent)
	}
	// Expired: the dispatcher says so, and it was not done.
	j, u = &memory{}, newUpstream()
	late := slice(t, e, `try { await tools.ask.mail.send({ to: "x" }) } catch (e) { return e.message }`, j, expired{u})
	if out := mustRun(t, late); string(out.Value) != `"expired: nobody answered in time; it was not done"` || u.sent != 0 {
		t.Errorf("%+v", out)
	}
}

type expired struct{ *upstream }

func (expired) Admit(context.Context, Call) (Admission, error) {
	return Admission{Answer: &Answer{Thrown: &Thrown{Name: "ExpiredError", Code: "expired", Message: "expired: nobody answered in time; it was not done"}}}, nil
}

func TestRun_TwoSlicesAtOnceOneWrites(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	s := slice(t, e, `await tools.write.a({}); await tools.write.b({}); return 1`, j, u)
	raced := &racing{memory: j}
	s.Journal = raced
	raced.meanwhile = func() { mustRun(t, slice(t, e, s.Code, j, u)) }
	if _, err := Run(context.Background(), s); !pags.Is(err, pags.Conflict) {
		t.Errorf("the slower slice says %v, want a conflict", err)
	}
	if out := mustRun(t, slice(t, e, s.Code, j, u)); out.Status != Completed || u.total() != 2 {
		t.Errorf("%+v %v", out, u.done)
	}
}

// racing lets another slice run whole before its first append.
type racing struct {
	*memory
	meanwhile func()
}

func (r *racing) Append(ctx context.Context, at int, entries []Entry) error {
	if f := r.meanwhile; f != nil {
		r.meanwhile = nil
		f()
	}
	return r.memory.Append(ctx, at, entries)
}

func TestRun_ADivergenceIsNamed(t *testing.T) {
	e := testEngine(t, Options{})
	run := func(change func([]Entry) []Entry) Outcome {
		j, u := &memory{}, newUpstream()
		s := slice(t, e, `await tools.read.a({ x: 1 }); await new Promise((r) => setTimeout(r, 1)); await tools.ask.b({ y: 2 }); return 1`, j, u)
		if out := mustRun(t, s); out.Status != Suspended {
			t.Fatal(out)
		}
		j.entries = change(j.entries)
		return mustRun(t, s)
	}
	find := func(es []Entry, kind string, seq int) int {
		return slices.IndexFunc(es, func(e Entry) bool { return e.Kind == kind && e.Seq == seq })
	}
	for _, c := range []struct {
		name                     string
		change                   func([]Entry) []Entry
		step                     int
		expected, actual, inText string
	}{
		{"other arguments", func(es []Entry) []Entry { es[find(es, EntryCall, 1)].Args = json.RawMessage(`{"x":2}`); return es }, 1, `call 1 to read.a {"x":2}`, `call 1 to read.a {"x":1}`, "step 1"},
		{"another tool", func(es []Entry) []Entry { es[find(es, EntryCall, 2)].Path = "ask.c"; return es }, 2, `call 2 to ask.c {"y":2}`, `call 2 to ask.b {"y":2}`, "step 2"},
		{"a call that is not made", func(es []Entry) []Entry {
			return append(es, Entry{Kind: EntryCall, Seq: 3, Path: "read.z", Args: json.RawMessage(`{}`)})
		}, 3, `call 3 to read.z {}`, "the program made no further call", "step 3"},
		{"an answer to no call", func(es []Entry) []Entry { return append(es, Entry{Kind: EntryAnswer, Seq: 9}) }, 9, "answer of call 9", "the program waits for no call 9", "step 9"},
		{"a timer that is not there", func(es []Entry) []Entry { return append(es, Entry{Kind: EntryTimer, Timer: 7}) }, 2, "timer 7", "the program waits for no timer 7", "timer 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := run(c.change).Failure
			if f == nil || f.Kind != FailDiverged || f.Step != c.step || f.Expected != c.expected || f.Actual != c.actual || !strings.Contains(f.Message, c.inText) {
				t.Errorf("got %+v", f)
			}
		})
	}
	t.Run("another program", func(t *testing.T) {
		j, u := &memory{}, newUpstream()
		mustRun(t, slice(t, e, `await tools.ask.a({})`, j, u))
		if _, err := Run(context.Background(), slice(t, e, `await tools.ask.b({})`, j, u)); !pags.Is(err, pags.Conflict) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRun_ACallInFlightAtACrash(t *testing.T) {
	e := testEngine(t, Options{})
	for _, c := range []struct {
		name, path string
		keyed      bool
		status     Status
		sent, done int
	}{
		{"that only reads is sent again", "read.a", false, Completed, 2, 0},
		{"that is keyed upstream is sent again and done once", "write.a", true, Completed, 2, 1},
		{"that may have happened is asked about", "write.a", false, Suspended, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, u := &memory{}, newUpstream()
			u.keyed = c.keyed
			s := slice(t, e, `const r = await tools.`+c.path+`({}); return r`, j, u)
			ctx, kill := context.WithCancel(context.Background())
			u.crash = func(Call) error { kill(); return errPower }
			if _, err := Run(ctx, s); err == nil {
				t.Fatal("the crash was survived")
			}
			u.crash = nil
			out := mustRun(t, s)
			if out.Status != c.status || u.sent != c.sent || u.total() != c.done {
				t.Fatalf("%+v, sent %d, done %d", out, u.sent, u.total())
			}
			if c.status == Completed {
				return
			}
			p := out.Pending[0]
			if p.Pause.Reason != pags.WaitUnknown || !p.Sent {
				t.Fatalf("it waits for %+v", p)
			}
			u.say(p.Key, "accept") // a person: do it again
			out = mustRun(t, s)
			if out.Status != Completed || u.sent != 2 {
				t.Errorf("%+v, sent %d", out, u.sent)
			}
		})
	}
}

func TestRun_AnOutcomeThatNobodyKnowsIsAskedAboutAndCanBeSettledByAPerson(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	s := slice(t, e, `try { await tools.write.a({}); return "done" } catch (e) { return e.code }`, j, u)
	u.reply = func(Call) (json.RawMessage, error) { return nil, errors.New("secret-host:5432 reset the connection") }
	out := mustRun(t, s)
	if out.Status != Suspended || out.Pending[0].Pause != (Pause{Reason: pags.WaitUnknown, Detail: "the call failed for a reason on our side"}) {
		t.Fatalf("%+v", out)
	}
	u.say("run_1/1", "decline") // a person: it did not happen, leave it
	if out = mustRun(t, s); string(out.Value) != `"declined"` || u.sent != 1 {
		t.Errorf("%+v", out)
	}
}

func TestRun_AReadThatFailsOnOurSideIsThrownWithoutItsReason(t *testing.T) {
	e := testEngine(t, Options{})
	u := newUpstream()
	u.reply = func(Call) (json.RawMessage, error) { return nil, errors.New("secret-host:5432 reset the connection") }
	out := mustRun(t, slice(t, e, `try { await tools.read.a({}) } catch (e) { return [e.name, e.code, e.message] }`, &memory{}, u))
	if string(out.Value) != `["ToolError","internal","read.a: the call failed for a reason on our side"]` {
		t.Errorf("%s", out.Value)
	}
	u.reply = func(Call) (json.RawMessage, error) { return json.RawMessage(`{"x":`), nil }
	out = mustRun(t, slice(t, e, `try { await tools.read.a({}) } catch (e) { return e.message }`, &memory{}, u))
	if string(out.Value) != `"read.a gave something that is not JSON"` {
		t.Errorf("%s", out.Value)
	}
}

func TestRun_NothingLeftToRunIsSaidAtOnce(t *testing.T) {
	e := testEngine(t, Options{})
	began := time.Now()
	s := slice(t, e, `await new Promise(() => {});`, &memory{}, newUpstream()) // SB-01 g
	out := mustRun(t, s)
	if out.Status != Failed || out.Failure.Kind != FailStalled || !strings.Contains(out.Failure.Message, "nothing left to run") {
		t.Errorf("%+v", out)
	}
	if again := mustRun(t, s); again.Failure == nil || again.Failure.Message != out.Failure.Message {
		t.Errorf("again: %+v", again)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestRun_AFailedProgramTakesNoteOfItsEffectsInFlight(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	arrived, threw := make(chan struct{}), make(chan struct{})
	u.reply = func(c Call) (json.RawMessage, error) {
		if c.Path == "write.a" {
			close(arrived)
			<-threw
		} else {
			<-arrived
		}
		return json.RawMessage(`1`), nil
	}
	s := slice(t, e, `tools.write.a({}); await tools.read.b({}); console.log("threw"); throw new Error("stop")`, j, u)
	s.Told = func(entry Entry) {
		if entry.Line != nil {
			close(threw)
		}
	}
	out := mustRun(t, s)
	if out.Status != Failed || out.Failure.Message != "stop" || u.total() != 1 {
		t.Fatalf("%+v", out)
	}
	if kinds := kindsOf(j.entries); kinds[len(kinds)-1] != EntryEnd || !slices.ContainsFunc(j.entries, func(e Entry) bool { return e.Kind == EntryAnswer && e.Seq == 1 }) {
		t.Errorf("journal: %v", kinds)
	}
}

func TestRun_CallsThatWereNotAwaitedAreFinished(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	s := slice(t, e, `async function main() { for (let i = 0; i < 3; i++) { await tools.write.a({ i }); await new Promise((r) => setTimeout(r, 60_000)) } }
main();
return "early"`, j, u)
	began := time.Now()
	out := mustRun(t, s)
	if out.Status != Completed || string(out.Value) != `"early"` || u.total() != 3 {
		t.Errorf("%+v %v", out, u.done)
	}
	if time.Since(began) > 20*time.Second {
		t.Error("it waited for timers after the result was there")
	}
}

func TestRun_AnEffectLeavesOnlyAfterTheJournalSaysSo(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	u.crash = func(c Call) error {
		j.mu.Lock()
		defer j.mu.Unlock()
		if !slices.ContainsFunc(j.entries, func(e Entry) bool { return e.Kind == EntrySent && e.Seq == c.Seq }) {
			t.Errorf("call %d left and the journal has only %v", c.Seq, kindsOf(j.entries))
		}
		return nil
	}
	s := slice(t, e, `for (let i = 0; i < 5; i++) { await tools.write.a({ i }) }
await Promise.all([1, 2, 3].map((i) => tools.write.b({ i }))); return 1`, j, u)
	s.Clock = porttest.NewClock(time.UnixMilli(1_700_000_000_000)) // nothing is written because time passes
	out := mustRun(t, s)
	if out.Status != Completed || u.total() != 8 {
		t.Fatalf("%+v", out)
	}
	if j.appends > 9 { // one for each of the five, at most three for those in parallel, the end
		t.Errorf("%d writes for 6 rounds of effects and the end", j.appends)
	}
}

func TestRun_ReadsAloneCostOneWriteAtTheEnd(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	s := slice(t, e, `for (let i = 0; i < 20; i++) await tools.read.a({ i }); return 1`, j, u)
	s.Clock = porttest.NewClock(time.UnixMilli(1_700_000_000_000)) // 50 ms never pass
	if out := mustRun(t, s); out.Status != Completed || j.appends != 1 {
		t.Errorf("%s with %d writes", out.Status, j.appends)
	}
}

func TestRun_ReadsAreWrittenWithin50ms(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	clock := porttest.NewClock(time.UnixMilli(1_700_000_000_000))
	s := slice(t, e, `await tools.read.a({}); await tools.read.slow({})`, j, u)
	s.Clock = clock
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = Run(ctx, s) }()
	deadline := time.Now().Add(20 * time.Second)
	for {
		clock.Advance(5 * time.Millisecond)
		if entries, _ := j.Load(ctx); slices.ContainsFunc(entries, func(e Entry) bool { return e.Kind == EntryAnswer }) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the journal stayed empty")
		}
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
}

func TestRun_ASliceThatIsOverGoesOnInTheNext(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	clock := porttest.NewClock(time.UnixMilli(1_700_000_000_000))
	sent := make(chan struct{}, 1)
	u.reply = func(c Call) (json.RawMessage, error) {
		if c.Path == "write.b" && len(sent) == 0 {
			sent <- struct{}{}
			clock.Advance(11 * time.Minute) // the time is up while it is under way
		}
		return json.RawMessage(`{"ok":true}`), nil
	}
	s := slice(t, e, `await tools.write.a({}); const b = await tools.write.b({}); await tools.write.c({}); return b.ok`, j, u)
	s.Clock = clock
	out := mustRun(t, s)
	for i := 0; out.Status == SliceOver && i < 3; i++ {
		out = mustRun(t, s)
	}
	if out.Status != Completed || string(out.Value) != "true" || u.sent != 3 {
		t.Errorf("%+v, sent %d", out, u.sent)
	}
}

func TestRun_ReadsInFlightAreAskedAgainInTheNextSlice(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	s := slice(t, e, `await tools.write.a({}); return await tools.read.slow({})`, j, u)
	s.For = 300 * time.Millisecond
	out := mustRun(t, s)
	if out.Status != SliceOver {
		t.Fatalf("%+v", out)
	}
	if kinds := strings.Join(kindsOf(j.entries), " "); kinds != "start call sent answer call" {
		t.Errorf("journal: %s", kinds)
	}
}

func TestRun_AProgramThatOnlyComputesDoesNotGoOnForEver(t *testing.T) {
	e := testEngine(t, Options{})
	j := &memory{}
	s := slice(t, e, `await tools.ask.a({}); for (;;) {}`, j, newUpstream())
	mustRun(t, s)
	s.Tools.(*upstream).say("run_1/1", "accept")
	s.For = 300 * time.Millisecond
	out := mustRun(t, s)
	for i := 0; out.Status == SliceOver && i < 3; i++ {
		out = mustRun(t, s)
	}
	if out.Status != Failed || out.Failure.Kind != FailTime {
		t.Errorf("%+v", out)
	}
}

func TestRun_TimersWaitOnTheClockAndLongOnesLetGo(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	clock := porttest.NewClock(time.UnixMilli(1_700_000_000_000))
	s := slice(t, e, `const t = Date.now();
const order: string[] = [];
setTimeout(() => order.push("b"), 1000); setTimeout(() => order.push("a"), 500); const c = setTimeout(() => order.push("never"), 100); clearTimeout(c);
await new Promise((r) => setTimeout(r, 3_600_000));
return [order, Date.now() - t >= 3_600_000]`, j, u)
	s.Clock = clock
	done := make(chan Outcome, 1)
	run := func() { go func() { done <- mustRun(t, s) }() }
	run()
	var out Outcome
	for waiting := true; waiting; {
		select {
		case out = <-done:
			waiting = false
		case <-time.After(2 * time.Millisecond):
			clock.Advance(100 * time.Millisecond)
		}
	}
	if out.Status != Suspended || len(out.Pending) != 0 || !out.WakeAt.Equal(time.UnixMilli(1_700_000_000_000+3_600_000)) && out.WakeAt.Sub(clock.Now()) > time.Hour {
		t.Fatalf("%+v", out)
	}
	clock.Advance(2 * time.Hour)
	out = mustRun(t, s)
	if out.Status != Completed || string(out.Value) != `[["a","b"],true]` {
		t.Errorf("%+v %s", out, out.Value)
	}
}

func TestRun_ARefusalIsAnAnswerAndCostsNoSend(t *testing.T) {
	e := testEngine(t, Options{})
	u := newUpstream()
	out := mustRun(t, slice(t, e, `const r = await tools.refused.a({}); return r.error.code`, &memory{}, u))
	if string(out.Value) != `"tool_blocked"` || u.sent != 0 {
		t.Errorf("%+v", out)
	}
}

func TestRun_LimitsOfCallsAndTimersAreToldToTheProgram(t *testing.T) {
	e := testEngine(t, Options{})
	s := slice(t, e, `const said: string[] = [];
for (let i = 0; i < 4; i++) try { await tools.read.a({ i }) } catch (e) { said.push(e.message) }
try { for (let i = 0; i < 3; i++) setTimeout(() => {}, 1) } catch (e) { said.push(e.message) }
try { setTimeout(() => {}, 1e12) } catch (e) { said.push(e.message) }
return said`, &memory{}, newUpstream())
	s.Limits = Limits{Calls: 3, Timers: 2}
	out := mustRun(t, s)
	if string(out.Value) != `["an execution makes at most 3 calls; this one has used them up","at most 2 timers can wait at once","at most 2 timers can wait at once"]` {
		t.Errorf("%s %v", out.Value, out.Failure)
	}
}

func TestRun_NothingThatAProgramSendsOutIsWithoutBound(t *testing.T) {
	e := testEngine(t, Options{})
	s := slice(t, e, `const said: string[] = [];
const tell = async (f: () => unknown) => { try { await f(); said.push("no") } catch (e) { said.push(e.message) } };
for (let i = 0; i < 3; i++) await tell(() => tools.read.a({ s: "x".repeat(900) }));
await tell(() => tools["p".repeat(600)]());
await tell(() => new URL("https://a.b/" + "x".repeat(2e6)));
await tell(() => { throw new Error("m".repeat(1e6)) });
for (let i = 0; i < 5; i++) await tell(() => new Promise((r) => setTimeout(r, 0)));
return said.map((m) => m.slice(0, 60))`, &memory{}, newUpstream())
	s.Limits = Limits{ArgsSum: 2000, Calls: 4}
	want := `["no","no","the arguments of all calls of an execution have at most 2000","a path of more than 512 characters is no tool's","URLs and queries have at most 1048576 characters here","` +
		strings.Repeat("m", 60) + `","no","no","no","no","an execution sets at most 4 timers; this one has used them u"]`
	if out := mustRun(t, s); string(out.Value) != want {
		t.Errorf("got  %s %v\nwant %s", out.Value, out.Failure, want)
	}
	if f := only(t, e, `throw new Error("m".repeat(1e6))`, Limits{}).Failure; len(f.Message) != 8000 {
		t.Errorf("a message of %d characters", len(f.Message))
	}
}

func TestRun_TooLargeAResultSaysSo(t *testing.T) {
	e := testEngine(t, Options{})
	s := slice(t, e, `return "x".repeat(2000)`, &memory{}, newUpstream())
	s.Limits.Result = 1000
	if out := mustRun(t, s); out.Failure == nil || out.Failure.Kind != FailLimit || out.Failure.Message != "the result is larger than 1000 characters of JSON" {
		t.Errorf("%+v", out.Failure)
	}
}

func TestRun_PokeAsksAgainWhileTheSliceStillRuns(t *testing.T) {
	e := testEngine(t, Options{})
	j, u := &memory{}, newUpstream()
	poke := make(chan struct{})
	s := slice(t, e, `const slow = new Promise((r) => setTimeout(r, 25_000)); await tools.ask.a({}); return 1`, j, u)
	s.Clock = porttest.NewClock(time.UnixMilli(1_700_000_000_000))
	s.Poke = poke
	done := make(chan Outcome, 1)
	go func() { done <- mustRun(t, s) }()
	deadline := time.Now().Add(20 * time.Second)
	for asked := false; !asked; {
		u.mu.Lock()
		asked = u.asked["run_1/1"]
		u.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatal("nobody was asked")
		}
		time.Sleep(time.Millisecond)
	}
	u.say("run_1/1", "accept")
	poke <- struct{}{}
	if out := <-done; out.Status != Completed {
		t.Errorf("%+v", out)
	}
}

func TestRun_ATimerThatIsDueWhileTheProgramClearsItNeverHappened(t *testing.T) {
	clock := porttest.NewClock(time.UnixMilli(1_700_000_000_000))
	j, u := &memory{}, newUpstream()
	s := slice(t, slow{testEngine(t, Options{}), clock}, `let fired = false; const t = setTimeout(() => { fired = true }, 500);
await tools.read.a({});
clearTimeout(t);
await tools.ask.b({}); return fired`, j, u)
	s.Clock = clock
	if out := mustRun(t, s); out.Status != Suspended || slices.Contains(kindsOf(j.entries), EntryTimer) {
		t.Fatalf("%+v %v", out, kindsOf(j.entries))
	}
	u.say("run_1/2", "accept")
	if out := mustRun(t, s); string(out.Value) != "false" {
		t.Errorf("%s %v", out.Value, out.Failure)
	}
}

// slow lets a second pass while a program that got an answer computes.
type slow struct {
	Sandbox
	clock *porttest.Clock
}

func (s slow) Open(ctx context.Context, p Program) (Session, error) {
	session, err := s.Sandbox.Open(ctx, p)
	return slowSession{session, s.clock}, err
}

type slowSession struct {
	Session
	clock *porttest.Clock
}

func (s slowSession) Step(ctx context.Context, e Event) (Turn, error) {
	if e.Kind == eventAnswer {
		s.clock.Advance(time.Second)
		time.Sleep(20 * time.Millisecond) // whoever hears of it acts meanwhile
	}
	return s.Session.Step(ctx, e)
}
