/** How an answer stands. `kind` is all that is kept of it here once it was sent. */
export type Outgoing = { kind: string; phase: 'held' | 'sending' | 'sent' } | { kind: string; phase: 'failed'; error: Error }

/** How long an answer is held back so that it can be undone. */
export const holdMs = 4_000

/** Answers on their way. They outlive the card they were given on: whoever walks to another page has still answered. */
export class Outbox {
  private readonly items = new Map<string, Outgoing>()
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>()
  private readonly listeners = new Set<() => void>()

  readonly subscribe = (l: () => void): (() => void) => {
    this.listeners.add(l)
    return () => { this.listeners.delete(l) }
  }

  get(id: string): Outgoing | undefined {
    return this.items.get(id)
  }

  /** Whether closing the page now would lose an answer. */
  get held(): boolean {
    return this.timers.size > 0
  }

  hold(id: string, body: { kind: string }, send: () => Promise<void>): void {
    const now = this.items.get(id)
    if (now && now.phase !== 'failed') return
    const { kind } = body
    this.set(id, { kind, phase: 'held' })
    this.timers.set(id, setTimeout(() => {
      this.timers.delete(id)
      this.set(id, { kind, phase: 'sending' })
      send().then(
        () => { this.set(id, { kind, phase: 'sent' }) },
        (e: unknown) => { this.set(id, { kind, phase: 'failed', error: e instanceof Error ? e : new Error('The answer was not sent') }) },
      )
    }, holdMs))
  }

  undo(id: string): void {
    const timer = this.timers.get(id)
    if (timer === undefined) return
    clearTimeout(timer)
    this.timers.delete(id)
    this.set(id, undefined)
  }

  private set(id: string, o: Outgoing | undefined): void {
    if (o) this.items.set(id, o)
    else this.items.delete(id)
    for (const l of this.listeners) l()
  }
}

export const outbox = new Outbox()

if (typeof window !== 'undefined') addEventListener('beforeunload', (e) => { if (outbox.held) e.preventDefault() })
