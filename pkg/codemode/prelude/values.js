// Values: what leaves the sandbox as JSON, and what comes in. Everything used here was taken before the program ran,
// and nothing is looked up through a prototype that the program can change.
const { apply, ownKeys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Reflect;
const { create, prototype: plain } = Object;
const { isArray, prototype: plainArray } = Array;
const { stringify, parse: parseJSON } = JSON;
const { isView } = ArrayBuffer;
const bare = () => create(null); // setters on Object.prototype do not reach it
const join = Array.prototype.join, slice = String.prototype.slice, isWellFormed = String.prototype.isWellFormed, toWellFormed = String.prototype.toWellFormed;
const enumerable = Object.prototype.propertyIsEnumerable;
const symbolText = Symbol.prototype.toString;
const getter = (of, name) => getOwnPropertyDescriptor(of, name).get;
const bytesOf = Uint8Array;
const typedArray = getPrototypeOf(Uint8Array.prototype);
const viewTag = getter(typedArray, Symbol.toStringTag);
const viewLength = getter(typedArray, "length");
const viewBuffer = getter(typedArray, "buffer"), viewOffset = getter(typedArray, "byteOffset"), viewSize = getter(typedArray, "byteLength");
const dataBuffer = getter(DataView.prototype, "buffer"), dataOffset = getter(DataView.prototype, "byteOffset"), dataSize = getter(DataView.prototype, "byteLength");
const mapEntries = Map.prototype.entries, setValues = Set.prototype.values;
const nextOfMap = getPrototypeOf(new Map().entries()).next, nextOfSet = getPrototypeOf(new Set().values()).next;
const dateTime = Date.prototype.getTime, dateISO = Date.prototype.toISOString, dateJSON = Date.prototype.toJSON;
const regexpSource = getter(RegExp.prototype, "source"), regexpFlags = getter(RegExp.prototype, "flags");
const numberOf = Number.prototype.valueOf, stringOf = String.prototype.valueOf, booleanOf = Boolean.prototype.valueOf, bigOf = BigInt.prototype.valueOf;
const TypeErr = TypeError, RangeErr = RangeError, Err = Error, Big = BigInt, Sym = Symbol;
const promiseThen = Promise.prototype.then;
const isError = (v) => typeof v === "object" && v !== null && (host.k(v) === "Error" || host.k(v) === "DOMException");

const MAX_DEPTH = 200;
const tooLong = bare();

// easy reports whether the engine's own JSON.stringify says of v exactly what encode would: plain data without anything that
// needs a stated form. It is several times as fast, and nearly every value is like that.
function easy(v, depth) {
  switch (typeof v) {
    case "string": return apply(isWellFormed, v, []);
    case "number": return v - v === 0 && (v !== 0 || 1 / v > 0);
    case "boolean": case "undefined": return true;
    case "object": break;
    default: return false;
  }
  if (v === null) return true;
  if (depth > MAX_DEPTH || v.toJSON !== undefined) return false;
  const p = getPrototypeOf(v);
  if (p === plainArray && isArray(v)) {
    const n = v.length;
    if (n > 1000000) return false; // mostly holes; encode stops at its limit
    for (let i = 0; i < n; i++) if (!easy(v[i], depth + 1)) return false;
    return true;
  }
  if (p !== plain) return false;
  const names = ownKeys(v);
  for (let i = 0; i < names.length; i++) if (typeof names[i] !== "string" || !apply(isWellFormed, names[i], []) || !easy(v[names[i]], depth + 1)) return false;
  return true;
}

// encode gives the JSON text of a value, or undefined for no value.
// A result is told as well as JSON can (loops, maps, bytes, NaN get a stated form). Arguments of a tool are strict: what JSON
// cannot hold is refused with the place where it is, except that a bigint is an exact integer. Past limit characters
// cut says whether the text is cut there or refused.
function encode(root, strict, limit, cut) {
  let out = "", depth = 0, size = 0; // out is the newest part: adding to a long string would copy it each time
  const above = bare(), keys = bare(), parts = bare();
  parts.length = 0;

  const put = (s) => {
    out += s;
    size += s.length;
    if (size > limit) throw tooLong;
    if (out.length > 1024) { parts[parts.length++] = out; out = ""; }
  };
  const whole = () => { parts[parts.length++] = out; return apply(join, parts, [""]); };
  const where = () => {
    let p = "";
    for (let i = 0; i < depth; i++) if (keys[i] !== undefined) p += typeof keys[i] === "number" ? "[" + keys[i] + "]" : "." + keys[i];
    return p === "" ? "the argument" : "argument " + apply(slice, p, [p[0] === "." ? 1 : 0]);
  };
  const refuse = (what) => { throw new TypeErr(where() + " is " + what + ", which JSON cannot hold"); };
  const quote = (s) => stringify(apply(isWellFormed, s, []) ? s : apply(toWellFormed, s, []));

  const list = (n, at) => {
    put("[");
    for (let i = 0; i < n; i++) {
      if (i > 0) put(",");
      keys[depth - 1] = i;
      const v = at(i);
      if (v === undefined) put("null"); else write(v);
    }
    put("]");
  };
  const entries = (v, started) => {
    const names = ownKeys(v);
    for (let i = 0; i < names.length; i++) {
      const k = names[i];
      if (typeof k !== "string" || !apply(enumerable, v, [k])) continue;
      keys[depth - 1] = k;
      let x = v[k];
      if (x === undefined) continue;
      if (typeof x === "object" && x !== null) { x = replaced(x, k); if (x === undefined) continue; }
      put((started ? "," : "") + quote(k) + ":");
      started = true;
      write(x, true);
    }
    return started;
  };
  const replaced = (v, key) => {
    const f = v.toJSON;
    return typeof f === "function" && f !== dateJSON ? apply(f, v, [key]) : v;
  };
  const bytes = (name, b) => { if (b.length > limit) throw tooLong; text(name, b); };
  const text = (name, b) => put('{"type":"' + name + '","base64":"' + host.b(b) + '"}');

  // special writes built-in kinds that are not plain data and says whether v was one.
  const special = (v) => {
    const kind = host.k(v);
    switch (kind) {
      case "Date": {
        const t = apply(dateTime, v, []);
        put(t === t ? '"' + apply(dateISO, v, []) + '"' : '"Invalid Date"');
        return true;
      }
      case "Map": {
        put("[");
        const it = apply(mapEntries, v, []);
        for (let first = true, r; !(r = apply(nextOfMap, it, [])).done; first = false) {
          const e = r.value;
          put(first ? "" : ",");
          list(2, (i) => e[i]);
        }
        put("]");
        return true;
      }
      case "Set": {
        put("[");
        const it = apply(setValues, v, []);
        for (let i = 0, r; !(r = apply(nextOfSet, it, [])).done; i++) {
          if (i > 0) put(",");
          keys[depth - 1] = i;
          if (r.value === undefined) put("null"); else write(r.value);
        }
        put("]");
        return true;
      }
      case "Error": case "DOMException":
        put('{"name":' + quote("" + v.name) + ',"message":' + quote("" + v.message));
        entries(v, true);
        if (v.cause !== undefined && !apply(enumerable, v, ["cause"])) { keys[depth - 1] = "cause"; put(',"cause":'); write(v.cause); }
        put("}");
        return true;
      case "Uint8Array": case "Uint8ClampedArray":
        bytes(kind, new bytesOf(apply(viewBuffer, v, []), apply(viewOffset, v, []), apply(viewSize, v, [])));
        return true;
      case "ArrayBuffer": bytes(kind, new bytesOf(v)); return true;
      case "DataView": bytes(kind, new bytesOf(apply(dataBuffer, v, []), apply(dataOffset, v, []), apply(dataSize, v, []))); return true;
      case "RegExp": put(quote("/" + apply(regexpSource, v, []) + "/" + apply(regexpFlags, v, []))); return true;
      case "String": write(apply(stringOf, v, [])); return true;
      case "Number": write(apply(numberOf, v, [])); return true;
      case "Boolean": write(apply(booleanOf, v, [])); return true;
      case "BigInt": write(apply(bigOf, v, [])); return true;
      case "Promise": case "WeakMap": case "WeakSet": case "WeakRef": case "FinalizationRegistry": case "Generator": case "AsyncGenerator":
      case "SharedArrayBuffer": case "Symbol":
        if (strict) refuse("a " + kind);
        put('"[' + kind + ']"');
        return true;
    }
    if (!isView(v)) return false;
    list(apply(viewLength, v, []), (i) => v[i]); // arrays of other numbers
    return true;
  };

  const write = (v, ready) => {
    switch (typeof v) {
      case "string": put(v.length > limit ? quote(apply(slice, v, [0, limit + 1])) : quote(v)); return;
      case "boolean": put(v ? "true" : "false"); return;
      case "number":
        if (v - v === 0) put(v === 0 && 1 / v < 0 ? "-0" : "" + v);
        else if (strict) refuse("" + v);
        else put('"' + v + '"');
        return;
      case "bigint": put(strict ? "" + v : '"' + v + '"'); return;
      case "undefined": put("null"); return;
      case "symbol":
        if (strict) refuse("a symbol");
        put(quote(apply(symbolText, v, [])));
        return;
      case "function": {
        if (strict) refuse("a function");
        const name = v.name;
        put(typeof name === "string" && name !== "" ? quote("[Function: " + name + "]") : '"[Function]"');
        return;
      }
    }
    if (v === null) { put("null"); return; }
    if (!ready) {
      const r = replaced(v, "");
      if (r !== v) {
        if (r === undefined) put("null"); else if (r === null || typeof r !== "object") write(r); else write(r, true);
        return;
      }
    }
    for (let i = 0; i < depth; i++) if (above[i] === v) {
      if (strict) refuse("a loop back to a value above it");
      put('"[Circular]"');
      return;
    }
    if (depth >= MAX_DEPTH) {
      if (strict) refuse("nested deeper than " + MAX_DEPTH + " levels");
      put('"[deeper than ' + MAX_DEPTH + ' levels]"');
      return;
    }
    keys[depth] = undefined;
    above[depth++] = v;
    if (isArray(v)) list(v.length, (i) => v[i]);
    else {
      const p = getPrototypeOf(v);
      if ((p === plain || p === null) || !special(v)) { put("{"); entries(v, false); put("}"); }
    }
    above[--depth] = undefined;
  };

  try {
    if (!cut && typeof root === "object" && easy(root, 1)) {
      const text = stringify(root);
      if (text.length > limit) throw tooLong;
      return text;
    }
    if (typeof root === "object" && root !== null) root = replaced(root, "");
    if (root === undefined) return undefined;
    write(root, true);
  } catch (e) {
    if (e !== tooLong) throw e;
    if (!cut) throw new RangeErr((strict ? "the argument" : "the result") + " is larger than " + limit + " characters of JSON");
    return apply(slice, whole(), [0, limit]) + "…";
  }
  return whole();
}

// decode reads JSON of the host. Integers that a number cannot hold exactly arrive marked and become bigints; keys such as
// __proto__ stay plain data.
const MARK = "\ue000"; // a marked string starts with it, then n for a bigint or s for text that began with the mark itself
function decode(text, marked) {
  const v = parseJSON(text);
  return marked ? revive(v) : v;
}
function revive(v) {
  if (typeof v === "string") {
    if (v[0] !== MARK) return v;
    return v[1] === "n" ? Big(apply(slice, v, [2])) : apply(slice, v, [2]);
  }
  if (typeof v !== "object" || v === null) return v;
  const names = ownKeys(v);
  for (let i = 0; i < names.length; i++) {
    const old = getOwnPropertyDescriptor(v, names[i]);
    const now = revive(old.value);
    if (now !== old.value) { old.value = now; defineProperty(v, names[i], old); }
  }
  return v;
}

// describe tells an error that ended the program, whatever was thrown.
function describe(e) {
  const d = bare();
  try {
    if (isError(e)) {
      d.name = apply(slice, "" + e.name, [0, 200]);
      d.message = apply(slice, "" + e.message, [0, 8000]);
      if (typeof e.stack === "string") d.stack = apply(slice, e.stack, [0, 16384]);
      if (e.cause !== undefined) d.cause = encode(e.cause, false, 2000, true);
      if (typeof e.code === "string") d.code = apply(slice, e.code, [0, 200]);
    } else {
      d.message = typeof e === "string" ? apply(slice, e, [0, 8000]) : encode(e, false, 2000, true) ?? "undefined was thrown";
    }
  } catch {
    d.message = "something that cannot be read was thrown";
  }
  let out = "";
  const names = ownKeys(d);
  for (let i = 0; i < names.length; i++) {
    out += (i === 0 ? "{" : ",") + '"' + names[i] + '":' + stringify(apply(toWellFormed, "" + d[names[i]], []));
  }
  return out + "}";
}
