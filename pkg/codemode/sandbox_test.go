package codemode

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

// endsAt says how long after its limit a program may still be there.
const endsAt = 250 * time.Millisecond

// timed runs a program to its end and checks that the end came in time.
func timed(t *testing.T, e Sandbox, code string, limit time.Duration) ran {
	t.Helper()
	var r ran
	s, err := e.Open(context.Background(), Program{Code: code, Limits: Limits{Compute: limit}, Line: func(l Line) { r.Lines = append(r.Lines, l) }})
	if err != nil {
		r.Failure, _ = err.(*Failure)
		if r.Failure == nil {
			t.Fatal(err)
		}
		return r
	}
	defer s.Close()
	late := lag()
	began := time.Now()
	r.Turn, err = s.Step(context.Background(), Event{Kind: eventStart})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if slack := late(); took > limit+endsAt+4*slack {
		t.Errorf("it took %s with a limit of %s, on a machine that is %s late", took, limit, slack)
	}
	return r
}

// lag measures by how much a machine that is busy with other things is late to wake someone up. On an idle one it is next to
// nothing.
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

func TestSandbox_SB01_EachLoopEndsAtItsLimitAndTheNextProgramRuns(t *testing.T) {
	loops := map[string]string{
		"a plain":                      `while (true) {}`,
		"b after an await":             `await Promise.resolve(); for (;;) {}`,
		"c inside the result":          `export default { toJSON() { for (;;) {} } };`,
		"d getter read by the host":    `export default Object.defineProperty({}, "v", { enumerable: true, get() { for (;;) {} } });`,
		"e one long native call":       `/^(a+)+$/.test("a".repeat(40) + "!");`,
		"f microtask ring":             `const again = (): Promise<void> => Promise.resolve().then(again); await again();`,
		"h caught interrupt":           `for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }`,
		"in a thrown error's message":  `throw { get message() { for (;;) {} }, toJSON() { for (;;) {} } }`,
		"in console":                   `console.log({ toJSON() { for (;;) {} } })`,
		"in arguments of a tool":       `await tools.a.b({ get x() { for (;;) {} } })`,
		"in a thenable":                `return { then() { for (;;) {} } }`,
		"in a generator's finally":     `function* g() { try { yield 1 } finally { for (;;) {} } } for (const x of g()) break`,
		"in a proxy the host looks at": `return new Proxy({}, { ownKeys() { for (;;) {} } })`,
	}
	e := testEngine(t, Options{})
	for name, code := range loops {
		t.Run(name, func(t *testing.T) {
			r := timed(t, e, code, 150*time.Millisecond)
			if r.Failure == nil || r.Failure.Kind != FailTime || !strings.Contains(r.Failure.Message, "time limit") {
				t.Fatalf("got %+v, want a time limit", r.Turn)
			}
			if r := only(t, e, "return 1", Limits{}); string(r.Value) != "1" {
				t.Errorf("the next program gave %+v", r)
			}
		})
	}
}

// Classes of native code that look at nothing while they run; only stopping the instance from outside ends them.
var native = map[string]string{
	"indexOf of a huge array-like":  `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
	"includes":                      `Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`,
	"lastIndexOf":                   `Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)`,
	"reverse":                       `Array.prototype.reverse.call({ length: 4294967295 })`,
	"copyWithin":                    `Array.prototype.copyWithin.call({ length: 4294967295 }, 0, 1)`,
	"sort":                          `Array.prototype.sort.call({ length: 4294967295 })`,
	"slow lastIndexOf on a string":  `const s = "a".repeat(1e6); for (let i = 0; i < 1e6; i++) s.lastIndexOf("a".repeat(5e5) + "b")`,
	"fill":                          `Array(4e9).fill(0)`,
	"join":                          `Array(4e9).join("x")`,
	"bigint power":                  `let x = 3n; for (;;) x = x * x`,
	"string doubling":               `let s = "x"; for (;;) s += s`,
	"array doubling":                `const a = []; for (;;) a.push(new Array(1e5).fill(1))`,
	"map growth":                    `const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })`,
	"buffers":                       `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
	"closures":                      `let f = () => 1; for (;;) { const g = f; f = () => g() }`,
	"deep recursion":                `const f = (n: number): number => 1 + f(n + 1); return f(0)`,
	"mutual recursion in getters":   `const o = { get a() { return this.b }, get b(): any { return this.a } }; return o.a`,
	"deep JSON":                     `return JSON.parse("[".repeat(1e6) + "]".repeat(1e6))`,
	"deep value":                    `let v: any = []; for (let i = 0; i < 1e6; i++) v = [v]; return v`,
	"deep source":                   `return eval("(".repeat(1e5) + "1" + ")".repeat(1e5))`,
	"deep promise chain":            `let p = Promise.resolve(1); for (let i = 0; ; i++) p = p.then((x) => x)`,
	"regex backtracking":            `/(x+x+)+y/.test("x".repeat(60))`,
	"replace":                       `"a".repeat(1e6).replace(/a/g, "b".repeat(1e6))`,
	"proxy chain":                   `let p: any = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); return p.x`,
	"async recursion":               `const f = async (): Promise<any> => Promise.all([f(), f()]); await f()`,
	"timers without end":            `const f = () => { setTimeout(f, 0); setTimeout(f, 0); f() }; f()`,
	"calls without end":             `for (;;) tools.read.item({})`,
	"symbols":                       `const a = []; for (;;) a.push(Symbol("x".repeat(100)))`,
	"toString that gives itself":    `const o: any = { toString: () => o + "" }; return o + ""`,
	"a result that grows when read": `export default new Proxy([], { get: (t, k) => k === "length" ? 1e9 : k === "toJSON" ? undefined : "x".repeat(1000) })`,
}

func TestSandbox_HostileProgramsEndInTimeAndHarmNobody(t *testing.T) {
	e := testEngine(t, Options{})
	if err := e.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	const limit = 120 * time.Millisecond
	for name, code := range native {
		t.Run(name, func(t *testing.T) {
			r := timed(t, e, code, limit)
			if r.Failure == nil && !r.Settled && len(r.Calls) == 0 {
				t.Errorf("it neither ended nor failed: %+v", r.Turn)
			}
		})
	}
	if r := only(t, e, `return [[1].map((x) => x + 1), "ok"]`, Limits{}); string(r.Value) != `[[2],"ok"]` {
		t.Errorf("afterwards a program gives %s %v", r.Value, r.Failure)
	}
}

func TestSandbox_HostileProgramsSideBySide(t *testing.T) {
	e := testEngine(t, Options{})
	if err := e.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, name := range []string{"reverse", "array doubling", "regex backtracking"} { // two processors, and one more
		wg.Go(func() { timed(t, e, native[name], 500*time.Millisecond) })
	}
	wg.Wait()
}

func TestSandbox_SB03_ValuesThatJSONCannotHold(t *testing.T) {
	e := testEngine(t, Options{})
	for code, want := range map[string]string{
		`undefined`:                  ``,
		`98765432109876543210n`:      `"98765432109876543210"`,
		`({ sum: 5n, parts: [7n] })`: `{"sum":"5","parts":["7"]}`,
		`(() => { const a: any = { id: 1 }; a.self = a; return a })()`: `{"id":1,"self":"[Circular]"}`,
		`new Map([["k", 1]])`:                                                `[["k",1]]`,
		`new Map<any, any>([[{ a: 1 }, new Set([1])]])`:                      `[[{"a":1},[1]]]`,
		`new Set([1, 2])`:                                                    `[1,2]`,
		`[NaN, Infinity, -Infinity, -0, null]`:                               `["NaN","Infinity","-Infinity",-0,null]`,
		`new Date(0)`:                                                        `"1970-01-01T00:00:00.000Z"`,
		`({ at: new Date(0), bad: new Date(NaN) })`:                          `{"at":"1970-01-01T00:00:00.000Z","bad":"Invalid Date"}`,
		`new Uint8Array([1, 255])`:                                           `{"type":"Uint8Array","base64":"Af8="}`,
		`new Uint8Array([9, 1, 255, 9]).subarray(1, 3).buffer.slice(1, 3)`:   `{"type":"ArrayBuffer","base64":"Af8="}`,
		`new Float64Array([1.5, NaN])`:                                       `[1.5,"NaN"]`,
		`new Error("boom")`:                                                  `{"name":"Error","message":"boom"}`,
		`Object.assign(new TypeError("bad", { cause: 1n }), { code: "E1" })`: `{"name":"TypeError","message":"bad","code":"E1","cause":"1"}`,
		`Symbol("s")`:                                                        `"Symbol(s)"`,
		`[() => 1, function named() {}]`:                                     `["[Function]","[Function: named]"]`,
		`"\ud800"`:                                                           `"` + "\ufffd" + `"`,
		`({ ["\ud800"]: "a\udc00b" })`:                                       `{"` + "\ufffd" + `":"a` + "\ufffd" + `b"}`,
		`[undefined, { a: undefined, b: 1 }]`:                                `[null,{"b":1}]`,
		`[/x/gi, Object(5), Object("s"), new URL("https://a.b/c")]`:          `["/x/gi",5,"s","https://a.b/c"]`,
		`[Promise.resolve(1), new WeakMap()]`:                                `["[Promise]","[WeakMap]"]`,
		`JSON.parse('{"__proto__":{"isAdmin":true}}')`:                       `{"__proto__":{"isAdmin":true}}`,
		`({ toJSON() { return { swapped: 2n } } })`:                          `{"swapped":"2"}`,
		`(() => { let v: any = 1; for (let i = 0; i < 202; i++) v = [v]; return v })()`: strings.Repeat("[", 200) + `"[deeper than 200 levels]"` + strings.Repeat("]", 200),
	} {
		t.Run(code, func(t *testing.T) {
			r := only(t, e, "return "+code, Limits{})
			if r.Failure != nil || !r.Settled {
				t.Fatalf("it failed: %+v", r.Failure)
			}
			if string(r.Value) != want {
				t.Errorf("got  %s\nwant %s", r.Value, want)
			}
			if want != "" && !json.Valid(r.Value) {
				t.Error("that is not JSON")
			}
		})
	}
}

func TestSandbox_SB03_LargeIntegersOfToolsStayExact(t *testing.T) {
	e := testEngine(t, Options{})
	s, err := e.Open(context.Background(), Program{Code: `const r = await tools.a.b();
await tools.c.d({ id: r.id, odd: r.odd });
return [r.id, JSON.stringify(r), typeof r.id, r.list[1] + 1n, r.odd]`})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err = s.Step(context.Background(), Event{Kind: eventStart}); err != nil {
		t.Fatal(err)
	}
	turn, err := s.Step(context.Background(), Event{Kind: eventAnswer, Seq: 1,
		Value: json.RawMessage(`{"id":9007199254740993,"list":[1.5e3,-12345678901234567890],"odd":"` + "\ue000" + `n5","small":9007199254740991}`)})
	if err != nil || len(turn.Calls) != 1 {
		t.Fatal(turn, err)
	}
	if got := string(turn.Calls[0].Args); got != `{"id":9007199254740993,"odd":"`+"\ue000"+`n5"}` {
		t.Errorf("the next tool got %s", got)
	}
	turn, _ = s.Step(context.Background(), Event{Kind: eventAnswer, Seq: 2, Value: json.RawMessage(`null`)})
	want := `["9007199254740993","{\"id\":\"9007199254740993\",\"list\":[1500,\"-12345678901234567890\"],\"odd\":\"` + "\ue000" + `n5\",\"small\":9007199254740991}","bigint","-12345678901234567889","` + "\ue000" + `n5"]`
	if string(turn.Value) != want {
		t.Errorf("got  %s\nwant %s", turn.Value, want)
	}
}

func TestSandbox_ArgumentsThatJSONCannotHoldAreRefusedWithTheirPlace(t *testing.T) {
	e := testEngine(t, Options{})
	for code, want := range map[string]string{
		`{ a: [1, NaN] }`:           "argument a[1] is NaN, which JSON cannot hold",
		`{ f() {} }`:                "argument f is a function, which JSON cannot hold",
		`{ deep: { s: Symbol() } }`: "argument deep.s is a symbol, which JSON cannot hold",
		`(() => { const o: any = { x: {} }; o.x.o = o; return o })()`: "argument x.o is a loop back to a value above it, which JSON cannot hold",
		`{ p: Promise.resolve() }`:                                    "argument p is a Promise, which JSON cannot hold",
		`1, 2`:                                                        "a.b takes one object with named arguments, not 2 arguments",
		`{ s: "x".repeat(2000) }`:                                     "the argument is larger than 1000 characters of JSON",
	} {
		t.Run(code, func(t *testing.T) {
			r := only(t, e, "try { await tools.a.b("+code+") } catch (e) { return e.message }", Limits{Args: 1000})
			if string(r.Value) != string(must(json.Marshal(want))) || len(r.Calls) > 0 {
				t.Errorf("got %s and %d calls, want %q and none", r.Value, len(r.Calls), want)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSandbox_SB04_ChangedBuiltInsReachNobodyElse(t *testing.T) {
	e := testEngine(t, Options{})
	const one = `(Object.prototype as any).owned = "yes";
Array.prototype.map = function () { return ["hijack"] as any };
JSON.stringify = () => '{"fake":true}';
(globalThis as any).Promise = class { then() {} };
Reflect.ownKeys = () => []; Object.defineProperty(Array.prototype, "0", { set() {}, get() { return "stolen" } });
String.prototype.slice = () => "s"; Function.prototype.call = () => 0 as any; Function.prototype.apply = () => 0;
Symbol.prototype.toString = () => "x"; Map.prototype.entries = () => [] as any;
(Object.prototype as any).toJSON = undefined;
const answer = await tools.bank.pay({ to: "A", list: [1, 2], nested: { ok: true } });
export default ["done", answer, { a: 1 }, new Map([["k", 1]])];`
	s, err := e.Open(context.Background(), Program{Code: one})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	turn, err := s.Step(context.Background(), Event{Kind: eventStart})
	if err != nil || len(turn.Calls) != 1 {
		t.Fatal(turn, turn.Failure, err)
	}
	if got := string(turn.Calls[0].Args); turn.Calls[0].Path != "bank.pay" || got != `{"to":"A","list":[1,2],"nested":{"ok":true}}` {
		t.Errorf("the tool got %s %s", turn.Calls[0].Path, got)
	}
	turn, err = s.Step(context.Background(), Event{Kind: eventAnswer, Seq: 1, Value: json.RawMessage(`{"__proto__":{"isAdmin":true},"constructor":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	if string(turn.Value) != `["done",{"__proto__":{"isAdmin":true},"constructor":1},{"a":1},[["k",1]]]` {
		t.Errorf("the host got %s %v", turn.Value, turn.Failure)
	}
	const two = `export default [({} as any).owned, [1].map((x) => x + 1), JSON.stringify({ a: 1 }), ({} as any).isAdmin];`
	if r := only(t, e, two, Limits{}); string(r.Value) != `[null,[2],"{\"a\":1}",null]` {
		t.Errorf("the second program gave %s %v", r.Value, r.Failure)
	}
}

func TestSandbox_SB06_OutputStaysUnderItsCapWhileItRuns(t *testing.T) {
	e := testEngine(t, Options{})
	t.Run("a line without end", func(t *testing.T) {
		r := only(t, e, `for (let i = 0; i < 3000; i++) console.log("y".repeat(1000), i)`, Limits{Output: 10_000})
		size := 0
		for _, l := range r.Lines {
			size += len(l.Text)
		}
		if size > 10_010 || size < 9_900 || len(r.Lines) == 0 || !strings.HasPrefix(r.Lines[0].Text, "yyy") || !strings.HasSuffix(r.Lines[0].Text, " 0") {
			t.Errorf("kept %d bytes in %d lines", size, len(r.Lines))
		}
		if r.Dropped.Lines < 2_990 || r.Dropped.Bytes < 2_990_000 {
			t.Errorf("counted %+v", r.Dropped)
		}
	})
	t.Run("one line of 50 MB", func(t *testing.T) {
		r := only(t, e, `console.log("z".repeat(5e7)); return 1`, Limits{})
		if r.Failure != nil || len(r.Lines) != 1 || len(r.Lines[0].Text) > 65<<10 || r.Dropped.Lines != 1 || r.Dropped.Bytes < 49_900_000 {
			t.Errorf("kept %d lines, dropped %+v, %v", len(r.Lines), r.Dropped, r.Failure)
		}
	})
	t.Run("the journal says how much", func(t *testing.T) {
		out := mustRun(t, slice(t, e, `for (let i = 0; i < 100; i++) console.warn("x".repeat(1000))`, &memory{}, newUpstream()))
		last := out.Lines[len(out.Lines)-1]
		if out.Status != Completed || !strings.Contains(last.Text, "35 more lines") {
			t.Errorf("%s: the last line is %q", out.Status, last.Text)
		}
	})
}

func TestSandbox_MemoryIsBounded(t *testing.T) {
	e := testEngine(t, Options{MemoryMB: 32})
	for _, code := range []string{
		`const a = []; for (;;) a.push(new Uint8Array(1 << 20))`,
		`new Uint8Array(2 ** 31)`,
		`const a: any[] = []; try { for (;;) a.push(new Array(1e5).fill(1)) } catch (e) { a.length = 0; throw e }`,
	} {
		r := only(t, e, code, Limits{Compute: 30 * time.Second})
		if r.Failure == nil || r.Failure.Kind != FailMemory && r.Failure.Name != "RangeError" {
			t.Errorf("%s: %+v", code, r.Turn)
		}
	}
}

func TestSandbox_TwoRunsOfOneProgramAreAlike(t *testing.T) {
	e := testEngine(t, Options{})
	const code = `const b = crypto.getRandomValues(new Uint8Array(8));
return [Math.random(), Date.now(), crypto.randomUUID(), new Date().getTimezoneOffset(), performance.now(), [...b], new Date().toISOString()]`
	open := func(seed byte) string {
		s, err := e.Open(context.Background(), Program{Code: code, Seed: [32]byte{seed}, At: 1_700_000_000_000})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		turn, err := s.Step(context.Background(), Event{Kind: eventStart, At: 1_700_000_000_000})
		if err != nil || turn.Failure != nil {
			t.Fatal(err, turn.Failure)
		}
		return string(turn.Value)
	}
	if a, b := open(1), open(1); a != b || !strings.Contains(a, "1700000000000") || !strings.Contains(a, `"2023-11-14T22:13:20.000Z"`) {
		t.Errorf("%s\n%s", a, b)
	}
	if a, b := open(1), open(2); a == b {
		t.Errorf("two seeds give the same: %s", a)
	}
	// A program that waits by looking at the clock gets there.
	if r := only(t, e, `const t = Date.now(); let n = 0; while (Date.now() - t < 5) n++; return n > 100`, Limits{}); string(r.Value) != "true" {
		t.Errorf("%s %v", r.Value, r.Failure)
	}
}

func TestSandbox_ReachesNothing(t *testing.T) {
	e := testEngine(t, Options{})
	r := only(t, e, `const names = ["process", "require", "Deno", "Bun", "WebAssembly", "XMLHttpRequest", "WebSocket", "navigator", "std", "os", "bjson", "scriptArgs", "load", "print", "host"];
const there = names.filter((n) => n !== "require" && n in globalThis);
const said = [];
for (const f of [() => fetch("https://a.b"), () => (globalThis as any).require("fs")]) try { f() } catch (e) { said.push(e.message) }
try { await import("node:fs") } catch (e) { said.push(e.message) }
try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9); said.push("waited") } catch (e) { said.push(e.name) }
return [there, said, Object.keys(globalThis)]`, Limits{})
	want := `[[],["fetch is not available here: a program reaches other systems only through tools; find one with tools.search({ query })","require is not available here: modules cannot be loaded; what a program may use is built in or a tool","import of \"node:fs\" is refused: modules cannot be loaded; what a program may use is built in or a tool","ReferenceError"],[]]`
	if string(r.Value) != want {
		t.Errorf("got  %s %v\nwant %s", r.Value, r.Failure, want)
	}
}
