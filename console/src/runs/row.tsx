import { Link } from '@tanstack/react-router'
import type { Run } from '@/api/model'
import { via } from '@/executions/about'
import { Status } from '@/ui/status'
import { Ago, span } from '@/ui/time'

/** What a run is about, in one line: a browser task by its page, a program by what it called and where it came from. */
function about(run: Run): string {
  const { code } = run
  const what = code ? [code.tool ? 'One call' : `Program, ${code.calls === 1 ? '1 call' : `${code.calls.toLocaleString()} calls`}`, `from ${via[code.via] ?? code.via}`] : [run.browse?.url.replace(/^https?:\/\//, '')]
  return [...what, run.detail].filter(Boolean).join(' · ')
}

/** A run in a list. */
export function RunRow({ run }: { run: Run }) {
  const sub = about(run)
  return (
    <Link to="/runs/$id" params={{ id: run.id }} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 -outline-offset-2 hover:bg-sunken md:grid-cols-[minmax(0,1fr)_12.5rem_5rem_6rem]">
      <span className="col-span-2 min-w-0 md:col-span-1">
        <span className="block truncate font-medium">{run.title}</span>
        <span className="block truncate text-xs text-ink-2">{sub}</span>
      </span>
      <span><Status status={run.status} waitingFor={run.waitingFor} /></span>
      <span className="hidden text-right text-xs text-ink-2 tabular-nums md:block">{run.endedAt ? span(Date.parse(run.endedAt) - Date.parse(run.createdAt)) : ''}</span>
      <span className="text-right text-xs text-ink-2 tabular-nums"><Ago at={run.createdAt} /></span>
    </Link>
  )
}
