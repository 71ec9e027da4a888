// (arg): covers, for the picture, the fields whose values arg.at names by position among the values look.js told.
const list = [];
for (const e of deep(document)) {
  if (!(e.tagName === "INPUT" || e.tagName === "TEXTAREA" || e.isContentEditable && e.hasAttribute("contenteditable"))) continue;
  const value = String(e.value ?? e.innerText ?? "");
  if (value && !["checkbox", "radio", "hidden", "submit", "button", "image", "reset", "file", "range", "color"].includes(e.type)) list.push(e);
}
for (const e of list) e.removeAttribute("data-pags-covered");
for (const i of arg.at) if (list[i]) list[i].setAttribute("data-pags-covered", "");
