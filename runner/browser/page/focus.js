// (arg): the element that has the keyboard, and what Enter or Space there would send.
let e = document.activeElement;
while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
if (!e || e === document.body || e === document.documentElement) return JSON.stringify({ none: true });
if (e.tagName === "IFRAME" || e.tagName === "FRAME") return JSON.stringify({ frame: true });
const out = { tag: e.tagName.toLowerCase(), type: (e.type || "").toLowerCase(), role: roleOf(e), name: nameOf(e), editable: e.isContentEditable };
out.picking = e.getAttribute("aria-expanded") === "true" && !!e.getAttribute("aria-activedescendant");
out.search = out.role === "searchbox" || out.type === "search" || !!e.closest("[role=search],search") || /search|suche|recherche|buscar|cerca|zoek/i.test(out.name + " " + (e.name || ""));
const pressed = e.matches("button,a[href],summary,input[type=submit],input[type=image],input[type=button],input[type=reset],[role=button],[role=link],[role=menuitem]");
out.presses = pressed;
if (pressed) out.commit = commitOf(e, e.form || e.closest("form"), isSubmit(e) ? e : null);
else if (e.form) { // HTML, implicit submission: the form's first submit button is pressed
  const button = [...e.form.elements].find(x => isSubmit(x)) || null;
  out.commit = commitOf(button, e.form, button);
} else out.commit = commitOf(null, null, null);
return JSON.stringify(out);
