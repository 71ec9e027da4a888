import { describe, expect, it } from 'vitest'
import { Problem } from '@/api/problem'
import { around, badPlace } from './place'

describe('badPlace', () => {
  it.each([
    ['a sentence', new Problem(400, 'The description cannot be read at line 12, column 3: a value is missing'), { line: 12, column: 3, reason: 'The description cannot be read at line 12, column 3: a value is missing' }],
    ['a field', new Problem(400, 'It cannot be read', undefined, [{ location: 'body.document', message: 'line 4: mapping values are not allowed here' }]), { line: 4, reason: 'Line 4: mapping values are not allowed here' }],
    ['what the answer is about', new Problem(400, 'It cannot be read', undefined, [], undefined, { line: 7, column: 2, reason: 'a bracket is missing' }), { line: 7, column: 2, reason: 'A bracket is missing' }],
    ['neither', new Problem(422, 'It is no description of an API'), undefined],
    ['no answer of the host', new Error('line 1'), undefined],
    ['nothing', null, undefined],
  ])('finds the place in %s', (_, error, want) => { expect(badPlace(error)).toEqual(want) })
})

it('shows the lines around a place, also at the ends', () => {
  const text = 'a\nb\nc\nd\ne'
  expect(around(text, 3, 1)).toEqual([{ number: 2, text: 'b' }, { number: 3, text: 'c' }, { number: 4, text: 'd' }])
  expect([around(text, 1, 1).map((l) => l.number), around(text, 5, 1).map((l) => l.number)]).toEqual([[1, 2], [4, 5]])
})
