/** A file that a tool gave; its bytes are kept by the host. */
export type GivenFile = { id: string; name: string; contentType: string; size: number }

const deepest = 6

/** The files in a result, wherever they are in it. */
export function files(value: unknown, depth = 0): GivenFile[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  if (Array.isArray(value)) return value.slice(0, 100).flatMap((v) => files(v, depth + 1))
  const o = value as Record<string, unknown>
  if (typeof o['blob'] === 'string' && o['blob'] !== '' && typeof o['contentType'] === 'string') {
    const id = o['blob'].split('/').at(-1) ?? o['blob']
    return [{ id, name: typeof o['filename'] === 'string' && o['filename'] !== '' ? o['filename'] : 'File', contentType: o['contentType'], size: typeof o['size'] === 'number' ? o['size'] : 0 }]
  }
  return Object.values(o).slice(0, 100).flatMap((v) => files(v, depth + 1))
}
