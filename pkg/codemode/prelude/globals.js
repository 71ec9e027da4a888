// Globals that programs expect and the engine does not have. They reach nothing: parsing and bytes are the host's, chance
// comes from the run's seed, time from its clock.
const global = globalThis;
const give = (name, value) => {
  const d = bare();
  d.value = value;
  d.writable = d.configurable = true;
  d.enumerable = false;
  defineProperty(global, name, d);
};

const short = (s) => { if (s.length > 1048576) throw new RangeErr("URLs and queries have at most 1048576 characters here"); return s; };
const BAD_URL = "that is not a valid URL: ";
class URL {
  #c; #query;
  constructor(url, base) {
    const c = host.u(short(`${url}`), base === undefined ? undefined : short(`${base}`));
    if (c === "") throw new TypeErr(BAD_URL + apply(slice, `${url}`, [0, 1000]));
    this.#c = parseJSON(c);
  }
  static canParse(url, base) { return host.u(short(`${url}`), base === undefined ? undefined : short(`${base}`)) !== ""; }
  static parse(url, base) { try { return new URL(url, base); } catch { return null; } }
  #change(part, value) {
    const c = host.v(this.#c.href, part, short(`${value}`));
    if (c === "") { if (part === "href") throw new TypeErr(BAD_URL + `${value}`); return; }
    this.#c = parseJSON(c);
    if (this.#query && part !== "query") this.#query[REFILL](this.#c.search);
  }
  get href() { return this.#c.href; } set href(v) { this.#change("href", v); }
  get origin() { return this.#c.origin; }
  get protocol() { return this.#c.protocol; } set protocol(v) { this.#change("protocol", v); }
  get username() { return this.#c.username; } set username(v) { this.#change("username", v); }
  get password() { return this.#c.password; } set password(v) { this.#change("password", v); }
  get host() { return this.#c.host; } set host(v) { this.#change("host", v); }
  get hostname() { return this.#c.hostname; } set hostname(v) { this.#change("hostname", v); }
  get port() { return this.#c.port; } set port(v) { this.#change("port", v); }
  get pathname() { return this.#c.pathname; } set pathname(v) { this.#change("pathname", v); }
  get search() { return this.#c.search; } set search(v) { this.#change("search", v); }
  get hash() { return this.#c.hash; } set hash(v) { this.#change("hash", v); }
  get searchParams() {
    return this.#query ??= new URLSearchParams(this.#c.search)[FOLLOW]((text) => this.#change("query", text));
  }
  toString() { return this.#c.href; }
  toJSON() { return this.#c.href; }
  get [Symbol.toStringTag]() { return "URL"; }
}

const REFILL = Symbol(), FOLLOW = Symbol();
class URLSearchParams {
  #list = []; #changed = () => {};
  constructor(init = "") {
    if (typeof init === "object" && init !== null) {
      if (typeof init[Symbol.iterator] === "function") {
        for (const pair of init) {
          const [k, v, ...more] = pair;
          if (v === undefined || more.length > 0) throw new TypeErr("each entry of URLSearchParams is a pair of name and value");
          this.#list.push([`${k}`, `${v}`]);
        }
      } else for (const k of Object.keys(init)) this.#list.push([k, `${init[k]}`]);
    } else this[REFILL](`${init}`);
  }
  [REFILL](text) { this.#list = parseJSON(host.q(short(text))); }
  [FOLLOW](changed) { this.#changed = changed; return this; }
  #tell() { this.#changed(this.toString()); }
  get size() { return this.#list.length; }
  append(k, v) { this.#list.push([`${k}`, `${v}`]); this.#tell(); }
  delete(k, v) { this.#list = this.#list.filter((e) => e[0] !== `${k}` || (v !== undefined && e[1] !== `${v}`)); this.#tell(); }
  get(k) { const e = this.#list.find((e) => e[0] === `${k}`); return e ? e[1] : null; }
  getAll(k) { return this.#list.filter((e) => e[0] === `${k}`).map((e) => e[1]); }
  has(k, v) { return this.#list.some((e) => e[0] === `${k}` && (v === undefined || e[1] === `${v}`)); }
  set(k, v) {
    const at = this.#list.findIndex((e) => e[0] === `${k}`);
    if (at < 0) this.#list.push([`${k}`, `${v}`]);
    else {
      this.#list[at][1] = `${v}`;
      this.#list = this.#list.filter((e, i) => i <= at || e[0] !== `${k}`);
    }
    this.#tell();
  }
  sort() { this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#tell(); }
  forEach(f, self) { for (const [k, v] of this.#list) apply(f, self, [v, k, this]); }
  *keys() { for (const e of this.#list) yield e[0]; }
  *values() { for (const e of this.#list) yield e[1]; }
  *entries() { for (const e of this.#list) yield [e[0], e[1]]; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return host.p(short(stringify(this.#list))); }
  toJSON() { return this.toString(); }
  get [Symbol.toStringTag]() { return "URLSearchParams"; }
}

const bytesFrom = (v) => {
  if (isView(v)) return new bytesOf(v.buffer, v.byteOffset, v.byteLength);
  if (typeof v === "object" && v !== null && host.k(v) === "ArrayBuffer") return new bytesOf(v);
  throw new TypeErr("bytes are needed: an ArrayBuffer or a view of one");
};
class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return host.e(`${text}`); }
  encodeInto(text, into) {
    let read = 0, written = 0;
    for (const c of `${text}`) {
      const b = host.e(c);
      if (written + b.length > into.length) break;
      into.set(b, written);
      written += b.length;
      read += c.length;
    }
    return { read, written };
  }
}
class TextDecoder {
  #label; #fatal; #ignoreBOM; #rest = new bytesOf(0); #begun = false;
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    this.#label = host.n(`${label}`);
    if (this.#label === "") throw new RangeErr(`text encoding ${label} is not known; there are utf-8, utf-16le and latin1`);
    this.#fatal = !!fatal;
    this.#ignoreBOM = !!ignoreBOM;
  }
  get encoding() { return this.#label; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }
  decode(input, { stream = false } = {}) {
    let b = input === undefined ? new bytesOf(0) : bytesFrom(input);
    if (this.#rest.length > 0) {
      const all = new bytesOf(this.#rest.length + b.length);
      all.set(this.#rest);
      all.set(b, this.#rest.length);
      b = all;
    }
    const keep = stream ? host.o(this.#label, b) : 0; // bytes at the end that are the start of a character
    this.#rest = b.slice(b.length - keep);
    let text = host.d(this.#label, this.#fatal ? 1 : 0, keep > 0 ? b.slice(0, b.length - keep) : b);
    if (text === undefined) throw new TypeErr(`the bytes are not ${this.#label}`);
    if (!this.#begun && text !== "") {
      if (!this.#ignoreBOM && text[0] === "\ufeff") text = text.slice(1);
      this.#begun = true;
    }
    if (!stream) this.#begun = false;
    return text;
  }
}

const hex = (n) => (n < 16 ? "0" : "") + n.toString(16);
const crypto = {
  getRandomValues(into) {
    if (!isView(into)) throw new TypeErr("getRandomValues fills a typed array of integers");
    if (into.byteLength > 65536) throw new RangeErr("getRandomValues fills at most 65536 bytes at once");
    new bytesOf(into.buffer, into.byteOffset, into.byteLength).set(host.r(into.byteLength));
    return into;
  },
  randomUUID() {
    const b = host.r(16);
    b[6] = (b[6] & 15) | 64;
    b[8] = (b[8] & 63) | 128;
    let s = "";
    for (let i = 0; i < 16; i++) s += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + hex(b[i]);
    return s;
  },
};

// Math.random is sfc32, seeded by the run.
let ra = 0, rb = 0, rc = 0, rd = 1;
const imul32 = (n) => n | 0;
function random32() {
  const t = imul32(imul32(ra + rb) + rd);
  rd = imul32(rd + 1);
  ra = rb ^ (rb >>> 9);
  rb = imul32(rc + (rc << 3));
  rc = imul32(((rc << 21) | (rc >>> 11)) + t);
  return t >>> 0;
}
Math.random = () => ((random32() >>> 5) * 67108864 + (random32() >>> 6)) / 9007199254740992;

// structuredClone as HTML defines it, for what exists here.
function structuredClone(value) {
  const seen = new Map();
  const no = (v) => { throw new DOMException(`${typeof v === "function" ? "a function" : typeof v === "symbol" ? "a symbol" : "this object"} cannot be cloned`, "DataCloneError"); };
  const copy = (v) => {
    if (typeof v === "function" || typeof v === "symbol") no(v);
    if (typeof v !== "object" || v === null) return v;
    if (seen.has(v)) return seen.get(v);
    const keep = (c) => { seen.set(v, c); return c; };
    if (isArray(v)) {
      const c = keep(new Array(v.length));
      for (const k of Object.keys(v)) c[k] = copy(v[k]);
      return c;
    }
    switch (host.k(v)) {
      case "Date": return keep(new Date(apply(dateTime, v, [])));
      case "Map": { const c = keep(new Map()); for (const [k, e] of v) c.set(copy(k), copy(e)); return c; }
      case "Set": { const c = keep(new Set()); for (const e of v) c.add(copy(e)); return c; }
      case "RegExp": return keep(new RegExp(v.source, v.flags));
      case "ArrayBuffer": return keep(v.slice(0));
      case "String": case "Number": case "Boolean": case "BigInt": return keep(Object(v.valueOf()));
      case "Error": {
        const kind = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[v.name] ?? Error;
        const c = keep(new kind(`${v.message}`));
        defineProperty(c, "stack", { value: v.stack, writable: true, configurable: true, enumerable: false });
        if (v.cause !== undefined) c.cause = copy(v.cause);
        return c;
      }
      case "Object": case "Arguments": break;
      default: {
        if (!isView(v)) no(v);
        const b = copy(v.buffer), name = apply(viewTag, v, []);
        return keep(name === undefined ? new DataView(b, v.byteOffset, v.byteLength) : new global[name](b, v.byteOffset, v.length));
      }
    }
    const c = keep({});
    for (const k of Object.keys(v)) { const d = bare(); d.value = copy(v[k]); d.writable = d.enumerable = d.configurable = true; defineProperty(c, k, d); }
    return c;
  };
  return copy(value);
}

let began = 0; // microseconds of the run's clock
give("URL", URL);
give("URLSearchParams", URLSearchParams);
give("TextEncoder", TextEncoder);
give("TextDecoder", TextDecoder);
give("crypto", crypto);
give("structuredClone", structuredClone);
give("setTimeout", function setTimeout(f, delay, ...args) { return setTimer(f, delay, ...args); });
give("clearTimeout", function clearTimeout(id) { clearTimer(id); });
const queued = Prom.resolve();
give("queueMicrotask", function queueMicrotask(f) {
  if (typeof f !== "function") throw new TypeErr("queueMicrotask needs a function");
  apply(promiseThen, queued, [() => guarded(f, [])]);
});
give("performance", { now: () => (host.w() - began) / 1000, get timeOrigin() { return began / 1000; } });
give("tools", toolAt(""));
{
  const c = {};
  const levels = { log: "log", info: "info", warn: "warn", error: "error", debug: "debug", dir: "log", table: "log", trace: "debug" };
  for (const name of Object.keys(levels)) c[name] = logger(levels[name]);
  c.assert = (ok, ...args) => { if (!ok) c.error("Assertion failed", ...args); };
  give("console", c);
}
const refused = (what, why) => function () { throw new TypeErr(`${what} is not available here: ${why}`); };
give("fetch", refused("fetch", "a program reaches other systems only through tools; find one with tools.search({ query })"));
give("require", refused("require", "modules cannot be loaded; what a program may use is built in or a tool"));
// A bigint from a tool must not make JSON.stringify throw.
defineProperty(BigInt.prototype, "toJSON", { value() { return this.toString(); }, writable: true, configurable: true });
