// (el, arg): what a field holds now, and whether the page calls it valid.
const e = el, tag = e.tagName, control = tag === "LABEL" && e.control ? e.control : e;
const out = { connected: e.isConnected, value: String(e.isContentEditable ? e.innerText : e.value ?? ""), password: e.type === "password" || !!e[wasPassword], message: "", label: labelOf(e) || nameOf(e) };
if (tag === "SELECT") out.value = [...e.selectedOptions].map(o => squash(o.label)).join(", ");
if (control.type === "checkbox" || control.type === "radio") out.checked = control.checked;
else if (e.hasAttribute("aria-checked")) out.checked = e.getAttribute("aria-checked") === "true";
if (control.validationMessage) out.message = control.validationMessage;
const described = byIds(e, e.getAttribute("aria-errormessage"));
if (e.getAttribute("aria-invalid") === "true") out.message = described || out.message || "marked as invalid";
return JSON.stringify(out);
