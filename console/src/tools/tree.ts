import type { Place, Tool } from '@/api/model'

/** What stands in the tree: namespaces, their groups, their tools. `more` says that a namespace has tools that were not read. */
export type Node =
  | { kind: 'namespace'; id: string; level: 1; text: string; hint: string; count: number; open: boolean }
  | { kind: 'group'; id: string; level: 2; text: string; count: number; open: boolean }
  | { kind: 'tool'; id: string; level: 2 | 3; text: string; tool: Tool }
  | { kind: 'note'; id: string; level: 2; text: string }

/** A namespace's tools as far as they were read. */
export type Loaded = { items: Tool[]; total: number } | { error: Error } | undefined

/** The parts of an address: where it lives, its group (empty for a tool right below), its own name. */
export function parts(path: string): { namespace: string; group: string; leaf: string } {
  const words = path.split('.')
  if (words.length < 3) return { namespace: '', group: words.slice(0, -1).join('.'), leaf: words.at(-1) ?? path }
  return { namespace: words.slice(0, 2).join('.'), group: words.slice(2, -1).join('.'), leaf: words.at(-1) ?? path }
}

/** The tree as the rows that are to be seen, from top to bottom. */
export function rows(places: Place[], loaded: (namespace: string) => Loaded, open: ReadonlySet<string>): Node[] {
  const out: Node[] = []
  for (const p of places) {
    const isOpen = open.has(p.namespace)
    out.push({ kind: 'namespace', id: p.namespace, level: 1, text: p.name, hint: p.namespace, count: p.tools, open: isOpen })
    if (!isOpen) continue
    const l = loaded(p.namespace)
    if (!l) out.push({ kind: 'note', id: `${p.namespace} loading`, level: 2, text: 'Reading its tools' })
    else if ('error' in l) out.push({ kind: 'note', id: `${p.namespace} error`, level: 2, text: l.error.message })
    else addTools(out, p.namespace, l, open)
  }
  return out
}

function addTools(out: Node[], namespace: string, l: { items: Tool[]; total: number }, open: ReadonlySet<string>): void {
  const groups = new Map<string, Tool[]>()
  for (const t of l.items) {
    const { group } = parts(t.path)
    groups.set(group, [...(groups.get(group) ?? []), t])
  }
  for (const [group, tools] of [...groups].sort(([a], [b]) => a.localeCompare(b))) {
    const id = `${namespace}.${group}`
    if (group !== '') out.push({ kind: 'group', id, level: 2, text: group, count: tools.length, open: open.has(id) })
    if (group !== '' && !open.has(id)) continue
    for (const tool of tools) out.push({ kind: 'tool', id: tool.path, level: group === '' ? 2 : 3, text: parts(tool.path).leaf, tool })
  }
  if (l.items.length < l.total) out.push({ kind: 'note', id: `${namespace} more`, level: 2, text: `${(l.total - l.items.length).toLocaleString()} more: search to find them` })
  if (l.total === 0) out.push({ kind: 'note', id: `${namespace} none`, level: 2, text: 'No tools that may be called' })
}

/** Where a key leads: another row, or a branch that opens or closes. */
export function step(list: Node[], at: number, key: string): { at: number } | { toggle: string } | undefined {
  const now = list[at]
  const limit = (i: number) => ({ at: Math.max(0, Math.min(list.length - 1, i)) })
  switch (key) {
    case 'ArrowDown': return limit(at + 1)
    case 'ArrowUp': return limit(at - 1)
    case 'Home': return limit(0)
    case 'End': return limit(list.length - 1)
    case 'PageDown': return limit(at + 10)
    case 'PageUp': return limit(at - 10)
    case 'ArrowRight':
      if (!now || !('open' in now)) return undefined
      return now.open ? limit(at + 1) : { toggle: now.id }
    case 'ArrowLeft': {
      if (!now) return undefined
      if ('open' in now && now.open) return { toggle: now.id }
      for (let i = at - 1; i >= 0; i--) if ((list[i]?.level ?? 9) < now.level) return { at: i }
      return undefined
    }
    default: return undefined
  }
}
