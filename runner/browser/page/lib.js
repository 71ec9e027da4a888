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
// what a press sends of an element's own, or what stands in it where there is no form; null: nothing
const sent = (e, form) => {
  const type = e.type || "";
  if (["submit", "button", "reset", "image", "fieldset", "output"].includes(type) || e.tagName === "OBJECT" || e.matches(":disabled")) return null;
  if ((type === "checkbox" || type === "radio") && !e.checked) return null;
  if (!form && (type === "hidden" || !e.name && !labelOf(e) || !rendered(e) && type !== "checkbox" && type !== "radio")) return null;
  let value = String(e.value ?? e.innerText ?? ""), shown = value;
  if (e.tagName === "SELECT") { shown = [...e.selectedOptions].map(o => squash(o.label)).join(", "); value = JSON.stringify([...e.selectedOptions].map(o => o.value)); }
  if (type === "file") { shown = [...e.files].map(f => f.name).join(", "); value = JSON.stringify([...e.files].map(f => [f.name, f.size, f.type])); }
  if (type === "password" || e[wasPassword] || type === "hidden" && token.test(e.name)) shown = value = value ? "••••" : "";
  return { e, type, value, shown };
};
const maxFields = 100, maxValue = 2000;
// fields as they would be sent, or as they stand on the page where there is no form; whole is all of them to the last
// character, for telling whether anything changed
const fieldsOf = (form, by, doc) => {
  const fields = [], whole = [form ? (by && by.getAttribute("formenctype")) || form.enctype : ""], all = form ? form.elements : [...deep(doc)].filter(e => ["INPUT", "SELECT", "TEXTAREA"].includes(e.tagName) || e.isContentEditable && e.getAttribute("role") === "textbox");
  const list = [...all].map(e => sent(e, form)).filter(Boolean);
  if (by && by.name) list.push({ e: by, type: "hidden", value: by.value, shown: by.value }); // a submit button sends itself
  for (const { e, type, value, shown } of list) {
    whole.push([e.name, type, value]);
    if (fields.length < maxFields) fields.push({ name: e.name || e.id || labelOf(e), label: type === "hidden" ? "" : cut(labelOf(e), 120), value: cut(shown || "", maxValue) });
  }
  if (list.length > maxFields) fields.push({ name: "", label: "more fields", value: String(list.length - maxFields) });
  return { fields, whole: JSON.stringify(whole) };
};
const wasPassword = Symbol.for("pags.password");
const methodOf = (form, by) => ((by && by.getAttribute("formmethod")) || form.getAttribute("method") || "get").toLowerCase();
const actionOf = (form, by) => { const a = (by && by.getAttribute("formaction")) || form.getAttribute("action"); try { return new URL(a || location.href, document.baseURI).href; } catch { return a || ""; } };
const isSubmit = e => (e.tagName === "BUTTON" && e.type === "submit" || e.tagName === "INPUT" && ["submit", "image"].includes(e.type)) && !!e.form;
// what pressing an element would send
const commitOf = (e, form, by) => ({
  role: e ? roleOf(e) : "", name: e ? nameOf(e) : "", origin: location.origin,
  action: form ? actionOf(form, by) : "", method: form ? methodOf(form, by) : "", submits: !!by || !!form && !e, ...fieldsOf(form, by, document),
});
const kinds = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=option],[contenteditable=true]";
