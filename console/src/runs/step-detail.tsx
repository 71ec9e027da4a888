import { ArrowDown, ArrowUp } from 'lucide-react'
import type { RunEvent } from '@/api/model'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { clock, span } from '@/ui/time'
import { usePicture } from './hooks'
import { pictureAt, said, type Step } from './timeline'

/** Everything about one step: the page, what was thought and what came of it, then its events as they are. */
export function StepDetail({ runId, rows, at, onChoose }: { runId: string; rows: Step[]; at: number; onChoose: (i: number) => void }) {
  const row = rows[at]
  if (!row) return <p className="p-5 text-sm text-ink-2">The first step is on its way.</p>
  const shot = pictureAt(rows, at)
  const result = row.events.find((e) => e.kind === 'acted' || e.kind === 'refused')
  const status = said(result, 'status')
  const feedback = said(result, 'feedback')
  const thought = row.events.map((e) => said(e, 'thought')).find(Boolean)
  const rest = row.events.filter((e, i) => i > 0 && e.kind !== 'acted')
  return (
    <>
      <div className="flex items-start gap-3 px-4 pt-3 pb-3">
        <div className="min-w-0 flex-1">
          <p className="text-xs text-ink-2 tabular-nums">{row.step > 0 ? `Step ${row.step.toString()} · ` : ''}{clock(row.startedAt)} · {span(row.endedAt - row.startedAt)}</p>
          <h2 className="font-semibold break-words">{row.title}</h2>
        </div>
        <div className="flex gap-1">
          <Button look="quiet" size="icon" aria-label="Previous step" aria-keyshortcuts="k" disabled={at === 0} onClick={() => { onChoose(at - 1) }}><ArrowUp aria-hidden className="size-4" /></Button>
          <Button look="quiet" size="icon" aria-label="Next step" aria-keyshortcuts="j" disabled={at === rows.length - 1} onClick={() => { onChoose(at + 1) }}><ArrowDown aria-hidden className="size-4" /></Button>
        </div>
      </div>
      {shot.picture ? <Picture runId={runId} name={shot.picture} page={shot.page} own={row.picture !== undefined} title={row.title} /> : null}
      <div className="space-y-4 p-4">
        {thought ? <blockquote className="border-l-2 border-line-strong pl-3 text-sm text-ink-2">{thought}</blockquote> : null}
        {status || feedback ? (
          <p className="text-sm break-words">
            {status ? <span className={cn('mr-2 rounded px-1.5 py-px text-xs font-medium', tint(status))}>{outcomes[status] ?? status}</span> : null}{feedback}
          </p>
        ) : null}
        {rest.map((e) => <p key={e.seq} className="text-sm break-words">{e.text}</p>)}
        <details className="text-sm">
          <summary className="text-xs text-ink-2 hover:text-ink">{row.events.length === 1 ? '1 event' : `${row.events.length.toString()} events`}</summary>
          <ol className="mt-2 space-y-3">{row.events.map((e) => <EventRow key={e.seq} event={e} />)}</ol>
        </details>
      </div>
    </>
  )
}

const outcomes: Record<string, string> = { ok: 'Done', commit: 'Held for approval', refused: 'Refused', failed: 'Failed', unknown: 'May have happened', cancelled: 'Cancelled' }

function tint(status: string): string {
  if (status === 'ok') return 'bg-ok-soft text-ok'
  if (status === 'cancelled') return 'bg-hover text-ink-2'
  return status === 'commit' || status === 'unknown' ? 'bg-wait-soft text-wait' : 'bg-bad-soft text-bad'
}

function Picture({ runId, name, page, own, title }: { runId: string; name: string; page: Step['page']; own: boolean; title: string }) {
  const picture = usePicture(runId, name)
  return (
    <figure className="border-y border-line bg-sunken">
      <figcaption className="flex items-center gap-3 border-b border-line px-4 py-1.5 text-xs text-ink-2">
        <span className="min-w-0 flex-1 truncate font-mono" title={page?.title}>{page?.url ?? ''}</span>
        {own ? null : <span className="shrink-0">as it was before</span>}
      </figcaption>
      {picture.data ? (
        <a href={picture.data.url} target="_blank" rel="noreferrer" aria-label="The page at full size" className="block">
          <img src={picture.data.url} alt={`The page ${own ? 'after' : 'before'}: ${title}`} className="mx-auto max-h-[52dvh] w-auto" />
        </a>
      ) : <p className="grid h-56 place-items-center text-xs text-ink-2">{picture.error ? 'The picture cannot be shown now.' : 'Loading the picture'}</p>}
    </figure>
  )
}

/** An event as it is. */
export function EventRow({ event }: { event: RunEvent }) {
  const data = Object.entries(event.data ?? {}).filter(([, v]) => v !== '')
  return (
    <li className="border-l-2 border-line pl-3">
      <p className="text-xs text-ink-2 tabular-nums">#{event.seq} {event.kind} · <time dateTime={event.at}>{clock(Date.parse(event.at), true)}</time></p>
      <p className="text-sm break-words whitespace-pre-wrap">{event.text}</p>
      {data.length > 0 ? (
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 font-mono text-xs">
          {data.map(([k, v]) => (
            <div key={k} className="contents">
              <dt className="text-ink-2">{k}</dt>
              <dd className="break-words whitespace-pre-wrap">{typeof v === 'string' ? v : JSON.stringify(v, null, 2)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </li>
  )
}
