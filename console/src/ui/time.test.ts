import { expect, it } from 'vitest'
import { ago, left, span } from './time'

it.each([[0, '0 ms'], [420, '420 ms'], [3_200, '3.2 s'], [250_000, '4 min 10 s'], [7_500_000, '2 h 5 min']])('%i ms is felt as %s', (ms, text) => { expect(span(ms)).toBe(text) })

it.each([[400, '1 s'], [45_000, '45 s'], [61_000, '1 min'], [3_600_000, '1 h'], [86_399_000, '23 h']])('%i ms before the end, %s are left', (ms, text) => { expect(left(ms)).toBe(text) })

it('says just now for the last seconds, whichever clock is ahead', () => {
  expect([ago(1_000, 5_000), ago(5_000, 1_000)]).toEqual(['just now', 'just now'])
})
