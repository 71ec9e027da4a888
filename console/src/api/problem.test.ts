import { expect, it } from 'vitest'
import { Problem, retryDelay, SignedOut, worthAnother } from './problem'

it.each([
  ['no answer', Problem.unreachable(), true],
  ['a failure of the host', new Problem(503, ''), true],
  ['too many requests', new Problem(429, ''), true],
  ['what the request got wrong', new Problem(422, ''), false],
  ['a run that is not there', new Problem(404, ''), false],
  ['being signed out', new SignedOut(''), false],
])('%s: worth another try is %s', (_, error, again) => {
  expect(worthAnother(0, error)).toBe(again)
  expect(worthAnother(2, error)).toBe(false)
})

it('reads a problem document, and waits as long as the host asks', async () => {
  const res = new Response(JSON.stringify({ detail: 'too many requests; try again in 7 s', traceId: 't1', errors: [{ location: 'body.url', message: 'bad' }] }), { status: 429, headers: { 'Retry-After': '7' } })
  const p = await Problem.from(res)
  expect([p.message, p.traceId, p.fields, retryDelay(0, p)]).toEqual(['Too many requests; try again in 7 s', 't1', [{ location: 'body.url', message: 'bad' }], 7000])
})

it('says the status of an answer without a body', async () => {
  expect((await Problem.from(new Response('', { status: 502 }))).message).toBe('The host answered 502')
})
