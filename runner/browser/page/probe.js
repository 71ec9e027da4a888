// (el, arg): what an element is, whether a click would reach it, where to click, and what a click would send.
// arg.hit: find a point; waits up to 400 ms for what moves out of the way by itself.
const e = el, tag = e.tagName;
const describe = x => {
  let box = x;
  for (let y = x; y && y !== document.body && y !== document.documentElement; y = y.parentElement || root(y).host) {
    if (/^(dialog|alertdialog|banner|alert|region)$/.test(roleOf(y)) || y.getAttribute("aria-modal") || ["fixed", "sticky"].includes(getComputedStyle(y).position)) { box = y; break; }
  }
  const role = roleOf(box), name = byIds(box, box.getAttribute("aria-labelledby")) || squash(box.getAttribute("aria-label")) || seen(box);
  return (role === "generic" ? "<" + box.tagName.toLowerCase() + (box.id ? " id=" + box.id : "") + ">" : role) + (name ? " “" + cut(name, 60) + "”" : "");
};
const at = (x, y) => { let t = root(e).elementFromPoint ? root(e).elementFromPoint(x, y) : document.elementFromPoint(x, y); while (t && t.shadowRoot && t !== e) { const n = t.shadowRoot.elementFromPoint(x, y); if (!n || n === t) break; t = n; } return t; };
const within = (outer, inner) => { for (let x = inner; x; x = x.parentNode || x.host) if (x === outer) return true; return false; };
// a point of target at which a click is a click on it, and not on a link or button inside it
const pointOf = target => {
  const r = target.getBoundingClientRect();
  if (!r.width || !r.height) return { none: true };
  const left = Math.max(r.left, 0), right = Math.min(r.right, innerWidth), top = Math.max(r.top, 0), bottom = Math.min(r.bottom, innerHeight);
  if (left >= right || top >= bottom) return { outside: true };
  let second = null, cover = null;
  for (const fy of [.5, .2, .8]) for (const fx of [.5, .25, .75, .08, .92, .02]) {
    const x = left + (right - left) * fx, y = top + (bottom - top) * fy, t = at(x, y);
    if (!t) continue;
    if (!within(target, t)) { cover = cover || t; continue; }
    const p = { x: x - r.left - target.clientLeft, y: y - r.top - target.clientTop };
    let inner = t.closest(kinds);
    if (inner && inner !== target && within(target, inner) && !(target.control && inner === target.control)) { second = second || p; continue; }
    return { point: p };
  }
  if (second) return { point: second };
  return { cover };
};
const out = {
  tag: tag.toLowerCase(), type: (e.type || "").toLowerCase(), role: roleOf(e), name: nameOf(e), connected: e.isConnected,
  disabled: e.matches(":disabled") || e.getAttribute("aria-disabled") === "true", readonly: !!e.readOnly,
  editable: e.isContentEditable, href: tag === "A" ? e.href : "", value: String(e.value ?? ""),
  combobox: roleOf(e) === "combobox" && tag !== "SELECT" || /^(list|both|inline)$/.test(e.getAttribute("aria-autocomplete") || "") || e.getAttribute("aria-haspopup") === "listbox" && tag === "INPUT",
  datalist: !!e.list, password: e.type === "password", origin: location.origin,
};
const label = tag === "LABEL" ? e : e.closest("label");
const control = tag === "LABEL" ? e.control : (["INPUT", "SELECT", "TEXTAREA"].includes(tag) ? e : label && label.control);
const choice = control && ["checkbox", "radio"].includes(control.type) ? control : (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(out.role) ? e : null);
if (choice) out.choice = { type: choice.type || out.role, checked: choice.type === "checkbox" || choice.type === "radio" ? choice.checked : choice.getAttribute("aria-checked") === "true", native: choice !== e || tag === "INPUT", name: nameOf(choice) };
if (control && control !== e) out.controlType = control.type || control.tagName.toLowerCase();
if (tag === "SELECT") out.options = [...e.options].slice(0, 100).map(o => ({ label: squash(o.label), value: o.value, disabled: o.disabled }));
const presser = e.closest("button,input[type=submit],input[type=image],input[type=button],a[href],[role=button],[role=link]") || e;
const by = isSubmit(presser) ? presser : null;
out.commit = commitOf(presser, presser.form || e.closest("form"), by);
// a plain link to another document, with nothing in the markup that makes it more than that
out.commit.leads = presser.tagName === "A" && /^https?:$/.test(presser.protocol) && presser.href.split("#")[0] !== location.href.split("#")[0]
  && !["onclick", "onmousedown", "download", "ping", "role"].some(a => presser.hasAttribute(a)) && ![...presser.attributes].some(a => /^data-.*(method|confirm|action)/.test(a.name));
if (arg.hit) {
  const ends = performance.now() + 400;
  for (let first = true; ; first = false) {
    let target = e, found = rendered(e) ? null : { none: true };
    const r = e.getBoundingClientRect();
    if (first && r.height && (r.top < 0 || r.bottom > innerHeight || r.left < 0 || r.right > innerWidth)) e.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    found = found || pointOf(e);
    // a hidden input is pressed through its label, as a person does it
    if (!found.point && e.labels && e.labels.length) for (const l of e.labels) {
      if (!rendered(l)) continue;
      const lr = l.getBoundingClientRect();
      if (lr.top < 0 || lr.bottom > innerHeight) l.scrollIntoView({ block: "center", behavior: "instant" });
      const viaLabel = pointOf(l);
      if (viaLabel.point || !found.cover) { found = viaLabel; target = l; }
      if (viaLabel.point) break;
    }
    out.viaLabel = target !== e;
    out.point = found.point || null;
    out.invisible = !!found.none;
    out.covered = found.cover ? describe(found.cover) : "";
    if (out.point || performance.now() > ends) break;
    await new Promise(done => setTimeout(done, 50));
  }
}
return JSON.stringify(out);
