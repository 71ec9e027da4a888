import { icons, otherIcon } from '@/runs/icons'
import type { Call } from '@/api/model'
import { parts } from '@/tools/tree'
import { cn } from '@/ui/cn'
import { span, useNow } from '@/ui/time'
import { CallDetail } from './call-detail'
import { callWords, settled } from './steps'

const shown = 200

/** The calls of a program as they happen; each opens to what it was given and what it gave. */
export function CallList({ calls }: { calls: Call[] }) {
  const open = calls.some((c) => !settled(c.status))
  const now = useNow(500, open)
  const list = calls.length > shown ? calls.slice(-shown) : calls
  return (
    <>
      {list.length < calls.length ? <p className="px-3 py-1.5 text-xs text-ink-2">{(calls.length - list.length).toLocaleString()} earlier ones: open the run</p> : null}
      <ol aria-label="Calls" className="divide-y divide-line">
        {list.map((c) => <CallRow key={c.seq} c={c} now={now} />)}
      </ol>
    </>
  )
}

function CallRow({ c, now }: { c: Call; now: number }) {
  const bad = c.status === 'failed'
  const waits = c.status === 'waiting' || c.status === 'unknown'
  const Icon = icons[`call:${c.status}`] ?? otherIcon
  const { namespace } = parts(c.path)
  const took = (c.endedAt ? Date.parse(c.endedAt) : now) - Date.parse(c.at)
  return (
    <li>
      <details>
        <summary className="grid min-h-9 grid-cols-[1.25rem_1rem_minmax(0,1fr)_auto] items-center gap-x-2 px-3 -outline-offset-2 hover:bg-sunken">
          <span className="text-right text-xs text-ink-2 tabular-nums">{c.seq}</span>
          <Icon aria-hidden className={cn('size-3.5', bad ? 'text-bad' : waits ? 'text-wait' : c.status === 'completed' ? 'text-ok' : 'text-busy')} />
          <span className="flex min-w-0 items-baseline gap-2"><span className="truncate text-sm">{namespace ? c.path.slice(namespace.length + 1) : c.path}</span><span className="truncate font-mono text-xs text-ink-2">{namespace}</span></span>
          <span className={cn('text-xs tabular-nums', bad ? 'text-bad' : waits ? 'text-wait' : 'text-ink-2')}>{c.status === 'completed' ? '' : `${callWords[c.status]} · `}{span(took)}</span>
        </summary>
        <div className="border-t border-line px-3 pt-2 pb-3"><CallDetail c={c} /></div>
      </details>
    </li>
  )
}
