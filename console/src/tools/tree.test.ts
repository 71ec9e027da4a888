import { describe, expect, it } from 'vitest'
import type { Place, Tool } from '@/api/model'
import { parts, rows, step, type Loaded } from './tree'

const tool = (path: string): Tool => ({ path, name: path, description: '', readOnly: true, destructive: false, deprecated: false, policy: { action: 'approve', reason: '' } })
const place = (namespace: string, tools: number): Place => ({ namespace, source: namespace.split('.')[0] ?? '', connection: 'main', name: namespace.toUpperCase(), tools })
const places = [place('a.main', 4), place('b.main', 1)]
const items = ['a.main.issues.list', 'a.main.issues.create', 'a.main.ping', 'a.main.admin.users.drop'].map(tool)
const loaded = (ns: string): Loaded => (ns === 'a.main' ? { items, total: 4 } : undefined)
const look = (open: string[], l = loaded) => rows(places, l, new Set(open)).map((n) => `${'-'.repeat(n.level)} ${n.kind} ${n.text}`)

describe('parts', () => {
  it.each([
    ['github.main.issues.create', 'github.main', 'issues', 'create'],
    ['github.main.ping', 'github.main', '', 'ping'],
    ['github.main.admin.users.drop', 'github.main', 'admin.users', 'drop'],
    ['person.ask', '', 'person', 'ask'],
    ['search', '', '', 'search'],
  ])('%s is %s, %s, %s', (path, namespace, group, leaf) => { expect(parts(path)).toEqual({ namespace, group, leaf }) })
})

describe('rows', () => {
  it('shows closed namespaces alone', () => { expect(look([])).toEqual(['- namespace A.MAIN', '- namespace B.MAIN']) })

  it('shows the groups of an open namespace by name, tools without a group right below it', () => {
    expect(look(['a.main'])).toEqual(['- namespace A.MAIN', '-- tool ping', '-- group admin.users', '-- group issues', '- namespace B.MAIN'])
  })

  it('shows the tools of an open group in the order they came in', () => {
    expect(look(['a.main', 'a.main.issues']).slice(3, 6)).toEqual(['-- group issues', '--- tool list', '--- tool create'])
  })

  it('says what is on its way, what went wrong, what is left out, and what is empty', () => {
    expect(look(['b.main'])).toContain('-- note Reading its tools')
    expect(look(['b.main'], () => ({ error: new Error('No answer') }))).toContain('-- note No answer')
    expect(look(['a.main'], () => ({ items, total: 1204 }))).toContain('-- note 1,200 more: search to find them')
    expect(look(['a.main'], () => ({ items: [], total: 0 }))).toContain('-- note No tools that may be called')
  })
})

describe('step', () => {
  const list = rows(places, loaded, new Set(['a.main', 'a.main.issues'])) // a.main, ping, admin.users, issues, list, create, b.main
  it.each([
    ['down', 0, 'ArrowDown', { at: 1 }],
    ['up stays at the top', 0, 'ArrowUp', { at: 0 }],
    ['end', 0, 'End', { at: 6 }],
    ['right opens what is closed', 2, 'ArrowRight', { toggle: 'a.main.admin.users' }],
    ['right goes into what is open', 3, 'ArrowRight', { at: 4 }],
    ['right on a tool does nothing', 4, 'ArrowRight', undefined],
    ['left closes what is open', 3, 'ArrowLeft', { toggle: 'a.main.issues' }],
    ['left on a tool goes to its group', 5, 'ArrowLeft', { at: 3 }],
    ['left on a tool without a group goes to its namespace', 1, 'ArrowLeft', { at: 0 }],
    ['another key is nobody’s', 1, 'x', undefined],
  ])('%s', (_, at, key, want) => { expect(step(list, at, key)).toEqual(want) })
})
