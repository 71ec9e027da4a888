import { describe, expect, it } from 'vitest'
import { brief, diff } from './diff'

const look = (a: string, b: string) => diff(a, b).map((c) => `${{ same: ' ', before: '-', after: '+' }[c.kind]}${c.text}`)

describe('diff', () => {
  it.each([
    ['nothing changed', 'a\nb', 'a\nb', [' a', ' b']],
    ['a line in the middle', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a line more', 'a\nc', 'a\nb\nc', [' a', '+b', ' c']],
    ['a line less', 'a\nb\nc', 'a\nc', [' a', '-b', ' c']],
    ['everything new', '', 'a', ['+a']],
    ['everything gone', 'a', '', ['-a']],
    ['what repeats', 'a\na', 'a', [' a', '-a']],
    ['two places', 'a\nb\nc\nd', 'x\nb\nc\ny', ['-a', '+x', ' b', ' c', '-d', '+y']],
  ])('%s', (_, a, b, want) => { expect(look(a, b)).toEqual(want) })

  it('gives both sides back whole', () => {
    const a = Array.from({ length: 300 }, (_, i) => `line ${(i * 7 % 50).toString()}`).join('\n')
    const b = Array.from({ length: 280 }, (_, i) => `line ${(i * 5 % 50).toString()}`).join('\n')
    const d = diff(a, b)
    expect(d.filter((c) => c.kind !== 'after').map((c) => c.text).join('\n')).toBe(a)
    expect(d.filter((c) => c.kind !== 'before').map((c) => c.text).join('\n')).toBe(b)
  })

  it('leaves out long stretches that stayed', () => {
    const many = Array.from({ length: 20 }, (_, i) => `same ${i.toString()}`).join('\n')
    expect(brief(diff(`${many}\nold\nend`, `${many}\nnew\nend`), 1).map((c) => `${c.kind} ${c.text}`)).toEqual(['gap 19 unchanged', 'same same 19', 'before old', 'after new', 'same end'])
  })
})
