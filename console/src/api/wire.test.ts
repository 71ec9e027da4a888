import { describe, expect, it } from 'vitest'
import { Assembler } from './wire'

const message = { v: 1, id: 'm1', kind: 'events', body: { text: 'über 🦀' } }

function frames(m: string, text: string, n: number): string[] {
  const size = Math.ceil(text.length / n)
  return Array.from({ length: n }, (_, i) => JSON.stringify({ m, i, n, d: text.slice(i * size, (i + 1) * size) }))
}

describe('Assembler', () => {
  it('passes a whole message on', () => {
    expect(new Assembler().add(JSON.stringify(message))).toEqual(message)
  })

  it('puts pieces together in any order, and a piece that comes twice counts once', () => {
    const [a, b, c] = frames('m1', JSON.stringify(message), 3) as [string, string, string]
    const parts = new Assembler()
    expect([c, a, a, b].map((f) => parts.add(f))).toEqual([undefined, undefined, undefined, message])
  })

  it('keeps messages apart', () => {
    const other = { ...message, id: 'm2' }
    const [a1, a2] = frames('m1', JSON.stringify(message), 2) as [string, string]
    const [b1, b2] = frames('m2', JSON.stringify(other), 2) as [string, string]
    const parts = new Assembler()
    expect([a1, b1, a2, b2].map((f) => parts.add(f))).toEqual([undefined, undefined, message, other])
  })

  it.each([
    ['more pieces than a message may have', { m: 'x', i: 0, n: 17, d: '' }],
    ['a piece behind the last', { m: 'x', i: 2, n: 2, d: '' }],
    ['a piece before the first', { m: 'x', i: -1, n: 2, d: '' }],
    ['no pieces at all', { m: 'x', i: 0, n: 0, d: '' }],
    ['a piece of no message', { i: 0, n: 1, d: '{}' }],
    ['neither message nor piece', { hello: 1 }],
  ])('drops %s', (_, frame) => {
    expect(new Assembler().add(JSON.stringify(frame))).toBeUndefined()
  })

  it('drops a piece that disagrees on how many there are', () => {
    const parts = new Assembler()
    const [a, b] = frames('m1', JSON.stringify(message), 2) as [string, string]
    parts.add(a)
    expect(parts.add(JSON.stringify({ m: 'm1', i: 2, n: 3, d: '' }))).toBeUndefined()
    expect(parts.add(b)).toEqual(message)
  })

  it('forgets the oldest incomplete message when too many are open', () => {
    const parts = new Assembler()
    const [first, rest] = frames('m0', JSON.stringify(message), 2) as [string, string]
    parts.add(first)
    for (let i = 1; i <= 8; i++) parts.add(JSON.stringify({ m: `n${i.toString()}`, i: 0, n: 2, d: 'x' }))
    expect(parts.add(rest)).toBeUndefined()
  })
})
