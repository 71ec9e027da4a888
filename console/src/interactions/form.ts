import { resolve, typeOf } from '@/tools/skeleton'
import type { Schema } from '@/tools/schema'

/** A field of a form that was made from a JSON Schema. What it cannot show as a field is a `json` text. */
export type FormField = {
  name: string; label: string; hint?: string; required: boolean
  kind: 'text' | 'long' | 'email' | 'url' | 'date' | 'datetime' | 'time' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  options?: { text: string; value: unknown }[]
  start: string
  schema: Schema
}

const formats: Record<string, FormField['kind']> = { email: 'email', uri: 'url', url: 'url', date: 'date', 'date-time': 'datetime', time: 'time' }

/** The whole answer as one JSON text: for schemas that are not an object with described members. */
const whole = ''

/** The fields of a form: what is needed first, else in the order of the schema, which JSON in a store may have lost. A schema that asks for nothing gives none: yes or no is the answer. */
export function fieldsOf(schema: Schema | undefined): FormField[] {
  if (!schema) return []
  const s = resolve(schema, schema)
  const members = Object.entries(s.properties ?? {})
  const type = typeOf(s)
  if (members.length === 0) return type !== undefined && type !== 'object' ? [field(whole, s, true)] : []
  const fields = members.map(([name, given]) => field(name, resolve(given, schema), s.required?.includes(name) ?? false))
  return [...fields.filter((f) => f.required), ...fields.filter((f) => !f.required)]
}

function field(name: string, s: Schema, required: boolean): FormField {
  const options = choices(s)
  const kind = options ? 'choice' : kindOf(s)
  const hint = [s.description, limits(s)].filter(Boolean).join(' ')
  return { name, label: s.title ?? (name === whole ? 'Answer' : name), ...(hint ? { hint } : {}), required, kind, ...(options ? { options } : {}), start: start(s, kind, options), schema: s }
}

function kindOf(s: Schema): FormField['kind'] {
  switch (typeOf(s)) {
    case 'integer': return 'integer'
    case 'number': return 'number'
    case 'boolean': return 'boolean'
    case 'string': return formats[s.format ?? ''] ?? ((s.maxLength ?? 0) > 200 ? 'long' : 'text')
    default: return 'json'
  }
}

function choices(s: Schema): FormField['options'] {
  const named = (s.oneOf ?? s.anyOf)?.filter((o) => o.const !== undefined)
  if (named && named.length > 0) return named.map((o) => ({ text: o.title ?? String(o.const), value: o.const }))
  const plain = s.enum?.filter((v) => typeof v !== 'object' || v === null)
  return plain && plain.length > 0 && plain.length === s.enum?.length ? plain.map((v) => ({ text: String(v), value: v })) : undefined
}

function limits(s: Schema): string {
  if (s.minimum !== undefined && s.maximum !== undefined) return `${s.minimum.toString()} to ${s.maximum.toString()}.`
  if (s.minimum !== undefined) return `At least ${s.minimum.toString()}.`
  return s.maximum !== undefined ? `At most ${s.maximum.toString()}.` : ''
}

function start(s: Schema, kind: FormField['kind'], options: FormField['options']): string {
  if (s.default === undefined) return kind === 'boolean' ? 'false' : ''
  if (options) return String(options.findIndex((o) => o.value === s.default))
  return typeof s.default === 'string' && kind !== 'json' ? s.default : JSON.stringify(s.default)
}

export type Filled = { content: Record<string, unknown>; errors: Record<string, string> }

/** Reads what was typed into the fields: the content to send, or for each wrong field what is wrong with it. Empty optional fields are left out. */
export function contentOf(fields: FormField[], texts: Record<string, string>): Filled {
  const content: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const f of fields) {
    const text = texts[f.name] ?? f.start
    if (f.kind !== 'boolean' && text.trim() === '') {
      if (f.required) errors[f.name] = 'This is needed'
      continue
    }
    const v = read(f, text)
    if ('error' in v) errors[f.name] = v.error
    else if (f.name === whole && typeof v.value === 'object' && v.value !== null && !Array.isArray(v.value)) Object.assign(content, v.value)
    else content[f.name === whole ? 'value' : f.name] = v.value
  }
  return { content, errors }
}

type Value = { value: unknown } | { error: string }

function read(f: FormField, text: string): Value {
  switch (f.kind) {
    case 'boolean': return { value: text === 'true' }
    case 'choice': {
      const o = f.options?.[Number(text)]
      return o ? { value: o.value } : { error: 'Choose one' }
    }
    case 'integer': case 'number': return readNumber(f, text.trim())
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown }
      } catch (e) {
        return { error: `This is not JSON: ${e instanceof Error ? e.message : 'it cannot be read'}` }
      }
    case 'datetime': {
      const at = new Date(text)
      return Number.isNaN(at.getTime()) ? { error: 'This is not a date and time' } : { value: at.toISOString() }
    }
    default: return readText(f, text)
  }
}

function readNumber(f: FormField, text: string): Value {
  const n = Number(text)
  const { minimum: min, maximum: max } = f.schema
  if (!Number.isFinite(n)) return { error: 'This is not a number' }
  if (f.kind === 'integer' && !Number.isSafeInteger(n)) return { error: 'This has to be a whole number' }
  if (min !== undefined && n < min) return { error: `This has to be at least ${min.toString()}` }
  if (max !== undefined && n > max) return { error: `This can be at most ${max.toString()}` }
  return { value: n }
}

function readText(f: FormField, text: string): Value {
  const { minLength, maxLength, pattern } = f.schema
  const length = [...text].length
  if (minLength !== undefined && length < minLength) return { error: `At least ${minLength.toString()} characters` }
  if (maxLength !== undefined && length > maxLength) return { error: `At most ${maxLength.toString()} characters` }
  if (f.kind === 'email' && !/^\S+@\S+$/.test(text)) return { error: 'This is not an address of e-mail' }
  if (f.kind === 'url' && !URL.canParse(text)) return { error: 'This is not an address; it begins with https://' }
  if (pattern !== undefined && !fits(pattern, text)) return { error: `This has to match ${pattern}` }
  return { value: text }
}

// A pattern that this browser cannot read is the host's to check.
function fits(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
