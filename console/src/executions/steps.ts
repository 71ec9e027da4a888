import type { Call, CallStatus, Execution, LogLine } from '@/api/model'
import { parts } from '@/tools/tree'
import type { Tone } from '@/runs/timeline'
import type { Row } from '@/runs/waterfall'

/** Whether nothing more will come of a call. */
export function settled(s: CallStatus): boolean {
  return s === 'completed' || s === 'failed'
}

export type StepPage = { items: Call[]; nextCursor?: string }

/** Reads the calls of a program again and again, and of those that are settled only once: a program may make ten thousand. */
export class StepLog {
  private done: Call[] = []
  private cursor: string | undefined

  /** Reads what may be new. Two may read at once: the one that knows less leaves no trace. */
  async read(page: (cursor: string | undefined) => Promise<StepPage>): Promise<Call[]> {
    let { done, cursor } = this
    const rest: Call[] = []
    let keep = true
    for (let at = cursor; ;) {
      const p = await page(at)
      keep = keep && p.nextCursor !== undefined && p.items.every((c) => settled(c.status))
      if (keep) {
        done = [...done, ...p.items]
        cursor = p.nextCursor
      } else rest.push(...p.items)
      if (!p.nextCursor || p.nextCursor === at) break
      at = p.nextCursor
    }
    if (done.length > this.done.length) {
      this.done = done
      this.cursor = cursor
    }
    return [...done, ...rest]
  }
}

export const callWords: Record<CallStatus, string> = { pending: 'Not sent yet', waiting: 'Waiting for you', sent: 'On its way', completed: 'Completed', failed: 'Failed', unknown: 'May have happened' }

function tone(c: Call): Tone {
  if (c.status === 'failed') return 'bad'
  return c.status === 'waiting' || c.status === 'unknown' ? 'wait' : 'work'
}

/** The calls as rows of the waterfall. They overlap where they were made at once; what is not over lasts until `now`. */
export function callRows(calls: Call[], now: number): Row[] {
  return calls.map((c) => {
    const { namespace, leaf } = parts(c.path)
    const startedAt = Date.parse(c.at)
    const open = !settled(c.status) && c.status !== 'unknown'
    return {
      step: c.seq, title: namespace ? c.path.slice(namespace.length + 1) : c.path, sub: namespace || leaf, action: `call:${c.status}`, tone: tone(c),
      word: callWords[c.status], startedAt, endedAt: c.endedAt ? Date.parse(c.endedAt) : open ? Math.max(now, startedAt) : startedAt, moving: open,
    }
  })
}

/** What the program wrote so far: while it runs its lines are known with the calls that followed them. */
export function consoleLines(x: Execution | undefined, calls: Call[]): LogLine[] {
  const told = x?.logs ?? []
  const seen = calls.flatMap((c) => c.logsBefore ?? [])
  return told.length >= seen.length ? told : seen
}

export function finished(s: Execution['status']): boolean {
  return s === 'completed' || s === 'failed' || s === 'cancelled'
}
