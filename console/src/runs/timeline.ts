import type { RunEvent } from '@/api/model'

/** Orders events that overtake each other: what it gives out is a prefix without gaps or repeats. */
export class Timeline {
  private shown: RunEvent[] = []
  private readonly held = new Map<number, RunEvent>()

  /** Number of the newest event given out. */
  get last(): number {
    return this.shown.at(-1)?.seq ?? 0
  }

  add(events: RunEvent[]): RunEvent[] {
    for (const e of events) if (e.seq > this.last) this.held.set(e.seq, e)
    const next: RunEvent[] = []
    for (let seq = this.last + 1; ; seq++) {
      const e = this.held.get(seq)
      if (!e) break
      this.held.delete(seq)
      next.push(e)
    }
    if (next.length > 0) this.shown = [...this.shown, ...next]
    return this.shown
  }
}

/** A step of the run: the events of one decision, as one row. */
export type Step = { step: number; title: string; events: RunEvent[]; startedAt: number; endedAt: number; tone: 'plain' | 'bad' | 'wait' | 'ok'; picture?: string | undefined }

const bad = new Set(['refused', 'failed'])
const wait = new Set(['asked', 'waiting'])

/** Groups a timeline into steps: decided, acted and answered of one number are one row; the rest stands alone. */
export function steps(events: RunEvent[]): Step[] {
  const out: Step[] = []
  for (const e of events) {
    const at = Date.parse(e.at)
    const lastStep = out.at(-1)
    if (lastStep && e.step !== undefined && e.step > 0 && lastStep.step === e.step) {
      lastStep.events.push(e)
      lastStep.endedAt = at
      lastStep.picture = e.picture ?? lastStep.picture
      lastStep.tone = tone(e, lastStep.tone)
      continue
    }
    out.push({ step: e.step ?? 0, title: e.text, events: [e], startedAt: lastStep ? lastStep.endedAt : at, endedAt: at, tone: tone(e, 'plain'), picture: e.picture })
  }
  return out
}

function tone(e: RunEvent, before: Step['tone']): Step['tone'] {
  if (bad.has(e.kind)) return 'bad'
  if (wait.has(e.kind)) return 'wait'
  if (e.kind === 'answered' || e.kind === 'resumed') return before === 'wait' ? 'plain' : before
  return before
}
