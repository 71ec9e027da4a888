import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { cn } from '@/ui/cn'
import { span } from '@/ui/time'
import { icons, otherIcon } from './icons'
import type { Step, Tone } from './timeline'

const bars: Record<Tone, string> = { work: 'bg-busy', bad: 'bg-bad', wait: 'bg-wait', ok: 'bg-ok' }
const inks: Record<Tone, string> = { work: 'text-ink-2', bad: 'text-bad', wait: 'text-wait', ok: 'text-ok' }
const words: Record<Tone, string> = { work: '', bad: ', went wrong', wait: ', needed a person', ok: ', reached' }

const rowHeight = 42

/** Steps from top to bottom, their time from left to right. Only what is in view is drawn, so ten thousand steps stay smooth. */
export function Waterfall({ rows, chosen, onChoose, live }: { rows: Step[]; chosen: number; onChoose: (i: number) => void; live: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const start = rows[0]?.startedAt ?? 0
  const total = Math.max(1, (rows.at(-1)?.endedAt ?? 1) - start)
  // eslint-disable-next-line react-hooks/incompatible-library -- the list is windowed on purpose and re-renders with its rows
  const windowed = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => rowHeight, overscan: 12 })
  useEffect(() => { if (chosen >= 0) windowed.scrollToIndex(chosen, { align: 'auto' }) }, [chosen, windowed])
  const items = windowed.getVirtualItems()
  return (
    <div
      ref={box} role="listbox" tabIndex={0} aria-label="Steps" aria-activedescendant={items.some((v) => v.index === chosen) ? `step-${chosen.toString()}` : undefined}
      className="max-h-[38dvh] min-h-24 overflow-auto overscroll-contain rounded-lg border border-line bg-panel lg:max-h-[calc(100dvh-2.5rem)]"
      onKeyDown={(e) => {
        const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: rows.length - 1, PageDown: chosen + 10, PageUp: chosen - 10 }[e.key]
        if (to === undefined) return
        e.preventDefault()
        onChoose(Math.max(0, Math.min(rows.length - 1, to)))
      }}
    >
      <div role="presentation" className="relative" style={{ height: windowed.getTotalSize() }}>
        {items.map((v) => {
          const row = rows[v.index]
          if (!row) return null
          const offset = ((row.startedAt - start) / total) * 100
          const width = Math.max(0.7, ((row.endedAt - row.startedAt) / total) * 100)
          const Icon = icons[row.action] ?? otherIcon
          return (
            <div
              key={v.key} id={`step-${v.index.toString()}`} role="option" aria-selected={v.index === chosen} aria-posinset={v.index + 1} aria-setsize={rows.length} tabIndex={-1}
              onClick={() => { onChoose(v.index) }} onKeyDown={(e) => { if (e.key === 'Enter') onChoose(v.index) }}
              className={cn('absolute inset-x-0 grid cursor-pointer grid-cols-[1.5rem_minmax(0,1fr)_auto] content-center gap-x-2.5 pr-3 pl-1.5', v.index === chosen ? 'bg-hover shadow-[inset_2px_0_0_var(--ink)]' : 'hover:bg-sunken')}
              style={{ height: v.size, transform: `translateY(${v.start.toString()}px)` }}
            >
              <span className="row-span-2 self-center text-right text-xs text-ink-2 tabular-nums">{row.step > 0 ? row.step : ''}</span>
              <span className="flex min-w-0 items-center gap-2 text-sm"><Icon aria-hidden className={cn('size-3.5 shrink-0', inks[row.tone])} /><span className="truncate">{row.title}</span><span className="sr-only">{words[row.tone]}</span></span>
              <span className="self-center text-xs text-ink-2 tabular-nums">{span(row.endedAt - row.startedAt)}</span>
              <span aria-hidden className="col-span-2 mt-1 block h-[3px] rounded-full bg-hover">
                <span className={cn('block h-[3px] rounded-full', bars[row.tone], live && v.index === rows.length - 1 && 'animate-pulse')} style={{ marginLeft: `${Math.min(offset, 99.3).toString()}%`, width: `${Math.min(width, 100 - Math.min(offset, 99.3)).toString()}%` }} />
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}
