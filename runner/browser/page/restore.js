// (arg): takes back what annotate.js did.
const key = Symbol.for("pags.annotated");
if (window[key]) { window[key](); delete window[key]; }
