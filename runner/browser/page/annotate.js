// (arg): for the moment of the snapshot, a label whose real input is not rendered says what it stands for, because the
// accessibility tree leaves such an input out. restore.js takes it back; a timer does if that never comes.
const key = Symbol.for("pags.annotated"), kept = [];
const question = e => {
  const group = e.closest("fieldset,[role=radiogroup],[role=group]");
  if (group) {
    const legend = group.querySelector("legend");
    return byIds(group, group.getAttribute("aria-labelledby")) || squash(group.getAttribute("aria-label")) || (legend ? squash(legend.textContent) : "");
  }
  if (e.type !== "radio" || !e.name) return "";
  const all = [...root(e).querySelectorAll("input[type=radio]")].filter(x => x.name === e.name && x.form === e.form);
  let box = e.parentElement;
  while (box && !all.every(x => box.contains(x))) box = box.parentElement;
  for (let x = box; x && x !== document.body; x = x.parentElement) {
    const own = x === box ? [...x.childNodes].filter(n => !all.some(r => n === r || n.contains(r) || (r.labels && [...r.labels].some(l => n === l || n.contains(l))))) : [];
    const text = squash(own.map(n => n.textContent).join(" ")) || squash(x.previousElementSibling && x.previousElementSibling.textContent);
    if (text) return cut(text, 200);
  }
  return "";
};
for (const e of deep(document)) {
  if (e.tagName !== "INPUT" || e.type !== "checkbox" && e.type !== "radio" || rendered(e)) continue;
  for (const l of [...(e.labels || [])].filter(rendered)) {
    const q = question(e), text = labelText(l, e), set = { role: e.type, "aria-checked": String(e.checked), "aria-label": q && !text.includes(q) ? text + " (" + q + ")" : text };
    if (e.disabled) set["aria-disabled"] = "true";
    if (e.required) set["aria-required"] = "true";
    const old = {};
    for (const [name, value] of Object.entries(set)) { old[name] = l.getAttribute(name); l.setAttribute(name, value); }
    kept.push([l, old]);
  }
}
const undo = () => { for (const [l, old] of kept.splice(0)) for (const [name, value] of Object.entries(old)) value === null ? l.removeAttribute(name) : l.setAttribute(name, value); };
window[key] = undo;
setTimeout(undo, 2000);
