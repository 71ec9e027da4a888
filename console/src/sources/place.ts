import { Problem } from '@/api/problem'

/** Where a document could not be read, and why. */
export type BadPlace = { line: number; column?: number; reason: string }

const stated = /\bline (\d+)(?:,? (?:column|col) (\d+))?/i

/** Finds the line in an answer that refused a document: as it says itself, else in one of its fields, or in its sentence. */
export function badPlace(error: Error | null): BadPlace | undefined {
  if (!(error instanceof Problem)) return undefined
  const about = error.about as { line?: unknown; column?: unknown; reason?: unknown } | undefined
  if (typeof about?.line === 'number' && about.line > 0) {
    return { line: about.line, ...(typeof about.column === 'number' && about.column > 0 ? { column: about.column } : {}), reason: typeof about.reason === 'string' && about.reason !== '' ? capital(about.reason) : error.message }
  }
  for (const text of [...error.fields.map((f) => `${f.location} ${f.message}`), error.message]) {
    const m = stated.exec(text)
    if (!m) continue
    const reason = text.replace(/^body(\.\w+)* /, '')
    return { line: Number(m[1]), ...(m[2] ? { column: Number(m[2]) } : {}), reason: capital(reason) }
  }
  return undefined
}

function capital(s: string): string {
  return s.charAt(0).toUpperCase() + s.slice(1)
}

/** The lines around a place, with their numbers. */
export function around(document: string, line: number, by = 2): { number: number; text: string }[] {
  const lines = document.split('\n')
  const from = Math.max(1, line - by)
  return lines.slice(from - 1, line + by).map((text, i) => ({ number: from + i, text }))
}
