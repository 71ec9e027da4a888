import { describe, expect, it } from 'vitest'
import type { Call, Execution } from '@/api/model'
import { callRows, consoleLines, StepLog, type StepPage } from './steps'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()
const call = (seq: number, more: Partial<Call> = {}): Call => ({ seq, path: 'a.main.g.list', args: {}, status: 'completed', at: at(seq * 100), endedAt: at(seq * 100 + 50), ...more })

describe('StepLog', () => {
  /** A host with pages of two, which counts what it is asked for. */
  function host(calls: Call[]) {
    const asked: (string | undefined)[] = []
    const page = (cursor: string | undefined): Promise<StepPage> => {
      asked.push(cursor)
      const from = Number(cursor ?? 0)
      return Promise.resolve({ items: calls.slice(from, from + 2), ...(from + 2 < calls.length ? { nextCursor: String(from + 2) } : {}) })
    }
    return { asked, page }
  }

  it('reads all pages in order', async () => {
    const { page } = host([1, 2, 3, 4, 5].map((n) => call(n)))
    expect((await new StepLog().read(page)).map((c) => c.seq)).toEqual([1, 2, 3, 4, 5])
  })

  it('reads settled pages once, and the rest again with what became of it', async () => {
    const calls = [call(1), call(2), call(3, { status: 'waiting' }), call(4), call(5), call(6)]
    const { page, asked } = host(calls)
    const log = new StepLog()
    await log.read(page)
    calls[2] = call(3)
    asked.length = 0
    expect((await log.read(page)).map((c) => c.status)).toEqual(Array(6).fill('completed'))
    expect(asked).toEqual(['2', '4'])
    asked.length = 0
    calls.push(call(7))
    expect((await log.read(page)).map((c) => c.seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(asked).toEqual(['4', '6'])
  })

  it('gives each call once when it is read twice at once', async () => {
    const { page } = host([1, 2, 3, 4, 5].map((n) => call(n)))
    const log = new StepLog()
    await Promise.all([log.read(page), log.read(page)])
    expect((await log.read(page)).map((c) => c.seq)).toEqual([1, 2, 3, 4, 5])
  })

  it('gives the settled calls again when nothing follows', async () => {
    const { page } = host([call(1), call(2)])
    const log = new StepLog()
    expect(await log.read(page)).toEqual(await log.read(page))
  })
})

describe('callRows', () => {
  it('lets calls that were made at once overlap, and open ones last until now', () => {
    const rows = callRows([call(1, { endedAt: at(900) }), call(2, { status: 'sent', endedAt: undefined as never }), call(3, { status: 'waiting', endedAt: undefined as never })], Date.parse(at(1000)))
    expect(rows.map((r) => [r.startedAt - Date.parse(at(0)), r.endedAt - Date.parse(at(0)), r.moving])).toEqual([[100, 900, false], [200, 1000, true], [300, 1000, true]])
  })

  it('never ends before it began, whichever clock is ahead', () => {
    const [row] = callRows([call(1, { status: 'pending', endedAt: undefined as never })], 0)
    expect(row?.endedAt).toBe(row?.startedAt)
  })

  it('tells in words and colour what became of a call', () => {
    const rows = callRows([call(1), call(3, { status: 'failed' }), call(4, { status: 'waiting' }), call(5, { status: 'unknown' })], 0)
    expect(rows.map((r) => [r.word, r.tone])).toEqual([['Completed', 'work'], ['Failed', 'bad'], ['Waiting for you', 'wait'], ['May have happened', 'wait']])
  })

  it('puts the tool first and its namespace beside it', () => {
    expect(callRows([call(1), call(2, { path: 'search' })], 0).map((r) => [r.title, r.sub])).toEqual([['g.list', 'a.main'], ['search', 'search']])
  })
})

describe('consoleLines', () => {
  const line = (text: string) => ({ level: 'log', text })
  const calls = [call(1, { logsBefore: [line('a')] }), call(2, { logsBefore: [line('b')] })]
  it('takes them from the calls while the program runs', () => { expect(consoleLines({ logs: [] } as unknown as Execution, calls).map((l) => l.text)).toEqual(['a', 'b']) })
  it('and from the program when it knows more', () => { expect(consoleLines({ logs: [line('a'), line('b'), line('c')] } as unknown as Execution, calls).map((l) => l.text)).toEqual(['a', 'b', 'c']) })
})
