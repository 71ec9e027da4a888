/** A text and what is selected in it. */
export type Selection = { text: string; from: number; to: number }

/** A change of a text: what replaces a stretch of it, and what is selected then. */
export type Edit = { from: number; to: number; put: string; select: [from: number, to: number] }

const unit = '  '

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

/** Tab: an indent at the cursor, or of every selected line. */
export function indent({ text, from, to }: Selection): Edit {
  if (from === to) return { from, to, put: unit, select: [from + unit.length, from + unit.length] }
  const start = lineStart(text, from)
  const end = text[to - 1] === '\n' ? to - 1 : to // a selection that ends at the start of a line does not mean that line
  const put = text.slice(start, end).replace(/^(?=.)/gm, unit)
  const grown = put.length - (end - start)
  return { from: start, to: end, put, select: [from + (text[start] === '\n' ? 0 : unit.length), to + grown] }
}

/** Shift-Tab: takes one indent off the line, or off every selected one. */
export function outdent({ text, from, to }: Selection): Edit {
  const start = lineStart(text, from)
  const end = from !== to && text[to - 1] === '\n' ? to - 1 : to
  const block = text.slice(start, end)
  const rest = text.slice(end, text.indexOf('\n', end) === -1 ? undefined : text.indexOf('\n', end))
  const put = (block + rest).replace(/^(?: {1,2}|\t)/gm, '')
  const lost = block.length + rest.length - put.length
  const first = /^(?: {1,2}|\t)/.exec(block + rest)?.[0].length ?? 0
  const at = Math.max(start, from - first)
  return { from: start, to: end + rest.length, put, select: [at, Math.max(at, to - lost)] }
}

/** Enter: the new line begins where the one before did, one indent further after an opening bracket. */
export function newline({ text, from, to }: Selection): Edit {
  const start = lineStart(text, from)
  const before = text.slice(start, from)
  const own = /^[ \t]*/.exec(before)?.[0] ?? ''
  const opens = /[{([]\s*$/.test(before)
  const closes = /^\s*[})\]]/.test(text.slice(to))
  const inner = `\n${own}${opens ? unit : ''}`
  const at = from + inner.length
  return { from, to, put: opens && closes ? `${inner}\n${own}` : inner, select: [at, at] }
}

export function applied(s: Selection, e: Edit): Selection {
  return { text: s.text.slice(0, e.from) + e.put + s.text.slice(e.to), from: e.select[0], to: e.select[1] }
}
