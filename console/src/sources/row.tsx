import { Link } from '@tanstack/react-router'
import { CircleX, Clock, Power } from 'lucide-react'
import type { Source } from '@/api/model'
import { Pill } from '@/ui/pill'
import { Ago } from '@/ui/time'

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString()} ${n === 1 ? one : many}`
}

/** How a source stands, when it is not simply fine. */
export function SourceState({ s }: { s: Source }) {
  return (
    <>
      {s.enabled ? null : <Pill icon={Power}>Off</Pill>}
      {s.status === 'degraded' ? <Pill tint="bad" icon={CircleX} {...(s.detail ? { title: s.detail } : {})}>Degraded</Pill> : null}
      {s.held > 0 ? <Pill tint="wait" icon={Clock}>{count(s.held, 'change')} to look at</Pill> : null}
    </>
  )
}

export function SourceRow({ s }: { s: Source }) {
  return (
    <Link to="/sources/$slug" params={{ slug: s.slug }} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 -outline-offset-2 hover:bg-sunken">
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate font-medium">{s.name}</span>
        <span className="block truncate text-xs text-ink-2"><span className="font-mono">{s.slug}</span> · {s.url?.replace(/^https?:\/\//, '') ?? 'pasted'}</span>
      </span>
      <span className="flex flex-wrap gap-1.5"><SourceState s={s} /></span>
      <span className="text-xs text-ink-2 tabular-nums">{count(s.tools, 'tool')} · {count(s.connections, 'connection')} · read <Ago at={s.refreshedAt} /></span>
    </Link>
  )
}
