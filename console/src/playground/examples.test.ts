import { describe, expect, it } from 'vitest'
import type { Tool } from '@/api/model'
import { examples } from './examples'

const tool = (path: string, more: Partial<Tool> = {}): Tool => ({ path, name: path, description: `About ${path}\nmore`, readOnly: true, destructive: false, deprecated: false, policy: { action: 'approve', reason: '' }, ...more })

describe('examples', () => {
  it('are made of the tools that are there', () => {
    const list = examples([tool('a.main.g.list'), tool('a.main.g.get'), tool('a.main.g.create', { readOnly: false })], (p) => (p === 'a.main.g.get' ? { id: 7 } : {}))
    expect(list.map((e) => e.title)).toEqual(['Call a tool', 'Two at once', 'Ask before writing', 'Find tools', 'Ask a person'])
    expect(list[0]?.code).toContain('await tools.a.main.g.list({})')
    expect(list[0]?.code).toContain('// About a.main.g.list\n')
    expect(list[1]?.code).toContain('"id": 7')
    expect(list[2]?.code).toContain('tools.a.main.g.create')
  })

  it('leave out what is blocked or on its way out, and need no tool at all', () => {
    expect(examples([tool('a.main.g.x', { policy: { action: 'block', reason: '' } }), tool('a.main.g.y', { deprecated: true })]).map((e) => e.title)).toEqual(['Find tools', 'Ask a person'])
  })

  it('are programs: each can be read as the body of an async function', () => {
    const AsyncFunction = (async () => { await Promise.resolve() }).constructor as new (code: string) => unknown
    for (const e of examples([tool('a.main.g.list'), tool('a.main.g.get'), tool('a.main.g.create', { readOnly: false })], () => ({ q: 'x' }))) expect(() => new AsyncFunction(e.code), e.title).not.toThrow()
  })
})
