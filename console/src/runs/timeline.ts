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

/** What a step's colour says: the agent worked, a person was needed, it went wrong, it reached the objective. */
export type Tone = 'work' | 'wait' | 'bad' | 'ok'

/** A step of the run: the events of one decision, as one row. */
export type Step = {
  step: number
  title: string
  action: string
  events: RunEvent[]
  startedAt: number
  endedAt: number
  tone: Tone
  picture?: string | undefined
  page?: { url: string; title: string } | undefined
}

/** Groups a timeline into steps: decided, acted and answered of one number are one row; the rest stands alone. A step begins where the one before ended. */
export function steps(events: RunEvent[]): Step[] {
  const out: Step[] = []
  for (const e of events) {
    const at = Date.parse(e.at)
    const before = out.at(-1)
    if (before && e.step !== undefined && e.step > 0 && before.step === e.step) {
      before.events.push(e)
      before.endedAt = at
      before.tone = tone(e, before.tone)
      before.picture = e.picture ?? before.picture
      before.page = page(e) ?? before.page
      continue
    }
    out.push({
      step: e.step ?? 0, title: title(e), action: action(e), events: [e], startedAt: before ? before.endedAt : at, endedAt: at, tone: tone(e, 'work'),
      picture: e.picture, page: page(e),
    })
  }
  return out
}

/** A member of an event's data, where it is a text. */
export function said(e: RunEvent | undefined, member: string): string | undefined {
  const v = e?.data?.[member]
  return typeof v === 'string' && v !== '' ? v : undefined
}

const reference = / \((?:f\d+)?e\d+\)/g // element references, such as (e7), mean something to the model only

function title(e: RunEvent): string {
  const text = e.text.replace(reference, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function action(e: RunEvent): string {
  return e.kind === 'decided' ? (said(e, 'action') ?? e.kind) : e.kind
}

function page(e: RunEvent): Step['page'] {
  const url = said(e, 'url')
  return url ? { url, title: said(e, 'title') ?? '' } : undefined
}

const reached = new Set(['done', 'ready'])

function tone(e: RunEvent, before: Tone): Tone {
  switch (e.kind) {
    case 'refused': return 'bad'
    case 'asked': case 'waiting': return 'wait'
    case 'acted': return said(e, 'status') === 'failed' ? 'bad' : before
    case 'ended': return reached.has(said(e, 'outcome') ?? '') ? 'ok' : 'bad'
    default: return before
  }
}

/** The picture that shows a step: its own, else the newest before it. */
export function pictureAt(rows: Step[], i: number): Pick<Step, 'picture' | 'page'> {
  for (let j = i; j >= 0; j--) if (rows[j]?.picture) return { picture: rows[j]?.picture, page: rows[j]?.page }
  return {}
}
