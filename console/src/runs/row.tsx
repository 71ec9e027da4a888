import { Link } from '@tanstack/react-router'
import type { Run } from '@/api/model'
import { Status } from '@/ui/status'
import { Ago, span } from '@/ui/time'

/** A run in a list. */
export function RunRow({ run }: { run: Run }) {
  const took = run.endedAt ? span(Date.parse(run.endedAt) - Date.parse(run.createdAt)) : undefined
  return (
    <Link to="/runs/$id" params={{ id: run.id }} className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-3 hover:bg-sunken">
      <span className="min-w-0 flex-1 basis-60">
        <span className="block truncate font-medium">{run.title}</span>
        <span className="block truncate text-xs text-ink-2">{run.browse?.url}{run.detail ? ` · ${run.detail}` : ''}</span>
      </span>
      <Status status={run.status} waitingFor={run.waitingFor} />
      <span className="w-36 shrink-0 text-xs text-ink-2 tabular-nums sm:text-right">{took ? `${took} · ` : ''}<Ago at={run.createdAt} /></span>
    </Link>
  )
}
