import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight, Clock, Hand, ShieldX } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cn } from '@/ui/cn'
import type { Tool } from '@/api/model'
import { actionOf } from './marks'
import { step, type Node } from './tree'

const height = 30

type Props = { rows: Node[]; chosen: string | undefined; onChoose: (path: string) => void; onToggle: (id: string) => void }

/** Namespaces, groups and tools; arrows walk, right and left open and close. Only what is in view is drawn. */
export function TreeView({ rows, chosen, onChoose, onToggle }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<string>()
  const current = rows.findIndex((r) => r.id === (at ?? chosen))
  const active = Math.max(0, current)
  // eslint-disable-next-line react-hooks/incompatible-library -- the tree is windowed on purpose and re-renders with its rows
  const windowed = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => height, overscan: 12 })
  const items = windowed.getVirtualItems()
  useEffect(() => { if (current >= 0) windowed.scrollToIndex(current, { align: 'auto' }) }, [current, windowed])
  const use = (n: Node) => {
    setAt(n.id)
    if (n.kind === 'tool') onChoose(n.id)
    else if ('open' in n) onToggle(n.id)
  }
  return (
    <div
      ref={box} role="tree" tabIndex={0} aria-label="Tools" aria-activedescendant={items.some((v) => v.index === active) ? `node-${active.toString()}` : undefined}
      className="max-h-[46dvh] min-h-24 overflow-auto overscroll-contain rounded-lg border border-line bg-panel py-1 lg:max-h-[calc(100dvh-11rem)]"
      onKeyDown={(e) => {
        const now = rows[active]
        if (now && (e.key === 'Enter' || e.key === ' ')) {
          e.preventDefault()
          use(now)
          return
        }
        const move = step(rows, active, e.key)
        if (!move) return
        e.preventDefault()
        if ('toggle' in move) {
          setAt(move.toggle)
          onToggle(move.toggle)
          return
        }
        const next = rows[move.at]
        if (!next) return
        setAt(next.id)
        if (next.kind === 'tool') onChoose(next.id)
      }}
    >
      <div role="presentation" className="relative" style={{ height: windowed.getTotalSize() }}>
        {items.map((v) => {
          const n = rows[v.index]
          if (!n) return null
          const isChosen = n.kind === 'tool' && n.id === chosen
          return (
            <div
              key={n.id} id={`node-${v.index.toString()}`} role="treeitem" aria-level={n.level} aria-selected={isChosen} aria-expanded={'open' in n ? n.open : undefined} tabIndex={-1}
              onClick={() => { use(n) }} onKeyDown={(e) => { if (e.key === 'Enter') use(n) }}
              className={cn('absolute inset-x-0 flex cursor-pointer items-center gap-1.5 pr-3 text-sm', isChosen ? 'bg-hover shadow-[inset_2px_0_0_var(--ink)]' : v.index === active && at !== undefined ? 'bg-sunken' : 'hover:bg-sunken')}
              style={{ height, transform: `translateY(${v.start.toString()}px)`, paddingLeft: 6 + (n.level - 1) * 16 }}
            >
              <Line n={n} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Line({ n }: { n: Node }) {
  if (n.kind === 'note') return <span className="truncate pl-5 text-xs text-ink-2">{n.text}</span>
  if (n.kind === 'tool') return <><span aria-hidden className="w-4 shrink-0" /><ToolLine t={n.tool} text={n.text} /></>
  const Icon = n.open ? ChevronDown : ChevronRight
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-ink-2" />
      <span className={cn('truncate', n.kind === 'namespace' && 'font-medium')}>{n.text}</span>
      {n.kind === 'namespace' ? <span className="min-w-0 truncate font-mono text-xs text-ink-2">{n.hint}</span> : null}
      <span className="ml-auto shrink-0 pl-2 text-xs text-ink-2 tabular-nums">{n.count.toLocaleString()}<span className="sr-only"> tools</span></span>
    </>
  )
}

const risk = (t: Tool) => (t.readOnly ? 'reads' : t.destructive ? 'destructive' : 'writes')

/** A tool in one line: its name, and what one has to know before using it. */
export function ToolLine({ t, text }: { t: Tool; text: string }) {
  const action = actionOf(t)
  return (
    <>
      <span className={cn('min-w-0 truncate', t.deprecated && 'line-through decoration-line-strong')}>{text}</span>
      <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-2 text-xs">
        {t.held ? <><Clock aria-hidden className="size-3.5 text-wait" /><span className="sr-only">changed, </span></> : null}
        {action === 'block' ? <><ShieldX aria-hidden className="size-3.5 text-bad" /><span className="sr-only">blocked, </span></> : action === 'require_approval' ? <><Hand aria-hidden className="size-3.5 text-ink-2" /><span className="sr-only">asks first, </span></> : null}
        <span className={cn(t.readOnly ? 'text-ink-2' : t.destructive ? 'text-bad' : 'text-wait')}>{risk(t)}</span>
      </span>
    </>
  )
}
