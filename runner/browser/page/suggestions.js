// (el, arg): waits up to arg.cap ms for the options that a combobox opens, and answers their texts.
const e = el, ends = performance.now() + arg.cap;
const lists = () => {
  const ids = ((e.getAttribute("aria-controls") || "") + " " + (e.getAttribute("aria-owns") || "")).trim().split(/\s+/);
  const own = ids.map(id => id && root(e).getElementById(id)).filter(Boolean);
  return own.length ? own : [...deep(document)].filter(x => x.getAttribute("role") === "listbox");
};
const options = () => lists().filter(rendered).flatMap(l => [...l.querySelectorAll("[role=option],li")]).filter(rendered).map(o => cut(seen(o), 100));
let found = [], same = 0;
for (;;) {
  const now = options();
  // stable for two looks: a list that is still filling would be told half
  same = now.length && now.join("\n") === found.join("\n") ? same + 1 : 0;
  found = now;
  if (same >= 2 || performance.now() >= ends) break;
  await new Promise(done => setTimeout(done, 40));
}
return JSON.stringify([...new Set(found)].slice(0, 12));
