import type { AuthMethod } from '@/api/model'
import { authWords, placed } from '@/sources/auth'

/** A way to be let in that a connection can take: what it is called, why it is offered, which values it asks for. */
export type Way = { id: string; text: string; hint: string; inputs: string[] }

/** Stands for a key whose place is told by its owner. */
export const elsewhere = 'elsewhere'

/** The values that a method asks for, each once. */
export function inputsOf(m: AuthMethod): string[] {
  return [...new Set((m.placements ?? []).flatMap((p) => p.inputs))]
}

/** What can be chosen for a source: what its description offers and we can use, then what is always possible. */
export function ways(auth: AuthMethod[]): Way[] {
  const offered = auth.filter((m) => m.supported && m.kind !== 'unknown').map((m): Way => ({ id: m.id, text: [authWords[m.kind] ?? m.kind, placed(m)].filter(Boolean).join(': '), hint: m.reason, inputs: inputsOf(m) }))
  return [
    ...offered,
    { id: elsewhere, text: 'A key in another place', hint: 'a header, query parameter or cookie that you name', inputs: ['key'] },
    ...(offered.some((w) => w.id === 'none') ? [] : [{ id: 'none', text: 'No authentication', hint: 'calls go out without a credential', inputs: [] }]),
  ]
}

/** Reads `name=value` lines; what is no such line is told. */
export function variables(text: string): { values: Record<string, string> } | { error: string } {
  const values: Record<string, string> = {}
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = line.indexOf('=')
    if (at < 1) return { error: `Line ${(i + 1).toString()} is not name=value` }
    values[line.slice(0, at).trim()] = line.slice(at + 1).trim()
  }
  return { values }
}
