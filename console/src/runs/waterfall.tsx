import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { cn } from '@/ui/cn'
import { span } from '@/ui/time'
import type { Step } from './timeline'

const tones = { plain: 'bg-busy', bad: 'bg-bad', wait: 'bg-wait', ok: 'bg-ok' } as const
const words = { plain: '', bad: 'refused or failed', wait: 'needed a person', ok: 'done' } as const

/** Steps from top to bottom, their time from left to right. Only what is in view is drawn, so ten thousand steps stay smooth. */
export function Waterfall({ rows, chosen, onChoose, live }: { rows: Step[]; chosen: number; onChoose: (i: number) => void; live: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const start = rows[0]?.startedAt ?? 0
  const total = Math.max(1, (rows.at(-1)?.endedAt ?? 1) - start)
  // eslint-disable-next-line react-hooks/incompatible-library -- the list is windowed on purpose and re-renders with its rows
  const windowed = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => 46, overscan: 12 })
  useEffect(() => { if (chosen >= 0) windowed.scrollToIndex(chosen, { align: 'auto' }) }, [chosen, windowed])
  return (
    <div ref={box} role="listbox" tabIndex={0} aria-label="Steps" aria-activedescendant={chosen >= 0 ? `step-${chosen.toString()}` : undefined}
      className="max-h-[60dvh] overflow-auto rounded-lg border border-line bg-panel lg:max-h-[calc(100dvh-2.5rem)]"
      onKeyDown={(e) => {
        if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return
        e.preventDefault()
        onChoose(Math.max(0, Math.min(rows.length - 1, chosen + (e.key === 'ArrowDown' ? 1 : -1))))
      }}
    >
      <div style={{ height: windowed.getTotalSize(), position: 'relative' }}>
        {windowed.getVirtualItems().map((v) => {
          const row = rows[v.index]
          if (!row) return null
          const left = ((row.startedAt - start) / total) * 100
          const width = Math.max(0.8, ((row.endedAt - row.startedAt) / total) * 100)
          const last = live && v.index === rows.length - 1
          return (
            <div
              key={v.key} id={`step-${v.index.toString()}`} role="option" aria-selected={v.index === chosen} tabIndex={-1}
              onClick={() => { onChoose(v.index) }} onKeyDown={(e) => { if (e.key === 'Enter') onChoose(v.index) }}
              className={cn('absolute inset-x-0 cursor-pointer border-b border-line px-3 py-1.5', v.index === chosen ? 'bg-accent-soft' : 'hover:bg-sunken')}
              style={{ height: v.size, transform: `translateY(${v.start.toString()}px)` }}
            >
              <div className="flex items-baseline gap-2 text-sm">
                <span className="w-6 shrink-0 text-right text-xs text-ink-2 tabular-nums">{row.step > 0 ? row.step : '·'}</span>
                <span className="min-w-0 flex-1 truncate">{row.title}{words[row.tone] ? <span className="sr-only"> ({words[row.tone]})</span> : null}</span>
                <span className="shrink-0 text-xs text-ink-2 tabular-nums">{span(row.endedAt - row.startedAt)}</span>
              </div>
              <div aria-hidden className="mt-1 ml-8 h-1 rounded bg-sunken">
                <div className={cn('h-1 rounded', tones[row.tone], last && 'animate-pulse')} style={{ marginLeft: `${left.toString()}%`, width: `${Math.min(width, 100 - left).toString()}%` }} />
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}
