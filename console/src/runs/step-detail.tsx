import type { RunEvent } from '@/api/model'
import { Ago } from '@/ui/time'
import { usePicture } from './hooks'
import type { Step } from './timeline'

/** Everything about one step: the picture, then each event with its data. */
export function StepDetail({ runId, row }: { runId: string; row: Step }) {
  return (
    <div>
      {row.picture ? <Picture runId={runId} name={row.picture} alt={`The page after: ${row.title}`} /> : null}
      <div className="p-5">
        <h2 className="font-medium text-balance">{row.title}</h2>
        <ol className="mt-4 space-y-4">
          {row.events.map((e) => <EventRow key={e.seq} event={e} />)}
        </ol>
      </div>
    </div>
  )
}

function Picture({ runId, name, alt }: { runId: string; name: string; alt: string }) {
  const picture = usePicture(runId, name)
  return (
    <div className="border-b border-line bg-sunken">
      {picture.data ? (
        <a href={picture.data.url} target="_blank" rel="noreferrer" aria-label="Open the picture at full size">
          <img src={picture.data.url} alt={alt} className="mx-auto max-h-[46dvh] w-auto" />
        </a>
      ) : <div className="grid h-56 place-items-center text-sm text-ink-2">{picture.error ? 'The picture cannot be shown now.' : 'Loading the picture'}</div>}
    </div>
  )
}

function EventRow({ event }: { event: RunEvent }) {
  const data = Object.entries(event.data ?? {})
  return (
    <li className="border-l-2 border-line pl-3">
      <p className="text-xs text-ink-2">{event.kind} · <Ago at={event.at} /> · #{event.seq}</p>
      <p className="mt-0.5 text-sm break-words whitespace-pre-wrap">{event.text}</p>
      {data.length > 0 ? (
        <details className="mt-1.5 text-sm">
          <summary className="cursor-pointer text-xs text-ink-2 hover:text-ink">Details</summary>
          <dl className="mt-2 space-y-2">
            {data.map(([k, v]) => (
              <div key={k}>
                <dt className="text-xs text-ink-2">{k}</dt>
                <dd className="mt-0.5 max-h-72 overflow-auto rounded bg-sunken px-2 py-1 font-mono text-xs break-words whitespace-pre-wrap">{typeof v === 'string' ? v : JSON.stringify(v, null, 2)}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
    </li>
  )
}
