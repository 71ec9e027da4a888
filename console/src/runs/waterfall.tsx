import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef } from 'react'
import { cn } from '@/ui/cn'
import { span } from '@/ui/time'
import { icons, otherIcon } from './icons'
import type { Tone } from './timeline'

/** What is drawn of a step. `sub` stands beside the title, `word` says how it stands; a moving one is not over. */
export type Row = { step: number; title: string; sub?: string; action: string; tone: Tone; word?: string; startedAt: number; endedAt: number; moving?: boolean }

const bars: Record<Tone, string> = { work: 'bg-busy', bad: 'bg-bad', wait: 'bg-wait', ok: 'bg-ok' }
const inks: Record<Tone, string> = { work: 'text-ink-2', bad: 'text-bad', wait: 'text-wait', ok: 'text-ok' }
const words: Record<Tone, string> = { work: '', bad: ', went wrong', wait: ', needed a person', ok: ', reached' }

const rowHeight = 42

type Props = { rows: Row[]; chosen: number; onChoose: (i: number) => void; live: boolean }

/** Steps from top to bottom, their time from left to right. Only what is in view is drawn, so ten thousand steps stay smooth. */
export function Waterfall({ rows, chosen, onChoose, live }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const start = rows[0]?.startedAt ?? 0
  const end = useMemo(() => rows.reduce((latest, r) => Math.max(latest, r.endedAt), 0), [rows])
  const total = Math.max(1, end - start)
  // eslint-disable-next-line react-hooks/incompatible-library -- the list is windowed on purpose and re-renders with its rows
  const windowed = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => rowHeight, overscan: 8 })
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
          const left = Math.min(((row.startedAt - start) / total) * 100, 99.3)
          const width = Math.min(Math.max(0.7, ((row.endedAt - row.startedAt) / total) * 100), 100 - left)
          return (
            <Line
              key={v.key} index={v.index} top={v.start} count={rows.length} chosen={v.index === chosen} onChoose={onChoose} moving={live && (row.moving ?? v.index === rows.length - 1)}
              step={row.step} title={row.title} sub={row.sub} action={row.action} tone={row.tone} word={row.word} took={row.endedAt - row.startedAt} left={left} width={width}
            />
          )
        })}
      </div>
    </div>
  )
}

type LineProps = { index: number; top: number; count: number; chosen: boolean; onChoose: (i: number) => void; moving: boolean; step: number; title: string; sub: string | undefined; action: string; tone: Tone; word: string | undefined; took: number; left: number; width: number }

/** One step. While the list scrolls, rows that stay in view are not drawn again. */
const Line = memo(function Line({ index, top, count, chosen, onChoose, moving, step, title, sub, action, tone, word, took, left, width }: LineProps) {
  const Icon = icons[action] ?? otherIcon
  return (
    <div
      id={`step-${index.toString()}`} role="option" aria-selected={chosen} aria-posinset={index + 1} aria-setsize={count} tabIndex={-1}
      onClick={() => { onChoose(index) }} onKeyDown={(e) => { if (e.key === 'Enter') onChoose(index) }}
      className={cn('absolute inset-x-0 grid cursor-pointer grid-cols-[1.5rem_minmax(0,1fr)_auto] content-center gap-x-2.5 pr-3 pl-1.5', chosen ? 'bg-hover shadow-[inset_2px_0_0_var(--ink)]' : 'hover:bg-sunken')}
      style={{ height: rowHeight, transform: `translateY(${top.toString()}px)` }}
    >
      <span className="row-span-2 self-center text-right text-xs text-ink-2 tabular-nums">{step > 0 ? step : ''}</span>
      <span className="flex min-w-0 items-center gap-2 text-sm"><Icon aria-hidden className={cn('size-3.5 shrink-0', inks[tone])} /><span className={cn('truncate', sub && 'shrink-0 max-w-full')}>{title}</span>{sub ? <span className="min-w-0 truncate text-xs text-ink-2">{sub}</span> : null}<span className="sr-only">{word ? `, ${word}` : words[tone]}</span></span>
      <span className="self-center text-xs text-ink-2 tabular-nums">{span(took)}</span>
      <span aria-hidden className="col-span-2 mt-1 block h-[3px] rounded-full bg-hover">
        <span className={cn('block h-[3px] rounded-full', bars[tone], moving && 'animate-pulse')} style={{ marginLeft: `${left.toString()}%`, width: `${width.toString()}%` }} />
      </span>
    </div>
  )
})
