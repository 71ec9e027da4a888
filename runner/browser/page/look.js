// (arg): values that must not leave, hidden choices, and signs of a challenge, in one frame.
const out = { title: document.title, values: [], hidden: 0, challenge: "" };
for (const e of deep(document)) {
  const tag = e.tagName;
  if (tag === "INPUT" || tag === "TEXTAREA" || e.isContentEditable && e.hasAttribute("contenteditable")) {
    if (e.type === "password") e[wasPassword] = true;
    const value = String(e.value ?? e.innerText ?? "");
    if (value && !["checkbox", "radio", "hidden", "submit", "button", "image", "reset", "file", "range", "color"].includes(e.type) && out.values.length < 500)
      out.values.push({ v: value.slice(0, 4000), p: !!e[wasPassword], t: e.type !== "password" });
  }
  if (tag === "INPUT" && (e.type === "checkbox" || e.type === "radio") && !rendered(e) && [...(e.labels || [])].some(rendered)) out.hidden++;
  if (tag === "IFRAME" && !out.challenge && rendered(e) && e.getBoundingClientRect().height > 20) {
    const src = e.src || "";
    if (/hcaptcha\.com\//.test(src)) out.challenge = "hcaptcha";
    else if (/challenges\.cloudflare\.com\//.test(src)) out.challenge = "turnstile";
    else if (/arkoselabs\.com\/|funcaptcha\.com\//.test(src)) out.challenge = "arkose";
    else if (/(google\.com|recaptcha\.net)\/recaptcha\//.test(src) && !/size=invisible/.test(src) && !e.closest(".grecaptcha-badge")) out.challenge = "recaptcha";
    const style = getComputedStyle(e);
    if (out.challenge && (style.opacity === "0" || style.visibility === "hidden")) out.challenge = "";
  }
  if (!out.challenge && /(^|\s)geetest_(panel|holder|box|btn|captcha)/.test(e.className && e.className.baseVal === undefined ? e.className : "") && rendered(e)) out.challenge = "geetest";
}
// solved: the response field that the widget fills
if (out.challenge && out.challenge !== "geetest") {
  const field = [...deep(document)].find(e => /^(g-recaptcha-response|h-captcha-response|cf-turnstile-response|fc-token|verification-token)$/.test(e.name || ""));
  if (field && field.value && (out.challenge !== "arkose" || field.value.includes("|"))) out.challenge = "";
} else if (!out.challenge && document.body && arg.top) {
  const text = document.body.innerText.slice(0, 20000);
  if (/\b(?:i'?m|i am|you are|you're) not a robot\b|\bverify (?:that )?you(?:'re| are) (?:a )?human\b|\bare you (?:a )?(?:human|robot)\?|confirm you are human|ich bin kein roboter|je ne suis pas un robot|no soy un robot|non sono un robot/i.test(text)) out.challenge = "text";
}
return JSON.stringify(out);
