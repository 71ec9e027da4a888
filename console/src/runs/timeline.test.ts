import { describe, expect, it } from 'vitest'
import type { RunEvent } from '@/api/model'
import { pictureAt, steps, Timeline } from './timeline'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()
const event = (seq: number, more: Partial<RunEvent> = {}): RunEvent => ({ runId: 'run_1', seq, at: at(seq * 1000), kind: 'note', text: `piece ${seq.toString()}`, ...more })
const seqs = (events: RunEvent[]) => events.map((e) => e.seq)

describe('Timeline', () => {
  it('WS-05: pieces that overtake each other, one twice and one lost, are always shown as a prefix in order, and a re-read fills the gap', () => {
    const stored = [1, 2, 3, 4, 5, 6].map((n) => event(n))
    const piece = (n: number) => stored.slice(n - 1, n)
    const timeline = new Timeline()
    const shown: number[][] = []
    const arrivals: [delay: number, seq: number][] = [[50, 1], [5, 2], [30, 3], [1, 4], [2, 4], [90, 6]] // 4 comes twice, 5 never
    for (const [, seq] of arrivals.sort((a, b) => a[0] - b[0])) shown.push(seqs(timeline.add(piece(seq))))
    expect(shown).toEqual([[], [], [], [], [1, 2, 3, 4], [1, 2, 3, 4]])
    expect(timeline.last).toBe(4)
    expect(timeline.add(stored.slice(timeline.last))).toEqual(stored)
  })

  it('keeps the list it gave out when nothing new came, so that nothing is drawn again', () => {
    const timeline = new Timeline()
    const first = timeline.add([event(1)])
    expect(timeline.add([event(1)])).toBe(first)
  })
})

describe('steps', () => {
  const rows = steps([
    event(1, { kind: 'queued', text: 'Asked for: a pass' }),
    event(2, { kind: 'decided', step: 1, text: 'open https://a.example/', data: { action: 'navigate' } }),
    event(5, { kind: 'acted', step: 1, text: 'open https://a.example/: ok', picture: 'runs/run_1/1/shot.jpg', data: { status: 'ok', url: 'https://a.example/', title: 'A' } }),
    event(6, { kind: 'decided', step: 2, text: 'click "Send" (f1e7)', data: { action: 'click' } }),
    event(7, { kind: 'acted', step: 2, text: 'click "Send" (f1e7): failed', data: { status: 'failed' } }),
    event(8, { kind: 'asked', step: 3, text: 'Approve?' }),
    event(20, { kind: 'answered', step: 3, text: 'The owner said yes.' }),
    event(21, { kind: 'ended', step: 4, text: 'Done.', data: { outcome: 'done' } }),
  ])

  it('makes one row of each decision and what came of it', () => {
    expect(rows.map((r) => [r.step, r.events.length])).toEqual([[0, 1], [1, 2], [2, 2], [3, 2], [4, 1]])
  })

  it('names a row by its decision, without references that only the model reads', () => {
    expect(rows.map((r) => r.title)).toEqual(['Asked for: a pass', 'Open https://a.example/', 'Click "Send"', 'Approve?', 'Done.'])
  })

  it('lets each row begin where the one before ended, so that no time is unaccounted for', () => {
    for (let i = 1; i < rows.length; i++) expect(rows[i]?.startedAt).toBe(rows[i - 1]?.endedAt)
  })

  it('tells work, failure, waiting for a person and a reached objective apart', () => {
    expect(rows.map((r) => r.tone)).toEqual(['work', 'work', 'bad', 'wait', 'ok'])
  })

  it('shows a step without a picture by the newest one before it', () => {
    expect(pictureAt(rows, 4)).toEqual({ picture: 'runs/run_1/1/shot.jpg', page: { url: 'https://a.example/', title: 'A' } })
    expect(pictureAt(rows, 0)).toEqual({})
  })

  it.each([['failed'], ['unknown'], ['cancelled'], ['of another version']])('does not colour the outcome %s as reached', (outcome) => {
    expect(steps([event(1, { kind: 'ended', data: { outcome } })])[0]?.tone).toBe('bad')
  })
})
