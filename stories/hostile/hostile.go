// Package hostile holds programs that do not end, or take all they can get, for stories and benchmarks on the real host.
package hostile

// Program is one of them.
type Program struct {
	Name, Code string
	Ends       bool // before its limit, by itself or by another limit
}

// Programs are the ways in which a sandbox is known to hang, a class each; the first eight are case SB-01.
var Programs = []Program{
	{Name: "a loop", Code: `while (true) {}`},
	{Name: "a loop after an await", Code: `await Promise.resolve(); for (;;) {}`},
	{Name: "a loop inside the result", Code: `export default { toJSON() { for (;;) {} } };`},
	{Name: "a getter that the host reads", Code: `export default Object.defineProperty({}, "v", { enumerable: true, get() { for (;;) {} } });`},
	{Name: "one long native call", Code: `/^(a+)+$/.test("a".repeat(40) + "!");`},
	{Name: "microtasks without end", Code: `const again = (): Promise<void> => Promise.resolve().then(again); await again();`},
	{Name: "a promise that nobody settles", Code: `await new Promise(() => {});`, Ends: true},
	{Name: "a caught interrupt", Code: `for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }`},
	{Name: "indexOf of a huge array-like", Code: `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`},
	{Name: "reverse", Code: `Array.prototype.reverse.call({ length: 4294967295 })`},
	{Name: "copyWithin", Code: `Array.prototype.copyWithin.call({ length: 4294967295 }, 0, 1)`},
	{Name: "sort", Code: `Array.prototype.sort.call({ length: 4294967295 })`},
	{Name: "a slow search", Code: `const s = "a".repeat(1e6); for (let i = 0; i < 1e6; i++) s.lastIndexOf("a".repeat(5e5) + "b")`},
	{Name: "arrays that double", Code: `const a = []; for (;;) a.push(new Array(1e5).fill(1))`, Ends: true},
	{Name: "a string that doubles", Code: `let s = "x"; for (;;) s += s`, Ends: true},
	{Name: "buffers", Code: `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`, Ends: true},
	{Name: "recursion", Code: `const f = (n: number): number => 1 + f(n + 1); return f(0)`, Ends: true},
	{Name: "lines without end", Code: `for (let i = 0; ; i++) console.log("y".repeat(1000), i)`},
	{Name: "a line without end", Code: `console.log("z".repeat(5e7)); for (;;) {}`},
	{Name: "calls without end", Code: `for (;;) tools.catalog.namespaces({})`, Ends: true},
	{Name: "a result without end", Code: `return new Proxy([], { get: (t, k) => k === "length" ? 1e9 : k === "toJSON" ? undefined : "x" })`, Ends: true},
}
