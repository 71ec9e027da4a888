import type { Schema } from './schema'

const deepest = 4

/** What a schema says in all: references followed, allOf put together, the first of several choices taken. */
export function resolve(schema: Schema | undefined, root: Schema, seen = 0): Schema {
  if (!schema || seen > 16) return {}
  if (schema.$ref) return resolve(pointed(schema.$ref, root), root, seen + 1)
  if (schema.allOf) {
    const { allOf, ...rest } = schema
    return [rest, ...allOf.map((s) => resolve(s, root, seen + 1))].reduce((a, b) => ({
      ...a, ...b, properties: { ...a.properties, ...b.properties }, required: [...(a.required ?? []), ...(b.required ?? [])],
    }))
  }
  const choices = schema.oneOf ?? schema.anyOf
  if (choices?.every((s) => s.const !== undefined)) return schema // named values
  if (choices && !schema.properties && !schema.type) {
    const taken = choices.find((s) => s.type !== 'null') ?? choices[0]
    const rest = Object.entries(schema).filter(([k]) => k !== 'oneOf' && k !== 'anyOf')
    return { ...resolve(taken, root, seen + 1), ...Object.fromEntries(rest) }
  }
  return schema
}

function pointed(ref: string, root: Schema): Schema | undefined {
  if (!ref.startsWith('#')) return undefined
  let at: unknown = root
  for (const word of ref.slice(1).split('/').filter(Boolean)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[decodeURIComponent(word).replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return at as Schema | undefined
}

/** The type of a schema, without null. */
export function typeOf(s: Schema): string | undefined {
  const t = Array.isArray(s.type) ? s.type.find((x) => x !== 'null') : s.type
  return t ?? (s.properties ? 'object' : s.items ? 'array' : undefined)
}

/** Arguments to start from: every required member with its default, its example, or an empty value of its type. */
export function skeleton(schema: Schema | undefined): unknown {
  return schema ? blank(schema, schema, 0) : {}
}

function blank(given: Schema, root: Schema, depth: number): unknown {
  const s = resolve(given, root)
  if (s.const !== undefined) return s.const
  if (s.default !== undefined) return s.default
  if (s.example !== undefined) return s.example
  if (s.examples?.[0] !== undefined) return s.examples[0]
  if (s.enum?.[0] !== undefined) return s.enum[0]
  const named = (s.oneOf ?? s.anyOf)?.[0]?.const
  if (named !== undefined) return named
  switch (typeOf(s)) {
    case 'string': return ''
    case 'integer': case 'number': return s.minimum ?? 0
    case 'boolean': return false
    case 'array': return []
    case 'object': case undefined: {
      const out: Record<string, unknown> = {}
      if (depth < deepest) for (const name of s.required ?? []) if (s.properties?.[name]) out[name] = blank(s.properties[name], root, depth + 1)
      return out
    }
    default: return null
  }
}

/** Names of the members that a tool also takes, for a hint beside the arguments. */
export function optional(schema: Schema | undefined): string[] {
  if (!schema) return []
  const s = resolve(schema, schema)
  const required = new Set(s.required ?? [])
  return Object.keys(s.properties ?? {}).filter((k) => !required.has(k))
}
