import { pretty } from '@/ui/pretty'

export type Row = { name: string; value: string; warn?: string }
export type Facts = { rows: Row[]; fields: [name: string, value: string][]; args?: string; cut?: number }

// Hidden and bidirectional characters could make a card read differently from what is stored: they are shown by their code.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Makes characters visible that a reader could not see. */
export function visible(s: string): string {
  return s.replace(hidden, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
}

function text(v: unknown): string {
  return v === undefined || v === null ? '' : visible(typeof v === 'string' ? v : JSON.stringify(v))
}

function origin(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

// What the card says elsewhere, or what says nothing to a person.
const said = new Set(['question', 'secret', 'why', 'digest', 'ref', 'role', 'name', 'formAction', 'formMethod', 'url', 'origin', 'field', 'fields', 'action', 'element', 'key', 'challenge', 'schema', 'message'])

/** Whether a request is a call of a tool. */
export function isCall(request: Record<string, unknown> | undefined): boolean {
  return typeof request?.['path'] === 'string'
}

const ask = 'person.ask' // a program's own question: its title and its form are all there is

const saidOfCall = new Set(['path', 'args', 'argsSize', 'argsDigest', 'argsCut', 'shown', 'source', 'connection', 'host', 'method', 'route', 'destructive', 'policy', 'definition', 'digest', 'schema', 'message'])

const definitions: Record<string, string> = { new: 'new upstream, and not looked at', changed: 'changed upstream since you accepted it' }

function member(v: unknown, name: string): string {
  return typeof v === 'object' && v !== null ? text((v as Record<string, unknown>)[name]) : ''
}

/** A call in words: which tool, where it goes, why a person is asked; its arguments exactly as they would be sent. */
function callFacts(request: Record<string, unknown>): Facts {
  const rows: Row[] = []
  const get = (k: string) => text(request[k])
  const add = (name: string, value: string, warn?: string) => { if (value) rows.push(warn ? { name, value, warn } : { name, value }) }
  if (get('path') !== ask) add('Calls', get('path'), request['destructive'] === true ? 'destructive' : undefined)
  add('Sends to', [get('method').toUpperCase(), get('host') + get('route')].filter(Boolean).join(' '))
  add('As', [get('source'), get('connection')].filter(Boolean).join(' · '))
  const policy = request['policy']
  const reason = typeof policy === 'string' ? text(policy) : member(policy, 'reason')
  const pattern = member(policy, 'pattern')
  add('Policy', reason && pattern && !reason.includes(pattern) ? `${reason} (${pattern})` : reason || pattern)
  const definition = get('definition')
  add('Definition', definitions[definition] ?? definition)
  for (const [k, v] of Object.entries(request)) if (!saidOfCall.has(k)) add(k, text(v))
  const { args, shown, argsSize } = request
  if (args === undefined && shown === undefined) return { rows, fields: [] }
  const cut = request['argsCut'] === true && typeof argsSize === 'number' ? { cut: argsSize } : {}
  return { rows, fields: [], args: visible(args === undefined || typeof args === 'string' ? String(args ?? shown) : pretty(args)), ...cut }
}

/** A stored request in words: what is pressed, where it goes, on which page, with which values. Unknown members are shown as they are. */
export function facts(request: Record<string, unknown>): Facts {
  if (isCall(request)) return callFacts(request)
  const get = (k: string) => text(request[k])
  const rows: Row[] = []
  const add = (name: string, value: string, warn?: string) => { if (value) rows.push(warn ? { name, value, warn } : { name, value }) }
  add('Presses', get('name') ? `“${get('name')}”${get('role') ? `, a ${get('role')}` : ''}` : get('role'))
  add('Action', [get('action'), get('element') && `“${get('element')}”`, get('key')].filter(Boolean).join(' '))
  const target = get('formAction')
  const elsewhere = target && get('origin') && origin(target) !== undefined && origin(target) !== origin(get('origin'))
  add('Sends to', [target && get('formMethod').toUpperCase(), target].filter(Boolean).join(' '), elsewhere ? 'another site' : undefined)
  add('For the field', get('field'))
  add('Challenge', get('challenge'))
  add('On page', get('url') || get('origin'))
  for (const [k, v] of Object.entries(request)) if (!said.has(k)) add(k, text(v))
  const fields = Array.isArray(request['fields']) ? (request['fields'] as Record<string, unknown>[]).map((f): [string, string] => [text(f['label'] ?? '') || text(f['name']), text(f['value'])]) : []
  return { rows, fields }
}
