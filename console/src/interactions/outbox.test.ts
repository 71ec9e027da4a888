import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { holdMs, Outbox } from './outbox'

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

describe('Outbox', () => {
  it('holds an answer back, then sends it once and tells when it was confirmed', async () => {
    const box = new Outbox()
    const phases: (string | undefined)[] = []
    box.subscribe(() => { phases.push(box.get('x')?.phase) })
    const send = vi.fn(() => Promise.resolve())
    box.hold('x', { kind: 'accept' }, send)
    await vi.advanceTimersByTimeAsync(holdMs - 1)
    expect([send.mock.calls.length, box.held]).toEqual([0, true])
    await vi.advanceTimersByTimeAsync(1)
    expect([send.mock.calls.length, box.held, phases]).toEqual([1, false, ['held', 'sending', 'sent']])
  })

  it('sends nothing after an undo', async () => {
    const box = new Outbox()
    const send = vi.fn(() => Promise.resolve())
    box.hold('x', { kind: 'accept' }, send)
    box.undo('x')
    await vi.advanceTimersByTimeAsync(2 * holdMs)
    expect([send.mock.calls.length, box.get('x'), box.held]).toEqual([0, undefined, false])
  })

  it('takes no second answer while one is held, on its way or confirmed', async () => {
    const box = new Outbox()
    const second = vi.fn(() => Promise.resolve())
    box.hold('x', { kind: 'accept' }, () => Promise.resolve())
    box.hold('x', { kind: 'decline' }, second)
    await vi.advanceTimersByTimeAsync(2 * holdMs)
    box.hold('x', { kind: 'decline' }, second)
    await vi.advanceTimersByTimeAsync(2 * holdMs)
    expect([second.mock.calls.length, box.get('x')]).toEqual([0, { kind: 'accept', phase: 'sent' }])
  })

  it('can be answered again after a failure', async () => {
    const box = new Outbox()
    box.hold('x', { kind: 'accept' }, () => Promise.reject(new Error('the host is away')))
    await vi.advanceTimersByTimeAsync(holdMs)
    expect(box.get('x')).toMatchObject({ phase: 'failed', error: { message: 'the host is away' } })
    box.hold('x', { kind: 'accept' }, () => Promise.resolve())
    await vi.advanceTimersByTimeAsync(holdMs)
    expect(box.get('x')?.phase).toBe('sent')
  })

  it('keeps no secret that was given to it', () => {
    const box = new Outbox()
    box.hold('x', { kind: 'secret', secret: 'lantern' } as { kind: string }, () => Promise.resolve())
    expect(JSON.stringify(box.get('x'))).not.toContain('lantern')
  })
})
