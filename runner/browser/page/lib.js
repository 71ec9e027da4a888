// What the other scripts in this folder share. Each runs as the body of one function in the page, after this text.
const squash = s => (s || "").replace(/\s+/g, " ").trim();
const cut = (s, n) => s.length > n ? s.slice(0, n - 1) + "…" : s;
const root = e => e.getRootNode();
const byIds = (e, ids) => squash((ids || "").split(/\s+/).map(id => { const x = id && root(e).getElementById?.(id); return x ? x.textContent : ""; }).join(" "));
// every element below a root, open shadow roots included
function* deep(from) {
  for (const e of from.querySelectorAll("*")) { yield e; if (e.shadowRoot) yield* deep(e.shadowRoot); }
}
const rendered = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility !== "hidden"; };
// the text a person sees: without what is not rendered (style, script, hidden parts)
const seen = e => squash(e.innerText ?? e.textContent);
const labelOf = e => {
  const own = byIds(e, e.getAttribute("aria-labelledby")) || squash(e.getAttribute("aria-label"));
  if (own) return own;
  const labels = e.labels ? [...e.labels].map(l => labelText(l, e)).filter(Boolean).join(" ") : "";
  return labels || squash(e.getAttribute("alt") || e.getAttribute("placeholder") || e.getAttribute("title"));
};
// a label's text without the text of the controls inside it
const labelText = (label, control) => {
  const copy = label.cloneNode(true);
  copy.querySelectorAll("select,textarea,script,style,[hidden]").forEach(x => x.remove());
  return squash(copy.textContent);
};
const nameOf = e => {
  const tag = e.tagName;
  if (tag === "INPUT" && ["submit", "button", "reset"].includes(e.type)) return labelOf(e) || squash(e.value) || (e.type === "submit" ? "Submit" : "");
  if (tag === "INPUT" && e.type === "image") return labelOf(e) || squash(e.value) || "Submit";
  if (["INPUT", "SELECT", "TEXTAREA"].includes(tag)) return labelOf(e);
  const own = byIds(e, e.getAttribute("aria-labelledby")) || squash(e.getAttribute("aria-label"));
  if (own) return own;
  const pictures = [...e.querySelectorAll("img[alt],svg title,[aria-label]")].map(x => x.getAttribute("alt") || x.getAttribute("aria-label") || x.textContent).join(" ");
  return cut(seen(e) || squash(pictures) || squash(e.getAttribute("title")), 200);
};
const roleOf = e => {
  const own = (e.getAttribute("role") || "").split(/\s+/)[0];
  if (own) return own;
  const t = e.tagName;
  if (t === "A" || t === "AREA") return e.hasAttribute("href") ? "link" : "generic";
  if (t === "BUTTON" || t === "SUMMARY") return "button";
  if (t === "SELECT") return e.multiple || e.size > 1 ? "listbox" : "combobox";
  if (t === "TEXTAREA") return "textbox";
  if (t === "OPTION") return "option";
  if (t === "DIALOG") return "dialog";
  if (t === "INPUT") return ({ checkbox: "checkbox", radio: "radio", submit: "button", button: "button", reset: "button", image: "button", file: "file", range: "slider", number: "spinbutton", search: "searchbox", hidden: "hidden" })[e.type] || (e.list ? "combobox" : "textbox");
  return e.isContentEditable ? "textbox" : "generic";
};
const token = /csrf|xsrf|token|nonce|authenticity|viewstate|captcha-response/i;
// fields as they would be sent, or as they stand on the page where there is no form
const fieldsOf = (form, doc) => {
  const list = [], all = form ? [...form.elements] : [...deep(doc)].filter(e => ["INPUT", "SELECT", "TEXTAREA"].includes(e.tagName) || e.isContentEditable && e.getAttribute("role") === "textbox");
  for (const e of all) {
    if (list.length >= 100) break;
    const type = e.type || "";
    if (["submit", "button", "reset", "image", "fieldset", "output"].includes(type) || e.tagName === "OBJECT" || e.matches(":disabled")) continue;
    if ((type === "checkbox" || type === "radio") && !e.checked) continue;
    if (!form && (type === "hidden" || !e.name && !labelOf(e) || !rendered(e) && type !== "checkbox" && type !== "radio")) continue;
    let value = String(e.value ?? e.innerText ?? "");
    if (e.tagName === "SELECT") value = [...e.selectedOptions].map(o => squash(o.label)).join(", ");
    if (type === "file") value = [...e.files].map(f => f.name).join(", ");
    if (type === "password" || e[wasPassword] || type === "hidden" && token.test(e.name)) value = value ? "••••" : "";
    list.push({ name: e.name || e.id || labelOf(e), label: type === "hidden" ? "" : cut(labelOf(e), 120), value: cut(value || "", 2000) });
  }
  return list;
};
const wasPassword = Symbol.for("pags.password");
const methodOf = (form, by) => ((by && by.getAttribute("formmethod")) || form.getAttribute("method") || "get").toLowerCase();
const actionOf = (form, by) => { const a = (by && by.getAttribute("formaction")) || form.getAttribute("action"); try { return new URL(a || location.href, document.baseURI).href; } catch { return a || ""; } };
const isSubmit = e => (e.tagName === "BUTTON" && e.type === "submit" || e.tagName === "INPUT" && ["submit", "image"].includes(e.type)) && !!e.form;
// what pressing an element would send
const commitOf = (e, form, by) => ({
  role: e ? roleOf(e) : "", name: e ? nameOf(e) : "", origin: location.origin,
  action: form ? actionOf(form, by) : "", method: form ? methodOf(form, by) : "", submits: !!by || !!form && !e, fields: fieldsOf(form, document),
});
const kinds = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=option],[contenteditable=true]";
