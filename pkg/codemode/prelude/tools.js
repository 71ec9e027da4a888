// tools: the only way out. A path is gathered by reading properties; calling it asks the host and gives a promise that the
// host settles later, in the order of its journal.
const waiting = bare(); // calls made and not settled, by number
const Prom = Promise, Prox = Proxy;

function callTool(path, args) {
  return new Prom((resolve, reject) => {
    if (path === "") throw new TypeErr("tools itself is no tool; call one by its path, such as tools.search({ query })");
    if (path.length > 512) throw new TypeErr("a path of more than 512 characters is no tool's");
    if (args.length > 1) throw new TypeErr(path + " takes one object with named arguments, not " + args.length + " arguments");
    const json = args.length === 0 || args[0] === undefined ? "{}" : encode(args[0], true, host.g(), false);
    const seq = host.c(path, json);
    if (typeof seq === "string") throw new RangeErr(seq);
    const w = bare();
    w.resolve = resolve;
    w.reject = reject;
    waiting[seq] = w;
  });
}

const noChange = () => { throw new TypeErr("tools cannot be changed"); };
function toolAt(path) {
  return new Prox(function () {}, {
    __proto__: null,
    get: (_, key) => typeof key === "symbol" || key === "then" ? undefined : toolAt(path === "" ? key : path + "." + key),
    apply: (_, self, args) => callTool(path, args),
    construct: () => { throw new TypeErr("a tool is called without new"); },
    ownKeys: () => { throw new TypeErr("tools cannot be listed; find them with tools.search({ query })"); },
    has: (_, key) => typeof key === "string",
    set: noChange,
    defineProperty: noChange,
    deleteProperty: noChange,
    setPrototypeOf: noChange,
    preventExtensions: noChange,
    getPrototypeOf: () => null,
  });
}

// settle tells the program the answer of a call. thrown answers are refusals that a program can catch.
function settle(seq, text, how) {
  const w = waiting[seq];
  delete waiting[seq];
  if (how === "t") {
    const t = parseJSON(text);
    const e = new Err(t.message);
    const set = (name, value) => { const d = bare(); d.value = value; d.writable = d.configurable = true; d.enumerable = name === "code"; defineProperty(e, name, d); };
    set("name", t.name);
    if (t.code) set("code", t.code);
    w.reject(e);
  } else {
    w.resolve(text === "" ? undefined : decode(text, how === "m"));
  }
}

// Timers wait on the clock of the run, which the host records.
const timers = bare();
function setTimer(f, delay, ...args) {
  if (typeof f !== "function") throw new TypeErr("setTimeout needs a function");
  const ms = +delay;
  const id = host.t(ms > 0 ? ms : 0);
  if (typeof id === "string") throw new RangeErr(id);
  const t = bare();
  t.f = f;
  t.args = args;
  timers[id] = t;
  return id;
}
function clearTimer(id) {
  if (typeof id !== "number" || timers[id] === undefined) return;
  delete timers[id];
  host.x(id);
}
function fire(id) {
  const t = timers[id];
  if (t === undefined) return;
  delete timers[id];
  guarded(t.f, t.args);
}
// guarded runs a callback that nobody waits for: what it throws is told in the output.
function guarded(f, args) {
  try { apply(f, undefined, args); } catch (e) { rejected(e); }
}
function rejected(e) {
  const d = parseJSON(describe(e));
  say("error", "uncaught: " + (d.name ? d.name + ": " : "") + d.message);
}

// console: one line a call, formatted only as far as it can still be kept.
let room = 0; // characters that the host still keeps
function say(level, text) { room = host.l(level, text, 0); }
function logger(level) {
  return (...args) => {
    let line = "", size = 0;
    for (let i = 0; i < args.length; i++) {
      const v = args[i];
      if (typeof v === "string") size += v.length;
      if (line.length > room) continue;
      const left = room + 1 - line.length;
      if (i > 0) line += " ";
      if (typeof v === "string") line += v.length > left ? apply(slice, v, [0, left]) : v;
      else if (typeof v === "undefined") line += "undefined";
      else line += encode(v, false, left, true);
    }
    room = host.l(level, apply(toWellFormed, line, []), size);
  };
}
