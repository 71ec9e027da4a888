package codemode

import (
	"strings"
	"testing"
	"time"
)

func TestProgram_EveryForm(t *testing.T) {
	e := testEngine(t, Options{})
	for _, c := range []struct{ name, code, want string }{
		{"statements", `const x: number = 1; return x + 1`, `2`},
		{"a bare last expression is not returned", `const x = 1; x + 1`, ``},
		{"a single expression is not returned", `1 + 1`, ``},
		{"nothing", ``, ``},
		{"an expression in brackets is not returned", `(1 + 1)`, ``},
		{"await among statements", `const x = await Promise.resolve(3);` + "\n" + `return x`, `3`},
		{"a fenced block", "```ts\nreturn 4\n```", `4`},
		{"a fenced block without a language, and space around", "\n  ```\nreturn 4\n```  \n", `4`},
		{"a fence that is never closed", "```typescript\nreturn 4", `4`},
		{"a fenced arrow function", "```js\nasync () => { return 5 }\n```", `5`},
		{"an arrow function", `() => 5`, `5`},
		{"an async arrow function that is ended with a semicolon", `async () => { return 5 };`, `5`},
		{"an arrow function with types", `async (t: unknown): Promise<string> => typeof t`, `"function"`},
		{"an arrow function after comments", "// does it\n/* all */\nasync () => 6", `6`},
		{"an arrow function of a name", `t => typeof t`, `"function"`},
		{"a named function", `async function main(): Promise<number> { return 7 }`, `7`},
		{"a function without a name", `function () { return 8 }`, `8`},
		{"an arrow function that is called", `(async () => { return 9 })()`, `9`},
		{"export default of a value", `export default { a: [1] }`, `{"a":[1]}`},
		{"export default of a function", `const one: number = 1; export default async () => { return one }`, `1`},
		{"export default of a named function", `export default async function main() { return 2 }`, `2`},
		{"export default after await", `const x = await Promise.resolve(1);` + "\n" + `export default x`, `1`},
		{"export default of a class is described", `export default class A {}`, `"[Function: A]"`},
		{"a module without default", `export const x = 1`, ``},
		{"types of other modules are gone", `import type { A } from "a"; export default 1 as A`, `1`},
		{"enums and interfaces", `enum E { A = 3 } interface I { e: E } const i: I = { e: E.A }; return i.e satisfies number`, `3`},
		{"classes with parameter properties", `class A { constructor(private x: number) {} get y() { return this.x } } return new A(5).y`, `5`},
		{"new syntax", `const m = Object.groupBy([1, 2, 3], (n) => n % 2 ? "odd" : "even"); return [m, [3, 1].toSorted(), Promise.withResolvers !== undefined]`, `[{"odd":[1,3],"even":[2]},[1,3],true]`},
		{"work that was not awaited goes on", `async function main() { await null; console.log("ran") } main()`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := only(t, e, c.code, Limits{})
			if r.Failure != nil || !r.Settled || string(r.Value) != c.want {
				t.Errorf("got %s %+v, want %s", r.Value, r.Failure, c.want)
			}
			if strings.Contains(c.code, "ran") && (len(r.Lines) != 1 || r.Lines[0].Text != "ran") {
				t.Errorf("lines: %v", r.Lines)
			}
		})
	}
}

func TestProgram_ErrorsStandAtTheAuthorsLine(t *testing.T) {
	e := testEngine(t, Options{})
	for _, c := range []struct {
		name, code, message string
		kind                FailureKind
		line, column        int // column 0: any
	}{
		{"a throw", "interface A { x: number }\n\nconst a: A = { x: 1 };\n  throw new TypeError(`no ${a.x}`)", "TypeError: no 1", FailThrown, 4, 0},
		{"in a function", "type T = { a?: { b: number } };\nfunction f(t: T) {\n  return t.a!.b\n}\nreturn f({})", "TypeError: cannot read property 'b' of undefined", FailThrown, 3, 10},
		{"after an await", "await null;\nenum E { A }\nawait (async () => {\n  await null;\n  throw new Error('deep')\n})()", "Error: deep", FailThrown, 5, 0},
		{"in a fenced block", "```ts\nconst x = 1;\nnope()\n```", "ReferenceError: nope is not defined", FailThrown, 3, 0},
		{"in a module", "export default async () => {\n  null!.x\n}", "TypeError: cannot read property 'x' of null", FailThrown, 2, 0},
		{"in an arrow function", "async () => {\n\n  undefined!.y }", "TypeError: cannot read property 'y' of undefined", FailThrown, 3, 0},
		{"a syntax error", "const a = 1;\nconst = 2;", "SyntaxError: Expected identifier but found \"=\"", FailSyntax, 2, 7},
		{"a syntax error in a module", "export default 1;\nlet let = 2", "", FailSyntax, 2, 0},
		{"an end that comes too early", "if (true) {\n  const x = 1", "SyntaxError: Unexpected end of the program", FailSyntax, 2, 14},
		{"an import", "const a = 1;\nimport fs from \"node:fs\";\nfs.readFileSync(a)", "import of \"node:fs\" is refused", FailImport, 2, 16},
		{"an import beside a return", "// use it\nimport fs from 'fs'\nreturn fs.x", "import of \"fs\" is refused", FailImport, 2, 16},
		{"a bare import beside a return", "import 'left-pad'; return 1", "import of \"left-pad\" is refused", FailImport, 1, 8},
		{"a re-export", "export * from \"left-pad\"", "import of \"left-pad\" is refused", FailImport, 1, 0},
		{"an import at run time", "const m = \"x\";\nreturn await import(m)", "import of \"x\" is refused", FailImport, 0, 0},
		{"something that is no error", `throw { code: 5, big: 1n }`, `{"code":5,"big":"1"}`, FailThrown, 0, 0},
		{"a text", `throw "plain"`, `plain`, FailThrown, 0, 0},
		{"nothing", `throw undefined`, `undefined was thrown`, FailThrown, 0, 0},
		{"an error that cannot be read", `throw Object.defineProperty(new Error("x"), "message", { get() { throw 1 } })`, `cannot be read`, FailThrown, 0, 0},
		{"a promise nobody settles", `await new Promise(() => {})`, ``, "", 0, 0},
		{"nested too deeply", strings.Repeat("(", 100_000), "SyntaxError: the program is nested too deeply to be read", FailSyntax, 1, 0},
		{"arrows without end", "const f = " + strings.Repeat("a => ", 40_000) + "1", "SyntaxError: the program is nested too deeply to be read", FailSyntax, 1, 0},
		{"templates in templates", strings.Repeat("`${", 50_000), "SyntaxError: the program is nested too deeply to be read", FailSyntax, 1, 0},
		{"too long", strings.Repeat("1;", 200_000), "the program has 400000 bytes; at most 262144 are read", FailSyntax, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			f := only(t, e, c.code, Limits{}).Failure
			if c.kind == "" {
				if f != nil {
					t.Fatal(f)
				}
				return // nothing left to run is for Run to say
			}
			if f == nil {
				t.Fatal("it did not fail")
			}
			if f.Kind != c.kind || !strings.Contains(f.Title(), c.message) || f.Line != c.line || c.column > 0 && f.Column != c.column {
				t.Errorf("got %s %q at %d:%d, want %s %q at %d:%d", f.Kind, f.Title(), f.Line, f.Column, c.kind, c.message, c.line, c.column)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestProgram_DeepButUsualCodeIsRead(t *testing.T) {
	long := "let n = 0;\n" + strings.Repeat("n = n + 1\nif (n > 5) { n = -1 }\n", 3000) + "return n"
	table := "return [" + strings.Repeat("{ a: [1, (2)], f: (x) => ({ y: x }) },\n", 3000) + "].length"
	chain := "return [1]" + strings.Repeat(".map((x) => x ? x + 1 : -x)", 1000) + "[0]"
	quotes := "const s = '((((' + \"[[[\" + `{{{ ${'('} ` + /[({]+/.source; // ((((\n/* [[[ */ return " + strings.Repeat("'('+", 500) + "s.length"
	for name, code := range map[string]string{"long": long, "table": table, "chain": chain, "brackets in texts": quotes} {
		if f := nesting(code); f != nil {
			t.Errorf("%s: %v", name, f)
		}
		if _, f := read(code); f != nil {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func TestGlobals_AreThere(t *testing.T) {
	e := testEngine(t, Options{})
	for code, want := range map[string]string{
		`[atob("YWJj"), btoa("abc")]`:                                                          `["abc","YWJj"]`,
		`new TextDecoder().decode(new TextEncoder().encode("héé€😀"))`:                          `"héé€😀"`,
		`[...new TextEncoder().encode("\ud800")]`:                                              `[239,191,189]`,
		`new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xf0, 0x9f]))`: `"a` + "\ufffd\ufffd" + `"`,
		`(() => { const d = new TextDecoder(); return d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + d.decode(new Uint8Array([0xac])) })()`:                                                                  `"€"`,
		`(() => { try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name } })()`:                                                                                      `"TypeError"`,
		`new TextDecoder("latin1").decode(new Uint8Array([0xe9, 0x80]))`:                                                                                                                                                 `"é€"`,
		`new TextDecoder("utf-16le").decode(new Uint8Array([0x61, 0, 0x3d, 0xd8, 0, 0xde]))`:                                                                                                                             `"a😀"`,
		`structuredClone({ d: new Date(0), m: new Map([[{ k: 1 }, new Set([1])]]), b: new Uint8Array([1]), e: new RangeError("r"), u: undefined })`:                                                                      `{"d":"1970-01-01T00:00:00.000Z","m":[[{"k":1},[1]]],"b":{"type":"Uint8Array","base64":"AQ=="},"e":{"name":"RangeError","message":"r"}}`,
		`(() => { const a: any = { x: {} }; a.self = a; const b = structuredClone(a); return [b.self === b, b !== a, b.x !== a.x] })()`:                                                                                  `[true,true,true]`,
		`(() => { try { structuredClone({ f() {} }) } catch (e) { return [e.name, e.message] } })()`:                                                                                                                     `["DataCloneError","a function cannot be cloned"]`,
		`[...new URLSearchParams("a=1&b=%20x+y&a=2")]`:                                                                                                                                                                   `[["a","1"],["b"," x y"],["a","2"]]`,
		`(() => { const u = new URL("https://user:pw@EXAMPLE.com:443/a/../b c?x=1#f"); u.searchParams.append("y", "é &"); u.port = "8443"; u.hash = ""; return [u.href, u.origin, u.host, u.searchParams.get("y")] })()`: `["https://user:pw@example.com:8443/b%20c?x=1&y=%C3%A9+%26","https://example.com:8443","example.com:8443","é &"]`,
		`(() => { const u = new URL("https://a.b/?q=1"); const p = u.searchParams; u.search = "?z=2"; p.delete("z"); return [u.href, p.size] })()`:                                                                       `["https://a.b/",0]`,
		`[URL.canParse("x"), URL.canParse("/x", "https://a.b"), URL.parse("::")]`:                                                                                                                                        `[false,true,null]`,
		`(() => { try { new URL("nope") } catch (e) { return e.name + ": " + e.message } })()`:                                                                                                                           `"TypeError: that is not a valid URL: nope"`,
		`/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`:                                                                                                              `true`,
		`(() => { const a = crypto.getRandomValues(new Uint32Array(4)); return a.some((x) => x > 65536) })()`:                                                                                                            `true`,
		`await new Promise((r) => queueMicrotask(() => r("micro")))`:                                                                                                                                                     `"micro"`,
		`typeof tools.then`: `"undefined"`,
		`(() => { try { Object.keys(tools) } catch (e) { return e.message } })()`:              `"tools cannot be listed; find them with tools.search({ query })"`,
		`(() => { try { ({ ...tools.x }) } catch (e) { return e.message } })()`:                `"tools cannot be listed; find them with tools.search({ query })"`,
		`(() => { try { for (const k in tools) return k } catch (e) { return e.message } })()`: `"tools cannot be listed; find them with tools.search({ query })"`,
		`(() => { try { tools.x = 1 } catch (e) { return e.message } })()`:                     `"tools cannot be changed"`,
		`await tools({}).catch((e) => e.message)`:                                              `"tools itself is no tool; call one by its path, such as tools.search({ query })"`,
		`JSON.stringify({ big: 2n ** 64n })`:                                                   `"{\"big\":\"18446744073709551616\"}"`,
	} {
		t.Run(code, func(t *testing.T) {
			r := only(t, e, "return "+code, Limits{})
			if r.Failure != nil || string(r.Value) != want {
				t.Errorf("got  %s %v\nwant %s", r.Value, r.Failure, want)
			}
		})
	}
}

func TestGlobals_BracketPathsAndDotsAreTheSameTool(t *testing.T) {
	e := testEngine(t, Options{})
	r := only(t, e, `tools.github.issues["list.all"]({ a: 1 }); const ns = tools["github.issues"]; ns.list(); await null`, Limits{})
	if len(r.Calls) != 2 || r.Calls[0].Path != "github.issues.list.all" || string(r.Calls[0].Args) != `{"a":1}` || r.Calls[1].Path != "github.issues.list" || string(r.Calls[1].Args) != "{}" {
		t.Errorf("calls: %+v", r.Calls)
	}
}

func TestConsole_LevelsAndForms(t *testing.T) {
	e := testEngine(t, Options{})
	r := only(t, e, `console.log("a", 1, { b: [2n] }, undefined, null); console.info("i"); console.warn("w"); console.error(new Error("bad")); console.debug(new Map([[1, 2]]));
console.assert(false, "why"); const o: any = {}; o.o = o; console.log(o, tools.x, () => 1); setTimeout(() => { throw new Error("late") }, 0); Promise.reject(new TypeError("unseen"));
const p = Promise.reject(1); await null; p.catch(() => {})`, Limits{})
	want := []Line{{"log", `a 1 {"b":["2"]} undefined null`}, {"info", "i"}, {"warn", "w"}, {"error", `{"name":"Error","message":"bad"}`}, {"debug", "[[1,2]]"},
		{"error", "Assertion failed why"}, {"log", `{"o":"[Circular]"} "[Function]" "[Function]"`}, {"error", "uncaught: TypeError: unseen"}}
	for i := range max(len(want), len(r.Lines)) {
		if i >= len(want) || i >= len(r.Lines) || want[i] != r.Lines[i] {
			t.Fatalf("got  %q\nwant %q", r.Lines, want)
		}
	}
}
