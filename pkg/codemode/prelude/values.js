// Values: what leaves the sandbox as JSON, and what comes in. Everything used here was taken before the program ran,
// and nothing is looked up through a prototype that the program can change.
const { apply, ownKeys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Reflect;
const { create, prototype: plain } = Object;
const { isArray, prototype: plainArray } = Array;
const { stringify, parse: parseJSON } = JSON;
const { isView } = ArrayBuffer;
const bare = () => create(null); // setters on Object.prototype do not reach it
const slice = String.prototype.slice, isWellFormed = String.prototype.isWellFormed, toWellFormed = String.prototype.toWellFormed;
const enumerable = Object.prototype.propertyIsEnumerable;
const symbolText = Symbol.prototype.toString;
const getter = (of, name) => getOwnPropertyDescriptor(of, name).get;
const bytesOf = Uint8Array, bufferSize = getter(ArrayBuffer.prototype, "byteLength");
const typedArray = getPrototypeOf(Uint8Array.prototype);
const viewTag = getter(typedArray, Symbol.toStringTag);
const viewLength = getter(typedArray, "length");
const viewBuffer = getter(typedArray, "buffer"), viewOffset = getter(typedArray, "byteOffset"), viewSize = getter(typedArray, "byteLength");
const dataBuffer = getter(DataView.prototype, "buffer"), dataOffset = getter(DataView.prototype, "byteOffset"), dataSize = getter(DataView.prototype, "byteLength");
const mapEntries = Map.prototype.entries, setValues = Set.prototype.values;
const nextOfMap = getPrototypeOf(new Map().entries()).next, nextOfSet = getPrototypeOf(new Set().values()).next;
const dateTime = Date.prototype.getTime, dateISO = Date.prototype.toISOString;
const regexpSource = getter(RegExp.prototype, "source"), regexpFlags = getter(RegExp.prototype, "flags");
const numberOf = Number.prototype.valueOf, stringOf = String.prototype.valueOf, booleanOf = Boolean.prototype.valueOf, bigOf = BigInt.prototype.valueOf;
const TypeErr = TypeError, RangeErr = RangeError, Err = Error, Big = BigInt, Sym = Symbol;
const promiseThen = Promise.prototype.then;
const isError = Error.isError ?? (v => v instanceof Err);

// brand calls a built-in that only accepts its own kind; undefined says that v is of another kind.
function brand(f, v) { try { return apply(f, v, []); } catch { return undefined; } }

const MAX_DEPTH = 200;
const tooLong = bare();

// encode gives the JSON text of a value, or undefined for no value.
// A result is told as well as JSON can (loops, maps, bytes, NaN get a stated form). Arguments of a tool are strict: what JSON
// cannot hold is refused with the place where it is, except that a bigint is an exact integer. Past limit characters
// cut says whether the text is cut there or refused.
function encode(root, strict, limit, cut) {
  let out = "", depth = 0;
  const above = bare(), keys = bare();

  const put = (s) => { out += s; if (out.length > limit) throw tooLong; };
  const where = () => {
    let p = "";
    for (let i = 0; i < depth; i++) p += typeof keys[i] === "number" ? "[" + keys[i] + "]" : "." + keys[i];
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
    if (brand(dateTime, v) !== undefined) return v;
    const f = v.toJSON;
    return typeof f === "function" ? apply(f, v, [key]) : v;
  };
  const bytes = (name, b) => put('{"type":"' + name + '","base64":"' + host.b(b) + '"}');

  // special writes built-in kinds that are not plain data and says whether v was one.
  const special = (v) => {
    let x;
    if ((x = brand(dateTime, v)) !== undefined) { put(x === x ? '"' + apply(dateISO, v, []) + '"' : '"Invalid Date"'); return true; }
    if ((x = brand(mapEntries, v)) !== undefined) {
      put("[");
      for (let first = true, r; !(r = apply(nextOfMap, x, [])).done; first = false) {
        const e = r.value;
        put(first ? "" : ",");
        list(2, (i) => e[i]);
      }
      put("]");
      return true;
    }
    if ((x = brand(setValues, v)) !== undefined) {
      put("[");
      for (let i = 0, r; !(r = apply(nextOfSet, x, [])).done; i++) {
        if (i > 0) put(",");
        keys[depth - 1] = i;
        if (r.value === undefined) put("null"); else write(r.value);
      }
      put("]");
      return true;
    }
    if (isError(v)) {
      put('{"name":' + quote("" + v.name) + ',"message":' + quote("" + v.message));
      entries(v, true);
      if (v.cause !== undefined && !apply(enumerable, v, ["cause"])) { keys[depth - 1] = "cause"; put(',"cause":'); write(v.cause); }
      put("}");
      return true;
    }
    if ((x = apply(viewTag, v, [])) !== undefined) {
      if (x === "Uint8Array" || x === "Uint8ClampedArray") bytes(x, new bytesOf(apply(viewBuffer, v, []), apply(viewOffset, v, []), apply(viewSize, v, [])));
      else list(apply(viewLength, v, []), (i) => v[i]);
      return true;
    }
    if ((x = brand(bufferSize, v)) !== undefined) { bytes("ArrayBuffer", new bytesOf(v)); return true; }
    if ((x = brand(dataBuffer, v)) !== undefined) { bytes("DataView", new bytesOf(x, apply(dataOffset, v, []), apply(dataSize, v, []))); return true; }
    if ((x = brand(regexpSource, v)) !== undefined && v !== RegExp.prototype) { put(quote("/" + x + "/" + apply(regexpFlags, v, []))); return true; }
    for (let i = 0; i < 4; i++) {
      x = brand(i === 0 ? stringOf : i === 1 ? numberOf : i === 2 ? booleanOf : bigOf, v);
      if (x !== undefined) { write(x); return true; }
    }
    x = host.k(v); // the engine's own word for the kind: promises, weak collections
    if (x !== "") { if (strict) refuse("a " + x); put('"[' + x + ']"'); return true; }
    return false;
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
    above[depth++] = v;
    if (isArray(v)) list(v.length, (i) => v[i]);
    else {
      const p = getPrototypeOf(v);
      if ((p === plain || p === null) || !special(v)) { put("{"); entries(v, false); put("}"); }
    }
    above[--depth] = undefined;
  };

  try {
    if (typeof root === "object" && root !== null) root = replaced(root, "");
    if (root === undefined) return undefined;
    write(root, true);
  } catch (e) {
    if (e !== tooLong) throw e;
    if (!cut) throw new RangeErr((strict ? "the argument" : "the result") + " is larger than " + limit + " characters of JSON");
    return apply(slice, out, [0, limit]) + "…";
  }
  return out;
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
      d.name = "" + e.name;
      d.message = "" + e.message;
      if (typeof e.stack === "string") d.stack = apply(slice, e.stack, [0, 16384]);
      if (e.cause !== undefined) d.cause = encode(e.cause, false, 2000, true);
      if (typeof e.code === "string") d.code = e.code;
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
