// (arg): waits until the document is ready and nothing in it changed for arg.quiet ms, at most arg.cap ms.
const ends = performance.now() + arg.cap;
let last = performance.now(), changes = 0;
const watch = new MutationObserver(list => { last = performance.now(); changes += list.length; });
watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
for (;;) {
  const now = performance.now();
  if (now >= ends || document.readyState !== "loading" && now - last >= arg.quiet) break;
  await new Promise(done => setTimeout(done, Math.max(1, Math.min(ends - now, last + arg.quiet - now, 50))));
}
watch.disconnect();
return String(changes);
