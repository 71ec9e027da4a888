// What the host calls. begin runs the program once; its value or error comes back through host.z and host.f.
const classText = Function.prototype.toString;
const callable = (v) => typeof v === "function" && apply(slice, apply(classText, v, []), [0, 5]) !== "class";
const theTools = global.tools;

function finish(p) {
  apply(promiseThen, p, [
    (v) => {
      let text;
      try { text = encode(v, false, host.h(), false); } catch (e) { host.f(describe(e)); return; }
      host.z(text);
    },
    (e) => host.f(describe(e)),
  ]);
}

return {
  // form: "body" is an async function to call; "expr" one that gives a function to call, or a promise whose value counts;
  // "module" a promise of a namespace whose default is the value, or a function to call.
  begin(form, program) {
    finish((async () => {
      if (form === "body") return await program();
      if (form === "expr") {
        const box = await program(); // in a box, so that a promise in it is not awaited before it was looked at
        const v = box[0];
        return callable(v) ? await v(theTools) : host.k(v) === "Promise" ? await v : undefined;
      }
      const v = (await program).default;
      return callable(v) ? await v(theTools) : v;
    })());
  },
  seed(a, b, c, d, keep) { ra = a; rb = b; rc = c; rd = d; room = keep; began = host.w(); },
  settle,
  fire,
  rejected,
  refuse: (name) => new TypeErr(`import of "${name}" is refused: modules cannot be loaded; what a program may use is built in or a tool`),
};
